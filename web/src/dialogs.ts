// Questions that have to be answered before anything else.

import type { Text } from "@codemirror/state";
import { differing } from "./change";
import { button, el, tools } from "./dom";
import { words } from "./words";

/** The most differing lines that are shown. */
const SHOWN = 8;

/** Ask in a dialog; `otherwise` is the answer of who closes it. */
export function ask<T>(title: string, content: (answer: (value: T) => void) => (Node | string)[], otherwise: T): Promise<T> {
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

/** Another program has changed the file: ask which text counts. */
export function askConflict(file: string, mine: Text, theirs: Text): Promise<"mine" | "theirs" | null> {
  const [here, there] = differing(mine, theirs);
  const shown = (title: string, text: string): HTMLElement[] => {
    const lines = text.split("\n");
    const more = lines.length > SHOWN ? "\n…" : "";
    return [
      el("h3", {}, title),
      el("pre", { tabindex: "0", "aria-label": title }, lines.slice(0, SHOWN).join("\n") + more || words.conflict.same),
    ];
  };
  return ask<"mine" | "theirs" | null>(
    words.conflict.title(file),
    (answer) => [
      el("p", {}, words.conflict.text),
      ...shown(words.conflict.here, here),
      ...shown(words.conflict.there, there),
      tools(
        button(words.conflict.mine, () => answer("mine")),
        button(words.conflict.theirs, () => answer("theirs")),
        // Continued typing overwrites nothing.
        button(words.conflict.cancel, () => answer(null), { class: "primary", autofocus: true }),
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
        tools(
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
      tools(button(words.keys.close, () => answer(null), { class: "primary" })),
    ],
    null,
  );
}
