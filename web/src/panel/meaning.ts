// What an objective means: its picture, its rarity, and its relations to others.

import type { Described, Item, Neighbour } from "../contract";
import { button, el, fill, picture, terms, told } from "../dom";
import { percent } from "../speech";
import type { Studio } from "../studio";
import { words } from "../words";
import type { Items } from "./items";
import type { Panel } from "./tabs";

/** A number of more characters may not fit on a line. */
const LONG = 20;
/** Kinds of things that the cursor is on if it is on nothing in particular. */
const FILES = new Set(["game", "edition", "variant", "part"]);

/** The title of an objective. */
export function titled(studio: Studio, name: string): string {
  return studio.overview?.objectives.find((one) => one.name === name)?.text ?? name;
}

/** A button that chooses an objective. */
export function chip(studio: Studio, name: string): HTMLElement {
  return button(titled(studio, name), () => studio.choose(name), { class: "chip" });
}

export class Meaning implements Panel {
  readonly node = el("section", { class: "panel" });

  constructor(
    private readonly studio: Studio,
    private readonly items: Items,
  ) {}

  refresh(): void {
    const { item, busy } = this.items;
    const { overview, other, objective } = this.studio;
    this.node.setAttribute("aria-busy", String(busy));
    // There is nothing to say about a part of a text that cannot be parsed.
    const broken = overview?.valid === false && other?.kind === "expression";
    const here = other && !FILES.has(other.kind) && !broken ? this.thing(other) : null;
    if (!overview) fill(this.node, el("p", { class: "soft" }, words.objective.busy));
    else if (!overview.objectives.length) fill(this.node, here, el("p", { class: "soft" }, words.objective.none(overview.valid)));
    else if (objective === null) fill(this.node, here, el("p", { class: "soft" }, words.objective.choose));
    else
      fill(
        this.node,
        here,
        item && !this.items.problem ? null : el("p", { class: "soft" }, told(this.items.problem || words.objective.busy)),
        item ? this.about(item) : null,
      );
  }

  private thing(found: Described): HTMLElement {
    return el(
      "article",
      { class: "here" },
      el("h3", {}, found.title),
      found.text ? el("p", {}, found.text) : null,
      found.picture ? picture(found.picture, found.text || found.name, "drawn") : null,
      found.written ? el("pre", { tabindex: "0" }, found.written) : null,
      found.told.map((line) => el("p", { class: "soft" }, this.studio.short(line))),
    );
  }

  private about(item: Item): HTMLElement {
    const place = this.studio.place(item.name);
    return el(
      "article",
      {},
      el("h2", {}, item.text || item.name),
      el(
        "div",
        { class: "facts" },
        item.svg ? el("figure", { class: "drawing" }, picture(item.svg, item.said || item.text)) : null,
        el("div", { class: "rarity" }, el("h3", {}, words.meaning.rarity), this.rarity(item)),
      ),
      el("h3", {}, words.meaning.relations),
      item.rarity ? this.relations(item) : el("p", { class: "soft" }, words.meaning.unknown),
      this.items.neighbours.length ? this.neighbours(this.items.neighbours) : null,
      el("h3", {}, words.meaning.written),
      el("pre", { tabindex: "0", "aria-label": words.meaning.written }, item.written),
      place !== null ? button(words.objective.go, () => this.go(place)) : null,
    );
  }

  private go(place: number): void {
    this.studio.showText();
    this.studio.view.dispatch({ selection: { anchor: place }, scrollIntoView: true });
    this.studio.view.focus();
  }

  private rarity(item: Item): (HTMLElement | null)[] {
    if (!item.rarity) return [el("p", { class: "soft" }, words.meaning.unknown)];
    const wide = Math.max(0.6, Math.min(100, 100 * item.rarity.fraction));
    const bar = el("div", { class: "bar", "aria-hidden": "true" }, el("span", { style: `width: ${wide.toFixed(1)}%` }));
    const measures = [...this.played(), ...item.rarity.measures].map(([what, found]) => {
      // A number that does not fit on a line continues on the next one, between its groups.
      const said = found.replace(/\d+(?:[,.\u202f]\d{3})+/g, (number) =>
        number.length > LONG ? number.replace(/[,.\u202f]/g, "$&\u200b") : number,
      );
      return [what, said] as const;
    });
    return [el("p", { class: "share" }, item.rarity.share), bar, terms("measures", measures)];
  }

  private played(): [string, string][] {
    const { inPlay, dealt } = this.items;
    const rows: [string, string | null][] = [[words.meaning.inPlay, inPlay], [words.meaning.dealt, dealt]];
    return rows.filter((row): row is [string, string] => row[1] !== null);
  }

  private relations(item: Item): HTMLElement {
    const rows = [
      [words.meaning.follows, item.follows],
      [words.meaning.leadsTo, item.leadsTo],
      [words.meaning.excludes, item.excludes],
    ] as const;
    const said = rows.filter(([, names]) => names.length);
    if (!said.length) return el("p", { class: "soft" }, words.meaning.none);
    return terms("relations", said.map(([title, names]) => [title, names.map((name) => chip(this.studio, name))] as const));
  }

  private neighbours(found: Neighbour[]): HTMLElement {
    return el(
      "table",
      { class: "neighbours" },
      el("caption", {}, el("strong", {}, words.meaning.neighbours), el("span", { class: "soft" }, words.meaning.neighboursHint)),
      el(
        "thead",
        { class: "unseen" },
        el("tr", {}, el("th", { scope: "col" }, words.meaning.other), el("th", { scope: "col" }, words.meaning.shared)),
      ),
      el(
        "tbody",
        {},
        found.map((one) => {
          return el(
            "tr",
            {},
            el(
              "th",
              { scope: "row" },
              button(one.text || one.name, () => this.studio.choose(one.name), { class: "link" }),
            ),
            el(
              "td",
              {},
              el(
                "span",
                { class: "bar", "aria-hidden": "true" },
                el("span", { style: `width: ${Math.max(0.6, 100 * one.shared).toFixed(1)}%` }),
              ),
              el(
                "span",
                { class: "amount" },
                percent(one.shared),
              ),
            ),
          );
        }),
      ),
    );
  }
}
