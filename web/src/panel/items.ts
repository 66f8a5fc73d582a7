// What is known about the chosen objective, requested once for all panels.

import type { Item, Neighbour } from "../contract";
import { Emitter } from "../emitter";
import { Gone, Latest, reason } from "../server";
import { isStale } from "../since";
import type { Studio } from "../studio";

/** How long nothing is typed before games are played, in milliseconds. */
const PAUSE = 1000;

export class Items extends Emitter {
  /** The answer for the chosen objective, or the last one while the next is requested. */
  item: Item | null = null;
  neighbours: Neighbour[] = [];
  /** How often the objective is claimed in random games, in words. */
  inPlay: string | null = null;
  dealt: string | null = null;
  busy = false;
  /** Why nothing is known. */
  problem = "";
  private readonly near = new Latest();
  private of: string | null = null;
  private readonly latest = new Latest();

  constructor(private readonly studio: Studio) {
    super();
    studio.on(["known", "focus"], () => void this.ask());
  }

  private async ask(): Promise<void> {
    const { objective, current } = this.studio;
    if (!current || objective === null || !this.studio.overview) {
      this.latest.forget();
      this.item = null;
      this.busy = false;
    } else if (this.item?.name === objective && isStale(this.studio.overview, objective)) {
      // What it meant before the mistake stays.
      this.latest.forget();
      this.near.forget();
      this.busy = false;
      this.problem = "";
    } else {
      this.busy = true;
      this.problem = "";
      if (this.item?.name !== objective) this.emit("known");
      try {
        this.item = await this.latest.of(this.studio.server.ask("studio/item", { uri: current.uri, name: objective }));
      } catch (error) {
        if (error instanceof Gone) return;
        // The name may be gone by now: the list is then updated in a moment, and another one is requested, or this one stays.
        if (this.item?.name !== objective) this.item = null;
        this.problem = reason(error);
      }
      this.busy = false;
      if (this.of !== objective) [this.neighbours, this.inPlay, this.dealt] = [[], null, null];
      this.of = objective;
      void this.measure(current.uri, objective);
    }
    this.emit("known");
  }

  // The relations to the others take longer to compute.
  private async measure(uri: string, name: string): Promise<void> {
    try {
      this.neighbours = await this.near.of(this.studio.server.ask("studio/neighbours", { uri, name }));
    } catch (error) {
      if (error instanceof Gone) return;
      this.neighbours = [];
    }
    this.emit("known");
    try {
      // Games are played when nothing was typed for a while.
      await this.near.of(new Promise((done) => setTimeout(done, PAUSE)));
      this.dealt = (await this.near.of(this.studio.server.ask("studio/dealt", { uri, name }))).told;
      this.emit("known");
      this.inPlay = (await this.near.of(this.studio.server.ask("studio/inPlay", { uri, name }))).told;
    } catch (error) {
      if (error instanceof Gone) return;
      this.inPlay = this.dealt = null;
    }
    this.emit("known");
  }
}
