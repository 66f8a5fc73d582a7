// Adding and removing boards as examples: edits of the text, which can be undone.

import type { Board, Example } from "../contract";
import { notice } from "../dom";
import type { Studio } from "../studio";
import { words } from "../words";

/** Add a board as an example of the chosen objective; returns whether that was done. */
export async function keep(studio: Studio, board: Board, yes: boolean, quiet = false): Promise<boolean> {
  const { current, objective } = studio;
  if (!current || objective === null) return false;
  try {
    const asked = current.now;
    const added = await studio.server.ask("studio/addExample", { uri: current.uri, name: objective, board, yes });
    // Text typed in the meantime has moved the place: ask again for the new text.
    if (added.uri === current.uri && !current.now.eq(asked)) return await keep(studio, board, yes, quiet);
    if (!(await studio.write(added.uri, { from: added.at, insert: added.insert }))) return false;
    if (!quiet)
      notice(
        added.disagrees ? words.trying.disagrees(studio.title(added.uri)) : words.trying.added(yes, studio.title(added.uri)),
      );
    return true;
  } catch (error) {
    studio.failed(error);
    return false;
  }
}

/** Remove an example of the chosen objective. */
export async function remove(studio: Studio, example: Example): Promise<void> {
  const { current, objective } = studio;
  if (!current || objective === null) return;
  const { board, yes } = example;
  try {
    const asked = current.now;
    const { uri, at, to, insert } = await studio.server.ask("studio/removeExample", { uri: current.uri, name: objective, board, yes });
    if (uri === current.uri && !current.now.eq(asked)) return await remove(studio, example);
    if (await studio.write(uri, { from: at, to, insert })) notice(words.examples.removed(studio.title(uri)));
  } catch (error) {
    studio.failed(error);
  }
}
