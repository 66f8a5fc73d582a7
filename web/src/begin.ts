// The beginning of a new or empty file: what it builds on.

import { button, el, fill, fresh } from "./dom";
import type { Studio } from "./studio";
import { words } from "./words";

export function begin(studio: Studio): HTMLElement {
  const name = el("input", { type: "text", id: fresh("file"), value: words.begin.fallback, size: 14, spellcheck: "false" });
  const base = el("select", { id: fresh("base") });
  const why = el("strong", {});
  const named = el("span", { class: "choices" }, el("label", { for: name.id }, words.begin.name), name);
  const cancel = button(words.cancel, () => studio.begin(false));
  const form = el(
    "form",
    { class: "warning begin", hidden: true },
    why,
    named,
    el("span", { class: "choices" }, el("label", { for: base.id }, words.begin.base), base),
    el("button", { type: "submit", class: "primary" }, words.begin.submit),
    cancel,
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const current = studio.beginning ? null : studio.current;
    const done = current
      ? studio.write(current.uri, { from: 0, insert: opening(studio.title(current.uri), base.value) })
      : studio.server.ask("studio/begin", { name: name.value.trim(), base: base.value }).then(({ uri }) => studio.begun(uri));
    void done.then(() => studio.view.focus()).catch((error: unknown) => studio.failed(error));
  });
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
      fill(
        base,
        hello.bases.map(({ address, title }) => el("option", { value: address }, words.begin.entry(title, address))),
      );
  });
  return form;
}

/** The first line of an edition in a file with this name. */
function opening(file: string, base: string): string {
  const stem = file.replace(/^.*[\\/]/, "").replace(/\.rules$/, "");
  const name = stem.replace(/\W+/g, "_").replace(/^[^A-Za-z]+/, "") || words.begin.fallback;
  return `edition ${name} of ${base} "${stem}"\n`;
}
