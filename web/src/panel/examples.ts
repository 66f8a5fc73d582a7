// The examples of an objective as boards, and boards that are still to be decided.

import type { Text } from "@codemirror/state";
import type { Example, Mutant, Mutants } from "../contract";
import { announce, button, el, fill, list, notice, picture, tools } from "../dom";
import { Gone, Latest, reason } from "../server";
import type { Studio } from "../studio";
import { words } from "../words";
import type { Items } from "./items";
import { keep, remove } from "./keeping";
import type { Panel } from "./tabs";

export class Examples implements Panel {
  readonly node = el("section", { class: "panel" });
  private readonly kept = el("div", {});
  private readonly open = el("div", { class: "deciding", tabindex: "-1" });
  private mutants: Mutants | null = null;
  private text: Text | null = null;
  private failure = "";
  private asked = "";
  private readonly latest = new Latest();

  constructor(
    private readonly studio: Studio,
    private readonly items: Items,
  ) {
    this.node.append(
      el("h2", {}, words.examples.title),
      this.kept,
      el("h2", {}, words.examples.deciding),
      el("p", { class: "soft" }, words.examples.decidingHint),
      this.open,
    );
  }

  refresh(): void {
    const { item } = this.items;
    if (!item) {
      const { overview } = this.studio;
      fill(
        this.kept,
        el("p", { class: "soft" }, overview && !overview.objectives.length ? words.objective.none(overview.valid) : words.objective.busy),
      );
      fill(this.open);
      return;
    }
    fill(this.kept, list("boards", item.examples, (one) => this.example(one)) ?? el("p", { class: "soft" }, words.examples.none));
    const now = `${this.studio.current?.uri} ${item.name} ${item.written} ${item.examples.map((one) => `${one.yes}${JSON.stringify(one.board)}`).join()}`;
    if (now !== this.asked && this.studio.online) {
      this.asked = now;
      void this.search(item.name);
    } else this.decide();
  }

  private example(one: Example): HTMLElement {
    return el(
      "li",
      { class: one.holds ? "" : "broken" },
      el("p", { class: one.yes ? "mark yes" : "mark no" }, one.yes ? words.examples.yes : words.examples.no),
      one.svg ? picture(one.svg, words.examples.alt(one.yes)) : null,
      one.holds ? null : el("p", { class: "alarm" }, words.examples.fails),
      tools(
        button(words.examples.use, () => this.studio.tryBoard(one.board), { class: "link" }),
        button(words.examples.remove, () => void remove(this.studio, one), { class: "link" }),
      ),
    );
  }

  private async search(name: string): Promise<void> {
    const { current } = this.studio;
    if (!current) return;
    this.text = current.now;
    this.mutants = null;
    this.failure = "";
    this.decide();
    try {
      this.mutants = await this.latest.of(this.studio.server.ask("studio/mutants", { uri: current.uri, name }));
    } catch (error) {
      if (error instanceof Gone) {
        // Nobody else asks again after a reconnection.
        if (!this.studio.online) this.asked = "";
        return;
      }
      this.failure = reason(error);
    }
    this.decide();
  }

  private decide(): void {
    const { mutants } = this;
    const here = this.open.contains(document.activeElement);
    const plain = (text: string): HTMLElement => el("p", { class: "soft" }, text);
    if (this.failure) fill(this.open, plain(this.failure));
    else if (!mutants) fill(this.open, plain(words.examples.searching));
    else if (mutants.state === "invalid") fill(this.open, plain(words.examples.invalid));
    else if (mutants.state === "failing") fill(this.open, plain(words.examples.failing));
    else {
      const questions = list("boards", mutants.mutants, (one) => this.question(one)) ?? plain(words.examples.done);
      fill(this.open, questions, mutants.more ? plain(words.examples.more(mutants.more)) : null);
    }
    // After an answer, continue with the next question.
    const gone = here && (document.activeElement === this.open || !this.open.contains(document.activeElement));
    if (gone) (this.open.querySelector("button") ?? this.open).focus({ preventScroll: true });
    const said = mutants ? words.examples.left(mutants.mutants.length) : "";
    if (here && said) announce(said);
  }

  private question(mutant: Mutant): HTMLElement {
    const row = el("li", {});
    const answer = (yes: boolean) => () => {
      if (yes === mutant.fulfilled) void keep(this.studio, mutant.board, yes);
      else this.disagree(row, mutant, yes);
    };
    fill(
      row,
      mutant.svg ? picture(mutant.svg, words.examples.question) : null,
      el("p", { class: "question" }, words.examples.question),
      tools(
        button(words.examples.countsYes, answer(true), { class: "good" }),
        button(words.examples.countsNo, answer(false), { class: "bad" }),
      ),
      tools(button(words.examples.use, () => this.studio.tryBoard(mutant.board), { class: "link" })),
    );
    return row;
  }

  // An author who disagrees with the text may want to change it.
  private disagree(row: HTMLElement, mutant: Mutant, yes: boolean): void {
    const take = button(words.examples.take, () => void this.take(mutant, yes), {
      class: "primary",
      disabled: mutant.replace === null,
    });
    fill(
      row,
      mutant.svg ? picture(mutant.svg, words.examples.question) : null,
      el("p", {}, words.examples.says(mutant.fulfilled)),
      el("p", {}, words.examples.otherwise),
      this.changed(mutant),
      tools(
        take,
        button(words.examples.keep, () => void keep(this.studio, mutant.board, yes)),
        button(words.examples.back, () => this.decide()),
      ),
    );
    take.focus();
  }

  /** The change, within its line if that is in this text. */
  private changed(mutant: Mutant): HTMLElement {
    const { was, now, replace } = mutant;
    const text = replace?.uri === this.studio.current?.uri ? this.text : null;
    const line = replace && text && replace.to <= text.length ? text.lineAt(replace.at) : null;
    const [before, after] =
      replace && line && replace.to <= line.to
        ? [line.text.slice(0, replace.at - line.from), line.text.slice(replace.to - line.from)]
        : ["", ""];
    return el("p", { class: "was" }, before, el("del", {}, was), " ", el("ins", {}, now), after);
  }

  private async take(mutant: Mutant, yes: boolean): Promise<void> {
    const { current } = this.studio;
    if (!current || !mutant.replace) return;
    // The place is in the text that the question was about.
    if (!this.text || !current.now.eq(this.text)) {
      this.asked = "";
      this.refresh();
      return;
    }
    const { uri, at, to, insert } = mutant.replace;
    if (!(await this.studio.write(uri, { from: at, to, insert }))) return;
    if (await keep(this.studio, mutant.board, yes, true)) notice(words.examples.taken);
  }
}
