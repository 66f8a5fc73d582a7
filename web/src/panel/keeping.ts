// What is added to the text and taken from it with a click: examples, and changes of the rules beneath. It can be undone.

import type { Added, Board, Example, Requests } from "../contract";
import { button, notice } from "../dom";
import { goToLine } from "../editor/going";
import type { Studio } from "../studio";
import { words } from "../words";

/** Add what `ask` returns to the text; what was added, if anything. */
async function add(studio: Studio, ask: () => Promise<Added>, told: (added: Added) => string | null): Promise<Added | null> {
  const { current } = studio;
  if (!current) return null;
  try {
    const asked = current.now;
    const added = await ask();
    // Text typed in the meantime has moved the place: ask again for the new text.
    if (added.uri === current.uri && !current.now.eq(asked)) return await add(studio, ask, told);
    // What stands there already is only shown.
    if (!added.insert) return added;
    if (!(await studio.write(added.uri, { from: added.at, insert: added.insert }))) return null;
    const said = told(added);
    if (said !== null) notice(said);
    return added;
  } catch (error) {
    studio.failed(error);
    return null;
  }
}

/** Add a board as an example of the chosen objective; returns whether that was done. */
export async function keep(studio: Studio, board: Board, yes: boolean, quiet = false): Promise<boolean> {
  const { current, objective } = studio;
  if (!current || objective === null) return false;
  const { uri } = current;
  const added = await add(
    studio,
    () => studio.server.ask("studio/addExample", { uri, name: objective, board, yes }),
    (added) =>
      quiet
        ? null
        : added.disagrees
          ? words.trying.disagrees(studio.title(added.uri))
          : words.trying.added(yes, studio.title(added.uri)),
  );
  return added !== null;
}

/** Add what is said of an action on the table as an example of the rules. */
export async function keepAction(studio: Studio, said: Requests["studio/keepAction"][0]["said"]): Promise<void> {
  const uri = studio.current?.uri ?? "";
  await add(
    studio,
    () => studio.server.ask("studio/keepAction", { uri, said }),
    (added) =>
      added.disagrees ? words.table.disagrees(studio.title(added.uri)) : words.table.added(studio.title(added.uri)),
  );
}

/** A button that writes an item of the rules beneath into the file, to be changed there. */
export function changeButton(studio: Studio, kind: string, name: string): HTMLElement {
  const write = async (): Promise<void> => {
    const uri = studio.current?.uri ?? "";
    const added = await add(
      studio,
      () => studio.server.ask("studio/change", { uri, kind, name }),
      () => words.rules.written,
    );
    if (added) await goToLine(studio, added.line);
  };
  return button(words.rules.change, () => void write(), { class: "link change", "aria-label": words.rules.changing(name || kind) });
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
