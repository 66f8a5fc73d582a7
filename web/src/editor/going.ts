// Moving the cursor.

import { EditorView } from "@codemirror/view";

/** Move the cursor to a line of the text, and show it in the middle. */
export function goToLine(view: EditorView, line: number): void {
  const { doc } = view.state;
  const { from } = doc.line(Math.min(Math.max(line, 1), doc.lines));
  view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
  view.focus();
}
