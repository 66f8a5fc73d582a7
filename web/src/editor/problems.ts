// Problems in the text: marks in it, and a list below it with buttons that fix them.

import type { LSPPlugin } from "@codemirror/lsp-client";
import { type Diagnostic, setDiagnostics } from "@codemirror/lint";
import type { EditorView } from "@codemirror/view";
import { announce, button, el, fill, later, told } from "../dom";
import type { Server } from "../server";
import { words } from "../words";

interface Position {
  line: number;
  character: number;
}
interface Range {
  start: Position;
  end: Position;
}
interface Edit {
  range: Range;
  newText: string;
}
export interface Finding {
  range: Range;
  severity?: number;
  message: string;
  code?: string;
}
interface Action {
  title: string;
  kind?: string;
  diagnostics?: Finding[];
  edit?: { changes?: Record<string, Edit[]> };
}

const SHOWN = 60;
const QUIET = 1_500;
/** The most lines of a finding that are shown with the text; the list has all of them. */
const IN_TEXT = 4;

export class Problems {
  readonly node = el("section", { class: "problems", "aria-label": words.problems.title });
  private readonly list = el("ul", {});
  private readonly count = el("h2", {});
  private said = 0;
  /** Problems are not announced between two keystrokes. */
  private readonly say = later(QUIET, () => {
    if (this.said !== this.findings.length) announce(words.problems.count(this.findings.length));
    this.said = this.findings.length;
  });
  private findings: Finding[] = [];
  private fixes: Action[] = [];
  private all: Action | null = null;

  constructor(
    private readonly server: Server,
    private readonly view: EditorView,
    private readonly plugin: () => LSPPlugin | null,
    private readonly edit: (uri: string, edits: Edit[]) => Promise<void>,
    private readonly short: (text: string) => string,
  ) {
    this.node.append(this.count, this.list);
    this.clear();
  }

  clear(): void {
    this.findings = [];
    this.fixes = [];
    this.all = null;
    this.show();
  }

  /** Findings for the text as last sent. */
  async published(findings: Finding[]): Promise<void> {
    const plugin = this.plugin();
    if (!plugin) return;
    this.findings = findings.filter((one) => one.range.end.line < plugin.syncedDoc.lines);
    this.fixes = [];
    this.all = null;
    this.show();
    this.say();
    if (!this.findings.length) return;
    const asked = this.findings;
    const actions = await this.actions(plugin, asked).catch(() => []);
    if (asked !== this.findings) return;
    this.fixes = actions.filter((action) => action.kind === "quickfix");
    this.all = actions.find((action) => action.kind === "source.fixAll") ?? null;
    if (actions.length) this.show();
  }

  private actions(plugin: LSPPlugin, findings: Finding[]): Promise<Action[]> {
    const end = plugin.toPosition(plugin.syncedDoc.length, plugin.syncedDoc);
    return this.server
      .request<Action[] | null>("textDocument/codeAction", {
        textDocument: { uri: plugin.uri },
        range: { start: { line: 0, character: 0 }, end },
        context: { diagnostics: findings, only: ["quickfix", "source.fixAll"] },
      })
      .then((found) => found ?? []);
  }

  private show(): void {
    const plugin = this.plugin();
    this.node.hidden = this.findings.length === 0;
    if (!plugin) return;
    const marks = this.findings.map((finding) => this.mark(finding, plugin));
    this.view.dispatch(setDiagnostics(this.view.state, marks));
    fill(
      this.count,
      words.problems.count(this.findings.length),
      this.all && this.fixes.length > 1 ? this.fixer(this.all, words.problems.mendAll) : null,
    );
    fill(
      this.list,
      this.findings.slice(0, SHOWN).map((finding) => {
        const [first = "", ...more] = this.short(finding.message).split("\n");
        const isHelp = (line: string): boolean => line.startsWith("help: ");
        const rest = more.filter((line) => !isHelp(line));
        const row = finding.range.start.line + 1;
        return el(
          "li",
          { class: severity(finding) },
          el(
            "div",
            { class: "what" },
            button(words.problems.line(row), () => this.go(finding), { class: "link" }),
            " ",
            told(first),
            more.filter(isHelp).map((line) => el("p", { class: "soft" }, told(line))),
            rest.length
              ? el(
                  "details",
                  {},
                  el("summary", {}, words.problems.more),
                  rest.map((line) => el("p", { class: "soft" }, told(line))),
                )
              : null,
          ),
          this.of(finding).map((action) => this.fixer(action, action.title)),
        );
      }),
    );
  }

  private of(finding: Finding): Action[] {
    return this.fixes.filter((action) => action.diagnostics?.some((one) => same(one, finding)));
  }

  private mark(finding: Finding, plugin: LSPPlugin): Diagnostic {
    const place = (position: Position): number => plugin.unsyncedChanges.mapPos(plugin.fromPosition(position, plugin.syncedDoc));
    return {
      from: place(finding.range.start),
      to: place(finding.range.end),
      severity: severity(finding),
      message: this.short(finding.message).split("\n").slice(0, IN_TEXT).join("\n"),
      actions: this.of(finding).map((action) => ({ name: action.title.replaceAll("`", ""), apply: () => void this.mend(action) })),
    };
  }

  private fixer(action: Action, title: string): HTMLElement {
    return button(title, () => void this.mend(action), { class: "mend" });
  }

  /** The edit is for the text that the findings are about: if more was typed since, ask for it again. */
  private async mend(action: Action): Promise<void> {
    const plugin = this.plugin();
    if (!plugin) return;
    let chosen: Action | undefined = action;
    if (!plugin.unsyncedChanges.empty) {
      this.server.client.sync();
      chosen = (await this.actions(plugin, this.findings)).find((one) => one.title === action.title);
    }
    for (const [uri, edits] of Object.entries(chosen?.edit?.changes ?? {})) await this.edit(uri, edits);
    announce(words.problems.mended(action.title));
    this.view.focus();
  }

  private go(finding: Finding): void {
    const plugin = this.plugin();
    if (!plugin) return;
    const at = plugin.unsyncedChanges.mapPos(plugin.fromPosition(finding.range.start, plugin.syncedDoc));
    this.view.dispatch({ selection: { anchor: at }, scrollIntoView: true });
    this.view.focus();
  }
}

function severity(finding: Finding): "error" | "warning" | "info" {
  return finding.severity === 2 ? "warning" : finding.severity === 3 || finding.severity === 4 ? "info" : "error";
}

function same(a: Finding, b: Finding): boolean {
  return (
    a.code === b.code &&
    a.message === b.message &&
    a.range.start.line === b.range.start.line &&
    a.range.start.character === b.range.start.character
  );
}
