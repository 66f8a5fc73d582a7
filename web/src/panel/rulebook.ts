// What is known of the whole ruleset, requested once for the tab and for the gutter.

import type { Marks, Play, Rules } from "../contract";
import { cover } from "../editor/coverage";
import { Emitter } from "../emitter";
import { Gone, Latest, reason } from "../server";
import type { Studio } from "../studio";

export class Rulebook extends Emitter {
  /** The answer for this file. */
  rules: Rules | null = null;
  /** The last marks and games of this file, which stay while the next ones are on their way. */
  marks: Marks | null = null;
  play: Play | null = null;
  /** Why nothing is known. */
  problem = "";
  private uri: string | null = null;
  private readonly latest = new Latest();

  constructor(private readonly studio: Studio) {
    super();
    studio.on(["known", "measured"], () => void this.ask());
  }

  private async ask(): Promise<void> {
    const { current, overview, online } = this.studio;
    if (!current || !overview || !online) return;
    const asked = current.now;
    try {
      const found = await this.latest.of(this.studio.server.ask("studio/rules", { uri: current.uri }));
      if (current !== this.studio.current) return;
      if (this.uri !== current.uri) [this.marks, this.play] = [null, null];
      this.uri = current.uri;
      this.rules = found;
      this.problem = "";
      // Games are played after the examples: if those show nothing, it takes too long.
      this.marks = found.marks ?? (found.play ? null : this.marks);
      this.play = found.play ?? this.play;
      // If something was typed meanwhile, the marks have moved with the text, and new ones come in a moment.
      if (found.marks && current.now.eq(asked)) cover(this.studio.view, found.marks.lines);
    } catch (error) {
      if (error instanceof Gone) return;
      if (this.uri !== current.uri) [this.rules, this.marks, this.play] = [null, null, null];
      this.uri = current.uri;
      this.problem = reason(error);
    }
    this.emit("known");
  }
}
