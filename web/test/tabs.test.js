import assert from "node:assert/strict";
import { browser, config, create, daemon, status, tab, test, until, visit } from "./chromium.js";
import { contextWith } from "./contexts.js";

/** Returns the events and the state of each tab. @param {import("playwright-core").Page[]} pages */
const states = (pages) =>
  Promise.all(pages.map((page) => page.evaluate(() => ({ beats: globalThis.beats, forgotten: globalThis.forgotten, status: globalThis.node.status(), shown: document.visibilityState })).catch(String)));

test("a second tab is served through the first, and takes over", async (t) => {
  const context = await browser(t);
  const first = await tab(context);
  const id = await create(first, "FIRST");
  const second = await tab(context);
  const third = await tab(context);
  assert.deepEqual([(await status(first)).role, (await status(second)).role, (await status(third)).role], ["owner", "client", "client"]);
  assert.deepEqual(await daemon(second, "tokenlist"), [id]);
  const other = await create(third, "THIRD");
  assert.equal((await daemon(first, "tokenlist")).includes(other), true);
  await assert.rejects(daemon(second, "nothing"), /Method not found/);
  const beats = (page) => page.evaluate(() => globalThis.beats);
  for (const page of [first, second, third]) {
    await page.evaluate(async () => {
      globalThis.beats = globalThis.forgotten = 0;
      globalThis.node.subscribe("HEARTBEAT", () => globalThis.beats++);
      globalThis.node.subscribe("*", ({ _type }) => (globalThis.forgotten += _type === "ERROR:FORGOTTEN" ? 1 : 0));
      await globalThis.node.rpc("stream::heartbeat::enable", { config: { stream_interval_seconds: 0.1 } });
    });
    await until(async () => (await beats(page)) > 1).catch(async ({ message }) => {
      throw new Error(`${message}; tab ${[first, second, third].indexOf(page)} of ${JSON.stringify(await states([first, second, third]))}; ${context.said.join(", ")}`);
    });
  }
  await first.close();
  assert.deepEqual((await daemon(second, "tokenlist")).sort(), [id, other].sort(), "calls wait for the next owner");
  await until(async () => [(await status(second)).role, (await status(third)).role].sort().join() === "client,owner", "one of them is the owner");
  for (const page of [second, third]) {
    const heard = await beats(page);
    await until(async () => (await beats(page)) > heard + 1, "streams go on");
    await until(() => page.evaluate(() => globalThis.forgotten > 0));
    assert.equal(await page.evaluate(() => globalThis.forgotten), 1, "and it is notified that events may be missing");
  }
  const [next, last] = (await status(second)).role === "owner" ? [second, third] : [third, second];
  await last.evaluate(() => {
    globalThis.failed = [];
    globalThis.asked = 0;
    const ask = async () => {
      while (!globalThis.enough) {
        globalThis.asked++;
        await globalThis.node.daemon("getblockcount").catch((error) => globalThis.failed.push(error.kind));
      }
    };
    globalThis.asking = ask();
  });
  await until(() => last.evaluate(() => globalThis.asked > 10));
  await next.evaluate(() => globalThis.node.stop());
  await until(async () => (await status(last)).role === "owner");
  const failed = await last.evaluate(async () => {
    globalThis.enough = true;
    await globalThis.asking;
    return globalThis.failed;
  });
  assert(failed.length <= 1, `one call at most was at work: ${failed}`);
  assert.equal((await daemon(last, "tokenlist")).length, 2);
});

/** Returns the CPU time of the processes of pages, by process id. */
async function renderers(context) {
  const session = await context.browser().newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  return new Map(processInfo.filter(({ type }) => type === "renderer").map(({ id, cpuTime }) => [id, cpuTime]));
}

/** Returns the process in which an operation runs. */
async function workerOf(context, work) {
  const before = await renderers(context);
  await work();
  const grown = [...(await renderers(context))].map(([id, time]) => [id, time - (before.get(id) ?? 0)]);
  return grown.sort(([, a], [, b]) => b - a)[0][0];
}

test("the owner is killed, and nothing that was acknowledged is lost", async (t) => {
  const context = await contextWith(t, ["--disable-features=ProcessPerSiteUpToMainFrameThreshold"]); // a process for each tab
  const doomed = await tab(context);
  const victim = await workerOf(context, () => doomed.evaluate(async () => {
    for (let n = 0; n < 50; n++) {
      await globalThis.node.daemon("tokencreate", "WORK", "1", "");
    }
  }));
  const second = await tab(context);
  assert.deepEqual([(await status(doomed)).role, (await status(second)).role], ["owner", "client"]);
  const done = second.evaluate(async () => {
    const acknowledged = [];
    const errors = [];
    globalThis.acknowledged = acknowledged;
    for (let n = 0; !globalThis.enough; n++) {
      try {
        const { hex } = await globalThis.node.daemon("tokencreate", `T${n}`, "0.00000001", "");
        acknowledged.push(await globalThis.node.daemon("sendrawtransaction", hex));
      } catch (error) {
        errors.push(error.kind === "DaemonError" ? error.message : error.kind);
      }
    }
    return { acknowledged, errors };
  });
  await until(() => second.evaluate(() => globalThis.acknowledged?.length > 20));
  const crashed = new Promise((resolve) => doomed.on("crash", resolve));
  process.kill(victim, "SIGKILL");
  await crashed;
  await until(async () => (await status(second)).role === "owner");
  const after = await second.evaluate(() => globalThis.acknowledged.length);
  await until(() => second.evaluate((n) => globalThis.acknowledged.length > n, after), "it goes on");
  await second.evaluate(() => (globalThis.enough = true));
  const { acknowledged, errors } = await done;
  assert(errors.length <= 1 && errors.every((kind) => kind === "OwnerGone"), errors.join());
  for (const id of acknowledged) {
    assert.match(await daemon(second, "getrawtransaction", id), /^[0-9a-f]+$/);
  }
  t.diagnostic(`${acknowledged.length} acknowledged, all there`);
});

test("tabs with different configs do not share a node", async (t) => {
  const context = await browser(t);
  await tab(context);
  const page = await visit(context);
  const kind = (options) => page.evaluate((o) => globalThis.obverse.init(o).then(() => "started", (error) => error.kind), options);
  assert.equal(await kind({ config: config({ passphrase: "another one" }) }), "ConfigMismatch");
  assert.equal(await kind({ config: config({ passphrase: "another one", dbdir: "another store" }) }), "started");
});
