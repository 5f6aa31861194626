/**
 * Reduces the size of a Go program in place: `node slim.js FILE`. The behaviour of the program is unchanged, except that
 * stack traces have less information about libraries. See README.md for an overview, and functab.js, code.js, segments.js
 * and columns.js for the steps. With `--parts MODULE`, the parts that a JavaScript module exports are moved to separate
 * files, FILE.PART. With `--weigh`, the sizes of the packages of FILE are written to a file with the extension
 * .packages.json instead of .wasm.
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
