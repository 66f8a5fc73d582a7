// The editor: keys, gutter signs, and what the program adds.

import { closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, indentUnit } from "@codemirror/language";
import { lintGutter, lintKeymap } from "@codemirror/lint";
import { findReferencesKeymap, formatKeymap, hoverTooltips, jumpToDefinitionKeymap, serverCompletion } from "@codemirror/lsp-client";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  ViewPlugin,
} from "@codemirror/view";
import { phrases, words } from "../words";
import { covered } from "./coverage";
import { colors, rules } from "./language";
import { names } from "./names";

/** If the list of problems takes room from the text, the current line stays visible. */
const inSight = ViewPlugin.define((view) => {
  let height = view.scrollDOM.clientHeight;
  const watch = new ResizeObserver(() => {
    const before = height;
    height = view.scrollDOM.clientHeight;
    const top = view.scrollDOM.getBoundingClientRect().top;
    const { head } = view.state.selection.main;
    const place = height < before && view.hasFocus ? view.coordsAtPos(head) : null;
    if (place && place.top >= top && place.top < top + before && place.bottom > top + height)
      view.dispatch({ effects: EditorView.scrollIntoView(head, { yMargin: 24 }) });
  });
  watch.observe(view.scrollDOM);
  return { destroy: () => watch.disconnect() };
});

interface Keys {
  save(): void;
  rename(): void;
}

/** What every file has. */
export function setup(keys: Keys, changed: Extension): Extension[] {
  return [
    lineNumbers(),
    lintGutter(),
    covered,
    history(),
    drawSelection(),
    EditorState.allowMultipleSelections.of(false),
    indentUnit.of("  "),
    bracketMatching(),
    closeBrackets(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    highlightSelectionMatches(),
    search({ top: true }),
    EditorState.phrases.of(phrases),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({
      "aria-label": words.editor.label,
      spellcheck: "false",
      autocorrect: "off",
      autocapitalize: "off",
    }),
    rules,
    colors,
    names,
    keymap.of([
      { key: "Mod-s", preventDefault: true, run: done(keys.save) },
      { key: "F2", preventDefault: true, run: done(keys.rename) },
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...searchKeymap,
      ...formatKeymap,
      ...jumpToDefinitionKeymap,
      ...findReferencesKeymap,
      ...lintKeymap,
      ...historyKeymap,
      ...defaultKeymap,
      indentWithTab,
    ]),
    serverCompletion(),
    hoverTooltips({ hoverTime: 400 }),
    inSight,
    changed,
  ];
}

function done(what: () => void): () => boolean {
  return () => {
    what();
    return true;
  };
}
