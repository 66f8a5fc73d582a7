// The bar above the text: the file, whether it is saved, and what can be done with it.

import { redo, redoDepth, undo, undoDepth } from "@codemirror/commands";
import { baseOf } from "./begin";
import { button, el, fill, options } from "./dom";
import { files as filesOf } from "./playground/files";
import { spoken } from "./speech";
import type { Studio } from "./studio";
import { words } from "./words";

export function bar(studio: Studio, keys: () => void): HTMLElement {
  const files = el("select", { "aria-label": words.file, class: "files" });
  const state = el("p", { class: "state" });
  const command = (what: typeof undo) => () => {
    what(studio.view);
    studio.view.focus();
  };
  const save = button(words.buttons.save, () => void studio.save(), { class: "primary", title: words.hints.save });
  const back = button("↶", command(undo), { title: words.hints.undo, "aria-label": words.buttons.undo, class: "sign-button" });
  const again = button("↷", command(redo), { title: words.hints.redo, "aria-label": words.buttons.redo, class: "sign-button" });
  const tidy = button(words.buttons.tidy, () => void studio.tidy(), { title: words.hints.tidy, class: "roomy" });
  const discard = button(words.buttons.discard, () => void studio.discard(), { title: words.hints.discard });
  const house = button(words.state.house, () => studio.begin(), { class: "primary" });
  const help = button("?", keys, { title: words.hints.keys, "aria-label": words.buttons.keys, class: "sign-button" });

  const language = el(
    "select",
    { "aria-label": words.language, class: "language" },
    Object.entries(spoken.languages).map(([code, name]) =>
      el("option", { value: code, lang: code, selected: code === spoken.language }, name),
    ),
  );
  language.addEventListener("change", () => void studio.speak(language.value));

  files.addEventListener("change", () => {
    void studio.show(files.value).catch((error: unknown) => {
      // The text on display is still the previous one.
      list();
      studio.failed(error);
    });
  });

  function list(): void {
    const shown = studio.current;
    const rows = (studio.hello?.files ?? []).map(({ uri, name, draft }) => {
      return [uri, words.fileEntry(name, studio.documents.getFile(uri)?.dirty ?? draft)] as const;
    });
    fill(files, options(rows, shown?.uri));
    // A file that the rules build on.
    if (shown && !studio.entry(shown.uri))
      files.append(el("option", { value: shown.uri, selected: true }, studio.title(shown.uri)));
    files.hidden = (studio.hello?.files.length ?? 0) === 0;
  }

  let before: boolean | null = null;
  function show(): void {
    const doc = studio.current;
    const others = studio.documents.files.filter((one) => one !== doc && one.dirty).map((one) => studio.title(one.uri));
    const [css, text] = !doc
      ? ["", studio.hello && !studio.hello.open ? words.state.nothing : words.state.loading]
      : !studio.online
        ? ["alarm", words.state.offline]
        : !doc.writable && !others.length
          ? ["soft", words.state.readonly]
          : !doc.dirty
            ? others.length
              ? ["unsaved", words.state.others(others)]
              : ["soft", words.state.saved]
            : doc.kept
              ? ["unsaved", words.state.draft]
              : ["unsaved", words.state.typing];
    state.className = `state ${css}`;
    if (state.textContent !== text) state.textContent = state.title = text;
    const dirty = doc?.dirty ?? false;
    house.hidden = baseOf(studio) === null;
    save.hidden = !house.hidden;
    save.disabled = !doc?.writable && !others.length;
    tidy.disabled = !doc?.writable;
    discard.hidden = !dirty;
    back.disabled = !undoDepth(studio.view.state);
    again.disabled = !redoDepth(studio.view.state);
    document.title = doc ? words.title(studio.title(doc.uri), dirty || others.length > 0) : `pwtool ${words.product}`;
    if (before !== dirty) list();
    before = dirty;
  }

  studio.on("files", list);
  studio.on(["text", "line", "files"], show);
  studio.on("text", () => {
    if (files.value !== studio.current?.uri) list();
  });
  show();
  return el(
    "header",
    { class: "bar-top" },
    el("p", { class: "brand" }, el("strong", {}, "pwtool"), ` ${words.product}`),
    files,
    state,
    el("div", { class: "tools" }, studio.line.keeps ? filesOf(studio) : null, back, again, tidy, discard, house, save, help),
    language,
  );
}
