// The messages between page and program besides the language server protocol.

export type Pile = [x: number, y: number, codes: string[]];
export type Cell = [x: number, y: number];
export interface Board {
  cells: Pile[];
}
export interface FileEntry {
  uri: string;
  name: string;
  writable: boolean;
  draft: boolean;
}
/** A ruleset of the library to build on, and its file. */
export interface Base {
  address: string;
  title: string;
  uri: string;
}
export interface Hello {
  root: string;
  folder: string;
  files: FileEntry[];
  open: string | null;
  version: string;
  /** What a new file can build on. */
  bases: Base[];
}
export interface Opened {
  uri: string;
  text: string;
  saved: string;
  writable: boolean;
  draft: boolean;
}
export interface Saved {
  text: string;
  changed: boolean;
  problem: string | null;
}
export interface ObjectiveEntry {
  name: string;
  text: string;
  line: number | null;
  own: boolean;
  rarity: string | null;
  fraction: number | null;
  examples: number;
  failed: number;
  /** Whether this is what it meant before a mistake. */
  stale: boolean;
}
export interface Face {
  code: string;
  words: string;
  svg: string;
}
export interface AttributeValue {
  name: string;
  title: string;
}
export interface Attribute {
  name: string;
  title: string;
  values: AttributeValue[];
  numeric: boolean;
  flag: boolean;
}
export interface Table {
  faces: Face[];
  attributes: Attribute[];
  columns: number;
  rows: number;
  grows: boolean;
  tall: boolean;
  hexagonal: boolean;
  missing: Cell[];
}
export interface Overview {
  title: string;
  address: string;
  valid: boolean;
  objectives: ObjectiveEntry[];
  board: Table | null;
}
export interface Neighbour {
  name: string;
  text: string;
  shared: number;
}
export interface Example {
  yes: boolean;
  board: Board;
  svg: string;
  holds: boolean;
  line: number | null;
  file: string;
}
export interface Item {
  name: string;
  text: string;
  written: string;
  svg: string | null;
  said: string;
  rarity: { share: string; fraction: number; measures: [what: string, found: string][] } | null;
  follows: string[];
  leadsTo: string[];
  excludes: string[];
  examples: Example[];
}
export interface Match {
  fulfilled: boolean;
  places: Cell[][];
  reason: string[];
  changes: { count: number; board: Board; cells: Cell[] } | null;
  others: { name: string; fulfilled: boolean }[];
  svg: string;
}
export interface Added {
  uri: string;
  at: number;
  line: number;
  insert: string;
  disagrees?: boolean;
}
export interface Edit {
  uri: string;
  at: number;
  to: number;
  insert: string;
}
export interface Mutant {
  was: string;
  now: string;
  board: Board;
  svg: string;
  fulfilled: boolean;
  line: number;
  replace: Edit | null;
}
export interface Mutants {
  state: "done" | "failing" | "invalid";
  mutants: Mutant[];
  more: number;
}
export interface Comparison {
  attribute: string;
  op: "==" | "!=" | ">=" | "<=";
  value: string;
}
export interface Draft {
  name: string;
  words: string;
  shape: string[];
  turned: boolean;
  mirrored: boolean;
  together: { attribute: string; relation: "same" | "different" | "ascending" }[];
  each: Comparison[];
  sum?: Comparison;
  height?: { op: ">=" | "=="; value: number };
}
export interface Palette {
  text: string;
  problem: string | null;
  svg: string | null;
  insert: string;
  at: number;
  fits: boolean;
}
export interface Differences {
  base: { address: string; title: string } | null;
  items: { item: string; title: string; words: string[] }[];
  undecided: string[];
  problem: string | null;
}
/** A text with recorded games, and the name of its file (empty: it was pasted). */
export interface Given {
  name: string;
  text: string;
}
export interface Finding {
  where: string | null;
  text: string;
  rule: string | null;
  help: string | null;
  line: number | null;
  follows: boolean;
}
export interface Judged {
  games: number;
  clean: number;
  /** Some of the games that are not clean. */
  shown: { name: string; verdict: "findings" | "undetermined" | "unreadable"; findings: Finding[] }[];
}
/** By which rules games were played: a page for players, and the edition with what is different (null: nothing, or it cannot lie here). */
export interface Learned {
  said: string;
  page: string;
  edition: string | null;
  /** The file's name, and the folder in which it has to lie; null: the first one. */
  name: string;
  folder: string | null;
  note: string | null;
}
/** A game on the table as a page (null: the one that is `shown`), and the least and the most players. */
export interface Laid {
  page: string | null;
  shown: string;
  said: string | null;
  seats: number[];
  players: number;
}
/** Something on the table: a place of it, and a cell or the code of a thing there. */
export interface Pointed {
  place: number;
  cell?: [number, number];
  code?: string;
}
/** An action that could be about what was chosen: a way to do it, what is wrong with that, and the rules that refuse some of the ways tried. */
export interface Closed {
  title: string;
  way: string;
  legal: boolean;
  inOrder: boolean;
  said: string | null;
  notes: string[];
  tried: number;
  /** The action in the form of records as a text, its name, and what refuses it first. */
  action: string;
  name: string;
  about: string;
  rules: { rule: string; text: string; times: number; line: number | null; changes: boolean }[];
}
/** A line, and those that belong to it. */
export interface Line {
  text: string;
  parts: Line[];
  ordered: boolean;
}
/** An item of the rules for players: in this file at `line`, or in another one. */
export interface Entry {
  kind: string;
  name: string;
  text: string;
  words: Line[];
  parts: Entry[];
  line: number | null;
  file: string;
  uri: string;
  there: number;
  own: "" | "added" | "changed" | "removed";
  reason: string;
  stale: boolean;
  /** Whether this file may change it. */
  changes: boolean;
}
export interface Section {
  name: string;
  entries: Entry[];
}
export interface Outline {
  title: string;
  sections: Section[];
  removed: Entry[];
  changes: boolean;
}
/** What the examples show of conditions: that they hold and that they do not, one of it, or nothing. */
export interface Mark {
  state: "both" | "part" | "none";
  lacks: string[];
}
export interface Marks {
  items: Record<string, Mark>;
  lines: [line: number, mark: Mark][];
}
export interface Oddity {
  text: string;
  /** `name` is that of a rule which this file may change. */
  reasons: { text: string; rule: string; line: number | null; name: string }[];
  remarks: string[];
  line: number | null;
  players: number | null;
  seed: number | null;
}
export interface Play {
  notes: Oddity[];
  figures: [what: string, found: string][];
  problem: string;
}
/** `marks` and `play` are null until they are known; `busy`: more is being found out. */
export interface Rules {
  outline: Outline;
  marks: Marks | null;
  play: Play | null;
  busy: boolean;
}
/** The answer of `pwtool/describe` about the thing at the cursor. */
export interface Described {
  kind: string;
  name: string;
  title: string;
  text: string;
  written: string;
  place: string;
  told: string[];
  picture: string;
}

interface Named {
  uri: string;
  name: string;
}
export interface Requests {
  "studio/hello": [Record<string, never>, Hello];
  "studio/beginning": [{ name: string; kind: string; base: string }, { text: string }];
  "studio/begin": [{ name: string; text: string }, { uri: string }];
  "studio/add": [{ name: string; text: string; folder?: string | null }, { uri: string }];
  "studio/open": [{ uri: string }, Opened];
  "studio/discard": [{ uri: string }, Opened];
  "studio/save": [{ uri: string; text: string; force?: boolean }, Saved];
  "studio/overview": [{ uri: string }, Overview];
  "studio/item": [Named, Item];
  "studio/neighbours": [Named, Neighbour[]];
  "studio/dealt": [Named, { told: string | null }];
  "studio/inPlay": [Named, { told: string | null }];
  "studio/match": [Named & { board: Board }, Match];
  "studio/addExample": [Named & { board: Board; yes: boolean }, Added];
  "studio/removeExample": [Named & { board: Board; yes: boolean }, Edit];
  "studio/mutants": [Named, Mutants];
  "studio/palette": [{ uri: string; draft: Draft }, Palette];
  "studio/differs": [{ uri: string }, Differences];
  "studio/witness": [{ uri: string; item: string }, { page: string | null; said: string }];
  "studio/table": [
    { uri: string; wanted: { text: string; record: string; players: number; seed: number; shown: string } },
    Laid,
  ];
  "studio/whyNot": [
    { uri: string; asked: { record: string; open: boolean; things: Pointed[] } },
    { actions: Closed[]; over: boolean },
  ];
  "studio/keepAction": [
    { uri: string; said: { record: string; open: boolean; action: string; about: string; yes: boolean } },
    Added,
  ];
  "studio/change": [Named & { kind: string }, Added];
  "studio/rules": [{ uri: string }, Rules];
  "studio/randomGame": [{ uri: string; players: number; seed: number }, { page: string }];
  "studio/check": [{ uri: string; games: Given[] }, Judged];
  "studio/learn": [{ uri: string; games: Given[] }, Learned];
  "pwtool/describe": [{ textDocument: { uri: string }; position: { line: number; character: number } }, Described | null];
}
