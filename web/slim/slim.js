/**
 * Makes a Go program smaller to load: `node slim.js FILE`, in place. The program does what
 * it did, with shorter stack traces where libraries are. See functab.js, code.js and
 * segments.js for what each step does. With `--parts` it also leaves the parts of parts.js
 * out, into files of their own: FILE.PART. What the packages of the rest weigh is then in a file of
 * its name with .packages.json for .wasm.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { shortenCode } from "./code.js";
import { slimTables, splitTables } from "./functab.js";
import { packagesOf } from "./packages.js";
import { planOf } from "./parts.js";
import { split } from "./split.js";

const [, , file, option] = process.argv;
const program = readFileSync(file);
if (option === "--parts") {
  const plan = planOf(program);
  const { module, segments } = splitTables(program, plan);
  const { first, parts } = split(shortenCode(module), plan, segments);
  writeFileSync(file, first);
  writeFileSync(file.replace(/\.wasm$/, ".packages.json"), JSON.stringify(packagesOf(program, (index) => !plan.partOf.has(index))));
  parts.forEach((part, name) => writeFileSync(`${file}.${name}`, part));
} else {
  writeFileSync(file, shortenCode(slimTables(program)));
}
