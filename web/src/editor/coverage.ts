// Marks beside conditions: whether the examples show that they hold and that they do not.

import { type EditorState, type Extension, type Range, RangeSet, StateEffect, StateField } from "@codemirror/state";
import { type EditorView, gutter, GutterMarker } from "@codemirror/view";
import type { Mark, Marks } from "../contract";
import { words } from "../words";

/** What a tooltip has room for. */
const SHOWN = 5;

/** A mark in words. */
export function told(mark: Mark, most = SHOWN): string {
  if (mark.state === "both") return words.rules.both;
  const more = mark.lacks.length - most;
  const lines = mark.lacks.slice(0, most).map((line) => line.replaceAll("`", ""));
  return [...lines, ...(more > 0 ? [words.rules.more(more)] : [])].join("\n");
}

class Sign extends GutterMarker {
  constructor(private readonly mark: Mark) {
    super();
  }

  eq(other: Sign): boolean {
    return other.mark.state === this.mark.state && told(other.mark) === told(this.mark);
  }

  toDOM(): Node {
    const node = document.createElement("span");
    node.className = `shown ${this.mark.state}`;
    node.title = told(this.mark);
    return node;
  }
}

const told_ = StateEffect.define<RangeSet<GutterMarker>>();

const signs = StateField.define<RangeSet<GutterMarker>>({
  create: () => RangeSet.empty,
  update(known, transaction) {
    const effect = transaction.effects.find((one) => one.is(told_));
    return effect ? (effect.value as RangeSet<GutterMarker>) : known.map(transaction.changes);
  },
});

/** The marks in the gutter. */
export const covered: Extension = [
  signs,
  gutter({
    class: "cm-covered",
    markers: (view: EditorView) => view.state.field(signs),
    initialSpacer: () => new Sign({ state: "both", lacks: [] }),
  }),
];

function at(state: EditorState, lines: Marks["lines"]): Range<GutterMarker>[] {
  return lines
    .filter(([line]) => line <= state.doc.lines)
    .map(([line, mark]) => new Sign(mark).range(state.doc.line(line).from));
}

/** Show the marks of the lines of a text. */
export function cover(view: EditorView, lines: Marks["lines"]): void {
  view.dispatch({ effects: told_.of(RangeSet.of(at(view.state, lines), true)) });
}
