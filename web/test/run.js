/**
 * Runs the tests in files: `node test/run.js test/*.test.js`. What fails is run once more
 * by itself, if it is little. Hundreds of these tests drive a browser, and a machine that
 * is busy enough finds a wrong order of things in one of them now and then; that is named
 * at the end, to be mended. What is wrong at all is wrong the second time too.
 */

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const FEW = 3;
/** Files at a time: more than cores, since tests wait for one another's programs too. */
const JOBS = Number(process.env.JOBS ?? 3);
const SLOWEST = 8;

const reporter = fileURLToPath(new URL("outcomes.js", import.meta.url));
const made = mkdtempSync(path.join(tmpdir(), "obverse-tests-"));
process.on("exit", () => rmSync(made, { recursive: true, force: true }));

/**
 * Runs files, and gives what became of each test in them.
 * @param {string[]} args
 * @returns {Promise<{ended: number, outcomes: {name: string, seconds: number, failed: boolean}[]}>}
 */
async function run(...args) {
  const list = path.join(made, "outcomes");
  const shown = process.stdout.isTTY ? "spec" : "tap";
  const reporters = [`--test-reporter=${shown}`, "--test-reporter-destination=stdout", `--test-reporter=${reporter}`, `--test-reporter-destination=${list}`];
  const runner = spawn(process.execPath, ["--test", "--test-timeout=1200000", ...reporters, ...args], { stdio: "inherit" });
  const ended = await new Promise((resolve) => runner.on("exit", (code) => resolve(code ?? 1)));
  return { ended, outcomes: readFileSync(list, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line)) };
}

/** Prints which tests took longest. @param {Awaited<ReturnType<typeof run>>["outcomes"]} outcomes */
function slowest(outcomes) {
  const first = outcomes.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
  first.forEach(({ name, seconds }) => console.log(`# ${seconds.toFixed(1)} s: ${name}`));
}

const quoted = (name) => name.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

const web = fileURLToPath(new URL("..", import.meta.url));
/** CPU seconds of each file with all that it starts, as they were measured once. @type {Record<string, number>} */
const measured = JSON.parse(readFileSync(new URL("seconds.json", import.meta.url), "utf8"));
const costOf = (file) => measured[path.relative(web, path.resolve(file))] ?? statSync(file).size / 300;

/**
 * Writes a program that imports a file of tests. Node runs files in the order of their names, whatever order they are given in.
 * @param {string} file
 * @param {number} n its place
 */
function inPlace(file, n) {
  const program = path.join(made, `${String(n).padStart(3, "0")}-${path.basename(file)}.mjs`);
  writeFileSync(program, `import ${JSON.stringify(pathToFileURL(path.resolve(file)))};\n`);
  return program;
}

// The longest first: one that takes long is not left for the end, when the other cores have nothing to do.
const files = process.argv.slice(2).sort((a, b) => costOf(b) - costOf(a)).map(inPlace);
const { ended, outcomes } = await run(`--test-concurrency=${JOBS}`, ...files);
const failed = outcomes.filter((outcome) => outcome.failed).map(({ name }) => name);
slowest(outcomes);
process.exitCode = ended;
// A file that failed as a whole, by its path, has failed outside its tests.
if (failed.length > 0 && failed.length <= FEW && !failed.some(path.isAbsolute)) {
  console.log(`# once more, by themselves: ${failed.join("; ")}`);
  const again = await run("--test-concurrency=1", `--test-name-pattern=/^(${failed.map(quoted).join("|")})$/`, ...files);
  const lost = again.outcomes.length - outcomes.length; // the others are counted there too, though they are left out
  const twice = new Set(again.outcomes.filter((outcome) => outcome.failed).map(({ name }) => name));
  process.exitCode = lost === 0 ? again.ended : 1;
  failed.forEach((name) => console.log(`# ${twice.has(name) ? "failed twice" : "unsteady, to be mended: failed among others and passed by itself"}: ${name}`));
  console.log(`# unsteady: ${failed.length - twice.size} of ${outcomes.length}`);
  lost !== 0 && console.log(`# ${lost} tests were not run: their file ended before them`);
}
