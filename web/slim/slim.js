/**
 * Makes a Go program smaller to load: `node slim.js FILE`, in place. The program does what
 * it did, with shorter stack traces where libraries are. See functab.js, code.js and
 * segments.js for what each step does.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { shortenCode } from "./code.js";
import { slimTables } from "./functab.js";

const file = process.argv[2];
writeFileSync(file, shortenCode(slimTables(readFileSync(file))));
