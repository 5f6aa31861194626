import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { begun, browser, config, create, daemon, ownBrowser, owner, site, status, tab, test, until, visit } from "./chromium.js";
import { policy, web } from "./support.js";

test("a page with a strict policy runs a node, and finds its data again", async (t) => {
  const context = await ownBrowser(t);
  const page = await tab(context);
  assert.equal((await status(page)).storage, "opfs");
  assert.equal(await page.evaluate(() => crossOriginIsolated), false);
  const id = await create(page, "PAGE");
  const peer = await page.evaluate(() => globalThis.node.rpc("get_my_peer_id"));
  await page.reload();
  await begun(page);
  assert.deepEqual(await daemon(page, "tokenlist"), [id]);
  assert.equal(await page.evaluate(() => globalThis.node.rpc("get_my_peer_id")), peer);
  assert.equal((await daemon(page, "tokenbalance", id)).balance, 1000000000);
  assert.deepEqual(await page.evaluate(() => globalThis.violations), []);
  assert.deepEqual(context.said, []);
});

test("the policy is enforced, in the page and in the worker, and nothing isolates the origin", async (t) => {
  const context = await browser(t);
  const page = await context.newPage();
  const answer = await page.goto(site.url);
  const headers = answer.headers();
  assert.equal(headers["content-security-policy"], policy);
  assert(!policy.includes("'unsafe-"), "neither eval nor anything inline");
  assert.deepEqual(
    Object.keys(headers).filter((name) => name.startsWith("cross-origin-")),
    [],
  );
  const [isolated, evaluated, violations] = await page.evaluate(async () => {
    await new Promise((resolve) => setTimeout(resolve)); // the evaluated code may continue after this
    const evaluated = (() => {
      try {
        return new Function("return 1")();
      } catch (error) {
        return error.name;
      }
    })();
    const violated = new Promise((resolve) => document.addEventListener("securitypolicyviolation", ({ violatedDirective }) => violatedDirective === "img-src" && resolve(undefined)));
    const script = document.createElement("script");
    script.textContent = "globalThis.inline = true";
    document.head.append(script);
    const image = document.createElement("img");
    image.src = "https://elsewhere.example/a.png";
    await Promise.all([violated, new Promise((resolve) => (image.onerror = resolve))]);
    return [globalThis.crossOriginIsolated, evaluated, globalThis.violations];
  });
  assert.deepEqual([isolated, evaluated], [false, "EvalError"]);
  assert.deepEqual(violations, ["script-src eval", "script-src-elem inline", "img-src https://elsewhere.example/a.png"]);
  assert.equal(await page.evaluate(() => globalThis.inline), undefined);
  const worker = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const thread = new Worker("/eval.js", { type: "module" });
        thread.onmessage = ({ data }) => resolve(data);
      }),
  );
  assert.deepEqual(worker, ["EvalError", 8]);
});

test("events come while the page makes no calls", async (t) => {
  const page = await tab(await browser(t));
  const beats = await page.evaluate(async () => {
    await globalThis.node.rpc("stream::heartbeat::enable", { config: { stream_interval_seconds: 1 } });
    let beats = 0;
    return new Promise((resolve) => globalThis.node.subscribe("HEARTBEAT", () => ++beats === 3 && resolve(beats)));
  });
  assert.equal(beats, 3);
});

test("nothing that a page keeps or shows has the passphrase in it", async (t) => {
  const context = await browser(t);
  const page = await visit(context);
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

test("IndexedDB, where there are no files", async (t) => {
  const context = await browser(t);
  const page = await tab(context, config(), { storage: "indexeddb" });
  assert.equal((await status(page)).storage, "indexeddb");
  const id = await create(page, "INDEXED");
  await page.reload();
  await begun(page);
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

test("ways to start", async (t) => {
  const context = await browser(t);
  const page = await visit(context);
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

/** Serves the node's program and interrupts the first downloads. @param {import("node:test").TestContext} t */
async function brokenDownload(t, times) {
  const program = readFileSync(path.join(web, "dist/obverse.wasm"));
  let asked = 0;
  const server = createServer((_, answer) => {
    answer.writeHead(200, { "Content-Type": "application/wasm", "Content-Length": program.length, "Access-Control-Allow-Origin": "*" });
    if (++asked > times) {
      answer.end(program);
    } else {
      answer.write(program.subarray(0, program.length / 2), () => answer.destroy());
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (server.address()).port}/obverse.wasm`;
}

test("an interrupted download of a program is retried once", async (t) => {
  const page = await visit(await browser(t));
  const start = (wasmUrl) =>
    page.evaluate(
      async ([config, wasmUrl]) => {
        const node = await globalThis.obverse.init({ config, wasmUrl }).catch((error) => error);
        return node instanceof Error ? [node.kind, node.message] : (await node.rpc("get_public_key")).public_key;
      },
      /** @type {const} */ ([config(), wasmUrl]),
    );
  const [kind, message] = await start(await brokenDownload(t, 2));
  assert.equal(kind, "WasmError");
  assert.match(message, /^the node's program cannot be loaded: ./);
  assert.equal(await start(await brokenDownload(t, 1)), owner.publicKey);
});

test("a worker that cannot be loaded is reported, however long the browser takes to list its locks", async (t) => {
  const page = await visit(await browser(t));
  const kind = await page.evaluate(async (conf) => {
    const worker = new Worker("/none.js", { type: "module" });
    const failed = new Promise((resolve) => worker.addEventListener("error", resolve));
    const query = navigator.locks.query.bind(navigator.locks);
    navigator.locks.query = () => failed.then(query);
    return globalThis.obverse.init({ config: conf, worker }).then(
      () => "started",
      (error) => error.kind,
    );
  }, config());
  assert.equal(kind, "WorkerFailed");
});

test("a node in a worker of the page's own", async (t) => {
  const context = await browser(t);
  const page = await visit(context);
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

for (const kind of ["opfs", "indexeddb"]) {
  test(`files of ${kind}`, async (t) => {
    const context = await ownBrowser(t);
    const page = await visit(context);
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
