/** The page's parser for tokens in transactions that a node created. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { init } from "obverse";
import { config, owner } from "../../test/support.js";
import { load } from "./module.js";

const { payloadOf, creationSize } = await load("views/tokens/payload.ts");

test("a token's creation and its transfer, as the node writes them", async (t) => {
  const node = await init({ config: config() });
  t.after(() => node.stop());
  const payload = async (hex) => {
    const { vout } = await node.daemon("decoderawtransaction", hex);
    const script = vout.at(-1).scriptPubKey.hex;
    return { script, found: payloadOf(script) };
  };
  const { hex } = await node.daemon("tokencreate", "Naïve ☃", "0.0001", "For\nall");
  const created = await payload(hex);
  assert.deepEqual(created.found, { is: "create", owner: owner.publicKey, name: "Naïve ☃", description: "For\nall", blobs: [] });
  assert.equal(creationSize("Naïve ☃", "For\nall", 0), created.script.length / 2);

  const nft = await payload((await node.daemon("tokencreate", "One", "0.00000001", "", `f7${"00".repeat(90)}`)).hex);
  assert.deepEqual(nft.found.blobs, [{ id: 0x11, data: `f7${"00".repeat(90)}` }]);
  assert.equal(creationSize("One", "", 91), nft.script.length / 2);

  const tokenid = await node.daemon("sendrawtransaction", hex);
  await node.daemon("generate", 1);
  const key = "0227fac751b9a096aa38a029a9a11db2f8a650e6caf2a30c6c37c43a48ccbd00cd";
  const moved = await payload((await node.daemon("tokentransfer", tokenid, key, "25")).hex);
  assert.deepEqual(moved.found, { is: "transfer", tokenid, keys: [key], blobs: [] });

  for (const { script } of [created, nft, moved]) {
    for (let cut = 0; cut < script.length; cut += 2) {
      assert.equal(payloadOf(script.slice(0, cut)), null, "a script that is cut short has no payload");
    }
  }
});
