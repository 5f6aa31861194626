import assert from "node:assert/strict";
import { after, before, test as plain } from "node:test";
import { config, folder, open, owner, query, serve, until } from "./support.js";

/** What waits for a browser that is gone would wait for ever. */
const test = (name, does) => plain(name, { timeout: 120000 }, does);

/** @type {Awaited<ReturnType<typeof serve>>} */
let site;
before(async () => (site = await serve()));
after(() => site.close());

/** A browser with a profile of its own. @param {import("node:test").TestContext} t */
async function browser(t, args = []) {
  /** @type {import("playwright-core").BrowserContext | undefined} */
  let context;
  const profile = folder(t, () => context?.close());
  context = await open(profile, args);
  const said = [];
  context.on("console", (message) => said.push(message.text()));
  context.on("weberror", (error) => said.push(String(error.error())));
  return Object.assign(context, { said });
}

/** Opens a tab that starts a node and has asked it something. */
async function tab(context, conf = config(), more = {}) {
  const page = await context.newPage();
  await page.goto(site.url + query(conf, more));
  assert.equal(await page.evaluate(() => globalThis.begun), owner.publicKey);
  return page;
}

const status = (page) => page.evaluate(() => globalThis.node.status());
const daemon = (page, ...call) => page.evaluate((args) => globalThis.node.daemon(...args), call);

/** Makes a token in the page's chain and waits until it is in a block. */
async function create(page, name) {
  const { hex } = await daemon(page, "tokencreate", name, "10", "made in a test");
  const id = await daemon(page, "sendrawtransaction", hex);
  await until(async () => (await daemon(page, "tokenlist")).includes(id));
  return id;
}

test("a page with a strict policy runs a node, and finds its data again", async (t) => {
  const context = await browser(t);
  const page = await tab(context);
  assert.equal((await status(page)).storage, "opfs");
  assert.equal(await page.evaluate(() => crossOriginIsolated), false);
  const id = await create(page, "PAGE");
  const peer = await page.evaluate(() => globalThis.node.rpc("get_my_peer_id"));
  await page.reload();
  assert.equal(await page.evaluate(() => globalThis.begun), owner.publicKey);
  assert.deepEqual(await daemon(page, "tokenlist"), [id]);
  assert.equal(await page.evaluate(() => globalThis.node.rpc("get_my_peer_id")), peer);
  assert.equal((await daemon(page, "tokenbalance", id)).balance, 1000000000);
  assert.deepEqual(await page.evaluate(() => globalThis.violations), []);
  assert.deepEqual(context.said, []);
});

test("nothing that a page keeps or shows has the passphrase in it", async (t) => {
  const context = await browser(t);
  const page = await context.newPage();
  await page.goto(site.url);
  const kept = await page.evaluate(
    async (conf) => {
      const node = await globalThis.obverse.init({ config: conf });
      await node.rpc("get_public_key");
      await node.rpc("nothing").catch((error) => console.log(String(error), error.stack, JSON.stringify(error)));
      const data = new TextDecoder("latin1").decode(await node.export());
      await node.stop();
      const texts = [data, document.documentElement.outerHTML, JSON.stringify({ ...localStorage, ...sessionStorage })];
      const walk = async (directory) => {
        for await (const [name, handle] of directory) {
          texts.push(name);
          await (handle.kind === "file" ? handle.getFile().then(async (file) => texts.push(new TextDecoder("latin1").decode(await file.arrayBuffer()))) : walk(handle));
        }
      };
      await walk(await navigator.storage.getDirectory());
      return { all: texts.join("\n"), databases: await indexedDB.databases() };
    },
    config({ passphrase: "a passphrase that is not to be found", rpc_password: "Not-t0-be-found" }),
  );
  assert.match(kept.all, /obverse\.db/);
  assert.deepEqual(kept.databases, []);
  for (const text of [kept.all, ...context.said]) {
    assert(!/not to be found|Not-t0-be-found/.test(text));
  }
});

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
      globalThis.beats = 0;
      globalThis.node.subscribe("HEARTBEAT", () => globalThis.beats++);
      await globalThis.node.rpc("stream::heartbeat::enable", { config: { stream_interval_seconds: 0.1 } });
    });
    await until(async () => (await beats(page)) > 1);
  }
  await first.close();
  assert.deepEqual((await daemon(second, "tokenlist")).sort(), [id, other].sort(), "calls wait for the next owner");
  const roles = [(await status(second)).role, (await status(third)).role].sort();
  assert.deepEqual(roles, ["client", "owner"]);
  for (const page of [second, third]) {
    const heard = await beats(page);
    await until(async () => (await beats(page)) > heard + 1, "streams go on");
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

/** CPU time of the processes of pages, by their id. */
async function renderers(context) {
  const session = await context.browser().newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  return new Map(processInfo.filter(({ type }) => type === "renderer").map(({ id, cpuTime }) => [id, cpuTime]));
}

/** The process in which some work is done. */
async function workerOf(context, work) {
  const before = await renderers(context);
  await work();
  const grown = [...(await renderers(context))].map(([id, time]) => [id, time - (before.get(id) ?? 0)]);
  return grown.sort(([, a], [, b]) => b - a)[0][0];
}

test("the owner is killed, and nothing that was acknowledged is lost", async (t) => {
  const context = await browser(t, ["--disable-features=ProcessPerSiteUpToMainFrameThreshold"]); // a process for each tab
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
    for (let n = 0; n < 400 && !globalThis.enough; n++) {
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
  const page = await context.newPage();
  await page.goto(site.url);
  const kind = (options) => page.evaluate((o) => globalThis.obverse.init(o).then(() => "started", (error) => error.kind), options);
  assert.equal(await kind({ config: config({ passphrase: "another one" }) }), "ConfigMismatch");
  assert.equal(await kind({ config: config({ passphrase: "another one", dbdir: "another store" }) }), "started");
});

test("IndexedDB, where there are no files", async (t) => {
  const context = await browser(t);
  const page = await tab(context, config(), { storage: "indexeddb" });
  assert.equal((await status(page)).storage, "indexeddb");
  const id = await create(page, "INDEXED");
  await page.reload();
  assert.equal(await page.evaluate(() => globalThis.begun), owner.publicKey);
  assert.deepEqual(await daemon(page, "tokenlist"), [id]);
  const second = await tab(context, config(), { storage: "indexeddb" });
  await page.close();
  await until(async () => (await status(second)).role === "owner");
  assert.deepEqual(await daemon(second, "tokenlist"), [id]);
});

test("an export goes into another store, from a client too", async (t) => {
  const context = await browser(t);
  const page = await tab(context);
  const id = await create(page, "MOVED");
  const second = await tab(context);
  const listed = await second.evaluate(async (conf) => {
    const data = await globalThis.node.export();
    const other = await globalThis.obverse.init({ config: conf });
    const before = await other.daemon("tokenlist");
    await other.import(data.subarray(0, data.length - 1)).then(
      () => before.push("taken"),
      (error) => before.push(error.kind),
    );
    await other.import(data);
    const now = await other.daemon("tokenlist");
    await other.stop();
    return [before, now];
  }, config({ dbdir: "other" }));
  assert.deepEqual(listed, [["ImportError"], [id]]);
});

test("a full disk", async (t) => {
  const context = await browser(t);
  const page = await tab(context);
  const id = await create(page, "BEFORE");
  const session = await context.newCDPSession(page);
  await session.send("Storage.overrideQuotaForOrigin", { origin: new URL(site.url).origin, quotaSize: 1 });
  const failed = await page.evaluate(async () => {
    for (let n = 0; n < 500; n++) {
      try {
        const { hex } = await globalThis.node.daemon("tokencreate", `FULL${n}`, "1", "x".repeat(100));
        await globalThis.node.daemon("sendrawtransaction", hex);
      } catch (error) {
        return error.message;
      }
    }
    return "";
  });
  assert.match(failed, /takes no more writes/);
  assert((await daemon(page, "tokenlist")).includes(id), "reading goes on");
  await session.send("Storage.overrideQuotaForOrigin", { origin: new URL(site.url).origin });
  await page.reload();
  assert.equal(await page.evaluate(() => globalThis.begun), owner.publicKey);
  assert((await daemon(page, "tokenlist")).includes(id));
});

test("ways to start", async (t) => {
  const context = await browser(t);
  const page = await context.newPage();
  await page.goto(site.url);
  const answers = await page.evaluate(async (conf) => {
    const { init } = globalThis.obverse;
    const answer = async (options) => {
      const node = await init({ config: conf, ...options }).catch((error) => error);
      if (node instanceof Error) {
        return node.kind;
      }
      const { public_key } = await node.rpc("get_public_key");
      const same = (await init({ config: { ...conf } , storage: options.storage })) === node;
      await node.stop();
      return same && public_key;
    };
    return [
      await answer({ module: await WebAssembly.compileStreaming(fetch("/dist/obverse.wasm")) }),
      await answer({ wasmUrl: "/dist/obverse.wasm" }),
      await answer({ worker: new Worker("/dist/worker.js", { type: "module" }) }),
      await answer({ worker: () => new Worker("/dist/worker.js", { type: "module" }) }),
      await answer({ storage: "memory" }),
      await answer({ wasmUrl: "/none.wasm" }),
      await answer({ worker: new Worker("/none.js", { type: "module" }) }),
      await answer({ worker: false }),
      await answer({ storage: "none" }),
      await answer({ storage: "files" }),
    ];
  }, config());
  assert.deepEqual(answers, [...Array(5).fill(owner.publicKey), "WasmError", "WorkerFailed", "BadOptions", "BadOptions", "StoreError"]);
});

test("a node in a worker of the page's own", async (t) => {
  const context = await browser(t);
  const page = await context.newPage();
  await page.goto(site.url);
  const answer = await page.evaluate(
    (conf) =>
      new Promise((resolve) => {
        const worker = new Worker("/thread.js", { type: "module" });
        worker.onmessage = ({ data }) => resolve(data);
        worker.postMessage(conf);
      }),
    config(),
  );
  assert.deepEqual(answer, [{ public_key: owner.publicKey }, { running: true, role: "owner", storage: "opfs", persisted: null }]);
});

test("the upstream names in a page", async (t) => {
  const context = await browser(t);
  const page = await context.newPage();
  await page.goto(site.url);
  const [main, answer, after] = await page.evaluate(async (conf) => {
    const { default: init, mm2_main, mm2_main_status, mm2_rpc, mm2_stop } = globalThis.obverse.upstream;
    await init("/dist/obverse.wasm");
    const started = await mm2_main({ conf, log_level: 3 }, () => {});
    const reply = await mm2_rpc({ userpass: conf.rpc_password, mmrpc: "2.0", method: "get_public_key" });
    await mm2_stop();
    return [started, reply, mm2_main_status()];
  }, config({ rpc_password: "Upstr3am-word" }));
  assert.deepEqual([main, answer, after], [0, { mmrpc: "2.0", result: { public_key: owner.publicKey }, id: null }, 0]);
});

for (const kind of ["opfs", "indexeddb"]) {
  test(`files of ${kind}`, async (t) => {
    const context = await browser(t);
    const page = await context.newPage();
    await page.goto(site.url);
    const outcome = await page.evaluate(
      (drive) =>
        new Promise((resolve) => {
          const worker = new Worker("/drive-worker.js", { type: "module" });
          worker.onmessage = ({ data }) => resolve(data);
          worker.onerror = ({ message }) => resolve(message);
          worker.postMessage(drive);
        }),
      kind,
    );
    assert.equal(outcome, "passed");
  });
}
