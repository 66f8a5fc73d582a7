// Recorded games, pasted or from files: what the rules say of them, and by which rules they were played.

import type { Finding, Given, Judged, Learned } from "../contract";
import { button, el, fill, frame, list, told, tools } from "../dom";
import { Latest, reason } from "../server";
import type { Studio } from "../studio";
import { words } from "../words";
import type { Panel } from "./tabs";

export class Games implements Panel {
  readonly node = el("section", { class: "panel" });
  private readonly text = el("textarea", {
    class: "record",
    rows: 8,
    spellcheck: "false",
    "aria-label": words.games.record,
    placeholder: '{"format": "pwtool/1", …}',
  });
  private readonly chosen = el("p", { class: "soft", hidden: true });
  private readonly answer = el("div", { "aria-live": "polite" });
  private readonly latest = new Latest();
  /** The files that were chosen; what is pasted takes their place. */
  private files: Given[] = [];
  /** What was learned stays until something else is asked. */
  private learned = false;

  constructor(private readonly studio: Studio) {
    this.text.addEventListener("input", () => {
      this.take([]);
      void this.judge();
    });
    this.node.append(
      el("p", { class: "soft" }, words.games.intro),
      this.text,
      this.chosen,
      tools(
        button(words.games.check, () => void this.judge(), { class: "primary" }),
        button(words.games.choose, () => this.choose()),
        button(words.games.learn, () => void this.learn()),
        button(words.table.lay, () => this.lay()),
      ),
      this.answer,
    );
    // The rules have changed: the verdict may have, too.
    studio.on("known", () => void (this.learned || this.judge()));
  }

  refresh(): void {
    // It is judged as soon as it is pasted.
  }

  private choose(): void {
    const input = el("input", { type: "file", multiple: true });
    input.addEventListener("change", () => {
      const files = Array.from(input.files ?? []);
      const read = Promise.all(files.map(async (file) => ({ name: file.name, text: await file.text() })));
      void read
        .then((games) => {
          this.text.value = "";
          this.take(games);
          return this.judge();
        })
        .catch((error: unknown) => this.failed(error));
    });
    input.click();
  }

  private take(files: Given[]): void {
    this.files = files;
    this.chosen.hidden = !files.length;
    this.chosen.textContent = words.games.chosen(files.map((file) => file.name));
  }

  private given(): Given[] {
    return this.text.value.trim() ? [{ name: "", text: this.text.value }] : this.files;
  }

  private judge(): Promise<void> {
    this.learned = false;
    return this.ask("studio/check", (found) => this.show(found));
  }

  private async learn(): Promise<void> {
    this.learned = true;
    if (this.given().length) fill(this.answer, el("p", { class: "soft" }, words.games.learning));
    await this.ask("studio/learn", (found) => this.showLearned(found));
  }

  /** Lay the first game on the table. */
  private lay(): void {
    const [game] = this.given();
    if (game) this.studio.layGame(game.text);
  }

  private async ask(what: "studio/check", show: (found: Judged) => void): Promise<void>;
  private async ask(what: "studio/learn", show: (found: Learned) => void): Promise<void>;
  private async ask(what: "studio/check" | "studio/learn", show: (found: never) => void): Promise<void> {
    const uri = this.studio.current?.uri;
    const games = this.given();
    if (!uri || !games.length) {
      this.latest.forget();
      fill(this.answer);
      return;
    }
    this.answer.setAttribute("aria-busy", "true");
    const done = (): void => this.answer.removeAttribute("aria-busy");
    await this.latest.handle(
      this.studio.server.ask(what, { uri, games }),
      (found) => (show(found as never), done()),
      (why) => (this.failed(why), done()),
    );
  }

  private failed(error: unknown): void {
    fill(this.answer, el("p", { class: "alarm" }, told(reason(error))));
  }

  private show(found: Judged): void {
    const [only] = found.shown;
    const rest = found.games - found.clean - found.shown.length;
    if (found.games === 1)
      fill(this.answer, verdict(!only, words.games.verdicts[only?.verdict ?? "clean"]), only ? findings(only.findings) : null);
    else
      fill(
        this.answer,
        verdict(found.clean === found.games, words.games.clean(found.clean, found.games)),
        found.shown.map((game) => [
          el("h3", {}, game.name),
          game.verdict === "findings" ? null : el("p", { class: "soft" }, words.games.verdicts[game.verdict]),
          findings(game.findings.filter((one) => !one.follows)),
        ]).flat(),
        rest ? el("p", { class: "soft" }, words.games.more(rest)) : null,
      );
  }

  private showLearned(found: Learned): void {
    const { edition, name, folder } = found;
    const keep = (text: string): void => {
      this.learned = false;
      const added = this.studio.server.ask("studio/add", { name, text, folder });
      void added.then(({ uri }) => this.studio.begun(uri)).catch((error: unknown) => this.studio.failed(error));
    };
    fill(
      this.answer,
      el("h2", {}, words.games.learned),
      el("p", {}, found.said),
      edition === null ? null : tools(button(words.games.keep, () => keep(edition))),
      found.note ? el("p", { class: "soft" }, told(found.note)) : null,
      el("div", { class: "witness" }, frame(found.page, words.games.learned)),
    );
  }
}

function verdict(good: boolean, said: string): HTMLElement {
  return el("p", { class: `verdict ${good ? "yes" : "no"}` }, said);
}

function findings(found: Finding[]): HTMLElement | null {
  const entry = (one: Finding): HTMLElement =>
    el(
      "li",
      { class: one.follows ? "soft" : "" },
      el("strong", {}, one.where ?? (one.line === null ? "" : words.problems.line(one.line))),
      " ",
      told(one.text),
      one.rule ? el("p", { class: "soft" }, el("code", {}, one.rule)) : null,
      one.help ? el("p", { class: "soft" }, told(one.help)) : null,
    );
  return list("findings", found, entry, "ol");
}
