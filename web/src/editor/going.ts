// Moving the cursor to where something is written.

import { EditorView } from "@codemirror/view";
import { button } from "../dom";
import type { Studio } from "../studio";
import { words } from "../words";

/** Show a line of a file (none: the one that is shown), with the cursor on it. */
export async function goToLine(studio: Studio, line: number, uri?: string): Promise<void> {
  try {
    if (uri) await studio.show(uri);
  } catch (error) {
    studio.failed(error);
    return;
  }
  const { doc } = studio.view.state;
  if (line > doc.lines) return;
  studio.showText();
  const anchor = doc.line(line).from;
  studio.view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
  studio.view.focus();
}

/** A link to a line of the file that is shown. */
export function lineLink(studio: Studio, line: number): HTMLElement {
  return button(words.problems.line(line), () => void goToLine(studio, line), { class: "link" });
}
