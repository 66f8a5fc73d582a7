// Renaming in all files.

import { LSPPlugin } from "@codemirror/lsp-client";
import { notice } from "../dom";
import type { Studio } from "../studio";
import { words } from "../words";
import type { Finding } from "./problems";

/** Ask for a new name for what the cursor is on, and replace the old one everywhere. */
export async function rename(studio: Studio): Promise<void> {
  const { state } = studio.view;
  const doc = studio.current;
  const word = state.wordAt(state.selection.main.head);
  const plugin = LSPPlugin.get(studio.view);
  if (!doc || !word || !plugin) return;
  const name = await studio.askName(state.sliceDoc(word.from, word.to));
  if (!name) return;
  try {
    const found = await studio.server.request<{
      changes?: Record<string, { range: Finding["range"]; newText: string }[]>;
    } | null>("textDocument/rename", {
      textDocument: { uri: doc.uri },
      position: plugin.toPosition(word.from),
      newName: name,
    });
    for (const [uri, edits] of Object.entries(found?.changes ?? {})) await studio.edits(uri, edits);
    notice(words.rename.done(name));
  } catch (error) {
    studio.failed(error);
  }
  studio.view.focus();
}
