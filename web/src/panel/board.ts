// A board to lay things on: a grid of buttons, by mouse and by keyboard.

import type { Board, Cell, Face, Table } from "../contract";
import { el, fill, picture } from "../dom";
import { words } from "../words";
import { roving } from "./roving";

const PAST = 200;

function key(x: number, y: number): string {
  return `${x},${y}`;
}

export class BoardView {
  readonly node = el("div", { class: "board", role: "grid" });
  private readonly cells: HTMLButtonElement[] = [];
  private readonly faces: Map<string, Face>;
  private piles = new Map<string, string[]>();
  private past: Map<string, string[]>[] = [];
  private framed = new Set<string>();
  private wanted = new Set<string>();
  private readonly walk;

  constructor(
    readonly table: Table,
    private readonly chosen: () => Face | null,
    private readonly changed: () => void,
  ) {
    this.faces = new Map(table.faces.map((face) => [face.code, face]));
    this.node.setAttribute("aria-label", words.trying.board(table.columns, table.rows));
    this.node.style.setProperty("--columns", String(table.columns));
    this.node.style.setProperty("--rows", String(table.rows));
    this.node.classList.toggle("hex", table.hexagonal);
    for (let y = 0; y < table.rows; y += 1) {
      const row = el("div", { role: "row", class: "row" });
      row.style.setProperty("--row", String(y));
      for (let x = 0; x < table.columns; x += 1) {
        const cell = el("button", { type: "button", role: "gridcell", class: "cell", onclick: () => this.put(x, y) });
        cell.addEventListener("keydown", (event: KeyboardEvent) => {
          if (event.key !== "Backspace" && event.key !== "Delete") return;
          event.preventDefault();
          this.take(x, y);
        });
        cell.addEventListener("contextmenu", (event) => {
          event.preventDefault();
          this.take(x, y);
        });
        if (table.missing.some(([left, top]) => left === x && top === y)) cell.classList.add("missing");
        this.cells.push(cell);
        row.append(cell);
      }
      this.node.append(row);
    }
    this.walk = roving(
      this.node,
      () => this.cells,
      () => table.columns,
    );
    this.draw();
  }

  get board(): Board {
    const cells = [...this.piles].map(([at, codes]) => [...(at.split(",").map(Number) as Cell), codes] as Board["cells"][number]);
    return { cells: cells.sort((a, b) => a[1] - b[1] || a[0] - b[0]) };
  }

  get empty(): boolean {
    return this.piles.size === 0;
  }

  get undoable(): boolean {
    return this.past.length > 0;
  }

  /** Show a whole board; one that grows is moved to where it is visible. */
  lay(board: Board, remember = true): void {
    if (remember) this.remember();
    const [left, up] = this.offset(board);
    // A sign for anything stands for any face: use the first one.
    const known = (code: string): string | undefined => (this.faces.has(code) ? code : this.table.faces[0]?.code);
    const laid = board.cells.map(
      ([x, y, codes]) => [key(x - left, y - up), codes.map(known).filter((code) => code !== undefined)] as const,
    );
    this.piles = new Map(laid.filter(([, codes]) => codes.length).map(([at, codes]) => [at, [...codes]]));
    this.draw();
    this.changed();
  }

  private offset(board: Board): Cell {
    if (!this.table.grows || !board.cells.length) return [0, 0];
    const least = (values: number[], size: number): number => {
      const low = Math.min(...values);
      return low < 0 || Math.max(...values) >= size ? low : 0;
    };
    return [
      least(
        board.cells.map((cell) => cell[0]),
        this.table.columns,
      ),
      least(
        board.cells.map((cell) => cell[1]),
        this.table.rows,
      ),
    ];
  }

  /** The steps that turn it into another board, cell by cell. */
  steps(to: Board, cells: Cell[]): string[] {
    const after = new Map(to.cells.map(([x, y, codes]) => [key(x, y), codes]));
    const said = (codes: string[]): string =>
      codes
        .map((code) => this.faces.get(code)?.words ?? code)
        .reduce((below, above) => (below ? words.trying.on(above, below) : above), "");
    return cells.map(([x, y]) => {
      const old = this.piles.get(key(x, y)) ?? [];
      const now = after.get(key(x, y)) ?? [];
      const where = this.where(x, y);
      if (!now.length) return words.trying.takeOff(said(old), where);
      const onto = old.length < now.length && old.every((code, index) => code === now[index]);
      return onto || !old.length
        ? words.trying.lay(said(now.slice(old.length)), where)
        : words.trying.replace(said(now), said(old), where);
    });
  }

  private where(x: number, y: number): string {
    const beyond = words.trying.beyond;
    if (y < 0) return beyond.above(x);
    if (y >= this.table.rows) return beyond.below(x);
    if (x < 0) return beyond.left(y);
    if (x >= this.table.columns) return beyond.right(y);
    return words.trying.at(x, y);
  }

  undo(): void {
    const before = this.past.pop();
    if (!before) return;
    this.piles = before;
    this.draw();
    this.changed();
  }

  /** Frame the cells where something is fulfilled, and those that would have to change. */
  frame(framed: Cell[], wanted: Cell[] = []): void {
    this.framed = new Set(framed.map(([x, y]) => key(x, y)));
    this.wanted = new Set(wanted.map(([x, y]) => key(x, y)));
    this.draw();
  }

  private remember(): void {
    this.past.push(new Map([...this.piles].map(([at, codes]) => [at, [...codes]])));
    if (this.past.length > PAST) this.past.shift();
  }

  private put(x: number, y: number): void {
    const face = this.chosen();
    if (this.table.missing.some(([left, top]) => left === x && top === y)) return;
    if (!face) {
      this.take(x, y);
      return;
    }
    this.remember();
    const pile = this.piles.get(key(x, y)) ?? [];
    this.piles.set(key(x, y), this.table.tall ? [...pile, face.code] : [face.code]);
    this.draw();
    this.changed();
  }

  private take(x: number, y: number): void {
    const pile = this.piles.get(key(x, y));
    if (!pile) return;
    this.remember();
    if (pile.length > 1) this.piles.set(key(x, y), pile.slice(0, -1));
    else this.piles.delete(key(x, y));
    this.draw();
    this.changed();
  }

  private draw(): void {
    this.cells.forEach((cell, index) => {
      const x = index % this.table.columns;
      const y = Math.floor(index / this.table.columns);
      const at = key(x, y);
      const pile = this.piles.get(at) ?? [];
      const code = pile[pile.length - 1];
      const face = code === undefined ? undefined : this.faces.get(code);
      const below = Math.max(0, pile.length - 1);
      const now = `${pile.join("+")} ${this.framed.has(at)} ${this.wanted.has(at)}`;
      if (cell.dataset.now === now) return;
      cell.dataset.now = now;
      cell.setAttribute(
        "aria-label",
        words.trying.cell(x, y, code === undefined ? words.trying.empty : (face?.words ?? code), below, this.framed.has(at)),
      );
      cell.title = pile
        .map((one) => this.faces.get(one)?.words ?? one)
        .reverse()
        .join("\n");
      cell.classList.toggle("framed", this.framed.has(at));
      cell.classList.toggle("wanted", this.wanted.has(at));
      cell.classList.toggle("filled", code !== undefined);
      cell.style.setProperty("--below", String(Math.min(below, 3)));
      fill(
        cell,
        code === undefined ? null : face?.svg ? picture(face.svg, "", "face") : el("span", { class: "code" }, code),
        below ? el("span", { class: "below", "aria-hidden": "true" }, `+${below}`) : null,
      );
    });
    this.walk.reach(this.walk.at());
  }
}
