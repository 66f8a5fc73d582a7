// Tabs: one of several panels is shown.

import { count, el, remember, remembered } from "../dom";

export interface Panel {
  readonly node: HTMLElement;
  /** Show what is known now; only called while the panel is visible. */
  refresh(): void;
}

export interface Tab {
  name: string;
  title: string;
  panel: Panel;
}

export class Tabs {
  readonly list: HTMLElement;
  readonly node: HTMLElement;
  private readonly buttons = new Map<string, HTMLButtonElement>();
  private current: string;
  opened: () => void = () => undefined;
  /** What somebody has chosen, as long as the window lasts; it may not be there for every file. */
  private wanted = remembered("tab");

  constructor(
    label: string,
    private readonly tabs: Tab[],
  ) {
    this.list = el("div", { role: "tablist", "aria-label": label, class: "tabs" });
    this.node = el("div", { class: "panels" });
    this.current = (tabs.find((tab) => tab.name === this.wanted) ?? tabs[0])?.name ?? "";
    for (const tab of tabs) {
      const { node } = tab.panel;
      const one = el(
        "button",
        {
          type: "button",
          role: "tab",
          id: `tab-${tab.name}`,
          "aria-controls": `panel-${tab.name}`,
          onclick: () => this.open(tab.name),
        },
        tab.title,
      );
      node.id = `panel-${tab.name}`;
      node.setAttribute("role", "tabpanel");
      node.setAttribute("aria-labelledby", one.id);
      this.buttons.set(tab.name, one);
      this.list.append(one);
      this.node.append(node);
    }
    this.list.addEventListener("keydown", (event) => this.move(event));
    this.mark();
  }

  get shown(): string {
    return this.current;
  }

  open(name: string): void {
    this.wanted = name;
    remember("tab", name);
    this.show(name);
  }

  private show(name: string): void {
    this.current = name;
    this.mark();
    this.node.scrollTop = 0;
    this.refresh();
    this.opened();
  }

  focus(): void {
    this.buttons.get(this.current)?.focus();
  }

  /** Put a tab behind another one (null: first); the first one is shown as long as nobody has chosen any. */
  put(name: string, behind: string | null): void {
    const before = this.tabs.map((tab) => tab.name);
    const names = before.filter((one) => one !== name);
    names.splice(behind === null ? 0 : names.indexOf(behind) + 1, 0, name);
    if (names.join() !== before.join()) {
      this.tabs.sort((one, other) => names.indexOf(one.name) - names.indexOf(other.name));
      this.list.append(...names.flatMap((one) => this.buttons.get(one) ?? []));
    }
    if (this.wanted === null && this.current !== names[0] && names[0]) this.show(names[0]);
  }

  /** Show a number with a tab (0: none), and what it counts. */
  count(name: string, number: number, said: string): void {
    const one = this.buttons.get(name);
    if (one) count(one, number, said);
  }

  allow(name: string, allowed: boolean): void {
    const one = this.buttons.get(name);
    if (one) one.hidden = !allowed;
    if (!allowed && this.current === name && this.tabs[0]) this.show(this.tabs[0].name);
    else if (allowed && this.wanted === name && this.current !== name) this.show(name);
  }

  refresh(): void {
    this.tabs.find((tab) => tab.name === this.current)?.panel.refresh();
  }

  private mark(): void {
    for (const { name, panel } of this.tabs) {
      const shown = name === this.current;
      const one = this.buttons.get(name);
      one?.setAttribute("aria-selected", String(shown));
      if (one) one.tabIndex = shown ? 0 : -1;
      panel.node.hidden = !shown;
      if (shown) one?.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
  }

  private move(event: KeyboardEvent): void {
    const names = this.tabs.map((tab) => tab.name).filter((name) => !this.buttons.get(name)?.hidden);
    const at = names.indexOf(this.current);
    const goes: Record<string, number> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: names.length - 1 };
    const to = goes[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const name = names[(to + names.length) % names.length];
    if (name === undefined) return;
    this.open(name);
    this.buttons.get(name)?.focus();
  }
}
