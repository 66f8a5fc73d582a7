// What is open, where the cursor is, and what is known about it: panels listen here.

import { LSPPlugin } from "@codemirror/lsp-client";
import { EditorState, type Text, type TransactionSpec } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { change } from "./change";
import type { Board, Described, FileEntry, Hello, Overview, Saved } from "./contract";
import { speak, wanted } from "./address";
import { Doc, Documents, toText } from "./documents";
import { later, notice } from "./dom";
import { Emitter } from "./emitter";
import { showNames } from "./editor/names";
import { type Finding, Problems } from "./editor/problems";
import { rename } from "./editor/renaming";
import { sanitize } from "./editor/sanitize";
import { setup } from "./editor/setup";
import type { Events, Line } from "./line";
import { linked } from "./playground/files";
import { Gone, Latest, reason, Refused, Server } from "./server";
import { keepUndo, stateOf } from "./undoing";
import { words } from "./words";

const SYNC = 120;
const CURSOR = 160;

interface Conflict {
  (file: string, mine: Text, theirs: Text): Promise<"mine" | "theirs" | null>;
}

export class Studio extends Emitter {
  readonly server: Server;
  readonly documents: Documents;
  readonly view: EditorView;
  readonly problems: Problems;
  readonly line: Line;
  hello: Hello | null = null;
  overview: Overview | null = null;
  /** The chosen objective, and what else the cursor is on. */
  objective: string | null = null;
  other: Described | null = null;
  current: Doc | null = null;
  /** Whether a new file was asked for. */
  beginning = false;
  conflict: Conflict = () => Promise.resolve(null);
  askName: (now: string) => Promise<string | null> = () => Promise.resolve(null);
  /** Move a board, or a recorded game, to where it can be tried. */
  tryBoard: (board: Board) => void = () => undefined;
  layGame: (text: string) => void = () => undefined;
  /** Show the text if there is only room for one side. */
  showText: () => void = () => undefined;
  /** Show the meaning of the objective at the cursor. */
  showMeaning: () => void = () => undefined;

  /** Send what was typed. */
  readonly push = later(SYNC, () => void this.told());
  private readonly look = later(CURSOR, () => void this.described());
  private readonly described_ = new Latest();
  private readonly overview_ = new Latest();
  private readonly loading = new Map<string, Promise<Doc>>();
  private silent = false;
  constructor(connect: (events: Events) => Line) {
    super();
    this.server = new Server({
      workspace: (client) => {
        const studio = this;
        return new Documents(client, {
          show: (uri) => this.show(uri).then(() => this.view),
          load: (uri) => this.load(uri),
          touched: () => this.push(),
          get online() {
            return studio.online;
          },
        });
      },
      sanitizeHTML: (html) => this.short(sanitize(html)),
      notificationHandlers: {
        "textDocument/publishDiagnostics": (_, params) => this.published(params),
        "studio/changed": (_, params: { uri: string }) => {
          if (params.uri === this.current?.uri) void this.learn();
          return true;
        },
        "studio/measured": (_, { uri }: { uri: string }) => (uri === this.current?.uri && this.emit("measured"), true),
        "studio/elsewhere": (_, params: { uri: string; text: string; saved: string; version: number }) => {
          this.documents.mirror(params.uri, params.text, params.saved, params.version);
          this.marked(params.uri, params.text !== params.saved);
          this.emit("text");
          return true;
        },
        "studio/kept": (_, params: { uri: string; kept: boolean; version: number | null }) => {
          const doc = this.documents.getFile(params.uri);
          if (doc && params.kept && params.version === doc.version) doc.held = doc.doc;
          this.emit("text");
          return true;
        },
        "window/showMessage": (_, params: { message: string }) => {
          notice(params.message);
          return true;
        },
      },
    });
    this.documents = this.server.client.workspace as Documents;
    this.view = new EditorView({ state: EditorState.create({}) });
    this.problems = new Problems(
      this.server,
      this.view,
      () => LSPPlugin.get(this.view),
      (uri, edits) => this.edits(uri, edits),
      (text) => this.short(text),
    );
    this.line = connect({
      opened: () => void this.connected(),
      closed: () => {
        this.server.lost();
        this.emit("line");
      },
      changed: () => this.emit("line"),
    });
  }

  get online(): boolean {
    return this.line.up && this.server.client.serverCapabilities !== null;
  }

  // ---- the connection

  private async connected(): Promise<void> {
    const again = this.hello !== null;
    this.server.client.connect(this.line);
    try {
      await this.server.client.initializing;
      const brought = this.line.keeps ? await linked(this.server) : null;
      this.hello = await this.server.ask("studio/hello", {});
      this.emit("line");
      this.emit("files");
      const first = brought ?? this.hello.files.find((file) => file.name === wanted())?.uri ?? this.hello.open;
      if (!this.current && first) await this.show(first);
      else this.push.now();
      if (again) notice(words.connection.back);
    } catch (error) {
      if (!(error instanceof Gone)) this.failed(error);
    }
  }

  /** Say why a requested action failed; a request that was superseded is not reported. */
  failed(error: unknown): void {
    if (error instanceof Gone) {
      if (!this.online) notice(words.connection.lost, "alarm");
      return;
    }
    if (!(error instanceof Refused)) console.error(error);
    notice(words.connection.failed(reason(error)), "alarm");
  }

  /** Switch to another language. What was typed is stored by the program before the page is loaded again. */
  async speak(language: string): Promise<void> {
    if (this.online) await this.told();
    keepUndo(this.documents.files);
    speak(language, this.current && this.title(this.current.uri));
  }

  // ---- files

  entry(uri: string): FileEntry | null {
    return this.hello?.files.find((file) => file.uri === uri) ?? null;
  }

  /** A text without the folder in front of its files. */
  short(text: string): string {
    const folder = this.hello ? decodeURIComponent(new URL(this.hello.root).pathname) : "";
    return folder.length > 1 ? text.replaceAll(`${folder}/`, "") : text;
  }

  /** Ask for a new file, whatever is shown, or no longer. */
  begin(asked = true): void {
    this.beginning = asked;
    this.emit("files");
  }

  /** Show a file that was just created. */
  async begun(uri: string): Promise<void> {
    this.hello = await this.server.ask("studio/hello", {});
    this.begin(false);
    await this.show(uri);
  }

  /** The display name of a file. */
  title(uri: string): string {
    return this.entry(uri)?.name ?? decodeURIComponent(uri.split("/").pop() ?? "");
  }

  /** Open a file without showing it. */
  load(uri: string): Promise<Doc> {
    const known = this.documents.getFile(uri);
    if (known) return Promise.resolve(known);
    let asked = this.loading.get(uri);
    if (!asked) {
      asked = this.server.ask("studio/open", { uri }).then((opened) => {
        const state = stateOf(opened.uri, opened.text, [
          setup(
            { save: () => void this.save(), rename: () => void rename(this) },
            EditorView.updateListener.of((update) => {
              if (update.docChanged) this.typed();
              if (update.docChanged || update.selectionSet) this.look();
            }),
          ),
          EditorState.readOnly.of(!opened.writable),
          this.server.client.plugin(opened.uri),
        ]);
        const doc = new Doc(opened.uri, state, toText(opened.saved), opened.writable);
        this.documents.add(doc);
        return doc;
      });
      this.loading.set(uri, asked);
      void asked.catch(() => undefined).finally(() => this.loading.delete(uri));
    }
    return asked;
  }

  async show(uri: string): Promise<void> {
    const doc = await this.load(uri);
    this.begin(this.beginning && !this.current); // It may be asked for before the first file is there.
    if (this.current === doc) return;
    if (this.current) {
      this.server.client.sync();
      this.current.state = this.view.state;
    }
    this.current = doc;
    this.overview = null;
    this.objective = null;
    this.other = null;
    this.view.setState(doc.state);
    this.problems.clear();
    this.emit("text");
    this.emit("known");
    this.emit("focus");
    this.push.now();
    await this.learn();
    this.look.now();
  }

  // ---- the text

  private typed(): void {
    this.emit("text");
    this.push();
  }

  /** Send what was typed to the program; its answer confirms that it was received. */
  private async told(): Promise<void> {
    const doc = this.current;
    if (!doc || !this.online) return;
    this.server.client.sync();
    const told = this.documents.files.map((file) => [file, file.doc] as const);
    try {
      const tokens = await this.server.request<{ data: number[] } | null>("textDocument/semanticTokens/full", {
        textDocument: { uri: doc.uri },
      });
      // Where the program ends with the page, only what it has kept is safe.
      if (!this.line.keeps) for (const [file, text] of told) file.held = text;
      if (doc === this.current && doc.now.eq(doc.doc)) {
        const legend = this.server.client.serverCapabilities?.semanticTokensProvider?.legend.tokenTypes ?? [];
        showNames(this.view, tokens?.data ?? [], legend);
      }
    } catch (error) {
      if (!(error instanceof Gone)) console.warn(error);
    }
    this.emit("text");
  }

  private published(params: { uri: string; version?: number; diagnostics: Finding[] }): boolean {
    const doc = this.current;
    if (params.uri === doc?.uri && (params.version == null || params.version === doc.version))
      void this.problems.published(params.diagnostics);
    return true;
  }

  /** The file may have been changed in another program in the meantime. */
  async lookAgain(): Promise<void> {
    const doc = this.current;
    if (!doc || !this.online || doc.dirty) return;
    try {
      const { version } = doc;
      const { text, saved } = await this.server.ask("studio/open", { uri: doc.uri });
      if (this.documents.mirror(doc.uri, text, saved, version)) notice(words.news(this.title(doc.uri)));
    } catch (error) {
      if (error instanceof Refused) notice(words.gone(this.title(doc.uri)), "alarm");
    }
  }

  async edits(uri: string, edits: { range: Finding["range"]; newText: string }[]): Promise<void> {
    const doc = await this.load(uri);
    const offset = (place: { line: number; character: number }): number => doc.now.line(place.line + 1).from + place.character;
    const changes = edits.map((edit) => ({ from: offset(edit.range.start), to: offset(edit.range.end), insert: edit.newText }));
    await this.write(uri, changes);
  }

  /** Make an edit in any file. */
  async write(uri: string, changes: TransactionSpec["changes"], more: TransactionSpec = {}): Promise<boolean> {
    const done = await this.documents.edit(uri, changes ?? [], more);
    if (!done) notice(words.readOnly(this.title(uri)), "alarm");
    this.emit("text");
    return done;
  }

  async tidy(): Promise<void> {
    const doc = this.current;
    if (!doc?.writable) return;
    try {
      const asked = doc.now;
      const options = { tabSize: 2, insertSpaces: true };
      this.server.client.sync();
      const edits = await this.server.request<{ range: Finding["range"]; newText: string }[] | null>("textDocument/formatting", {
        textDocument: { uri: doc.uri },
        options,
      });
      if (edits?.length && doc.now.eq(asked)) await this.edits(doc.uri, edits);
    } catch (error) {
      this.failed(error);
    }
  }

  /** Save the changes of all files; if there are none, format the shown file. */
  async save(): Promise<void> {
    if (!this.online) {
      notice(words.connection.lost, "alarm");
      return;
    }
    const changed = this.documents.files.filter((doc) => doc.writable && doc.dirty);
    const docs = changed.length ? changed : this.current?.writable ? [this.current] : [];
    const problems: string[] = [];
    try {
      // Formatting is a separate edit first, so that the cursor stays where it is.
      if (docs.some((doc) => doc === this.current)) await this.tidy();
      const saved = [];
      for (const doc of docs) {
        const answer = await this.store(doc);
        if (answer) saved.push(this.title(doc.uri));
        if (answer?.problem) problems.push(answer.problem);
      }
      if (problems.length) notice(words.savedWith(problems.join(" ")));
      else if (saved.length) notice(changed.length ? words.saved(saved) : words.savedAsItWas(saved));
    } catch (error) {
      this.failed(error);
    }
    this.emit("text");
  }

  private async store(doc: Doc, force = false): Promise<Saved | null> {
    const sent = doc.now;
    try {
      const saved = await this.server.ask("studio/save", { uri: doc.uri, text: sent.toString(), ...(force ? { force } : {}) });
      doc.saved = toText(saved.text);
      const left = doc.now.eq(sent) ? change(doc.now, saved.text) : null;
      if (left) await this.write(doc.uri, left);
      this.marked(doc.uri, false);
      return saved;
    } catch (error) {
      if (!(error instanceof Refused) || !error.data?.conflict) throw error;
      const chosen = await this.conflict(this.title(doc.uri), sent, toText(error.data.disk ?? ""));
      if (chosen === "mine") return this.store(doc, true);
      if (chosen === "theirs") await this.takeSaved(doc);
      return null;
    }
  }

  async discard(): Promise<void> {
    if (!this.current) return;
    try {
      await this.takeSaved(this.current);
      notice(words.discarded);
    } catch (error) {
      this.failed(error);
    }
  }

  private async takeSaved(doc: Doc): Promise<void> {
    const { text } = await this.server.ask("studio/discard", { uri: doc.uri });
    doc.saved = toText(text);
    const back = change(doc.now, text);
    if (back) await this.write(doc.uri, back);
    this.marked(doc.uri, false);
  }

  private marked(uri: string, draft: boolean): void {
    const entry = this.entry(uri);
    if (entry) entry.draft = draft;
    this.emit("files");
  }

  // ---- what is known

  /** Ask what the program knows about the file now. */
  async learn(): Promise<void> {
    const doc = this.current;
    if (!doc || !this.online) return;
    try {
      const asked = doc.doc;
      const overview = await this.overview_.of(this.server.ask("studio/overview", { uri: doc.uri }));
      if (doc !== this.current) return;
      doc.since.learned(asked, doc.doc, overview, this.objective);
      this.overview = overview;
      if (!overview.objectives.some((one) => one.name === this.objective)) this.objective = null;
      if (this.other?.kind === "objective" && overview.objectives.some((one) => one.name === this.other?.name)) {
        // The objective at the cursor has only become known now.
        this.objective = this.other.name;
        this.other = null;
      }
      if (this.objective === null)
        this.objective = (overview.objectives.find((one) => one.own) ?? overview.objectives[0])?.name ?? null;
      this.emit("known");
    } catch (error) {
      if (!(error instanceof Gone)) this.failed(error);
    }
  }

  /** What the cursor is on. */
  private async described(): Promise<void> {
    const doc = this.current;
    const plugin = LSPPlugin.get(this.view);
    if (!doc || !plugin || !this.online || this.silent) return;
    try {
      const position = plugin.toPosition(this.view.state.selection.main.head);
      const found = await this.described_.of(this.server.ask("pwtool/describe", { textDocument: { uri: doc.uri }, position }));
      if (doc !== this.current || !found) return;
      const objective = found.kind === "objective" && this.overview?.objectives.some((one) => one.name === found.name);
      const before = [this.objective, this.other?.title, this.other?.written].join("\n");
      if (objective) this.objective = found.name;
      this.other = objective ? null : found;
      if (before !== [this.objective, this.other?.title, this.other?.written].join("\n")) this.emit("focus");
    } catch (error) {
      if (!(error instanceof Gone)) console.warn(error);
    }
  }

  /** Choose an objective by its name; the cursor moves to it if it is in this text. */
  choose(name: string): void {
    this.described_.forget();
    this.objective = name;
    this.other = null;
    const place = this.place(name);
    if (place !== null) {
      this.silent = true;
      this.view.dispatch({ selection: { anchor: place }, effects: EditorView.scrollIntoView(place, { y: "center" }) });
      window.setTimeout(() => (this.silent = false), 2 * CURSOR);
    }
    this.emit("focus");
  }

  /** Where an objective is declared in this text. */
  place(name: string): number | null {
    const entry = this.overview?.objectives.find((one) => one.name === name);
    const text = this.view.state.doc;
    if (!entry?.own || entry.line === null || entry.line < 1 || entry.line > text.lines) return null;
    const line = text.line(entry.line);
    const at = line.text.indexOf(name);
    return at < 0 ? null : line.from + at;
  }
}
