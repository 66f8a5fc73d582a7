// Adding and removing boards as examples: edits of the text, which can be undone.

import type { Added, Board, Example, Requests } from "../contract";
import { notice } from "../dom";
import type { Studio } from "../studio";
import { words } from "../words";

/** Add what `ask` returns to the text; whether that was done. */
async function add(studio: Studio, ask: () => Promise<Added>, told: (added: Added) => string | null): Promise<boolean> {
  const { current } = studio;
  if (!current) return false;
  try {
    const asked = current.now;
    const added = await ask();
    // Text typed in the meantime has moved the place: ask again for the new text.
    if (added.uri === current.uri && !current.now.eq(asked)) return await add(studio, ask, told);
    if (!(await studio.write(added.uri, { from: added.at, insert: added.insert }))) return false;
    const said = told(added);
    if (said !== null) notice(said);
    return true;
  } catch (error) {
    studio.failed(error);
    return false;
  }
}

/** Add a board as an example of the chosen objective; returns whether that was done. */
export function keep(studio: Studio, board: Board, yes: boolean, quiet = false): Promise<boolean> {
  const { current, objective } = studio;
  if (!current || objective === null) return Promise.resolve(false);
  const { uri } = current;
  return add(
    studio,
    () => studio.server.ask("studio/addExample", { uri, name: objective, board, yes }),
    (added) =>
      quiet
        ? null
        : added.disagrees
          ? words.trying.disagrees(studio.title(added.uri))
          : words.trying.added(yes, studio.title(added.uri)),
  );
}

/** Add what is said of an action on the table as an example of the rules. */
export function keepAction(studio: Studio, said: Requests["studio/keepAction"][0]["said"]): Promise<boolean> {
  const uri = studio.current?.uri ?? "";
  return add(
    studio,
    () => studio.server.ask("studio/keepAction", { uri, said }),
    (added) =>
      added.disagrees ? words.table.disagrees(studio.title(added.uri)) : words.table.added(studio.title(added.uri)),
  );
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
