// Puts the page together.

import "./styles/page.css";
import "./styles/editor.css";
import "./styles/panels.css";
import "./styles/rules.css";
import { shows } from "./address";
import { bar } from "./bar";
import { begin } from "./begin";
import type { ObjectiveEntry } from "./contract";
import { askConflict, askName, showKeys } from "./dialogs";
import { announce, button, count, el, fill, notice, options } from "./dom";
import { watchLeaving } from "./leaving";
import { Differences } from "./panel/differences";
import { Examples } from "./panel/examples";
import { Games } from "./panel/games";
import { Items } from "./panel/items";
import { Meaning } from "./panel/meaning";
import { Palette } from "./panel/palette";
import { Rulebook } from "./panel/rulebook";
import { Rules } from "./panel/rules";
import { Table } from "./panel/table";
import { Tabs } from "./panel/tabs";
import { Trying } from "./panel/trying";
import { InWorker } from "./playground/in_worker";
import { isStale } from "./since";
import { Socket } from "./socket";
import { Studio } from "./studio";
import { words } from "./words";

/** The beginning of a file that changes another one. */
const OVERLAY = /^\s*(?:#.*\n\s*)*(?:edition|variant)\s/;
const HEAD = 4_000;
/** Tabs that are about one objective. */
const ABOUT_ONE = new Set(["meaning", "trying", "examples"]);
/** Tabs that say something only of games with objectives. */
const OBJECTIVES = [...ABOUT_ONE, "palette"];

/** The script of the worker in which the program runs; without one, it runs on this machine. */
const worker = (document.currentScript as HTMLScriptElement | null)?.dataset.worker;
const studio = new Studio((events) => (worker ? new InWorker(events, worker) : new Socket(events)));
const items = new Items(studio);
const book = new Rulebook(studio);
const trying = new Trying(studio);
const table = new Table(studio);
const tabs = new Tabs(words.tabs.label, [
  { name: "meaning", title: words.tabs.meaning, panel: new Meaning(studio, items) },
  { name: "rules", title: words.tabs.rules, panel: new Rules(studio, book) },
  { name: "table", title: words.tabs.table, panel: table },
  { name: "trying", title: words.tabs.trying, panel: trying },
  { name: "examples", title: words.tabs.examples, panel: new Examples(studio, items) },
  { name: "palette", title: words.tabs.palette, panel: new Palette(studio) },
  { name: "differences", title: words.tabs.differences, panel: new Differences(studio) },
  { name: "games", title: words.tabs.games, panel: new Games(studio) },
]);

// ---- one side at a time if there is no room for both

const sides = el("div", { class: "sides", role: "group", "aria-label": words.sides.label });
const main = el("main", { class: "desk", "data-side": "text" });

function show(side: "text" | "explore"): void {
  main.dataset.side = side;
  for (const one of sides.children) one.setAttribute("aria-pressed", String((one as HTMLElement).dataset.side === side));
}
const look = (): void => {
  show("explore");
  // What is counted stands at the top.
  if (tabs.shown === "rules") tabs.node.scrollTop = 0;
};
const explore = button(words.sides.explore, look, { "data-side": "explore" });
sides.append(button(words.sides.text, () => show("text"), { "data-side": "text" }), explore);
show("text");
studio.showText = () => show("text");
studio.showMeaning = () => {
  tabs.open("meaning");
  tabs.focus();
};
studio.tryBoard = (board) => {
  show("explore");
  tabs.open("trying");
  trying.lay(board);
};
studio.layGame = (text) => {
  show("explore");
  tabs.open("table");
  table.show(text);
};
watchLeaving(studio);
studio.conflict = askConflict;
studio.askName = askName;

// ---- the chosen objective

const chosen = el("select", { id: "objective" });
const picker = el("div", { class: "picker" }, el("label", { for: chosen.id }, words.objective.label), chosen);
const warning = el("p", { class: "warning", hidden: true });
chosen.addEventListener("change", () => studio.choose(chosen.value));

function pick(): void {
  const objectives = studio.overview?.objectives ?? [];
  const told = (one: ObjectiveEntry): string =>
    [one.text || one.name, one.rarity, one.failed ? words.objective.failed(one.failed) : ""].filter(Boolean).join(" · ");
  const [own = [], base = []] = [true, false].map((own) =>
    options(objectives.filter((one) => one.own === own).map((one) => [one.name, told(one)]), studio.objective),
  );
  fill(
    chosen,
    own.length && base.length
      ? [el("optgroup", { label: words.objective.own }, ...own), el("optgroup", { label: words.objective.base }, ...base)]
      : [...own, ...base],
  );
  if (studio.objective === null) chosen.selectedIndex = -1;
  const about = ABOUT_ONE.has(tabs.shown);
  picker.hidden = !objectives.length || !about;
  const stale = about && isStale(studio.overview, studio.objective);
  tabs.node.classList.toggle("stale", stale);
  const said = stale ? words.objective.stale(studio.current?.since.line(studio.objective ?? "") ?? null) : words.objective.broken;
  if (warning.textContent !== said) warning.textContent = said;
  warning.hidden = studio.overview?.valid !== false;
  const overlay = OVERLAY.test(studio.view.state.sliceDoc(0, HEAD));
  if (studio.overview) tabs.put("rules", objectives.some((one) => one.own) ? "meaning" : null);
  tabs.allow("differences", overlay);
  for (const name of OBJECTIVES) tabs.allow(name, objectives.length > 0 || !studio.overview?.valid);
}

const broken = el("p", { role: "alert" });
const copy = button(words.connection.copy, () => {
  const copied = navigator.clipboard.writeText(studio.view.state.doc.toString());
  void copied.then(() => notice(words.connection.copied)).catch((error: unknown) => studio.failed(error));
});
const offline = el("div", { class: "offline", hidden: true }, broken, copy);

function line(): void {
  const trouble = studio.line.trouble(studio.hello !== null);
  offline.hidden = trouble === null;
  copy.hidden = !studio.current;
  offline.classList.toggle("soft", trouble?.soft ?? false);
  if (trouble && broken.textContent !== trouble.text) broken.textContent = trouble.text;
}

studio.on(["known", "focus"], () => {
  pick();
  tabs.refresh();
  if (studio.current) shows(studio.title(studio.current.uri));
});
studio.on("line", line);
window.addEventListener("keydown", (event) => {
  if (event.key !== "s" || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
  event.preventDefault();
  void studio.save();
});
items.on("known", () => tabs.refresh());
book.on("known", () => {
  const odd = book.play?.notes.length ?? 0;
  tabs.count("rules", odd, words.rules.odd(odd));
  count(explore, odd, words.rules.odd(odd));
  tabs.refresh();
});
tabs.opened = pick;

main.append(
  el(
    "section",
    { class: "side text", "aria-label": words.sides.text },
    studio.view.dom,
    el("p", { class: "leave soft" }, words.editor.leave),
    studio.problems.node,
  ),
  el("section", { class: "side explore", "aria-label": words.sides.explore }, tabs.list, warning, picker, tabs.node),
);
document.body.append(bar(studio, showKeys), sides, offline, begin(studio), main);
announce("");
studio.line.open();
line();
