// The open files: their texts with their own undo, their saved contents, and what the program knows about them.

import { LSPClient, LSPPlugin, Workspace, type WorkspaceFile } from "@codemirror/lsp-client";
import { ChangeSet, type ChangeSpec, type EditorState, Text, type TransactionSpec } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { change } from "./change";
import { Since } from "./since";

export function toText(text: string): Text {
  return Text.of(text.split(/\r\n?|\n/));
}

export class Doc implements WorkspaceFile {
  readonly languageId = "pwtool";
  version = 0;
  view: EditorView | null = null;
  /** Changes that were made while the file was not shown, and are not sent yet. */
  pending: ChangeSet | null = null;
  /** Since which edits objectives are what they were before. */
  readonly since = new Since();
  /** The text that is certainly safe with the program. */
  held: Text;

  constructor(
    readonly uri: string,
    public state: EditorState,
    public saved: Text,
    readonly writable: boolean,
  ) {
    this.doc = state.doc;
    this.held = state.doc;
  }

  /** The text that was sent last. */
  doc: Text;

  getView(): EditorView | null {
    return this.view;
  }

  get now(): Text {
    return (this.view?.state ?? this.state).doc;
  }

  get dirty(): boolean {
    return !this.now.eq(this.saved);
  }

  get kept(): boolean {
    return this.now.eq(this.held);
  }
}

interface Host {
  /** Show a file to the user. */
  show(uri: string): Promise<EditorView | null>;
  /** Load a file. */
  load(uri: string): Promise<Doc>;
  touched(doc: Doc): void;
  readonly online: boolean;
}

export class Documents extends Workspace {
  files: Doc[] = [];

  constructor(
    client: LSPClient,
    private readonly host: Host,
  ) {
    super(client);
  }

  override getFile(uri: string): Doc | null {
    return this.files.find((file) => file.uri === uri) ?? null;
  }

  add(doc: Doc): void {
    this.files.push(doc);
    this.client.didOpen(doc);
  }

  syncFiles(): { file: Doc; prevDoc: Text; changes: ChangeSet }[] {
    if (!this.host.online) return [];
    const told = [];
    for (const file of this.files) {
      const plugin = file.view ? LSPPlugin.get(file.view) : null;
      const changes = plugin ? plugin.unsyncedChanges : file.pending;
      if (!changes || changes.empty) continue;
      told.push({ file, prevDoc: file.doc, changes });
      file.doc = file.now;
      file.version += 1;
      file.pending = null;
      plugin?.clear();
    }
    return told;
  }

  openFile(uri: string, _language: string, view: EditorView): void {
    const file = this.getFile(uri);
    if (file) file.view = view;
  }

  // A file that is not shown stays open: its unsaved text counts for the others.
  closeFile(uri: string): void {
    const file = this.getFile(uri);
    if (file) file.view = null;
  }

  override connected(): void {
    for (const file of this.files) {
      file.doc = file.now;
      file.version += 1;
      file.pending = null;
      if (file.view) LSPPlugin.get(file.view)?.clear();
    }
    super.connected();
  }

  override requestFile(uri: string): Promise<Doc> {
    return this.host.load(uri);
  }

  override displayFile(uri: string): Promise<EditorView | null> {
    return this.host.show(uri);
  }

  override updateFile(uri: string, update: TransactionSpec): void {
    const file = this.getFile(uri);
    if (!file || !file.writable) return;
    if (file.view) {
      file.view.dispatch(update);
      return;
    }
    const done = file.state.update(update);
    file.state = done.state;
    file.pending = file.pending ? file.pending.compose(done.changes) : done.changes;
    this.host.touched(file);
  }

  /** Show a change from another window or program; returns whether anything changed. Text typed here since `version` is kept:
   * it is sent in a moment, and shown there. */
  mirror(uri: string, text: string, saved: string, version: number): boolean {
    const file = this.getFile(uri);
    if (!file) return false;
    const changes = change(file.now, text);
    const typed = file.version !== version || !file.now.eq(file.doc);
    if (changes && typed) return false;
    file.saved = toText(saved);
    if (changes) this.updateFile(uri, { changes });
    file.held = file.now;
    return changes !== null;
  }

  /** An edit of a file that may not be open yet. */
  async edit(uri: string, changes: ChangeSpec, more: TransactionSpec = {}): Promise<boolean> {
    const file = this.getFile(uri) ?? (await this.host.load(uri));
    if (!file.writable) return false;
    this.updateFile(uri, { changes, userEvent: "input.studio", ...more });
    return true;
  }
}
