import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { shortenCode } from "../slim/code.js";
import { slimTables } from "../slim/functab.js";
import { linkerName, otherName, restName, rowsOf, tablesName, typesName, waitingName, weightsOf } from "../slim/packages.js";
import { functionNames, programOf } from "../slim/program.js";
import { unsigned } from "../slim/sections.js";
import { segmentsIn } from "../slim/segments.js";

const { GO = "go" } = process.env;
const here = fileURLToPath(new URL(".", import.meta.url));

/** The program of testdata/functab as the linker writes it. */
const program = (() => {
  const folder = mkdtempSync(path.join(tmpdir(), "obverse-"));
  try {
    const file = path.join(folder, "program.wasm");
    execFileSync(GO, ["build", "-trimpath", "-ldflags=-s -w", "-o", file, "./testdata/functab"], { cwd: here, env: { ...process.env, GOOS: "js", GOARCH: "wasm" } });
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
})();

const names = functionNames(program);
const sum = (/** @type {Record<string, {raw: number}>} */ weights) => Object.values(weights).reduce((all, { raw }) => all + raw, 0);

test("each byte of a module counts once, and each function for its package", () => {
  const linked = weightsOf(program, names);
  const smaller = shortenCode(slimTables(program));
  const slim = weightsOf(smaller, names);
  for (const [{ code, data, packages }, module] of /** @type {const} */ ([[linked, program], [slim, smaller]])) {
    assert.equal(code.raw + sum(data), module.length);
    assert.equal(sum(packages), code.raw);
    assert.equal(data[typesName].raw + data[tablesName].raw + data[otherName].raw, segmentsIn(module).reduce((all, [, bytes]) => all + bytes.length, 0));
    assert.ok(Object.values({ ...data, ...packages }).every(({ raw, brotli }) => raw > 0 && brotli > 0 && brotli <= raw + 8));
    assert.ok(["main", "runtime", "internal/abi", linkerName].every((name) => packages[name].raw > 0));
    assert.deepEqual(Object.keys(packages).filter((name) => /[[.]/.test(name.replace(/^.*\//, "")) && name !== linkerName), [], "no name of a function is left");
    assert.ok(packages.runtime.brotli < packages.runtime.raw);
  }
  assert.ok(slim.data[tablesName].brotli < linked.data[tablesName].brotli / 2, "slim tables are weighed, not those of the linker");
  assert.ok(slim.code.raw < linked.code.raw);
  assert.ok(slim.data[restName].raw < smaller.length / 50, "sections and heads are a small rest once segments are joined");
});

test("functions of parts, and those after the linker's, belong to no package", () => {
  const known = names.length - 5;
  const waits = (/** @type {number} */ index) => index >= known || names[index].startsWith("strconv.");
  const { code, packages } = weightsOf(program, names.slice(0, known), (index) => !waits(index));
  const sizes = programOf(program).bodies.map(({ length }) => unsigned(length).length + length);
  assert.ok(!("strconv" in packages) && "strconv" in weightsOf(program, names).packages);
  assert.equal(packages[waitingName].raw, sizes.filter((_, index) => waits(index)).reduce((all, size) => all + size, 0));
  assert.equal(code.raw, sizes.reduce((all, size) => all + size, 0));
});

test("the table has the heaviest first, and sums", () => {
  const weights = { code: { raw: 130, brotli: 30 }, data: { d: { raw: 70, brotli: 10 } }, packages: { a: { raw: 10, brotli: 10 }, b: { raw: 100, brotli: 60 }, c: { raw: 20, brotli: 20 } } };
  const floor = { code: { raw: 60, brotli: 5 }, data: { d: { raw: 40, brotli: 5 } }, packages: { b: { raw: 50, brotli: 3 }, x: { raw: 10, brotli: 2 } } };
  const module = { weights, brotli: 80 };
  const other = { weights: floor, brotli: 20 };
  // Code is three quarters of 80, of which b has two thirds, though alone it has more than all code together.
  assert.deepEqual(rowsOf(module, other, 2), [["b", 100, 40, 6], ["d", 70, 20, 10], ["2 more packages", 30, 20, 4], ["all", 200, 80, 20]]);
  for (const brotli of [77, 79, 83, 101]) {
    const rows = rowsOf({ weights, brotli }, other, 3);
    assert.deepEqual(rows.map(([name]) => name), ["b", "d", "c", "1 more packages", "all"]);
    for (const cell of /** @type {const} */ ([1, 2, 3])) {
      assert.equal(rows.slice(0, -1).reduce((all, row) => all + row[cell], 0), rows.at(-1)?.[cell]);
    }
  }
});
