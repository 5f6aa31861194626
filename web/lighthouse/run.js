/**
 * Rates the wallet page that bin/obverse serves by Lighthouse in Chromium, as a phone on a slow network and as a desktop:
 * the first screen with an empty cache, and an open wallet. The exit status is 1 if performance, accessibility or best
 * practices are below 95.
 *
 *   make lighthouse     # LIGHTHOUSE=folder keeps the reports
 */

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import readline from "node:readline";
import lighthouse, { desktopConfig } from "lighthouse";
import { open, web } from "../test/support.js";

const LOWEST = 95;
const TRIES = 3;
const CATEGORIES = ["performance", "accessibility", "best-practices"];
const forms = { phone: undefined, desktop: desktopConfig };

/** Returns a free port. @returns {Promise<number>} */
const freePort = () =>
  new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });

/** Starts a node that serves the page. @param {string} datadir */
async function startNode(datadir) {
  const program = spawn(path.join(web, "../bin/obverse"), ["serve", "--datadir", datadir, "daemon.rpcport=0", `rpcport=${await freePort()}`], { stdio: ["ignore", "pipe", "ignore"] });
  const ended = new Promise((resolve) => program.on("exit", resolve));
  const { value } = await Promise.race([readline.createInterface(program.stdout)[Symbol.asyncIterator]().next(), ended.then(() => Promise.reject(new Error("bin/obverse did not start")))]);
  const stop = () => {
    program.kill();
    return ended;
  };
  return { url: `${JSON.parse(value).node}/`, stop };
}

/** Rates a page and prints the audits that keep it below 100. */
async function rateOnce(name, url, port, config, disableStorageReset) {
  const result = await lighthouse(url, { port, logLevel: "error", output: "html", onlyCategories: CATEGORIES, disableStorageReset }, config);
  if (!result || result.lhr.runtimeError) {
    throw new Error(`${name}: ${result?.lhr.runtimeError?.message ?? "Lighthouse gave no result"}`);
  }
  const { categories, audits } = result.lhr;
  const scores = CATEGORIES.map((id) => Math.round((categories[id]?.score ?? 0) * 100));
  console.log(`${name.padEnd(28)}${scores.map((score, n) => `${CATEGORIES[n]} ${score}`).join(", ")}`);
  for (const id of CATEGORIES) {
    const poor = categories[id].auditRefs.map((ref) => audits[ref.id]).filter(({ score, scoreDisplayMode }) => score !== null && score < 0.9 && scoreDisplayMode !== "informative");
    poor.forEach((audit) => console.log(`    ${id}: ${audit.title} ${audit.displayValue ?? ""}`));
  }
  const { LIGHTHOUSE } = process.env;
  if (LIGHTHOUSE) {
    mkdirSync(LIGHTHOUSE, { recursive: true });
    writeFileSync(path.join(LIGHTHOUSE, `${name.replaceAll(" ", "-")}.html`), String(result.report));
  }
  return Math.min(...scores);
}

/** Returns the best of several rates, since a busy machine makes a page slower than it is. */
async function rate(/** @type {Parameters<typeof rateOnce>} */ ...args) {
  let best = 0;
  for (let n = 0; n < TRIES && best < LOWEST; n++) {
    best = Math.max(best, await rateOnce(...args));
  }
  return best;
}

const folder = mkdtempSync(path.join(tmpdir(), "obverse-lighthouse-"));
const node = await startNode(path.join(folder, "node"));
const port = await freePort();
const context = await open(path.join(folder, "browser"), [`--remote-debugging-port=${port}`]);
try {
  /** @type {number[]} */
  const lowest = [];
  for (const [form, config] of Object.entries(forms)) {
    lowest.push(await rate(`first screen, ${form}`, node.url, port, config, false));
  }
  const page = await context.newPage();
  await page.goto(node.url);
  await page.getByRole("button", { name: /^Use an external wallet/ }).click(); // this wallet opens by itself after a reload
  await page.getByRole("button", { name: "Continue" }).click();
  await page.locator('.status[data-state="on"]').waitFor();
  await page.close();
  for (const [form, config] of Object.entries(forms)) {
    lowest.push(await rate(`open wallet, ${form}`, node.url, port, config, true));
  }
  if (Math.min(...lowest) < LOWEST) {
    console.error(`a score is below ${LOWEST}`);
    process.exitCode = 1;
  }
} finally {
  await context.close();
  await node.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}
