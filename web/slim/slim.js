/**
 * Makes a Go program smaller to load: `node slim.js FILE`, in place. The program does what
 * it did, with shorter stack traces where libraries are. See README.md, and functab.js, code.js,
 * segments.js and columns.js for what each step does. With `--parts MODULE` it also leaves the parts that a JavaScript module
 * exports out, into files of their own: FILE.PART. With `--weigh` it also writes what the packages
 * of FILE weigh into a file of its name with .packages.json for .wasm.
 */

import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { shortenCode } from "./code.js";
import { tableInColumns } from "./columns.js";
import { slimTables, splitTables } from "./functab.js";
import { weightsOf } from "./packages.js";
import { planOf } from "./parts.js";
import { functionNames } from "./program.js";
import { split } from "./split.js";

const [, , file, ...options] = process.argv;
const program = readFileSync(file);
const partsAt = options.indexOf("--parts") + 1;
const plan = partsAt > 0 ? planOf(program, (await import(pathToFileURL(path.resolve(options[partsAt])).href)).parts) : undefined;
let slim;
if (plan) {
  const { module, segments } = splitTables(program, plan);
  const { first, parts } = split(shortenCode(module), plan, segments);
  parts.forEach((part, name) => writeFileSync(`${file}.${name}`, part));
  slim = first;
} else {
  slim = shortenCode(slimTables(program));
}
slim = await tableInColumns(slim);
writeFileSync(file, slim);
if (options.includes("--weigh")) {
  const weights = weightsOf(slim, functionNames(program), (index) => !plan?.partOf.has(index));
  writeFileSync(file.replace(/\.wasm$/, ".packages.json"), JSON.stringify(weights));
}
