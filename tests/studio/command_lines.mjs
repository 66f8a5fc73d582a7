// Runs command lines of pwtool under the Python of the playground, and prints what each printed and its exit code, as JSON:
// `node command_lines.mjs SITE CLI WORK < COMMANDS`, with the folders of the playground, of `pwtool.cli`, and of rules files.
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";

const [site, cli, work] = process.argv.slice(2);
const commands = JSON.parse(readFileSync(0, "utf8"));
const folder = await mkdtemp(join(tmpdir(), "library-"));
const library = join(folder, "library.zip");
writeFileSync(library, gunzipSync(readFileSync(join(site, "library.pack"))));
try {
  const { loadPyodide } = await import(pathToFileURL(join(site, "pyodide", "pyodide.mjs")).href);
  const python = await loadPyodide({ indexURL: `${join(site, "pyodide")}/`, stdLibURL: library });
  const program = new Uint8Array(gunzipSync(readFileSync(join(site, "program.pack"))));
  python.unpackArchive(program, "zip", { extractDir: "/pwtool" });
  // The commands themselves are not shipped; they do without what reads command lines.
  python.mountNodeFS("/pwtool/pwtool/cli", cli);
  python.FS.mkdirTree("/work");
  python.mountNodeFS("/work", work);
  const run = python.runPython(`
import io, os, sys
sys.path.insert(0, "/pwtool")
os.chdir("/work")
os.environ["PWTOOL_NO_CACHE"] = "1"
from pwtool.cli.analyzing import run_analyze
from pwtool.cli.common import Under
from pwtool.cli.comparing import Asked, run_compare
from pwtool.cli.start import Stop

def run(words):
    told = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    sys.stdout = told
    try:
        match words.to_py():
            case ["analyze", address]:
                status = run_analyze(address, [], Under(), True, "en")
            case ["compare", first, second]:
                status = run_compare(Asked([first, second], [], form="json", language="en"))
    except Stop as stop:
        status = stop.args[0]
    finally:
        sys.stdout = sys.__stdout__
    return [status, told.buffer.getvalue().decode()]
run
`);
  for (const words of commands) {
    const begun = performance.now();
    const [status, printed] = run(words).toJs();
    console.log(JSON.stringify({ words, status, printed, seconds: (performance.now() - begun) / 1000 }));
  }
} catch (error) {
  console.error(String(error));
  process.exit(1);
}
