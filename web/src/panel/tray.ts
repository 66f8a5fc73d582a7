// What can be laid: one of all faces is selected, or removing.

import type { Face, Table } from "../contract";
import { el, fill, picture } from "../dom";
import { words } from "../words";
import { roving } from "./roving";

/** If there are more faces than these, they can be searched. */
const MANY = 30;

export class Tray {
  readonly node = el("div", { class: "tray" });
  private readonly box = el("div", { class: "faces", role: "radiogroup" });
  private chosen: Face | null;
  private buttons: HTMLButtonElement[] = [];
  private readonly walk;

  constructor(private readonly table: Table) {
    this.chosen = table.faces[0] ?? null;
    this.box.setAttribute("aria-label", words.trying.tray);
    if (table.faces.length > MANY) {
      const search = el("input", {
        type: "search",
        placeholder: words.trying.find,
        "aria-label": words.trying.find,
      });
      search.addEventListener("input", () => this.show(search.value));
      this.node.append(search);
    }
    this.node.append(this.box);
    this.walk = roving(
      this.box,
      () => this.buttons,
      () => Infinity,
    );
    this.show("");
  }

  get face(): Face | null {
    return this.chosen;
  }

  private show(wanted: string): void {
    const parts = wanted.toLowerCase().split(/\s+/).filter(Boolean);
    const found = this.table.faces.filter((face) =>
      parts.every((part) => `${face.code} ${face.words}`.toLowerCase().includes(part)),
    );
    this.buttons = [null, ...found].map((face) => this.choice(face));
    fill(this.box, this.buttons);
    this.walk.reach(
      Math.max(
        0,
        this.buttons.findIndex((one) => one.getAttribute("aria-checked") === "true"),
      ),
    );
  }

  private choice(face: Face | null): HTMLButtonElement {
    const name = face ? face.words || face.code : words.trying.eraser;
    const one = el("button", {
      type: "button",
      role: "radio",
      class: face ? "choice" : "choice eraser",
      title: name,
      "aria-label": name,
      "aria-checked": String(face === this.chosen),
    });
    one.append(face?.svg ? picture(face.svg, "", "face") : face ? face.code : "⌫");
    one.addEventListener("click", () => this.choose(face, one));
    one.addEventListener("focus", () => this.choose(face, one));
    return one;
  }

  private choose(face: Face | null, one: HTMLElement): void {
    this.chosen = face;
    for (const other of this.buttons) other.setAttribute("aria-checked", String(other === one));
  }
}
