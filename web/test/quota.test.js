import assert from "node:assert/strict";
import { begun, config, create, daemon, ownBrowser, rejection, rpc, site, status, test, visit } from "./chromium.js";
import { query } from "./support.js";

/** What lets the origin have so many bytes, and without a number as many as ever. It ends with the session. */
async function quotaOf(context, page) {
  const session = await context.newCDPSession(page);
  return (quotaSize) => session.send("Storage.overrideQuotaForOrigin", { origin: new URL(site.url).origin, quotaSize });
}

/** Makes tokens until one cannot be stored; gives the ids of the others, and the error. */
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

/** The browser counts what IndexedDB has left, and asks for the quota from time to time: it is there before the node. */
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

    // Without a new page: the node is stopped, which says that it could not write, and started.
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
