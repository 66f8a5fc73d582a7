// The table: the rules in the text are played on a page of their own, which tells what was played and what cannot be done.

import type { Closed, Laid, Pointed } from "../contract";
import { button, el, fill, frame, list, options, remember, remembered, told, tools } from "../dom";
import { lineLink } from "../editor/going";
import { Latest } from "../server";
import type { Studio } from "../studio";
import { words } from "../words";
import { changeButton, keepAction } from "./keeping";
import type { Panel } from "./tabs";

/** What the page on the table says of the game on it. */
interface Told {
  pwtool: "table";
  record: string;
  open: boolean;
  things: Pointed[];
}
interface Turn {
  actions: Record<string, unknown>[];
}
interface Game {
  record: string;
  open: boolean;
}

export class Table implements Panel {
  readonly node = el("section", { class: "panel table" });
  private readonly holder = el("div", { class: "witness" });
  private frame: HTMLIFrameElement | null = null;
  private readonly seats = el("select", { "aria-label": words.table.seats, hidden: true });
  private readonly forbid = button(words.table.forbid, () => this.forbidLast(), { hidden: true });
  private readonly others = button(words.table.whyNot, () => this.askOthers(), { hidden: true });
  private readonly note = el("p", { "aria-live": "polite", hidden: true });
  private readonly why = el("div", { class: "result why", role: "status", hidden: true });
  private readonly latest = new Latest();
  private readonly asking = new Latest();
  /** The file whose rules are on the table, a recorded game that was laid there, and the game as it has been played on. */
  private uri: string | null = null;
  private text = "";
  private game: Game | null = null;
  private shown = "";
  /** The game as it was before rules cut it, as long as nobody plays on. */
  private whole: Game | null = null;
  private fresh = false;
  /** What was said of the page on the table. */
  private said = "";
  private seed = 1;
  private known = false;

  constructor(private readonly studio: Studio) {
    this.node.append(
      el("p", { class: "soft" }, words.table.intro),
      tools(
        button(words.table.fresh, () => this.begin()),
        this.seats,
        this.others,
        this.forbid,
      ),
      this.note,
      this.holder,
      this.why,
    );
    this.seats.addEventListener("change", () => this.begin());
    // The page runs isolated from this one: what it sends is known by where it comes from.
    window.addEventListener("message", (event: MessageEvent<unknown>) => {
      if (this.frame && event.source === this.frame.contentWindow && isTold(event.data)) this.told(event.data);
    });
    studio.on("known", () => (this.known = false));
  }

  refresh(): void {
    const uri = this.studio.current?.uri;
    if (!uri || !this.studio.online) return;
    if (uri !== this.uri) {
      this.uri = uri;
      this.clear();
      this.seats.replaceChildren();
      this.game = JSON.parse(remembered(`table ${uri}`) ?? "null") as Game | null;
    } else if (this.known) return;
    this.known = true;
    void this.lay(uri);
  }

  /** Lay a recorded game on the table. */
  show(text: string): void {
    this.uri = this.studio.current?.uri ?? null;
    this.clear();
    this.text = text;
    this.known = true;
    if (this.uri) void this.lay(this.uri);
  }

  private clear(): void {
    this.text = "";
    this.game = this.whole = null;
    this.forbid.hidden = this.others.hidden = true;
    this.shown = "";
    this.hush();
  }

  private begin(): void {
    this.clear();
    this.seed = 1 + Math.floor(Math.random() * 1_000_000);
    if (this.uri) void this.lay(this.uri);
  }

  private hush(): void {
    this.asking.forget();
    this.why.hidden = true;
  }

  private async lay(uri: string): Promise<void> {
    const { text, seed, shown } = this;
    const game = this.whole ?? this.game;
    const wanted = { text: game ? "" : text, record: game?.record ?? "", players: Number(this.seats.value), seed, shown };
    this.holder.classList.add("stale");
    if (!this.frame) this.say(words.table.laying);
    const laid = (found: Laid): void => {
      this.shown = found.shown;
      if (found.page) {
        this.said = found.said ?? "";
        // Rules that are just being written may cut a game that later ones allow.
        this.whole = found.said === null ? null : game;
        this.fresh = true;
        this.count(found.seats, found.players);
        this.hush();
        this.frame = frame(found.page, words.table.frame);
        fill(this.holder, this.frame);
      }
      this.say(this.said, true);
      this.holder.classList.remove("stale");
    };
    await this.latest.handle(this.studio.server.ask("studio/table", { uri, wanted }), laid, (why) => this.say(why, true));
  }

  private say(text: string, isAlarm = false): void {
    fill(this.note, told(text));
    this.note.className = isAlarm ? "alarm" : "soft";
    this.note.hidden = !text;
  }

  /** The numbers of players to choose from, if there is a choice. */
  private count([least = 0, most = 0]: number[], players: number): void {
    const counts = Array.from({ length: most - least + 1 }, (_, more) => least + more);
    fill(this.seats, options(counts.map((count) => [String(count), words.table.players(count)]), String(players)));
    this.seats.hidden = counts.length < 2;
  }

  private told({ record, open, things }: Told): void {
    // What the page says first is what was laid; what it says of another game was played.
    if (!this.fresh && record !== this.game?.record) this.whole = null;
    this.game = { record, open };
    this.fresh = false;
    // It is there also when the page is loaded again, in another language say.
    if (this.uri) remember(`table ${this.uri}`, JSON.stringify(this.whole ?? this.game));
    this.forbid.hidden = lastAction(this.game) === null;
    this.others.hidden = false;
    this.hush();
    if (things.length) void this.ask(this.game, things);
  }

  /** Ask about the actions that are not possible, those too that name nothing on the table. */
  private askOthers(): void {
    this.hush();
    if (this.game) void this.ask(this.game, []);
  }

  private async ask(game: Game, things: Pointed[]): Promise<void> {
    if (!this.uri) return;
    await this.asking.handle(
      this.studio.server.ask("studio/whyNot", { uri: this.uri, asked: { ...game, things } }),
      ({ actions, over }) => {
        if (over || !actions.length) this.show_([el("p", {}, over ? words.table.over : things.length ? words.table.nothing : words.table.all)]);
        else if (!things.length)
          this.show_(actions.map((one, at) => el("details", { open: at === 0 }, el("summary", {}, one.title), this.closed(game, one))));
        else {
          const [first, ...others] = actions.map((one) => el("div", {}, el("h3", {}, one.title), this.closed(game, one)));
          this.show_([first ?? null, others.length ? el("details", {}, el("summary", {}, words.table.others(others.length)), others) : null]);
        }
      },
      (why) => this.show_([el("p", { class: "alarm" }, why)]),
    );
  }

  private show_(nodes: (HTMLElement | null)[]): void {
    const close = (): void => {
      this.hush();
      // The next click is the first one again.
      this.frame?.contentWindow?.postMessage("forget", "*");
    };
    fill(this.why, button("×", close, { class: "close", "aria-label": words.table.close }), nodes);
    this.why.hidden = false;
  }

  private closed(game: Game, one: Closed): HTMLElement {
    return el(
      "div",
      {},
      el("p", { class: one.legal ? "mark yes" : "mark no" }, told(one.way && one.said ? words.headed(one.way, one.said) : one.way || (one.said ?? ""))),
      one.notes.map((line) => el("p", { class: "soft" }, told(line))),
      one.legal ? el("p", { class: "soft" }, words.table.order) : null,
      one.inOrder && one.action && this.studio.current?.writable ? this.keeping(game, one) : null,
      one.tried > 1 && one.rules.length ? el("details", {}, el("summary", {}, words.table.tried(one.tried)), this.rules(one)) : this.rules(one),
    );
  }

  /** What somebody means: a click makes it an example. */
  private keeping(game: Game, one: Closed): HTMLElement {
    const say = (yes: boolean, about: string) => () => {
      this.hush();
      void keepAction(this.studio, { ...game, action: one.action, about, yes });
    };
    return tools(
      button(words.table.mustBeLegal, say(true, one.name)),
      button(words.table.mustBeRefused, say(false, one.legal ? one.name : one.about)),
    );
  }

  /** Say that the last action should not have been possible. */
  private forbidLast(): void {
    const last = this.game && lastAction(this.game);
    if (!last) return;
    const { action, ...game } = last;
    void keepAction(this.studio, { ...game, action, about: (JSON.parse(action) as { action: string }).action, yes: false });
  }

  /** The rules that refuse ways to do an action, and how many of those. */
  private rules(one: Closed): HTMLElement | null {
    return list("lines", one.rules, (rule) =>
      el(
        "li",
        {},
        one.tried > 1 ? words.table.refuses(rule.text, rule.times) : rule.text,
        " ",
        rule.line === null ? el("code", { class: "soft" }, rule.rule) : lineLink(this.studio, rule.line),
        " ",
        rule.changes && this.studio.current?.writable ? changeButton(this.studio, "rule", rule.rule) : null,
      ),
    );
  }
}

/** The last action of a game, and the game before it. */
function lastAction(game: Game): (Game & { action: string }) | null {
  const record = JSON.parse(game.record) as { turns: Turn[] };
  const turns = [...record.turns];
  const last = turns.pop();
  const action = last?.actions.at(-1);
  if (!last || !action) return null;
  const before = last.actions.slice(0, -1);
  if (before.length) turns.push({ ...last, actions: before });
  return { record: JSON.stringify({ ...record, turns }), open: before.length > 0, action: JSON.stringify(action) };
}

function isTold(data: unknown): data is Told {
  return typeof data === "object" && data !== null && (data as Told).pwtool === "table";
}
