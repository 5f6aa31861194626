import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { dataName, linkerName, packagesOf, rowsOf } from "../slim/packages.js";
import { functionNames, programOf } from "../slim/program.js";
import { memoryOf } from "../slim/segments.js";

const { GO = "go" } = process.env;
const here = fileURLToPath(new URL(".", import.meta.url));

/** The program of testdata/functab as the linker leaves it. */
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

test("each function counts for its package, once", () => {
  const packages = packagesOf(program);
  const { [dataName]: data, ...code } = packages;
  const sum = (/** @type {{raw: number}[]} */ weights) => weights.reduce((all, { raw }) => all + raw, 0);
  assert.equal(data.raw, memoryOf(program).length);
  assert.equal(sum(Object.values(code)), programOf(program).bodies.reduce((all, body) => all + body.length, 0));
  for (const name of ["main", "runtime", "internal/abi", linkerName]) {
    assert.ok(code[name].raw > 0 && code[name].brotli > 0, name);
  }
  assert.ok(code.runtime.brotli < code.runtime.raw);
  assert.deepEqual(Object.keys(code).filter((name) => /[[.]/.test(name.replace(/^.*\//, "")) && name !== linkerName), [], "no name of a function is left");

  const names = functionNames(program);
  const rest = packagesOf(program, (index) => !names[index].startsWith("main."));
  assert.ok(!("main" in rest));
  assert.equal(sum(Object.values(packages)) - sum(Object.values(rest)), packages.main.raw);
});

test("the table has the heaviest first, as shares of the whole", () => {
  const packages = { a: { raw: 10, brotli: 5 }, b: { raw: 100, brotli: 30 }, c: { raw: 20, brotli: 10 }, d: { raw: 1, brotli: 5 } };
  assert.deepEqual(rowsOf(packages, 100, 2), [["b", 100, 60], ["c", 20, 20], ["2 more packages", 11, 20]]);
  assert.deepEqual(rowsOf(packages, 50, 4), [["b", 100, 30], ["c", 20, 10], ["a", 10, 5], ["d", 1, 5]]);
});
