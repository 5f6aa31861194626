/** Which addresses can be watched. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { bech32 } from "@scure/base";
import { load } from "./module.js";

const { wrongToWatch } = await load("coins/watchable.ts");
const CHECKSUM = "The address has a mistake in it: its checksum is wrong.";

test("an address that is watched is an account's", () => {
  const of = (prefix, length) => bech32.encode(prefix, bech32.toWords(new Uint8Array(length).fill(7)));
  assert.equal(wrongToWatch(of("cosmos", 20)), "");
  assert.equal(wrongToWatch("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"), "");
  assert.match(wrongToWatch(of("juno", 32)), /Only accounts can be watched/);
  for (const given of ["", "cosmos1", "0x12", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"]) {
    assert.match(wrongToWatch(given), /^Not an address/, given);
  }
  const right = of("cosmos", 20);
  assert.equal(wrongToWatch(`${right.slice(0, -1)}${right.endsWith("q") ? "p" : "q"}`), CHECKSUM);
});
