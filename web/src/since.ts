// Objectives with a mistake keep the meaning that they had: since which edit of their text.

import { ChangeSet, type Text } from "@codemirror/state";
import { change } from "./change";
import type { ObjectiveEntry, Overview } from "./contract";

export class Since {
  private text: Text | null = null;
  private asked: Text | null = null;
  private known: ObjectiveEntry[] = [];
  /** Where the text was changed, by the name of the objective. */
  private readonly places = new Map<string, number>();

  /** What is known about a text: the one that was there when it was asked for, the one that is there now, or one in between.
   * A mistake in the first words of an objective takes it away: the chosen one stays. */
  learned(asked: Text, text: Text, { objectives, valid }: Overview, chosen: string | null): void {
    const gone = this.known.find((one) => one.name === chosen && !objectives.some(({ name }) => name === chosen));
    if (gone && !valid) objectives.push({ ...gone, line: null, stale: true });
    const fresh = new Set(this.known.filter((one) => !one.stale).map((one) => one.name));
    const since = this.text && change(this.text, text.toString());
    const changes = since && this.text && ChangeSet.of(since, this.text.length);
    const edit = since ?? (this.asked && change(this.asked, text.toString()));
    for (const [name, place] of this.places) if (changes) this.places.set(name, changes.mapPos(place));
    for (const one of objectives) {
      if (!one.stale) this.places.delete(one.name);
      // A line that is added begins after the end of the one before.
      else if (edit && fresh.has(one.name)) this.places.set(one.name, edit.from + (edit.insert.startsWith("\n") ? 1 : 0));
    }
    this.known = objectives;
    this.text = text;
    this.asked = asked;
  }

  /** The line that was changed; null if that was in another file, or before this one was opened. */
  line(name: string): number | null {
    const place = this.places.get(name);
    return place === undefined || !this.text ? null : this.text.lineAt(Math.min(place, this.text.length)).number;
  }
}

/** Whether an objective is what it was before a mistake. */
export function isStale(overview: Overview | null, name: string | null): boolean {
  return overview?.objectives.some((one) => one.name === name && one.stale) ?? false;
}
