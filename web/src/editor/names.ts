// Semantic tokens from the program: names of one kind have one color.

import { RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";

const told = StateEffect.define<DecorationSet>();
const marks = new Map<string, Decoration>();

function mark(css: string): Decoration {
  let found = marks.get(css);
  if (!found) marks.set(css, (found = Decoration.mark({ class: css })));
  return found;
}

export const names = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(known, transaction) {
    const moved = known.map(transaction.changes);
    const effect = transaction.effects.find((one) => one.is(told));
    return effect ? (effect.value as DecorationSet) : moved;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Show tokens of the protocol, whose places are relative to the one before. */
export function showNames(view: EditorView, data: readonly number[], kinds: readonly string[]): void {
  const builder = new RangeSetBuilder<Decoration>();
  const text = view.state.doc;
  let line = 0;
  let column = 0;
  for (let at = 0; at + 4 < data.length; at += 5) {
    const [down, right, length, kind, modifiers] = data.slice(at, at + 5) as [number, number, number, number, number];
    column = down ? right : column + right;
    line += down;
    if (line >= text.lines) break;
    const row = text.line(line + 1);
    const from = row.from + column;
    if (from + length > row.to) continue;
    builder.add(from, from + length, mark(`n-${kinds[kind] ?? "name"}${modifiers ? " n-declared" : ""}`));
  }
  view.dispatch({ effects: told.of(builder.finish()) });
}
