/**
 * Makes a Go program smaller to load: `node slim.js FILE`, in place. The program does what
 * it did, with shorter stack traces where libraries are. See functab.js, code.js and
 * segments.js for what each step does. With `--parts` it also leaves the parts of parts.js
 * out, into files of their own: FILE.PART.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { shortenCode } from "./code.js";
import { slimTables, splitTables } from "./functab.js";
import { planOf } from "./parts.js";
import { split } from "./split.js";

const [, , file, option] = process.argv;
const program = readFileSync(file);
if (option === "--parts") {
  const plan = planOf(program);
  const { module, segments } = splitTables(program, plan);
  const { first, parts } = split(shortenCode(module), plan, segments);
  writeFileSync(file, first);
  parts.forEach((part, name) => writeFileSync(`${file}.${name}`, part));
} else {
  writeFileSync(file, shortenCode(slimTables(program)));
}
