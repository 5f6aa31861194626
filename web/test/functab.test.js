import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { shortenCode } from "../slim/code.js";
import { tableInColumns } from "../slim/columns.js";
import { layoutOf, slimTables } from "../slim/functab.js";
import { sectionsOf } from "../slim/sections.js";
import { memoryOf, withMemory } from "../slim/segments.js";

const { GO = "go" } = process.env;
const here = fileURLToPath(new URL(".", import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), "obverse-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** A program for this target that uses most of the data in the tables. */
const program = (() => {
  const file = path.join(folder, "program.wasm");
  const env = { ...process.env, GOOS: "js", GOARCH: "wasm" };
  execFileSync(GO, ["build", "-trimpath", "-ldflags=-s -w", "-o", file, "./testdata/functab"], { cwd: here, env });
  return readFileSync(file);
})();

const root = execFileSync(GO, ["env", "GOROOT"], { encoding: "utf8" }).trim();

/** Returns the output of a program and its exit status. @param {Uint8Array} bytes */
function run(bytes) {
  const file = path.join(folder, "run.wasm");
  writeFileSync(file, bytes);
  const { stdout, stderr, status } = spawnSync(process.execPath, [path.join(root, "lib/wasm/wasm_exec_node.js"), file], { encoding: "utf8", env: {} });
  const [said, ...stack] = stdout.split(/(?=goroutine \d+ \[running\]:)/);
  return { said, stack: stack.join(""), stderr, status };
}

/** Returns the program's own functions in a stack trace, with their lines. @param {string} stack */
const ownIn = (stack) => [...stack.matchAll(/^(main\.\S+?)\([^\n]*\)\n\t\S*?([^/\s]+:\d+)/gm)].map(([, name, line]) => `${name} ${line}`);

test("a slim program does the same", () => {
  const [before, after] = [run(program), run(shortenCode(slimTables(program)))];
  assert.match(before.said, /^main\.go:\d+ int main\.go:\d+ \[\]string main\.go:\d+/);
  assert.match(before.said, /recovered value method main\.value\.Get called using nil \*value pointer/);
  assert.equal(after.said, before.said);
  assert.ok(ownIn(before.stack).length >= 2 && ownIn(before.stderr).length >= 1);
  assert.deepEqual(ownIn(after.stack), ownIn(before.stack));
  assert.deepEqual(ownIn(after.stderr), ownIn(before.stderr));
  assert.match(after.stack, /^slices\.\?\(\)\n\t\?:0/m);
  assert.match(after.stderr, /^panic: assignment to entry in nil map\n/);
  assert.deepEqual([before.status, after.status], [2, 2]);
});

test("slim tables are much smaller, and stay as they are", () => {
  const slim = slimTables(program);
  const set = (/** @type {Uint8Array} */ module) => memoryOf(module).reduce((sum, byte) => sum + (byte === 0 ? 0 : 1), 0);
  assert.ok(set(slim) < 0.6 * set(program));
  assert.deepEqual(slimTables(slim), slim);
});

/** Returns the functions at which the runtime starts its search, by lookup table entry. @param {Uint8Array} module */
function lookup(module) {
  const memory = memoryOf(module);
  const { count, lookup: from } = layoutOf(memory);
  return Array.from({ length: count }, (_, i) => memory.readUInt32LE(from + 20 * 16 * i));
}

test("a function is found from close before it", () => {
  assert.ok(lookup(program).every((index, i) => index === i));
  assert.ok(lookup(slimTables(program)).every((index, i) => index === i - (i % 4)));
});

test("the table of functions is written from its columns", async () => {
  const slim = shortenCode(slimTables(program));
  const small = await tableInColumns(slim);
  const compressed = (/** @type {Buffer} */ module) => gzipSync(module).length;
  assert.ok(compressed(small) < 0.97 * compressed(slim));
  const [before, after] = [run(program), run(small)];
  assert.equal(after.said, before.said);
  assert.deepEqual(ownIn(after.stack), ownIn(before.stack));
  const broken = memoryOf(slim);
  const { funcs } = layoutOf(broken);
  broken.writeUInt32LE(1, funcs + broken.readUInt32LE(funcs + 4) + 36); // a value that no column has
  await assert.rejects(tableInColumns(withMemory(slim, broken)), /cannot be written from its columns/);
});

test("the page's program is slim", () => {
  const built = readFileSync(new URL("../dist/obverse.wasm", import.meta.url));
  assert.ok([...sectionsOf(built)].some(([number]) => number === 8), "a start function writes the table of functions");
  assert.deepEqual(shortenCode(built), built);
});

test("another layout is refused, with the version that has it", () => {
  const memory = memoryOf(program);
  const header = memory.indexOf(Buffer.from([0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8]));
  const funcs = header + Number(memory.readBigUInt64LE(header + 64));
  const changed = (/** @type {(memory: Buffer) => void} */ change) => {
    const copy = Buffer.from(memory);
    change(copy);
    return () => slimTables(withMemory(program, copy));
  };
  const version = execFileSync(GO, ["env", "GOVERSION"], { encoding: "utf8" }).trim();
  assert.throws(changed((copy) => copy.writeUInt8(0xf0, header)), new RegExp(`made by ${version.replaceAll(".", "\\.")} .*there is not one header`));
  assert.throws(changed((copy) => copy.writeUInt8(copy[header + 8] + 1, header + 8)), /another number of functions/);
  assert.throws(changed((copy) => copy.writeUInt32LE(copy.readUInt32LE(funcs + 12) + 4, funcs + 12)), /function 1 is of another kind|another size/);
  assert.throws(() => slimTables(program.subarray(0, 8)), /an unnamed version of Go .*there is not one header/);
});
