/** The check whether an address can be watched. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { bech32 } from "@scure/base";
import { load } from "./module.js";

const { wrongToWatch } = await load("coins/watchable.ts");
const CHECKSUM = "The address has a mistake in it: its checksum is wrong.";

test("an address that is watched is an account's", async () => {
  const of = (prefix, length) => bech32.encode(prefix, bech32.toWords(new Uint8Array(length).fill(7)));
  assert.equal(await wrongToWatch(of("cosmos", 20)), "");
  assert.equal(await wrongToWatch("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"), "");
  assert.match(await wrongToWatch(of("juno", 32)), /Only accounts can be watched/);
  for (const given of ["", "cosmos1", "0x12"]) {
    assert.match(await wrongToWatch(given), /^Not an address/, given);
  }
  const right = of("cosmos", 20);
  assert.equal(await wrongToWatch(`${right.slice(0, -1)}${right.endsWith("q") ? "p" : "q"}`), CHECKSUM);
});

test("capitals of an EVM network's address are a checksum, and other chains' addresses are named as such", async () => {
  const right = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"; // an example from EIP-55; EIP-1191 has two for Rootstock
  for (const given of [right, "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359", "0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD", "0xFb6916095cA1Df60bb79ce92cE3EA74c37c5d359", right.toLowerCase(), `0x${right.slice(2).toUpperCase()}`]) {
    assert.equal(await wrongToWatch(given), "", given);
  }
  for (let n = 2; n < right.length; n++) {
    const turned = /[a-f]/.test(right[n]) ? right[n].toUpperCase() : right[n].toLowerCase();
    turned !== right[n] && assert.equal(await wrongToWatch(right.slice(0, n) + turned + right.slice(n + 1)), CHECKSUM, `letter ${n}`);
  }
  for (const given of ["bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM", "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8"]) {
    assert.match(await wrongToWatch(given), /^This is an address of a chain that the wallet does not have/, given);
  }
});
