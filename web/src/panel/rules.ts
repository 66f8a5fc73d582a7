// The whole ruleset as a rulebook: what random games show of it, its items by sections, and what the examples show of each.

import type { Entry, Line, Mark, Oddity, Play, Section } from "../contract";
import { button, el, fill, frame, list, terms, told, tools } from "../dom";
import { told as inWords } from "../editor/coverage";
import { goToLine, lineLink } from "../editor/going";
import { Latest } from "../server";
import type { Studio } from "../studio";
import { words } from "../words";
import { changeButton } from "./keeping";
import type { Rulebook } from "./rulebook";
import type { Panel } from "./tabs";

/** Sections that few readers need. */
const FOLDED = new Set(["kept", "words"]);
const STATES = ["both", "part", "none"] as const;
/** So many lines say what the examples do not show. */
const LACKING = 3;

export class Rules implements Panel {
  readonly node = el("section", { class: "panel rulebook" });
  private readonly state = el("span", { class: "soft", role: "status" });
  private readonly games = el("div", { class: "games" });
  private readonly frame = el("div", { class: "witness" });
  private opened: Oddity | null = null;
  private readonly played = el(
    "section",
    { class: "played", "aria-label": words.rules.play },
    el("h2", {}, words.rules.play, " ", this.state),
    this.games,
    this.frame,
  );
  private readonly outline = el("div", {});
  private readonly latest = new Latest();
  /** The folded sections, and those that were opened or closed by hand. */
  private readonly folded = new Map<string, boolean>();
  private shown = "";
  private drawn = "";

  constructor(
    private readonly studio: Studio,
    private readonly book: Rulebook,
  ) {
    this.played.hidden = true;
    this.node.append(this.played, this.outline);
  }

  refresh(): void {
    const { rules, play, problem, marks } = this.book;
    this.node.setAttribute("aria-busy", String(rules?.busy ?? true));
    if (!rules) {
      this.played.hidden = true;
      this.drawn = "";
      fill(this.outline, el("p", { class: "soft" }, told(problem || words.objective.busy)));
      return;
    }
    this.playing(rules.busy, rules.play !== null);
    if (play) this.show(play);
    // What is shown as it was is not drawn again: it may have the focus.
    const unknown = rules.marks === null && rules.play !== null;
    const now = JSON.stringify([this.studio.current?.uri, rules.outline, marks, rules.marks !== null, unknown]);
    if (now === this.drawn) return;
    this.drawn = now;
    const { sections, removed, changes } = rules.outline;
    this.outline.classList.toggle("waiting", rules.marks === null);
    fill(
      this.outline,
      el("p", { class: "soft key" }, unknown ? words.rules.unknown : STATES.flatMap((state) => [this.sign({ state, lacks: [] }, words.rules.key[state]), ` ${words.rules.key[state]} `])),
      changes ? this.changes(sections, removed) : null,
      sections.map((section) => this.section(section)),
    );
  }

  // ---- random games

  private playing(busy: boolean, known: boolean): void {
    this.played.hidden = false;
    const { play } = this.book;
    this.played.classList.toggle("stale", !known && play !== null);
    const said = known ? "" : busy ? words.rules.playing : words.rules.notPlayed;
    if (this.state.textContent !== said) this.state.textContent = said;
    if (!play && this.shown) {
      this.shown = "";
      fill(this.games);
      this.shut();
    }
  }

  private show(play: Play): void {
    const now = JSON.stringify([this.studio.current?.uri, play]);
    if (now === this.shown) return;
    this.shown = now;
    // A game that the rules play otherwise now is shown no longer.
    const { opened } = this;
    if (opened && !play.notes.some((note) => note.seed === opened.seed && note.players === opened.players)) this.shut();
    fill(
      this.games,
      play.problem ? el("p", { class: "soft" }, told(play.problem)) : null,
      list("oddities", play.notes, (note) => this.note(note)) ?? (play.problem ? null : el("p", {}, words.rules.nothingOdd)),
      play.figures.length ? terms("measures", play.figures) : null,
    );
  }

  private note(note: Oddity): HTMLElement {
    const { players, seed, line } = note;
    return el(
      "li",
      {},
      el("strong", {}, told(note.text)),
      list("", note.reasons, (reason) =>
        el(
          "li",
          {},
          told(reason.text),
          reason.rule ? el("p", { class: "soft" }, reason.rule) : null,
          reason.line === null || reason.line === line ? null : lineLink(this.studio, reason.line),
          reason.name && this.studio.current?.writable ? changeButton(this.studio, "rule", reason.name) : null,
        ),
      ),
      note.remarks.map((remark) => el("p", { class: "soft" }, told(remark))),
      tools(
        players !== null && seed !== null ? button(words.rules.step, () => void this.step(players, seed, note)) : null,
        line === null ? null : lineLink(this.studio, line),
      ),
    );
  }

  private shut(): void {
    this.opened = null;
    fill(this.frame);
  }

  private async step(players: number, seed: number, note: Oddity): Promise<void> {
    const uri = this.studio.current?.uri;
    if (!uri) return;
    this.opened = note;
    fill(this.frame, el("p", { class: "soft", role: "status" }, words.rules.opening));
    this.frame.scrollIntoView({ block: "nearest" });
    await this.latest.handle(
      this.studio.server.ask("studio/randomGame", { uri, players, seed }),
      ({ page }) => {
        fill(
          this.frame,
          el("p", {}, told(note.text)),
          note.reasons.map((reason) => el("p", { class: "soft" }, told(reason.text))),
          button(words.differences.close, () => this.shut()),
          frame(page, words.differences.frame(note.text.replaceAll("`", ""))),
        );
        this.frame.scrollIntoView({ block: "start" });
      },
      (why) => fill(this.frame, el("p", { class: "alarm" }, why)),
    );
  }

  // ---- the outline

  private changes(sections: Section[], removed: Entry[]): HTMLElement {
    const entries = sections.flatMap((section) => section.entries.flatMap((entry) => [entry, ...entry.parts]));
    const own = entries.filter((entry) => entry.own).map((entry) => ({ ...entry, parts: [], words: [] }));
    return el(
      "section",
      { class: "changes" },
      el("h2", {}, words.rules.changes),
      this.entries([...own, ...removed], "") ?? el("p", { class: "soft" }, words.rules.noChanges),
    );
  }

  private section({ name, entries }: Section): HTMLElement {
    const home = this.home(entries);
    const open = this.folded.get(name) ?? !FOLDED.has(name);
    const summary = el("summary", {}, el("h2", {}, words.rules.sections[name] ?? name), this.file(home));
    const details = el("details", { open }, summary, this.entries(entries, home));
    details.addEventListener("toggle", () => this.folded.set(name, details.open));
    return details;
  }

  private entries(entries: Entry[], home: string): HTMLElement | null {
    return list("entries", entries, (entry) => this.entry(entry, home));
  }

  /** The other file from which most entries of a section come. */
  private home(entries: Entry[]): string {
    const count = new Map<string, number>();
    for (const { file } of entries) if (file) count.set(file, (count.get(file) ?? 0) + 1);
    return [...count].sort((a, b) => b[1] - a[1])[0]?.[0] ?? "";
  }

  private file(file: string): HTMLElement | null {
    return file ? el("span", { class: "soft" }, file) : null;
  }

  private entry(entry: Entry, home: string): HTMLElement {
    const mark = this.book.marks?.items[`${entry.kind}:${entry.name}`];
    const { line, uri, there } = entry;
    const go = line !== null ? () => void goToLine(this.studio, line) : uri ? () => void goToLine(this.studio, there, uri) : null;
    const title =
      entry.kind === "objectives"
        ? button(entry.text, () => this.studio.showMeaning(), { class: "link away" })
        : go
          ? button(entry.text, go, { class: "link", title: line === null ? entry.file : words.problems.line(line) })
          : el("span", {}, entry.text);
    return el(
      "li",
      { class: `${entry.own} ${entry.stale ? "stale" : ""}` },
      el(
        "div",
        { class: "head" },
        mark ? this.sign(mark) : null,
        el(
          "div",
          {},
          title,
          entry.name ? el("code", {}, entry.name) : null,
          entry.own ? el("span", { class: "tag" }, words.rules.own[entry.own]) : null,
          entry.file && entry.file !== home ? this.file(entry.file) : null,
          entry.changes && this.studio.current?.writable ? changeButton(this.studio, entry.kind, entry.name) : null,
        ),
      ),
      entry.reason ? el("p", { class: "soft" }, entry.reason) : null,
      mark && mark.state !== "both" && (line !== null || entry.own) ? this.lacking(mark) : null,
      this.lines(entry.words),
      this.entries(entry.parts, home),
    );
  }

  private lines(lines: Line[], ordered = false): HTMLElement | null {
    return list("lines", lines, (line) => el("li", {}, told(line.text), this.lines(line.parts, line.ordered)), ordered ? "ol" : "ul");
  }

  private sign(mark: Mark, said = inWords(mark)): HTMLElement {
    return el("span", { class: `shown ${mark.state}`, role: "img", "aria-label": said, title: said });
  }

  private lacking(mark: Mark): HTMLElement | null {
    const more = mark.lacks.length - LACKING;
    const said = [...mark.lacks.slice(0, LACKING), ...(more > 0 ? [words.rules.more(more)] : [])];
    return list("lacking soft", said, (line) => el("li", {}, told(line)));
  }
}
