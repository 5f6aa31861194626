/** Measures the loading times of a page in headless Chromium. No result is a failure. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { config, open, query, serve } from "./support.js";

const site = await serve();
await (await fetch(`${site.url}dist/obverse.wasm`)).arrayBuffer(); // the server compresses it once
/** @type {(what: string, values: number[], aim?: number) => void} */
const print = (what, values, aim) => {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (/** @type {number} */ share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(2);
  console.log(`${what.padEnd(50)} p50 ${at(0.5)} ms${aim ? ` (aim ${aim} ms)` : ""}, p99 ${at(0.99)} ms, best ${at(0)} ms, of ${values.length}`);
};

/**
 * Navigates to the page from another one. A browser that was not just started may still have the
 * compiled program in memory.
 */
const visits = async (/** @type {import("playwright-core").BrowserContext} */ context, /** @type {number} */ times) => {
  const page = await context.newPage();
  const first = [];
  for (let n = 0; n < times; n++) {
    await page.goto("about:blank");
    await page.goto(site.url + query(config({ chain: { ac_name: "PAGE", ac_supply: 1000, ac_cc: 2 } })));
    await page.evaluate("begun");
    first.push(/** @type {number} */ (await page.evaluate("firstAnswer")));
  }
  return { page, first };
};

const folders = [];
const profile = () => {
  folders.push(mkdtempSync(path.join(tmpdir(), "obverse-")));
  return folders.at(-1) ?? "";
};
const kept = profile();
const started = async (/** @type {() => string} */ choose) => {
  const first = [];
  for (let n = 0; n < 6; n++) {
    const context = await open(choose());
    first.push(...(await visits(context, 1)).first);
    await context.close();
  }
  return first.slice(1);
};
print("first answer, browser just started, new profile", await started(profile));
print("first answer, browser just started, known page", await started(() => kept));
const context = await open(kept);
const { page, first } = await visits(context, 10);
print("first answer after navigation", first.slice(1), 200);

const trips = await page.evaluate(async () => {
  const { node } = /** @type {any} */ (globalThis);
  const times = [];
  for (let n = 0; n < 1000; n++) {
    const start = performance.now();
    await node.rpc("version");
    times.push(performance.now() - start);
  }
  return times;
});
print("round trip to the worker", trips, 0.5);
const { longest, made } = await page.evaluate(async () => {
  const { node } = /** @type {any} */ (globalThis);
  let longest = 0;
  const made = [];
  let last = performance.now();
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    port2.postMessage(0);
  };
  port2.postMessage(0);
  for (let n = 0; n < 50; n++) {
    const start = performance.now();
    const { hex } = await node.daemon("tokencreate", `T${n}`, "1", "");
    await node.daemon("sendrawtransaction", hex);
    made.push(performance.now() - start);
  }
  port1.close();
  return { longest, made };
});
print("a token made, signed, checked and stored", made);
print("longest gap of the page's thread meanwhile", [longest], 50);
const second = await visits(context, 1);
print("first answer in a second tab", second.first);
const shared = await second.page.evaluate(async () => {
  const { node } = /** @type {any} */ (globalThis);
  const times = [];
  for (let n = 0; n < 500; n++) {
    const start = performance.now();
    await node.rpc("version");
    times.push(performance.now() - start);
  }
  return times;
});
print("round trip of a second tab", shared);
await context.close();
await site.close();
folders.forEach((folder) => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
