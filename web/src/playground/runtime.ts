// Python in this worker: Pyodide, and the program with what it needs, from the folder of this script.

import type { PyodideAPI } from "pyodide";

/** Where the program lies in the file system of Pyodide. */
const PROGRAM = "/pwtool";

function address(name: string): string {
  return new URL(name, location.href).href;
}

/** A file that was compressed when the playground was written. */
async function read(name: string): Promise<Response> {
  const answer = await fetch(address(name));
  if (!answer.ok || !answer.body) throw new Error(`${name}: ${answer.status}`);
  return new Response(answer.body.pipeThrough(new DecompressionStream("gzip")));
}

/** Start Python with the program on its path. */
export async function start(): Promise<PyodideAPI> {
  const program = read("program.pack").then((answer) => answer.arrayBuffer());
  // It is waited for later, and fails there.
  program.catch(() => undefined);
  const library = URL.createObjectURL(await (await read("library.pack")).blob());
  const { loadPyodide } = (await import(address("pyodide/pyodide.mjs"))) as typeof import("pyodide");
  const python = await loadPyodide({ indexURL: address("pyodide/"), stdLibURL: library });
  python.unpackArchive(await program, "zip", { extractDir: PROGRAM });
  python.runPython(`import sys; sys.path.insert(0, "${PROGRAM}")`);
  return python;
}
