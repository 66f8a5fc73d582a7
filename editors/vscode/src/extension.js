// The client: starts `pwtool lsp`, and shows beside the text what the cursor is on.

"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const { page } = require("./panel");

const LANGUAGES = ["pwtool", "pwtool-record"];
const PAUSE = 120;

let client;
let panel;
let timer;
let asked = 0;

function makeClient() {
  const command = vscode.workspace.getConfiguration("pwtool").get("path", "pwtool");
  const run = { command, args: ["lsp"] };
  return new LanguageClient(
    "pwtool",
    "pwtool",
    { run, debug: run },
    {
      documentSelector: [
        ...LANGUAGES.map((language) => ({ language })),
        { language: "json", scheme: "file", pattern: "**/*.json" },
      ],
      synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/*.rules") },
      markdown: { isTrusted: false, supportHtml: false },
    },
  );
}

async function start() {
  client = makeClient();
  try {
    await client.start();
  } catch (error) {
    const install = "pip install pwtool[lsp]";
    vscode.window.showErrorMessage(`pwtool lsp does not start (${error.message}). It comes with \`${install}\`; the setting pwtool.path says where it is.`);
  }
}

async function describe(editor) {
  if (!client || !client.isRunning()) return null;
  const textDocument = { uri: client.code2ProtocolConverter.asUri(editor.document.uri) };
  const position = client.code2ProtocolConverter.asPosition(editor.selection.active);
  return client.sendRequest("pwtool/describe", { textDocument, position });
}

function follow() {
  clearTimeout(timer);
  timer = setTimeout(update, PAUSE);
}

async function update() {
  const editor = vscode.window.activeTextEditor;
  if (!panel || !editor || !LANGUAGES.includes(editor.document.languageId)) return;
  const mine = ++asked;
  let found = null;
  try {
    found = await describe(editor);
  } catch {
    return; // A request that was overtaken by an edit.
  }
  if (panel && mine === asked) panel.webview.html = page(found);
}

function showPanel() {
  if (panel) {
    panel.reveal(undefined, true);
  } else {
    const place = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    panel = vscode.window.createWebviewPanel("pwtool.panel", "Picture and analysis", place, {
      enableScripts: false,
      localResourceRoots: [],
    });
    panel.onDidDispose(() => (panel = undefined));
    panel.webview.html = page(null);
  }
  update();
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("pwtool.showPanel", showPanel),
    vscode.commands.registerCommand("pwtool.restart", async () => {
      if (client) await client.dispose();
      await start();
    }),
    vscode.window.onDidChangeTextEditorSelection(follow),
    vscode.window.onDidChangeActiveTextEditor(follow),
    vscode.workspace.onDidChangeTextDocument(follow),
  );
  await start();
}

function deactivate() {
  clearTimeout(timer);
  return client ? client.stop() : undefined;
}

module.exports = { activate, deactivate };
