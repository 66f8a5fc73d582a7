// A new objective by pointing: its line of text, its picture, and a button that inserts it into the text.

import type { Attribute, Comparison, Draft, Palette as Answer, Table } from "../contract";
import { announce, button, el, fill, fresh, later, notice, options, picture, told } from "../dom";
import { Latest } from "../server";
import type { Studio } from "../studio";
import { words } from "../words";
import { Drawing } from "./drawing";
import type { Panel } from "./tabs";

const WAIT = 150;

/** The maximum length of a name made of words: whole words, as many as fit. */
const LONGEST = 28;
const SPELLED: Record<string, string> = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ı: "i" };

/** A name made of words. */
function named(text: string): string {
  const plain = text
    .toLowerCase()
    .replace(/[ßæœøłđðþı]/g, (letter) => SPELLED[letter] ?? letter)
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .replace(/^[^a-z]+/, "");
  let name = "";
  for (const word of plain.split(/[^a-z0-9]+/).filter(Boolean)) {
    const longer = name ? `${name}_${word}` : word.slice(0, LONGEST);
    if (longer.length > LONGEST) break;
    name = longer;
  }
  return name;
}

interface Rows {
  node: HTMLElement;
  values(): string[][];
  clear(): void;
}

export class Palette implements Panel {
  readonly node = el("section", { class: "panel palette" });
  private table: Table | null = null;
  private drawing: Drawing | null = null;
  private draft: () => Draft = () => ({ name: "", words: "", shape: [], turned: false, mirrored: false, together: [], each: [] });
  private readonly result = el("div", { class: "result" });
  private asked = "";
  private reset: () => void = () => undefined;
  private readonly latest = new Latest();
  private readonly ask = later(WAIT, () => void this.write());

  constructor(private readonly studio: Studio) {}

  refresh(): void {
    const { overview } = this.studio;
    if (!overview) {
      if (!this.table) fill(this.node, el("p", { class: "soft" }, words.objective.busy));
      return;
    }
    const table = overview.board;
    if (!table) {
      this.table = null;
      fill(this.node, el("p", { class: "soft" }, words.objective.noBoard(this.studio.overview?.valid !== false)));
      return;
    }
    const same = (one: Table): string => JSON.stringify([one.attributes, one.columns, one.rows, one.tall]);
    if (!this.table || same(table) !== same(this.table)) this.build(table);
    this.table = table;
    this.ask();
  }

  private build(table: Table): void {
    const text = el("input", { type: "text", id: fresh("words"), autocomplete: "off" });
    const name = el("input", { type: "text", id: fresh("name"), autocomplete: "off", spellcheck: "false" });
    const [turned, mirrored] = [checkbox("turned"), checkbox("mirrored")];
    this.drawing = new Drawing(table, () => this.ask());
    const flags = Object.entries(words.palette.flag);
    const tellable = (one: Attribute): boolean => one.flag || one.values.length > 0;
    const relations = Object.entries(words.palette.relations) as [Draft["together"][number]["relation"], string][];
    const attribute = (usable: (one: Attribute) => boolean): [string, string][] =>
      table.attributes.filter(usable).map((one) => [one.name, one.title]);
    const together = this.rows(words.palette.together, (changed) => {
      const relation = choice(words.palette.together, relations, changed);
      const which = choice(
        words.palette.together,
        attribute((one) => !one.flag),
        changed,
      );
      return [relation, which];
    });
    const compares = Object.entries(words.palette.compares);
    const each = this.rows(words.palette.each, (changed) => {
      const value = choice(words.palette.value, [], changed);
      const operator = choice(words.palette.each, [], changed);
      const which = choice(words.palette.each, attribute(tellable), () => {
        values();
        changed();
      });
      const values = (): void => {
        const found = table.attributes.find((one) => one.name === which.value);
        const usable = compares.slice(0, found?.numeric ? 4 : found?.flag ? 1 : 2);
        fill(operator, options(usable));
        fill(value, options(found?.flag ? flags : (found?.values ?? []).map((one) => [one.name, one.title])));
      };
      values();
      return [which, operator, value];
    });
    const height = choice(words.palette.height, Object.entries(words.palette.heights), () => {
      amount.disabled = height.value === "none";
      this.ask();
    });
    const amount = number(words.palette.howMany, 1, 99, 2);
    const summed = choice(words.palette.sum, [["", words.palette.without], ...attribute((one) => one.numeric)], () => {
      compare.disabled = total.disabled = summed.value === "";
      this.ask();
    });
    const compare = choice(words.palette.sum, compares, () => this.ask());
    const total = number(words.palette.value, -999, 999, 10);
    compare.disabled = true;
    for (const input of [text, name, amount, total, turned, mirrored]) input.addEventListener("input", () => this.ask());
    text.addEventListener("input", () => {
      if (name.dataset.own !== "yes") name.value = this.free(text.value);
    });
    name.addEventListener("input", () => (name.dataset.own = name.value ? "yes" : ""));

    this.draft = () => ({
      name: name.value || this.free(text.value || words.palette.fallback),
      words: text.value,
      shape: this.drawing?.shape ?? [],
      turned: turned.checked,
      mirrored: mirrored.checked,
      together: together
        .values()
        .map(([relation = "same", which = ""]) => ({
          attribute: which,
          relation: relation as Draft["together"][number]["relation"],
        })),
      each: each.values().map(([which = "", op = "==", value = ""]) => ({ attribute: which, op: op as Comparison["op"], value })),
      ...(summed.value
        ? { sum: { attribute: summed.value, op: compare.value as Comparison["op"], value: String(Number(total.value) || 0) } }
        : {}),
      ...(table.tall && height.value !== "none"
        ? { height: { op: height.value === "least" ? ">=" : "==", value: Math.max(1, Number(amount.value) || 1) } }
        : {}),
    });
    this.reset = () => {
      text.value = name.value = "";
      name.dataset.own = "";
      turned.checked = mirrored.checked = false;
      height.value = "none";
      summed.value = "";
      amount.disabled = compare.disabled = total.disabled = true;
      together.clear();
      each.clear();
      this.drawing?.clear();
    };
    fill(
      this.node,
      el("p", { class: "soft" }, words.palette.intro),
      el(
        "form",
        { onsubmit: (event: Event) => event.preventDefault() },
        el("div", { class: "field" }, label(text, words.palette.words), text),
        el("div", { class: "field" }, label(name, words.palette.name, el("span", { class: "soft" }, ` – ${words.palette.nameHint}`)), name),
        fieldset(
          words.palette.shape,
          el("p", { class: "soft" }, words.palette.shapeHint),
          this.drawing.node,
          choices(turned, label(turned, words.palette.turned), mirrored, label(mirrored, words.palette.mirrored)),
        ),
        table.attributes.length ? together.node : null,
        table.attributes.some(tellable) ? each.node : null,
        table.attributes.some((one) => one.numeric) ? fieldset(words.palette.sum, choices(summed, compare, total)) : null,
        table.tall ? fieldset(words.palette.height, choices(height, amount)) : null,
      ),
      this.result,
    );
  }

  /** A name made of words that no other objective has. */
  private free(text: string): string {
    const name = named(text);
    const taken = new Set(this.studio.overview?.objectives.map((one) => one.name));
    let [free, number] = [name, 1];
    while (free && taken.has(free)) free = `${name}_${(number += 1)}`;
    return free;
  }

  /** Any number of conditions of one kind, each with its choices. */
  private rows(title: string, make: (changed: () => void) => HTMLSelectElement[]): Rows {
    const list = el("ul", { class: "conditions" });
    const all: { row: HTMLElement; choices: HTMLSelectElement[] }[] = [];
    const changed = (): void => this.ask();
    const more = button(
      `+ ${words.palette.add}`,
      () => {
        const choices = make(changed);
        const entry = { row: el("li", { class: "choices" }), choices };
        const remove = button(
          "✕",
          () => {
            all.splice(all.indexOf(entry), 1);
            entry.row.remove();
            more.focus();
            changed();
          },
          { class: "small", "aria-label": words.palette.remove },
        );
        entry.row.append(...choices, remove);
        all.push(entry);
        list.append(entry.row);
        choices[0]?.focus();
        changed();
      },
      { "aria-label": words.palette.addTo(title) },
    );
    return {
      node: fieldset(title, list, more),
      values: () => all.map(({ choices }) => choices.map((one) => one.value)),
      clear: () => {
        all.length = 0;
        fill(list);
      },
    };
  }

  private async write(): Promise<void> {
    const { current } = this.studio;
    if (!current || !this.drawing) return;
    if (!this.drawing.drawn) {
      this.asked = "";
      fill(this.result, el("p", { class: "soft" }, words.palette.draw));
      return;
    }
    await this.latest.handle(
      this.studio.server.ask("studio/palette", { uri: current.uri, draft: this.draft() }),
      (answer) => this.show(answer),
      (why) => fill(this.result, el("p", { class: "alarm" }, told(why))),
    );
  }

  private show(answer: Answer): void {
    const now = JSON.stringify(answer);
    if (now === this.asked) return;
    this.asked = now;
    const wrong = answer.problem ?? (answer.fits ? null : words.palette.unfit);
    announce(wrong ?? answer.text);
    fill(
      this.result,
      answer.svg ? el("figure", { class: "drawing" }, picture(answer.svg, words.palette.picture)) : null,
      el(
        "div",
        {},
        el("h3", {}, words.palette.line),
        el("pre", { tabindex: "0", "aria-label": words.palette.line }, answer.text),
        wrong ? el("p", { class: "alarm" }, told(words.palette.mend(wrong))) : null,
        button(words.palette.insert, () => void this.insert(), { class: "primary", disabled: wrong !== null }),
      ),
    );
  }

  private async insert(): Promise<void> {
    const { current } = this.studio;
    if (!current) return;
    try {
      // The place refers to the text as it is now.
      const found = await this.studio.server.ask("studio/palette", { uri: current.uri, draft: this.draft() });
      const cursor = found.at + Math.max(0, found.insert.indexOf(this.draft().name));
      if (
        !(await this.studio.write(
          current.uri,
          { from: found.at, insert: found.insert },
          { selection: { anchor: cursor }, scrollIntoView: true },
        ))
      )
        return;
      this.reset();
      this.studio.showMeaning();
      notice(words.palette.inserted);
    } catch (error) {
      this.studio.failed(error);
    }
  }
}

function fieldset(title: string, ...parts: HTMLElement[]): HTMLElement {
  return el("fieldset", {}, el("legend", {}, title), ...parts);
}

function choices(...parts: HTMLElement[]): HTMLElement {
  return el("p", { class: "choices" }, ...parts);
}

function label(input: HTMLElement, ...title: (string | HTMLElement)[]): HTMLElement {
  return el("label", { for: input.id }, ...title);
}

function checkbox(name: string): HTMLInputElement {
  return el("input", { type: "checkbox", id: fresh(name) });
}

function number(label: string, min: number, max: number, value: number): HTMLInputElement {
  return el("input", { type: "number", min, max, value, disabled: true, "aria-label": label });
}

function choice(label: string, rows: [string, string][], changed: () => void): HTMLSelectElement {
  const one = el("select", { "aria-label": label }, options(rows));
  one.addEventListener("change", changed);
  return one;
}
