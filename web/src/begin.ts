// The beginning of a new or empty file: what it builds on.

import type { Base } from "./contract";
import { button, el, fill, fresh, options, quiet } from "./dom";
import type { Studio } from "./studio";
import { words } from "./words";

/** What builds on rules of the library. */
const BASED = new Set(["house", "objective"]);

export function begin(studio: Studio): HTMLElement {
  let asked = "";
  const name = el("input", { type: "text", id: fresh("file"), value: words.begin.fallback, size: 14, spellcheck: "false" });
  const kind = el("select", { id: fresh("kind") }, options(Object.entries(words.begin.kinds)));
  let proposed = name.value;
  const base = el("select", { id: fresh("base"), class: "base" });
  const why = el("strong", {});
  const named = el("span", { class: "choices" }, el("label", { for: name.id }, words.begin.name), name);
  const based = el("span", { class: "choices" }, el("label", { for: base.id }, words.begin.base), base);
  const cancel = button(words.cancel, () => studio.begin(false));
  const form = el(
    "form",
    { class: "warning begin", hidden: true },
    why,
    el("span", { class: "choices" }, el("label", { for: kind.id }, words.begin.kind), kind),
    based,
    named,
    el("button", { type: "submit", class: "primary" }, words.begin.submit),
    cancel,
  );
  const choose = (): void => void (based.hidden = !BASED.has(kind.value));
  kind.addEventListener("change", choose);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    quiet();
    void start()
      .then(() => studio.view.focus())
      .catch((error: unknown) => studio.failed(error));
  });

  /** A name that no file has. */
  function free(wish: string): string {
    const names = new Set(studio.hello?.files.map((file) => file.name));
    let found = wish;
    for (let number = 2; names.has(`${found}.rules`); number += 1) found = `${wish}_${number}`;
    return found;
  }

  /** Write what was chosen into the empty file that is shown, or into a new one. */
  async function start(): Promise<void> {
    const current = studio.beginning ? null : studio.current;
    const title = current ? studio.title(current.uri).replace(/^.*[\\/]|\.rules$/g, "") : name.value.trim();
    const { text } = await studio.server.ask("studio/beginning", { name: title, kind: kind.value, base: base.value });
    if (current) await studio.write(current.uri, { from: 0, insert: text });
    else await studio.begun((await studio.server.ask("studio/begin", { name: title, text })).uri);
  }

  studio.on(["files", "text"], () => {
    const { hello } = studio;
    const current = studio.beginning ? null : studio.current;
    const blank = current !== null && current.writable && current.now.length === 0;
    form.hidden = !hello?.bases.length || !(blank || studio.beginning || hello.open === null);
    if (form.hidden || !hello) return;
    why.textContent = current ? words.begin.file : studio.beginning ? words.begin.fresh : words.begin.folder;
    cancel.hidden = !studio.beginning;
    named.hidden = current !== null;
    if (base.options.length !== hello.bases.length)
      fill(base, options(hello.bases.map(({ address, title }) => [address, words.begin.entry(title, address)])));
    // Of the rules that are shown, if they can only be read.
    const shown = baseOf(studio);
    if (studio.beginning && shown && asked !== shown.address) {
      kind.value = "house";
      base.value = asked = shown.address;
      name.value = proposed = free(`${shown.address.replace(/\W+/g, "_")}_house`);
    } else if (name.value === proposed) name.value = proposed = free(proposed.replace(/_\d+$/, ""));
    choose();
  });
  return form;
}

/** The ruleset of the library that is shown and can only be read, if new files can build on it. */
export function baseOf(studio: Studio): Base | null {
  const doc = studio.current;
  return doc && !doc.writable ? (studio.hello?.bases.find((base) => base.uri === doc.uri) ?? null) : null;
}
