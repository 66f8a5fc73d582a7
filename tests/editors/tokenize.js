// Prints how a TextMate grammar reads files: for each file its tokens as [line, start, end, innermost scope].
"use strict";
const fs = require("fs");
const path = require("path");
const [modules, grammar, scope, ...files] = process.argv.slice(2);
const load = (name) => require(path.join(modules, name));
const { Registry, INITIAL, parseRawGrammar } = load("vscode-textmate");
const oniguruma = load("vscode-oniguruma");

async function main() {
  const wasm = fs.readFileSync(path.join(modules, "vscode-oniguruma", "release", "onig.wasm"));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => parseRawGrammar(fs.readFileSync(grammar, "utf-8"), grammar),
  });
  const found = await registry.loadGrammar(scope);
  const result = {};
  for (const file of files) {
    let state = INITIAL;
    result[file] = [];
    fs.readFileSync(file, "utf-8").split("\n").forEach((line, number) => {
      const read = found.tokenizeLine(line, state);
      state = read.ruleStack;
      for (const token of read.tokens) result[file].push([number, token.startIndex, token.endIndex, token.scopes.slice(1).join(" ")]);
    });
  }
  process.stdout.write(JSON.stringify(result));
}

main();
