// What is known of the objective that is looked at, asked once for all panels.

import type { Item, Neighbour } from "../contract";
import { Gone, Latest } from "../server";
import type { Studio } from "../studio";

export class Items {
  /** The answer for the objective that is looked at, or the last one while the next is asked for. */
  item: Item | null = null;
  neighbours: Neighbour[] = [];
  busy = false;
  /** Why nothing is known. */
  problem = "";
  private readonly near = new Latest();
  private of: string | null = null;
  private readonly latest = new Latest();
  private readonly heard: (() => void)[] = [];

  constructor(private readonly studio: Studio) {
    studio.on(["known", "focus"], () => void this.ask());
  }

  on(what: () => void): void {
    this.heard.push(what);
  }

  private async ask(): Promise<void> {
    const { objective, current } = this.studio;
    if (!current || objective === null || !this.studio.overview) {
      this.latest.forget();
      this.item = null;
      this.busy = false;
    } else {
      this.busy = true;
      this.problem = "";
      if (this.item?.name !== objective) this.tell();
      try {
        this.item = await this.latest.of(this.studio.server.ask("studio/item", { uri: current.uri, name: objective }));
      } catch (error) {
        if (error instanceof Gone) return;
        // A name may be gone by now: then the list is new in a moment, and another one is asked for.
        this.item = null;
        this.problem = error instanceof Error ? error.message : String(error);
      }
      this.busy = false;
      if (this.of !== objective) this.neighbours = [];
      this.of = objective;
      void this.measure(current.uri, objective);
    }
    this.tell();
  }

  // How far the others are takes longer to know.
  private async measure(uri: string, name: string): Promise<void> {
    try {
      this.neighbours = await this.near.of(this.studio.server.ask("studio/neighbours", { uri, name }));
    } catch (error) {
      if (error instanceof Gone) return;
      this.neighbours = [];
    }
    this.tell();
  }

  private tell(): void {
    for (const what of this.heard) what();
  }
}
