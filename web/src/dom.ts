// Elements, pictures, and announcements for screen readers.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined | ((event: never) => void)>;

/** An element: `class`, attributes, `onclick` and so on; texts are text, never markup. */
export function el<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: (Child | Child[])[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(key.slice(2), value as unknown as EventListener);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value != null) node.setAttribute(key, String(value));
  }
  node.append(
    ...children.flat().filter((child): child is Node | string => child !== null && child !== undefined && child !== false),
  );
  return node;
}

/** A list with an entry for each of these things; none if there are none. */
export function list<T>(css: string, things: readonly T[], entry: (thing: T) => HTMLElement, name: "ul" | "ol" = "ul"): HTMLElement | null {
  return things.length ? el(name, { class: css }, things.map(entry)) : null;
}

/** Terms, each with what belongs to it. */
export function terms(css: string, rows: readonly (readonly [string, Child | Child[]])[]): HTMLElement {
  return el("dl", { class: css }, rows.flatMap(([term, found]) => [el("dt", {}, term), el("dd", {}, found)]));
}

/** A list of sentences from the program. */
export function lines(texts: readonly string[]): HTMLElement | null {
  return list("lines", texts, (text) => el("li", {}, text));
}

export function button(title: string, onclick: () => void, attributes: Attributes = {}): HTMLButtonElement {
  return el("button", { type: "button", onclick, ...attributes }, ...told(title));
}

/** A page within this one: it has its own security policy, and cannot access this one. */
export function frame(page: string, title: string): HTMLIFrameElement {
  return el("iframe", { src: page, sandbox: "allow-scripts", title });
}

/** The entries of a choice, each a value and its title. */
export function options(rows: readonly (readonly [value: string, title: string])[], chosen: string | null = null): HTMLElement[] {
  return rows.map(([value, title]) => el("option", { value, selected: value === chosen }, title));
}

/** Buttons side by side. */
export function tools(...buttons: Child[]): HTMLElement {
  return el("p", { class: "tools" }, ...buttons);
}

const addresses = new Map<string, string>();

/** A drawing as an image: nothing in it can run, and its ids clash with no others. */
export function picture(svg: string, alt: string, css = ""): HTMLImageElement {
  let address = addresses.get(svg);
  if (address === undefined) {
    const whole = svg.includes("xmlns=") ? svg : svg.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"');
    address = `data:image/svg+xml;base64,${btoa(binary(whole))}`;
    if (addresses.size > 600) addresses.clear();
    addresses.set(svg, address);
  }
  return el("img", { src: address, alt, class: css, draggable: "false" });
}

function binary(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("");
}

/** A sentence from the program: text between backticks is code. */
export function told(text: string): (Node | string)[] {
  return text.split("`").map((part, index) => (index % 2 ? el("code", {}, part) : part));
}

/** Show a number with a button (0: none), and what it counts. */
export function count(node: HTMLElement, number: number, said: string): void {
  const known = node.querySelector(".count");
  if ((known?.textContent ?? "") === (number ? String(number) : "")) return;
  known?.remove();
  if (number) node.append(el("span", { class: "count", title: said, role: "img", "aria-label": said }, String(number)));
}

function alike(node: HTMLElement, one: Element): HTMLElement[] {
  const name = (other: Element): string => other.getAttribute("aria-label") ?? other.textContent ?? "";
  return [...node.querySelectorAll<HTMLElement>(one.tagName)].filter((other) => name(other) === name(one));
}

/** Replace the contents of an element. A focused button keeps the focus if it is still there. */
export function fill(node: HTMLElement, ...children: (Child | Child[])[]): void {
  const active = document.activeElement;
  const before = active && active !== node && node.contains(active) ? alike(node, active).indexOf(active as HTMLElement) : -1;
  node.replaceChildren(
    ...children.flat().filter((child): child is Node | string => child !== null && child !== undefined && child !== false),
  );
  if (!active || before < 0) return;
  const again = alike(node, active);
  again[Math.min(before, again.length - 1)]?.focus({ preventScroll: true });
}

let live: HTMLElement | null = null;

/** Announce something to people who do not see the page. */
export function announce(text: string): void {
  if (!live) {
    live = el("div", { class: "unseen", "aria-live": "polite", role: "status" });
    document.body.append(live);
  }
  // The same words are only announced again after they were removed.
  const said = live;
  said.textContent = "";
  window.setTimeout(() => (said.textContent = text), 60);
}

let shown = 0;

/** Take away what was said last. */
export function quiet(): void {
  document.querySelector(".notice")?.remove();
}

/** A message at the edge of the page that disappears by itself; it is also announced. */
export function notice(text: string, kind: "plain" | "alarm" = "plain"): void {
  quiet();
  const number = (shown += 1);
  const node = el("div", { class: `notice ${kind}`, onclick: quiet }, told(text));
  document.body.append(node);
  announce(text.replaceAll("`", ""));
  window.setTimeout(() => number === shown && node.remove(), kind === "alarm" ? 12_000 : 6_000);
}

/** Keep something as long as the window lasts. */
export function remember(name: string, text: string): void {
  try {
    sessionStorage.setItem(name, text);
  } catch {
    // There may be no room, or no storage at all.
  }
}

export function remembered(name: string): string | null {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null;
  }
}

let numbers = 0;

/** A unique id for an element. */
export function fresh(prefix: string): string {
  numbers += 1;
  return `${prefix}${numbers}`;
}

/** Call it when nothing was asked for a while; only the last call counts. */
export function later(wait: number, what: () => void): { (): void; now(): void } {
  let timer = 0;
  const soon = (): void => {
    window.clearTimeout(timer);
    timer = window.setTimeout(what, wait);
  };
  soon.now = (): void => {
    window.clearTimeout(timer);
    what();
  };
  return soon;
}
