/** Measures what a page waits for, in headless Chromium. Nothing fails here. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { config, open, query, serve } from "./support.js";

const site = await serve();
await (await fetch(`${site.url}dist/obverse.wasm`)).arrayBuffer(); // packs it, once
const print = (/** @type {string} */ what, /** @type {number[]} */ values, unit = "ms") => {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (/** @type {number} */ share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(2);
  console.log(`${what.padEnd(46)} p50 ${at(0.5)} ${unit}, p99 ${at(0.99)} ${unit}, best ${at(0)} ${unit}, of ${values.length}`);
};

/** In a profile that has never seen the page, or in one that has. */
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
const cold = [];
for (let n = 0; n < 5; n++) {
  const context = await open(profile());
  cold.push(...(await visits(context, 1)).first);
  await context.close();
}
print("first answer after navigation, new profile", cold);
const context = await open(profile());
const { page, first } = await visits(context, 6);
print("first answer after navigation, again", first.slice(1));

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
print("round trip to the worker", trips);
const { gaps, made } = await page.evaluate(async () => {
  const { node } = /** @type {any} */ (globalThis);
  const gaps = [];
  const made = [];
  let last = performance.now();
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    gaps.push(performance.now() - last);
    last = performance.now();
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
  return { gaps: [Math.max(...gaps)], made };
});
print("a token made, signed, checked and stored", made);
print("longest gap of the page's thread meanwhile", gaps);
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
