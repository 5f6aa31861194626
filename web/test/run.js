/**
 * Runs the tests in files: `node test/run.js test/*.test.js`. If only a few tests fail, they are run again separately.
 * Hundreds of these tests drive a browser, and on a busy machine one of them occasionally fails because of a race. Such
 * tests are listed at the end, so that they can be fixed. A test that is really broken fails the second time too.
 */

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const FEW = 3;
/** The number of concurrent programs. It is greater than the number of cores, since tests also wait for each other's programs. */
const JOBS = Number(process.env.JOBS ?? 3);
/** The number of programs for each job. With several, the last ones end at about the same time. */
const ROUNDS = 3;
/**
 * The CPU seconds below which a file runs at the end in a separate process. Such a file opens few pages or none, and may change
 * the state of its process.
 */
const LITTLE = 8;
const SLOWEST = 8;

const reporter = fileURLToPath(new URL("outcomes.js", import.meta.url));
const made = mkdtempSync(path.join(tmpdir(), "obverse-tests-"));
process.on("exit", () => rmSync(made, { recursive: true, force: true }));

/**
 * Runs files and returns the outcome of each test in them.
 * @param {string[]} args
 * @returns {Promise<{ended: number, outcomes: {name: string, seconds: number, failed: boolean, within: number, failing: string[]}[]}>}
 */
async function run(...args) {
  const list = path.join(made, "outcomes");
  const shown = process.stdout.isTTY ? "spec" : "tap";
  const reporters = [`--test-reporter=${shown}`, "--test-reporter-destination=stdout", `--test-reporter=${reporter}`, `--test-reporter-destination=${list}`];
  const runner = spawn(process.execPath, ["--test", "--test-timeout=1200000", ...reporters, ...args], { stdio: "inherit" });
  const ended = await new Promise((resolve) => runner.on("exit", (code) => resolve(code ?? 1)));
  return { ended, outcomes: readFileSync(list, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line)) };
}

/** Prints the slowest tests. @param {Awaited<ReturnType<typeof run>>["outcomes"]} outcomes */
function slowest(outcomes) {
  const first = outcomes.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
  first.forEach(({ name, seconds }) => console.log(`# ${seconds.toFixed(1)} s: ${name}`));
}

const quoted = (name) => name.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

const web = fileURLToPath(new URL("..", import.meta.url));
/** The measured CPU seconds of each file, including all processes that it starts. @type {Record<string, number>} */
const measured = JSON.parse(readFileSync(new URL("seconds.json", import.meta.url), "utf8"));
const costOf = (file) => measured[path.relative(web, path.resolve(file))] ?? statSync(file).size / 300;

/**
 * Groups files into programs of similar duration, longest first, so that no long program is left for the end, when the
 * other cores are idle. A program has one browser: starting Node with Playwright, and Chromium, takes as long as
 * several tests.
 * @param {string[]} files
 */
function together(files) {
  const sorted = files.toSorted((a, b) => costOf(b) - costOf(a));
  const few = sorted.filter((file) => costOf(file) < LITTLE);
  const many = sorted.slice(0, sorted.length - few.length);
  const groups = Array.from({ length: Math.min(many.length, JOBS * ROUNDS) }, () => ({ cost: 0, files: /** @type {string[]} */ ([]) }));
  for (const file of many) {
    const least = groups.reduce((a, b) => (b.cost < a.cost ? b : a));
    least.cost += costOf(file);
    least.files.push(file);
  }
  return [...groups.sort((a, b) => b.cost - a.cost).map((group) => group.files), ...few.map((file) => [file])];
}

/**
 * Writes a program that imports test files. Node runs programs in the order of their names, regardless of the order in which they
 * are given.
 * @param {string[]} files
 * @param {number} n the position of the program
 */
function program(files, n) {
  const written = path.join(made, `${String(n).padStart(3, "0")}-${files.map((file) => path.basename(file, ".test.js")).join("-")}.test.mjs`);
  writeFileSync(written, files.map((file) => `import ${JSON.stringify(pathToFileURL(path.resolve(file)))};\n`).join(""));
  return written;
}

/** Returns the name of a failed test, with the names of its failed subtests. @param {{name: string, failing: string[]}} outcome */
const called = ({ name, failing }) => [name, failing.join(", ")].filter(Boolean).join(" › ");

const files = together(process.argv.slice(2)).map(program);
const { ended, outcomes } = await run(`--test-concurrency=${JOBS}`, ...files);
const failed = outcomes.filter((outcome) => outcome.failed);
slowest(outcomes);
process.exitCode = ended;
// If a program failed as a whole, which is reported by its path, the failure is outside its tests.
if (failed.length > 0 && failed.length <= FEW && !failed.some(({ name }) => path.isAbsolute(name))) {
  console.log(`# once more, by themselves: ${failed.map(called).join("; ")}`);
  // A test that is repeated runs with all of its subtests.
  const again = await run("--test-concurrency=1", `--test-name-pattern=/^(${failed.map(({ name }) => quoted(name)).join("|")})$/`, ...files);
  const lost = again.outcomes.length - outcomes.length; // skipped tests are also counted there
  const twice = new Set(again.outcomes.filter((outcome) => outcome.failed).map(({ name }) => name));
  process.exitCode = lost === 0 ? again.ended : 1;
  failed.forEach((test) => console.log(`# ${twice.has(test.name) ? "failed twice" : "unsteady, to be mended: failed among others and passed by itself"}: ${called(test)}`));
  console.log(`# unsteady: ${failed.length - twice.size} of ${outcomes.reduce((sum, { within }) => sum + Math.max(within, 1), 0)}`);
  lost !== 0 && console.log(`# ${lost} tests were not run: their file ended before them`);
}
