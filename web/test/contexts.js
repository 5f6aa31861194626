/**
 * The browser that the tests of a file share. Each of them has a context of its own in it, with its own storage, which
 * is in memory. A test of what is on the disk, or of the browser's end, opens its own: open, in support.js.
 */

import { after } from "node:test";
import { launch, PATIENCE } from "./support.js";

/** @type {Promise<import("playwright-core").Browser> | undefined} */
let running;
after(async () => (await running)?.close());

/** The browser. It is restarted after a crash. */
async function browser() {
  if (!running || !(await running).isConnected()) {
    running = launch();
  }
  return running;
}

/**
 * A context until the end of the test. Nothing moves in its pages by itself: to draw what does costs more than what is tested.
 * @param {import("node:test").TestContext} t
 */
export async function newContext(t) {
  const context = await (await browser()).newContext({ reducedMotion: "reduce" });
  t.after(() => context.close());
  context.setDefaultTimeout(PATIENCE);
  return context;
}

/**
 * A context in a browser with options of its own, until the end of the test. It has no profile: to start one that has
 * costs more than a test does.
 * @param {import("node:test").TestContext} t
 * @param {Parameters<typeof launch>} options
 */
export async function contextWith(t, ...options) {
  const started = await launch(...options);
  t.after(() => started.close());
  const context = await started.newContext();
  context.setDefaultTimeout(PATIENCE);
  return context;
}
