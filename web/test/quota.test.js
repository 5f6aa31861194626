import assert from "node:assert/strict";
import { begun, config, create, daemon, ownBrowser, rejection, rpc, site, status, test, visit } from "./chromium.js";
import { query } from "./support.js";

/**
 * Returns a function that limits the storage of the origin to a number of bytes; without a number it removes
 * the limit. The limit ends with the session.
 */
async function quotaOf(context, page) {
  const session = await context.newCDPSession(page);
  return (quotaSize) => session.send("Storage.overrideQuotaForOrigin", { origin: new URL(site.url).origin, quotaSize });
}

/** Creates tokens until one cannot be stored. Returns the ids of the others and the error. */
const fill = (page) =>
  page.evaluate(async () => {
    const acknowledged = [];
    for (let n = 0; n < 500; n++) {
      try {
        const { hex } = await globalThis.node.daemon("tokencreate", `FULL${n}`, "0.00000001", "x".repeat(100));
        acknowledged.push(await globalThis.node.daemon("sendrawtransaction", hex));
      } catch ({ name, kind, status, code, message }) {
        return { acknowledged, error: { name, kind, status, code, message } };
      }
    }
    return { acknowledged, error: {} };
  });

/**
 * The limits in bytes. For IndexedDB the browser counts the remaining space and updates the quota only from time to
 * time, so the limit is set before the node starts.
 */
const room = { opfs: undefined, indexeddb: 300000 };

for (const [storage, quota] of Object.entries(room)) {
  test(`a full disk under ${storage}: writes fail, nothing acknowledged is lost, and with room it goes on`, async (t) => {
    const context = await ownBrowser(t);
    const page = await visit(context, query(config(), { storage, later: "" }));
    const allow = await quotaOf(context, page);
    await allow(quota);
    await page.evaluate(() => globalThis.begin());
    await begun(page);
    assert.equal((await status(page)).storage, storage);
    const before = await create(page, "BEFORE");
    await allow(quota ?? 1);
    const { acknowledged, error } = await fill(page);
    assert.deepEqual([error.name, error.kind, error.status], ["DaemonError", "DaemonError", 500], JSON.stringify(error));
    assert.match(error.message, /takes no more writes/);
    assert((await daemon(page, "tokenlist")).includes(before), "reading goes on");
    const { name, kind, value } = await rejection(page, "daemon", "generate", 1);
    assert.deepEqual([name, kind, value], ["DaemonError", "DaemonError", undefined], "and no write gets through");
    const peer = await rpc(page, "get_my_peer_id");

    // Stop the node, which reports that it could not write, and start it in the same page.
    await allow();
    assert.equal(await page.evaluate(() => globalThis.node.stop().catch(({ kind }) => kind)), "StoreError");
    await page.evaluate(() => globalThis.begin());
    await begun(page);
    assert.equal(await rpc(page, "get_my_peer_id"), peer);
    for (const id of [before, ...acknowledged]) {
      assert.match(await daemon(page, "getrawtransaction", id), /^[0-9a-f]+$/, "nothing that was acknowledged is lost");
    }
    const after = await create(page, "AFTER");
    t.diagnostic(`${acknowledged.length} acknowledged before the disk was full`);
    await page.evaluate(() => globalThis.node.stop());
    await page.evaluate(() => globalThis.begin());
    await begun(page);
    assert((await daemon(page, "tokenlist")).includes(after));
  });
}

test("a page that may store nothing at all says so, and starts when it may", async (t) => {
  const context = await ownBrowser(t);
  const page = await visit(context);
  const allow = await quotaOf(context, page);
  await allow(1);
  const start = (dbdir) =>
    page.evaluate(
      async (conf) => {
        try {
          const node = await globalThis.obverse.init({ config: conf, storage: "indexeddb" });
          const height = await node.daemon("getblockcount");
          await node.stop();
          return height;
        } catch ({ name, kind }) {
          return [name, kind];
        }
      },
      config({ dbdir }),
    );
  assert.deepEqual(await start("new"), ["NodeError", "StoreError"]);
  await allow();
  assert.equal(await start("new"), 1);
});
