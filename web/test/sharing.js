/**
 * Tests that share what is opened once, as a wallet with its node is, which costs more than most tests do. Each is a
 * subtest: it begins by going to its place, and leaves what is shared as it found it.
 *
 *   const inWallet = sharing("an open wallet", (t) => wallet(t));
 *   inWallet("its theme is the user's", async (t, { page }) => …);
 */

import { test } from "node:test";

const timeout = 400000;

/**
 * @template Opened
 * @param {string} name of the test that has the others in it
 * @param {(t: import("node:test").TestContext) => Promise<Opened>} open gives what they share, which ends with the last of them
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
