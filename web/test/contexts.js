/**
 * The browser that the tests of a file share. Each test has a separate context with its own storage in memory. A test
 * that depends on the disk or on the end of the browser opens its own with open in support.js.
 */

import { after } from "node:test";
import { launch, PATIENCE } from "./support.js";

/** @type {Promise<import("playwright-core").Browser> | undefined} */
let running;
after(async () => (await running)?.close());

/** Returns the browser. It is restarted after a crash. */
async function browser() {
  if (!running || !(await running).isConnected()) {
    running = launch();
  }
  return running;
}

/**
 * Opens a context until the end of the test. Animations are reduced, since drawing them costs more than the test itself.
 * @param {import("node:test").TestContext} t
 */
export async function newContext(t) {
  const context = await (await browser()).newContext({ reducedMotion: "reduce" });
  t.after(() => context.close());
  context.setDefaultTimeout(PATIENCE);
  return context;
}

/**
 * Opens a context in a browser with custom options until the end of the test. The browser has no profile, since
 * starting one with a profile takes longer than a test.
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
