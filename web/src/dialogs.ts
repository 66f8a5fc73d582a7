// Questions that have to be answered before anything else.

import { button, el } from "./dom";
import { words } from "./words";

function ask<T>(title: string, content: (answer: (value: T) => void) => (Node | string)[], otherwise: T): Promise<T> {
  return new Promise((resolve) => {
    const dialog = el("dialog", { "aria-label": title });
    let value = otherwise;
    dialog.append(
      el("h2", {}, title),
      ...content((answer) => {
        value = answer;
        dialog.close();
      }),
    );
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(value);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** The file was changed by another program: which text counts. */
export function askConflict(file: string): Promise<"mine" | "theirs" | null> {
  return ask<"mine" | "theirs" | null>(
    words.conflict.title(file),
    (answer) => [
      el("p", {}, words.conflict.text),
      el(
        "p",
        { class: "tools" },
        button(words.conflict.mine, () => answer("mine"), { class: "primary" }),
        button(words.conflict.theirs, () => answer("theirs")),
        button(words.conflict.cancel, () => answer(null)),
      ),
    ],
    null,
  );
}

export function askName(now: string): Promise<string | null> {
  const input = el("input", { type: "text", value: now, "aria-label": words.rename.label, spellcheck: "false", autofocus: true });
  return ask<string | null>(
    words.rename.label,
    (answer) => [
      el(
        "form",
        {
          onsubmit: (event: Event) => {
            event.preventDefault();
            answer(input.value.trim() === now ? null : input.value.trim() || null);
          },
        },
        el("p", {}, input),
        el(
          "p",
          { class: "tools" },
          el("button", { type: "submit", class: "primary" }, words.rename.submit),
          button(words.cancel, () => answer(null)),
        ),
      ),
    ],
    null,
  );
}

export function showKeys(): void {
  void ask<null>(
    words.keys.title,
    (answer) => [
      el(
        "table",
        { class: "keys" },
        el(
          "tbody",
          {},
          words.keys.rows.map(([keys = "", what = ""]) =>
            el("tr", {}, el("th", { scope: "row" }, el("kbd", {}, keys)), el("td", {}, what)),
          ),
        ),
      ),
      el(
        "p",
        { class: "tools" },
        button(words.keys.close, () => answer(null), { class: "primary" }),
      ),
    ],
    null,
  );
}
