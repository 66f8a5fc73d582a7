// Python in this worker: Pyodide, and the program with what it needs, from the folder of this script.

import type { PyodideAPI } from "pyodide";
import { keepSnapshot, snapshot } from "./kept";

/** Where the program lies in the file system of Pyodide. */
const PROGRAM = "/pwtool";
/** Modules that are imported before a snapshot is taken: those in Python alone, for it holds nothing else. */
const BEFORE = `
import sys
sys.path.insert(0, "${PROGRAM}")
import concurrent.futures, dataclasses, difflib, fractions, hashlib, json, logging, random, secrets, tempfile
import cattrs, jinja2, lark, lsprotocol.types, pygls.lsp.server
`;
/** After this many milliseconds a snapshot is kept: the user comes first. */
const LATER = 1_000;

function address(name: string): string {
  return new URL(name, location.href).href;
}

/** A file that was compressed when the playground was written. */
async function read(name: string): Promise<Response> {
  const answer = await fetch(address(name));
  if (!answer.ok || !answer.body) throw new Error(`${name}: ${answer.status}`);
  return new Response(answer.body.pipeThrough(new DecompressionStream("gzip")));
}

/** Let the memory of modules be at least this large: Pyodide restores a snapshot only into one that is large enough. */
function withMemory<T>(size: number, what: () => Promise<T>): Promise<T> {
  const original = WebAssembly.instantiateStreaming;
  WebAssembly.instantiateStreaming = async (source, imports) => {
    const made = await original.call(WebAssembly, source, imports);
    const memory = made.instance.exports.memory as WebAssembly.Memory;
    memory.grow(Math.max(0, Math.ceil((size - memory.buffer.byteLength) / 65_536)));
    return made;
  };
  return what().finally(() => (WebAssembly.instantiateStreaming = original));
}

/** Start Python with the program on its path. */
export async function start(): Promise<PyodideAPI> {
  const program = read("program.pack").then((answer) => answer.arrayBuffer());
  // It is waited for later, and fails there.
  program.catch(() => undefined);
  const memory = await snapshot();
  const library = URL.createObjectURL(await (await read("library.pack")).blob());
  const { loadPyodide } = (await import(address("pyodide/pyodide.mjs"))) as typeof import("pyodide");
  const options = { indexURL: address("pyodide/"), stdLibURL: library };

  if (memory)
    try {
      const python = await withMemory(memory.length, () => loadPyodide({ ...options, _loadSnapshot: memory }));
      python.unpackArchive(await program, "zip", { extractDir: PROGRAM });
      python.runPython("import importlib; importlib.invalidate_caches()");
      return python;
    } catch (error) {
      console.warn(error);
      await keepSnapshot(null);
    }
  const python = await loadPyodide({ ...options, _makeSnapshot: true });
  python.unpackArchive(await program, "zip", { extractDir: PROGRAM });
  python.runPython(BEFORE);
  const taken = python.makeMemorySnapshot().slice();
  self.setTimeout(() => void keepSnapshot(taken), LATER);
  return python;
}
