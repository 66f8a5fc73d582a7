// The editor: keys, signs at the edge, and what the program adds.

import { closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, indentUnit } from "@codemirror/language";
import { lintGutter, lintKeymap } from "@codemirror/lint";
import { formatKeymap, hoverTooltips, jumpToDefinitionKeymap, serverCompletion } from "@codemirror/lsp-client";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from "@codemirror/view";
import { words } from "../words";
import { colors, rules } from "./language";
import { names } from "./names";

interface Keys {
  save(): void;
  rename(): void;
}

/** What every file has. */
export function setup(keys: Keys, changed: Extension): Extension[] {
  return [
    lineNumbers(),
    lintGutter(),
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
      ...lintKeymap,
      ...historyKeymap,
      ...defaultKeymap,
      indentWithTab,
    ]),
    serverCompletion(),
    hoverTooltips({ hoverTime: 400 }),
    changed,
  ];
}

function done(what: () => void): () => boolean {
  return () => {
    what();
    return true;
  };
}
