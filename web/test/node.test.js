import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { connect, init, NodeError, RpcError, DaemonError } from "obverse";
import { parts } from "../parts.js";
import { evmChain } from "./evmchain.js";
import { config, folder, owner, until, web } from "./support.js";

/** @param {import("node:test").TestContext} t */
async function start(t, options) {
  const node = await init(options);
  t.after(() => node.stop());
  return node;
}

for (const worker of [true, false]) {
  test(`both interfaces, ${worker ? "in a worker thread" : "in this thread"}`, async (t) => {
    const node = await start(t, { config: config(), worker });
    assert.deepEqual(await node.rpc("get_public_key"), { public_key: owner.publicKey });
    assert.equal(await node.daemon("getblockcount"), 1);
    assert.deepEqual(node.status(), { running: true, role: "owner", storage: "memory", persisted: null });
  });
}

test("a token is made, sent and listed", async (t) => {
  const node = await start(t, { config: config() });
  const { hex } = await node.daemon("tokencreate", "PAGE", "1000", "made in a test");
  const id = await node.daemon("sendrawtransaction", hex);
  await until(async () => (await node.daemon("tokenlist")).includes(id));
  assert.equal((await node.daemon("tokenbalance", id)).balance, 100000000000);
});

test("a subscription without a function is refused", async (t) => {
  const node = await start(t, { config: config() });
  const client = connect({ url: "http://127.0.0.1:1" });
  t.after(() => client.stop());
  for (const { subscribe } of [node, client]) {
    assert.throws(() => subscribe("HEARTBEAT"), { kind: "BadOptions", message: /subscribe takes/ });
    assert.throws(() => subscribe(() => {}), { kind: "BadOptions" });
  }
});

test("errors have a class, a kind, data and a status", async (t) => {
  const node = await start(t, { config: config() });
  await assert.rejects(node.rpc("my_balance", { coin: "NONE" }), (error) => {
    assert(error instanceof RpcError && error instanceof NodeError);
    assert.deepEqual([error.kind, error.data, error.status], ["NoSuchCoin", { coin: "NONE" }, 404]);
    assert.match(error.trace, /\w/);
    return true;
  });
  await assert.rejects(node.daemon("getblockhash", 99), (error) => error instanceof DaemonError && error.code === -8);
  await assert.rejects(node.daemon("tokeninfo", "00"), (error) => error instanceof DaemonError, "an error that komodod calls a result");
});

test("events, for those who listen", async (t) => {
  const node = await start(t, { config: config() });
  const [all, beats, none] = [[], [], []];
  node.subscribe("*", (event) => all.push(event));
  const end = node.subscribe("HEARTBEAT", (event) => beats.push(event));
  node.subscribe("NETWORK", (event) => none.push(event));
  await node.rpc("stream::heartbeat::enable", { config: { stream_interval_seconds: 0.1 } });
  await until(() => beats.length > 1);
  end();
  const heard = beats.length;
  await until(() => all.length > heard + 1);
  assert.deepEqual([beats.length, none.length, all[0]], [heard, 0, { _type: "HEARTBEAT", message: {} }]);
  await node.import(await node.export());
  const before = all.length;
  await until(() => all.length > before, "streams resume after the node restarts");
  await node.rpc("stream::disable", { streamer_id: "HEARTBEAT" });
});

for (const worker of [true, false]) {
  test(`events come while the program makes no calls, ${worker ? "from a worker thread" : "in this thread"}`, async (t) => {
    const [, example] = /```js\n(import { init }.*?)```/s.exec(readFileSync(path.join(web, "README.md"), "utf8"));
    const idle = example
      .replace("init({ config:", `init({ worker: ${worker}, config:`)
      .replace("await node.stop();", 'await new Promise((resolve) => node.subscribe("HEARTBEAT", resolve));\nawait node.stop();\nconsole.log("stopped");');
    const home = folder(t);
    writeFileSync(path.join(home, "example.mjs"), idle.replace('"obverse"', JSON.stringify(path.join(web, "dist/index-node.js"))));
    const { stdout } = await promisify(execFile)(process.execPath, ["example.mjs"], { cwd: home });
    const [publicKey, ...lines] = stdout.trim().split("\n");
    assert.match(publicKey, /^0[23][0-9a-f]{64}$/);
    assert.deepEqual(lines, ["{ _type: 'HEARTBEAT', message: {} }", "stopped"]);
  });
}

test("init is idempotent, and one store has one config", async (t) => {
  const one = config();
  const node = await start(t, { config: one });
  assert.equal(await init({ config: { ...config(), passphrase: one.passphrase } }), node, "whatever the order of the keys");
  await assert.rejects(init({ config: config({ netid: 1 }) }), { kind: "ConfigMismatch" });
  await node.stop();
  const next = await start(t, { config: config({ netid: 1 }) });
  assert.notEqual(next, node);
  await assert.rejects(node.rpc("version"), { kind: "NotRunning" });
  await node.stop();
});

test("init while the node of the same store stops starts another one", async (t) => {
  const options = { config: config(folder(t)) };
  const first = await init(options);
  const stopped = first.stop();
  const second = await init(options);
  t.after(() => second.stop());
  assert.notEqual(second, first);
  assert.equal((await second.rpc("get_public_key")).public_key.length, 66);
  await stopped;
  await first.stop();
});

test("what is not a request is refused in words of its own", async (t) => {
  const node = await init({ config: config(folder(t)) });
  t.after(() => node.stop());
  for (const value of [5, undefined, null, {}]) {
    for (const call of [node.rpc, (/** @type {any} */ method) => node.raw.call(method, "{}")]) {
      await assert.rejects(call(/** @type {any} */ (value)), { kind: "BadOptions", message: /^the method must be a string$/ });
    }
  }
  for (const [value, message] of [[5, "the request has the wrong type: number"], ["x", "the request has the wrong type: string"], [[], "the request has the wrong type: array"], [undefined, "the request is invalid"]]) {
    await assert.rejects(node.sign(/** @type {any} */ (value)), { code: -32602, message });
  }
  await assert.rejects(node.sign(/** @type {any} */ ({ do: "read", chain: 5 })), { code: -32602, message: "the request: chain has the wrong type: number" });
});

test("an entry of coins is quoted as it was given", async (t) => {
  const protocol = { type: "QRC20", protocol_data: { platform: "ETH", contract_address: "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359" } };
  const node = await start(t, { config: config({ coins: [{ coin: "QRC", mm2: 1, protocol }] }) });
  const refused = await node.rpc("enable_erc20", { ticker: "QRC" }).catch((error) => error);
  assert.equal(JSON.stringify(refused.data), JSON.stringify({ ticker: "QRC", protocol }));
});

test("configs and options that are refused", async () => {
  for (const [options, kind, text] of [
    [undefined, "BadOptions", /config/],
    [{ config: "x" }, "BadOptions", /config/],
    [{ config: { netid: "x" } }, "ConfigError", /netid must be/],
    [{ config: {}, storage: "opfs" }, "StoreError", /no storage opfs/],
    [{ config: {}, wasmUrl: new Response("x", { status: 404 }) }, "WasmError", /404/],
  ]) {
    await assert.rejects(init(options), (error) => error instanceof NodeError && error.kind === kind && text.test(error.message), kind);
  }
  await assert.rejects(init({ config: {}, wasmUrl: new Uint8Array(5) }));
});

test("the program as bytes, as a response and compiled", async (t) => {
  const bytes = readFileSync(path.join(web, "dist/obverse.wasm"));
  for (const given of [
    { wasmUrl: new Uint8Array(bytes) },
    { wasmUrl: new Response(bytes, { headers: { "Content-Type": "application/wasm" } }) },
    { wasmUrl: new Response(bytes) },
    { module: await WebAssembly.compile(bytes) },
  ]) {
    const node = await start(t, { config: config(), ...given });
    assert.equal((await node.rpc("get_public_key")).public_key, owner.publicKey);
    assert.deepEqual(await node.sign({ do: "accounts", chain: "eip155:1" }), [], "with a part from outside the package");
    await node.stop();
  }
});

/** Returns a function that loads parts of the program and records their names. @param {string[]} asked */
const noting = (asked) => (/** @type {string} */ name) => (asked.push(name), new Uint8Array(readFileSync(path.join(web, `dist/obverse.${name}.wasm`))));

test("a coin of an EVM network needs no part of the program, and each other one what it is for", async (t) => {
  const chain = await evmChain(t);
  const asked = [];
  const node = await start(t, { config: config(), wallets: {}, partUrl: noting(asked) });
  await node.rpc("enable_eth_with_tokens", { ticker: "ETH", nodes: [{ url: chain.url }], swap_contract_address: "0x24ABE4c71FC658C91313b6552cd40cD808b3Ea80", erc20_tokens_requests: [] });
  assert.equal((await node.rpc("my_balance", { coin: "ETH" })).balance, "0");
  assert.deepEqual((await node.rpc("get_enabled_coins")).coins, [{ ticker: "ETH" }]);
  assert.deepEqual(asked, []);
  assert.equal(await node.daemon("getblockcount"), 1);
  assert.deepEqual(asked.splice(0), ["chain"]);
  assert.equal((await node.sign({ do: "accounts", chain: "eip155:1" })).length, 1);
  assert.deepEqual(asked.splice(0), ["dapp"]);
  assert.deepEqual(await node.rpc("get_nft_list", { chains: ["ETH"] }), { nfts: [], skipped: 0, total: 0 });
  assert.deepEqual(asked.splice(0), ["nft"]);
  await assert.rejects(node.rpc("enable_tendermint_with_assets", { ticker: "ATOM", nodes: [{ url: "http://127.0.0.1:1" }], tokens_params: [] }), { kind: "Transport" });
  assert.deepEqual(asked.splice(0), ["cosmos"]);
  await node.sign({ do: "accounts", chain: "eip155:1" });
  assert.deepEqual(asked, [], "a part is loaded once");
  await chain.stop();
  await assert.rejects(node.rpc("withdraw", { coin: "ETH", to: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", amount: "1" }), { kind: "Transport" });
  assert.deepEqual(asked, ["sending"], "what fails needs no more");
});

test("the history of an EVM coin and of a custom token, from a network's own records", async (t) => {
  const chain = await evmChain(t);
  const node = await start(t, { config: config(), wallets: {} });
  const activation = { ticker: "ETH", tx_history: true, nodes: [{ url: chain.url }], swap_contract_address: "0x24ABE4c71FC658C91313b6552cd40cD808b3Ea80", erc20_tokens_requests: [] };
  const [address] = Object.keys((await node.rpc("enable_eth_with_tokens", activation)).eth_addresses_infos);
  const contract_address = await chain.deploy("Token20", 6);
  await chain.send(contract_address, "mint(address,uint256)", address, 2_500_000);
  await chain.give(address, 10n ** 18n);
  const protocol = { type: "ERC20", protocol_data: { platform: "ETH", contract_address } };
  assert.equal((await node.rpc("get_token_info", { protocol })).info.decimals, 6);
  await node.rpc("enable_erc20", { ticker: "MINE", activation_params: {}, protocol });
  const { tx_hash } = await node.rpc("withdraw", { coin: "MINE", to: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", amount: "1.5", broadcast: true });
  const listed = async (/** @type {string} */ coin, /** @type {number} */ rows) => {
    const { transactions, sync_status } = await node.rpc("my_tx_history", { coin, limit: 10 });
    return sync_status.state === "Finished" && transactions.length === rows && transactions;
  };
  let tokens;
  await until(async () => (tokens = await listed("MINE", 2)), "both transfers of the token");
  assert.deepEqual(tokens.map(({ my_balance_change }) => my_balance_change), ["-1.5", "2.5"]);
  assert.equal(tokens[0].tx_hash, tx_hash);
  let coins;
  await until(async () => (coins = await listed("ETH", 1)), "the fee of the transfer");
  const [fee] = coins;
  assert.deepEqual([fee.tx_hash, fee.transaction_type, fee.spent_by_me], [tx_hash, "FeeForTokenTx", fee.fee_details.total_fee]);
});

test("a part that cannot be loaded fails what needs it, and the node continues", async (t) => {
  const whole = noting([]);
  /** @type {((name: string) => any)[]} */
  const ways = [
    () => Promise.reject(new Error("out of reach")),
    () => new Response("", { status: 404 }),
    () => new Uint8Array(5),
    () => whole("nft"),
    whole,
    () => Promise.reject(new Error("out of reach")),
    whole,
    () => Promise.reject(new Error("out of reach")),
    whole,
  ];
  const node = await start(t, { config: config(), partUrl: (name) => /** @type {any} */ (ways.shift())(name) });
  const accounts = () => node.sign({ do: "accounts", chain: "eip155:1" });
  await assert.rejects(accounts(), { message: "the node's part dapp cannot be loaded: out of reach" });
  await assert.rejects(accounts(), /the node's part dapp cannot be loaded: status 404/);
  await assert.rejects(accounts(), /the node's part dapp cannot be loaded: WebAssembly/);
  await assert.rejects(accounts(), /the node's part dapp is of another version than the node/);
  assert.deepEqual((await node.rpc("get_enabled_coins")).coins, []);
  assert.deepEqual(await accounts(), []);
  await assert.rejects(node.daemon("getblockcount"), { kind: "Internal", message: "the node's part chain cannot be loaded: out of reach" });
  assert.equal(await node.daemon("getblockcount"), 1);
  const gallery = () => node.rpc("get_nft_list", { chains: ["ETH"] });
  await assert.rejects(gallery(), { kind: "InternalError", message: "Internal error: the node's part nft cannot be loaded: out of reach" });
  assert.equal((await gallery()).total, 0);
});

test("each part of the program has its file", () => {
  const files = readdirSync(path.join(web, "dist")).flatMap((name) => /^obverse\.(\w+)\.wasm$/.exec(name)?.[1] ?? []);
  assert.deepEqual(files.sort(), Object.keys(parts).sort());
  const written = readFileSync(path.join(web, "src/partfiles.js"), "utf8");
  assert.deepEqual([...written.matchAll(/"\.\/obverse\.(\w+)\.wasm"/g)].map(([, name]) => name), files.sort());
});

test("files: they last, and are open once", async (t) => {
  const dbdir = path.join(folder(t), "data");
  const node = await start(t, { config: config({ dbdir }) });
  const peer = await node.rpc("get_my_peer_id");
  assert.equal(node.status().storage, "files");
  await assert.rejects(init({ config: config({ dbdir: `${dbdir}/.` }) }), { kind: "AlreadyRunning" });
  await node.stop();
  assert.deepEqual(readdirSync(dbdir), ["obverse.db"]);
  writeFileSync(path.join(dbdir, "obverse.page.lock"), "999999999"); // the lock of a process that was killed
  const again = await start(t, { config: config({ dbdir }) });
  assert.equal(await again.rpc("get_my_peer_id"), peer);
  await again.stop();
  assert(!existsSync(path.join(dbdir, "obverse.page.lock")));
  const file = path.join(dbdir, "obverse.page.lock");
  writeFileSync(file, String(process.pid)); // the lock of another thread of this process
  await assert.rejects(init({ config: config({ dbdir }) }), { kind: "AlreadyRunning" });
  utimesSync(file, 1e9, 1e9); // the lock of an earlier process with the same process id, as in a container
  await (await start(t, { config: config({ dbdir }) })).stop();
});

test("a request may stop the node", async (t) => {
  const node = await start(t, { config: config() });
  assert.equal(await node.rpc("stop"), "success");
  await until(() => !node.status().running);
  await assert.rejects(node.rpc("version"), { kind: "NotRunning" });
});

test("secrets stay out of the log and of errors", async (t) => {
  const lines = [];
  const secret = config({ log_level: "debug", rpc_password: "V3ry-secret-word" });
  const node = await start(t, { config: secret, log: (level, line) => lines.push(level, line) });
  const errors = [await node.rpc("nothing").catch(String), await node.raw.rpc("{"), await node.raw.rpc(JSON.stringify({ userpass: "wrong", method: "stop" }))];
  await assert.rejects(init({ config: { ...secret, netid: "x" } }));
  const text = JSON.stringify([lines, errors]);
  assert(!text.includes(secret.passphrase) && !text.includes(secret.rpc_password), text);
});

test("connect asks for what it needs", async () => {
  const node = connect({ url: "http://127.0.0.1:1" });
  await assert.rejects(node.rpc("version"), { kind: "Unreachable" });
  await assert.rejects(node.daemon("getinfo"), { kind: "BadOptions" });
  await node.stop();
  await assert.rejects(node.rpc("version"), { kind: "NotRunning" });
});
