// A small grid to draw a shape on: each cell is something, anything, or empty.

import { button, el, fill } from "../dom";
import { words } from "../words";
import { roving } from "./roving";

const SIGNS = "#._";
const LARGEST = 6;

export class Drawing {
  readonly node = el("div", { class: "drawing-board" });
  private readonly grid = el("div", { class: "shape", role: "group" });
  private readonly sizes = el("div", { class: "sizes" });
  private cells: string[][] = [
    ["#", "."],
    [".", "."],
  ];
  private buttons: HTMLButtonElement[] = [];
  private readonly walk;

  constructor(
    private most: { columns: number; rows: number; hexagonal: boolean },
    private readonly changed: () => void,
  ) {
    this.grid.setAttribute("aria-label", words.palette.shapeGrid);
    this.walk = roving(
      this.grid,
      () => this.buttons,
      () => this.columns,
    );
    const legend = el(
      "p",
      { class: "legend soft" },
      [...SIGNS]
        .map((sign) => [
          el("span", { class: "sign", "data-sign": sign, "aria-hidden": "true" }),
          `${words.palette.signs[sign] ?? ""} `,
        ])
        .flat(),
    );
    this.node.append(this.grid, this.sizes, legend);
    this.limit(most);
  }

  private get columns(): number {
    return this.cells[0]?.length ?? 1;
  }

  /** The rows as they are, without margins that say nothing. */
  get shape(): string[] {
    const rows = this.cells.map((row) => row.join(""));
    const said = (line: string): boolean => /[^.]/.test(line);
    while (rows.length > 1 && !said(rows[rows.length - 1] ?? "")) rows.pop();
    while (rows.length > 1 && !said(rows[0] ?? "")) rows.shift();
    const columns = [...(rows[0] ?? "")].map((_, x) => rows.map((row) => row[x]).join(""));
    let from = 0;
    let to = columns.length;
    while (to > 1 && !said(columns[to - 1] ?? "")) to -= 1;
    while (from < to - 1 && !said(columns[from] ?? "")) from += 1;
    return rows.map((row) => row.slice(from, to));
  }

  get drawn(): boolean {
    return this.cells.some((row) => row.includes("#"));
  }

  /** No shape is larger than the board. */
  private limit(most: { columns: number; rows: number; hexagonal: boolean }): void {
    this.grid.classList.toggle("hex", most.hexagonal);
    this.most = { ...most, columns: Math.min(LARGEST, most.columns), rows: Math.min(LARGEST, most.rows) };
    this.resize(Math.min(Math.max(this.columns, 3), this.most.columns), Math.min(Math.max(this.cells.length, 3), this.most.rows));
  }

  clear(): void {
    this.cells = this.cells.map((row) => row.map(() => "."));
    this.draw();
    this.changed();
  }

  private resize(columns: number, rows: number): void {
    this.cells = Array.from({ length: rows }, (_, y) => Array.from({ length: columns }, (_, x) => this.cells[y]?.[x] ?? "."));
    this.draw();
  }

  private draw(): void {
    this.grid.style.setProperty("--columns", String(this.columns));
    this.grid.style.setProperty("--rows", String(this.cells.length));
    this.buttons = this.cells.flatMap((row, y) =>
      row.map((sign, x) => {
        const one = el("button", { type: "button", class: "sign", "data-sign": sign });
        one.addEventListener("click", () => this.next(x, y, one));
        one.style.setProperty("--row", String(y));
        this.name(one, x, y);
        return one;
      }),
    );
    fill(this.grid, this.buttons);
    this.walk.reach(this.walk.at());
    fill(
      this.sizes,
      this.stepper(words.palette.columns, this.columns, this.most.columns, (n) => this.resize(n, this.cells.length)),
      this.stepper(words.palette.rows, this.cells.length, this.most.rows, (n) => this.resize(this.columns, n)),
    );
  }

  private name(one: HTMLElement, x: number, y: number): void {
    const sign = this.cells[y]?.[x] ?? ".";
    one.setAttribute("aria-label", words.palette.sign(x, y, words.palette.signs[sign] ?? sign));
    one.dataset.sign = sign;
  }

  private next(x: number, y: number, one: HTMLElement): void {
    const row = this.cells[y];
    if (!row) return;
    // Most cells are something or anything; empty comes last.
    const order = ".#_";
    row[x] = order[(order.indexOf(row[x] ?? ".") + 1) % order.length] ?? ".";
    this.name(one, x, y);
    this.changed();
  }

  private stepper(title: string, now: number, most: number, set: (size: number) => void): HTMLElement {
    const step = (by: number) => () => {
      set(now + by);
      this.changed();
      this.sizes.querySelector<HTMLElement>(`[data-step="${title}${by}"]:not(:disabled)`)?.focus();
    };
    return el(
      "span",
      { class: "stepper", role: "group", "aria-label": title },
      `${title} `,
      button("−", step(-1), { class: "small", disabled: now <= 1, "aria-label": `${title} −`, "data-step": `${title}-1` }),
      el("output", {}, String(now)),
      button("+", step(1), { class: "small", disabled: now >= most, "aria-label": `${title} +`, "data-step": `${title}1` }),
    );
  }
}
