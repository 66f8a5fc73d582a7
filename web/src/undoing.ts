// What can be undone outlives a page that is loaded again in another language.

import { historyField } from "@codemirror/commands";
import { EditorState, type Extension } from "@codemirror/state";
import type { Doc } from "./documents";

const KEPT = "pwtool.undo";
const FIELDS = { history: historyField };

/** Keep the states of texts, with what can be undone in them, for the page that comes next in this window. */
export function keepUndo(docs: Doc[]): void {
  try {
    const states = docs.map((doc) => [doc.uri, (doc.view?.state ?? doc.state).toJSON(FIELDS)]);
    sessionStorage.setItem(KEPT, JSON.stringify(Object.fromEntries(states)));
  } catch {
    // Without room, or without storage, the texts are there without it.
  }
}

/** The states that the page before kept. */
function kept(): Record<string, { doc: string }> {
  try {
    const found = sessionStorage.getItem(KEPT);
    sessionStorage.removeItem(KEPT);
    return found === null ? {} : (JSON.parse(found) as Record<string, { doc: string }>);
  } catch {
    return {};
  }
}

const before = kept();

/** The state of a text that is opened: as the page before left it, if it is the same text. */
export function stateOf(uri: string, text: string, extensions: Extension[]): EditorState {
  const found = before[uri];
  delete before[uri];
  const plain = text.replace(/\r\n?/g, "\n");
  if (found?.doc === plain) {
    try {
      return EditorState.fromJSON(found, { extensions }, FIELDS);
    } catch (error) {
      console.warn(error);
    }
  }
  return EditorState.create({ doc: plain, extensions });
}
