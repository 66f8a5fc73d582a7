// Compiles the modules in folders with the Python that will run them in the browser: `node pack.mjs PYODIDE SCRIPT FOLDER...`
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [pyodide, script, ...folders] = process.argv.slice(2);
try {
  const { loadPyodide } = await import(pathToFileURL(join(pyodide, "pyodide.mjs")).href);
  const python = await loadPyodide({ indexURL: `${pyodide}/` });
  python.runPython(readFileSync(script, "utf8"));
  for (const folder of folders) {
    python.mountNodeFS("/packed", folder);
    python.globals.get("pack")("/packed");
    python.FS.unmount("/packed");
  }
} catch (error) {
  // Not the line where it was thrown: that has all of Pyodide.
  console.error(String(error));
  process.exit(1);
}
