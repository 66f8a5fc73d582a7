// Writes the page into pwtool/studio/static (or the folder that is named): the same bytes from the same sources.
import { build } from "esbuild";
import { copyFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));
const TARGET = resolve(process.argv[2] ?? join(HERE, "..", "pwtool", "studio", "static"));

/** The packages that are part of the program, by name. */
function packages(inputs) {
  const named = Object.keys(inputs).map((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  return [...new Set(named.filter(Boolean))].sort();
}

async function licence(name) {
  const folder = join(HERE, "node_modules", name);
  const { version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const file = (await readdir(folder)).sort().find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) throw new Error(`${name} has no licence`);
  const text = (await readFile(join(folder, file), "utf8"))
    .replace(/\r\n/g, "\n")
    .replace(/[ \t]+$/gm, "")
    .trim();
  return `${name} ${version} (${license})\n\n${text}\n`;
}

const common = {
  absWorkingDir: HERE,
  outdir: relative(HERE, TARGET),
  bundle: true,
  minify: true,
  target: ["es2022"],
  charset: "utf8",
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
};
const made = await build({ ...common, entryPoints: { studio: "src/main.ts" }, format: "iife" });
// For the playground: the worker with the program, the one that keeps its files, and what prepares the program for both.
await build({
  ...common,
  entryPoints: { "playground/worker": "src/playground/worker.ts", "playground/offline": "src/playground/offline.ts" },
  format: "esm",
});
await copyFile(join(HERE, "src", "playground", "pack.mjs"), join(TARGET, "playground", "pack.mjs"));
await mkdir(TARGET, { recursive: true });
await copyFile(join(HERE, "src", "index.html"), join(TARGET, "index.html"));
const line = `\n${"-".repeat(72)}\n\n`;
const licences = await Promise.all(packages(made.metafile.inputs).map(licence));
await writeFile(
  join(TARGET, "studio.licences.txt"),
  `The page of pwtool studio contains parts of these packages.\n${line}${licences.join(line)}`,
);
