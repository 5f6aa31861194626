/**
 * Tests that share state, such as an open wallet with its node, because opening it takes longer than most tests. Each
 * test is a subtest. It opens its own view first and leaves the shared state unchanged.
 *
 *   const inWallet = sharing("an open wallet", (t) => wallet(t));
 *   inWallet("its theme is the user's", async (t, { page }) => …);
 */

import { test } from "node:test";

const timeout = 400000;

/**
 * @template Opened
 * @param {string} name the name of the enclosing test
 * @param {(t: import("node:test").TestContext) => Promise<Opened>} open returns the shared state, which is released after the last subtest
 */
export function sharing(name, open) {
  /** @type {[string, (t: import("node:test").TestContext, opened: Opened) => unknown][]} */
  const parts = [];
  test(name, async (t) => {
    const opened = await open(t);
    for (const [part, does] of parts) {
      await t.test(part, { timeout }, (t) => does(t, opened));
    }
  });
  return (/** @type {string} */ part, /** @type {(typeof parts)[0][1]} */ does) => void parts.push([part, does]);
}
