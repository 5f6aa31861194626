import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Parts } from "../src/parts.js";
import { shortenCode } from "../slim/code.js";
import { slimTables, splitTables } from "../slim/functab.js";
import { planOf } from "../slim/parts.js";
import { functionNames } from "../slim/program.js";
import { memoryOf } from "../slim/segments.js";
import { split } from "../slim/split.js";

const { GO = "go" } = process.env;
const here = fileURLToPath(new URL(".", import.meta.url));
const ways = ["call", "arguments", "interface", "method value", "generic", "reflection", "goroutines", "defer", "panic", "depth", "stacks"];

/** The program of testdata/split as the linker writes it. */
const program = (() => {
  const folder = mkdtempSync(path.join(tmpdir(), "obverse-"));
  try {
    const file = path.join(folder, "program.wasm");
    execFileSync(GO, ["build", "-trimpath", "-gcflags=obverse/web/...=-l", "-ldflags=-s -w", "-o", file, "./testdata/split"], { cwd: here, env: { ...process.env, GOOS: "js", GOARCH: "wasm" } });
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
})();

/** Splits the program. @param {Record<string, string[]>} wanted the packages of each part */
function splitBy(wanted) {
  const plan = planOf(program, wanted);
  const { module, segments } = splitTables(program, plan);
  return { plan, ...split(shortenCode(module), plan, segments) };
}

const late = { late: ["obverse/web/test/testdata/split/late"] };
const { plan, first, parts } = splitBy(late);
const part = await WebAssembly.compile(/** @type {Buffer} */ (parts.get("late")));

const root = execFileSync(GO, ["env", "GOROOT"], { encoding: "utf8" }).trim();
const glue = new Function("globalThis", `const { fs } = globalThis; ${readFileSync(path.join(root, "lib/wasm/wasm_exec.js"), "utf8")}; return globalThis.Go;`);

/**
 * Runs the program with an argument and returns its output and exit status.
 * @param {Uint8Array} bytes of its first module @param {string} way @param {(name: string) => Promise<WebAssembly.Module>} [give]
 */
async function run(bytes, way, give) {
  let printed = "";
  const print = (/** @type {Uint8Array} */ data) => ((printed += Buffer.from(data)), data.length);
  const fs = {
    constants: { O_WRONLY: -1, O_RDWR: -1, O_CREAT: -1, O_TRUNC: -1, O_APPEND: -1, O_EXCL: -1, O_DIRECTORY: -1 },
    writeSync: (/** @type {number} */ _, /** @type {Uint8Array} */ data) => print(data),
    write: (/** @type {number} */ _, /** @type {Uint8Array} */ data, /** @type {number} */ from, /** @type {number} */ size, /** @type {unknown} */ at, /** @type {any} */ done) => queueMicrotask(() => done(null, print(data.subarray(from, from + size)))),
  };
  const module = await WebAssembly.compile(/** @type {BufferSource} */ (bytes));
  const loader = new Parts(module, give);
  const { Object, Array, Uint8Array, Error, Date, TextEncoder, TextDecoder, performance, crypto } = globalThis;
  const go = new (glue({ Object, Array, Uint8Array, Error, Date, TextEncoder, TextDecoder, performance, crypto, fs, obverse: { part: loader.load } }))();
  let code = 0;
  go.exit = (/** @type {number} */ given) => {
    code = given;
    go._scheduledTimeouts.forEach(clearTimeout);
  };
  const resume = go._resume;
  go._resume = () => go.exited || resume.call(go); // promises may be settled after the program has ended
  go.argv = ["split", way];
  loader.first = await WebAssembly.instantiate(module, go.importObject);
  await go.run(loader.first);
  return { printed, code };
}

for (const way of ways) {
  test(`functions of a part do the same: ${way}`, async () => {
    const whole = await run(program, way);
    assert.equal(whole.code, 0, whole.printed);
    const asked = /** @type {string[]} */ ([]);
    const given = await run(first, way, async (name) => (asked.push(name), await sleep(5), part));
    assert.deepEqual(given, whole);
    assert.deepEqual(asked, ["late"], "the part is loaded once");
  });
}

test("a program that ends in a part says where", async () => {
  const [whole, given] = [await run(slimTables(program), "crash"), await run(first, "crash", async () => part)];
  assert.equal(whole.code, 2);
  assert.match(whole.printed, /late\.Boom\.func2\(.*\n\t\S*late\.go:\d+/);
  const places = (/** @type {string} */ text) => [...text.matchAll(/^\t\S*?([\w.]+:\d+)/gm)].map(([, place]) => place);
  assert.deepEqual(places(given.printed), places(whole.printed));
});

test("a part that cannot be loaded fails the call, and is tried again", async () => {
  let tries = 0;
  const { printed, code } = await run(first, "again", async () => {
    if (++tries === 1) {
      throw new Error("the network is down");
    }
    return part;
  });
  assert.deepEqual([printed, code], ["the network is down true\n9\n", 0]);
});

test("without parts, and with one of another program, calls fail with the reason", async () => {
  const none = await run(first, "again");
  assert.equal(none.printed.split("\n")[0], "the node's part late cannot be loaded: its program was started without parts true");
  const { parts: others } = splitBy({ late: ["obverse/web/test/testdata/split/late", "obverse/web/test/testdata/split/words"] });
  const other = await WebAssembly.compile(/** @type {Buffer} */ (others.get("late")));
  const wrong = await run(first, "again", async () => other);
  assert.match(wrong.printed, /^the node's part late is of another version than the node: reload the page true\n/);
  assert.equal(wrong.code, 0);
});

test("a part has its functions and what only they call, in the first module there is little of them", () => {
  const size = (/** @type {Uint8Array} */ module) => module.length;
  const rest = size(slimTables(program)) - size(first);
  assert.ok(rest > 4000, `the first module has ${rest} bytes less`);
  assert.ok(plan.gated.size < plan.partOf.size, "some are called by their part alone");
  const texts = (/** @type {Uint8Array} */ module) => Buffer.from(memoryOf(module)).includes("split/late.Boom");
  assert.deepEqual([texts(first), texts(/** @type {Buffer} */ (parts.get("late")))], [false, true]);
});

test("a function that calls none of its part stays, and others do not", () => {
  const names = functionNames(program);
  const partOf = (/** @type {string} */ name) => plan.partOf.get(names.indexOf(`obverse/web/test/testdata/split/late.${name}`));
  assert.deepEqual(["New", "Sum", "count"].map(partOf), [undefined, "late", "late"]);
});

test("two parts, of which one calls the other", async () => {
  const both = splitBy({ ...late, words: ["obverse/web/test/testdata/split/words"] });
  const asked = /** @type {string[]} */ ([]);
  const { printed } = await run(both.first, "call", async (name) => (asked.push(name), WebAssembly.compile(/** @type {Buffer} */ (both.parts.get(name)))));
  assert.equal(printed, (await run(program, "call")).printed);
  assert.deepEqual(asked, ["late", "words"]);
});

test("what has to be there is asked for", () => {
  assert.throws(() => planOf(program, { late: ["obverse/none"] }), /no function of obverse\/none/);
});
