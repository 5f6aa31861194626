/**
 * The browser that the tests of a file share. Each of them has a context of its own in it, with its own storage, which
 * is in memory. A test of what is on the disk, of the browser's end or of its options opens its own: open, in support.js.
 */

import { after } from "node:test";
import { launch, PATIENCE } from "./support.js";

/** @type {Promise<import("playwright-core").Browser> | undefined} */
let running;
after(async () => (await running)?.close());

/** The browser, which is started anew if it has crashed. */
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
