// A board to try: what is fulfilled, where, why, and the fewest changes that are missing.

import type { Board, Match, Table } from "../contract";
import { announce, button, el, fill, later, lines, tools } from "../dom";
import { Gone, Latest, reason } from "../server";
import { isStale } from "../since";
import type { Studio } from "../studio";
import { words } from "../words";
import { BoardView } from "./board";
import { keep } from "./keeping";
import { chip, titled } from "./meaning";
import type { Panel } from "./tabs";
import { Tray } from "./tray";

const WAIT = 90;

export class Trying implements Panel {
  readonly node = el("section", { class: "panel trying" });
  private readonly verdict = el("div", { class: "verdict" });
  private readonly below = el("div", { class: "below-board" });
  private readonly box = el("div", {});
  private readonly tools = el("p", { class: "tools" });
  private table: Table | null = null;
  private view: BoardView | null = null;
  private match: Match | null = null;
  private place = 0;
  /** What the verdict is about. */
  private of = "";
  private said = "";
  private asked = "";
  private readonly latest = new Latest();
  private readonly ask = later(WAIT, () => void this.matched());

  constructor(private readonly studio: Studio) {
    studio.on("known", () => (this.asked = ""));
  }

  /** Show a board from elsewhere. */
  lay(board: Board): void {
    this.refresh();
    this.view?.lay(board);
  }

  refresh(): void {
    const table = this.studio.overview?.board ?? null;
    if (!this.studio.overview) {
      if (!this.view) fill(this.node, el("p", { class: "soft" }, words.objective.busy));
      return;
    }
    if (!table || this.studio.objective === null) {
      this.table = this.view = null;
      fill(this.node, el("p", { class: "soft" }, words.objective[table ? "none" : "noBoard"](this.studio.overview.valid)));
      return;
    }
    if (!this.view || JSON.stringify(table) !== JSON.stringify(this.table)) this.build(table);
    const now = `${this.studio.current?.uri} ${this.studio.objective}`;
    if (now !== this.asked) this.ask.now();
    this.asked = now;
  }

  private build(table: Table): void {
    const kept = this.view?.board;
    const tray = new Tray(table);
    this.table = table;
    this.view = new BoardView(
      table,
      () => tray.face,
      () => this.changed(),
    );
    fill(this.box, this.view.node, tray.node);
    this.box.className = table.columns > 5 ? "laying wide" : "laying";
    fill(
      this.node,
      this.verdict,
      this.box,
      el("p", { class: "soft how" }, words.trying.how),
      this.tools,
      this.below,
    );
    if (kept) this.view.lay(kept, false);
    this.drawTools();
  }

  private changed(): void {
    this.view?.frame([]);
    this.drawTools();
    this.ask();
  }

  private drawTools(): void {
    const { view } = this;
    if (!view) return;
    const active = document.activeElement?.getAttribute("data-tool");
    fill(
      this.tools,
      button(words.trying.undo, () => view.undo(), { disabled: !view.undoable, "data-tool": "undo" }),
      button(words.trying.clear, () => view.lay({ cells: [] }), { disabled: view.empty, "data-tool": "clear" }),
    );
    if (active) this.tools.querySelector<HTMLElement>(`[data-tool=${active}]:not(:disabled)`)?.focus();
  }

  private async matched(): Promise<void> {
    const { current, objective } = this.studio;
    const { view } = this;
    if (!current || objective === null || !view) return;
    const of = `${current.uri} ${objective} ${JSON.stringify(view.board)}`;
    try {
      this.match = await this.latest.of(
        this.studio.server.ask("studio/match", { uri: current.uri, name: objective, board: view.board }),
      );
      this.place = 0;
      this.of = of;
      this.show();
    } catch (error) {
      if (error instanceof Gone || (this.of === of && isStale(this.studio.overview, objective))) return;
      this.match = null;
      this.of = "";
      fill(this.verdict, el("p", { class: "soft" }, reason(error)));
      fill(this.below);
    }
  }

  private show(): void {
    const { match, view } = this;
    if (!match || !view) return;
    const { fulfilled, places, changes } = match;
    const where = places[this.place];
    view.frame(where ?? [], fulfilled ? [] : (changes?.cells ?? []));
    const title = titled(this.studio, this.studio.objective ?? "");
    const answer = fulfilled ? words.trying.yes : words.trying.no;
    this.verdict.className = `verdict ${fulfilled ? "yes" : "no"}`;
    fill(
      this.verdict,
      el("p", {}, el("strong", {}, answer), " ", el("span", { class: "soft" }, title)),
      this.walker(places.length),
    );
    const step = fulfilled || !changes ? "" : words.trying.changes(changes.count);
    const said = [words.trying.said(answer, title), step].join(" ");
    if (said !== this.said) announce(said);
    this.said = said;
    fill(this.below, this.changes(), this.why(), this.others(), this.adding());
  }

  private walker(count: number): HTMLElement {
    // The board below stays in place, whatever the text about it says.
    if (!count) return el("p", { class: "walker" });
    const go = (step: number): void => {
      this.place = (this.place + step + count) % count;
      this.show();
      this.verdict.querySelector<HTMLElement>(step > 0 ? ".next" : ".before")?.focus();
    };
    return el(
      "p",
      { class: "walker soft" },
      words.trying.places(this.place + 1, count),
      count > 1 ? button("‹", () => go(-1), { "aria-label": words.trying.before, class: "before small" }) : null,
      count > 1 ? button("›", () => go(1), { "aria-label": words.trying.next, class: "next small" }) : null,
    );
  }

  private why(): HTMLElement | null {
    // The verdict is above; the changes, if there are any, say what is missing.
    const why = this.match && !this.match.fulfilled && !this.match.changes ? lines(this.match.reason) : null;
    return why && el("div", {}, el("h3", {}, words.trying.why), why);
  }

  private changes(): HTMLElement | null {
    const found = this.match?.fulfilled ? null : this.match?.changes;
    if (!found) return null;
    return el(
      "div",
      { class: "fewest" },
      el("h3", {}, words.trying.changes(found.count)),
      lines(this.view?.steps(found.board, found.cells) ?? []),
      // Why no game has the board that would do.
      this.match?.reason.length ? lines(this.match.reason) : null,
      button(words.trying.change, () => {
        this.view?.lay(found.board);
        this.view?.node.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
      }),
    );
  }

  private others(): HTMLElement | null {
    const others = this.match?.others ?? [];
    if (!others.length) return null;
    const counted = others.filter((one) => one.fulfilled && one.name !== this.studio.objective);
    return el(
      "div",
      {},
      el("h3", {}, words.trying.others),
      counted.length
        ? el("p", { class: "chips" }, counted.map((one) => chip(this.studio, one.name)))
        : el("p", { class: "soft" }, words.trying.nothing),
    );
  }

  private adding(): HTMLElement {
    const add = (yes: boolean) => () => {
      if (this.view) void keep(this.studio, this.view.board, yes);
    };
    return el(
      "div",
      { class: "adding" },
      el("h3", {}, words.trying.add),
      tools(
        button(words.trying.addYes, add(true), { class: "good" }),
        button(words.trying.addNo, add(false), { class: "bad" }),
      ),
    );
  }
}
