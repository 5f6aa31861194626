import assert from "node:assert/strict";
import { browser, config, owner, test, until, visit } from "./chromium.js";
import { accounts, cosmosChain } from "./cosmoschain.js";
import { password, serveNative } from "./native.js";

const { user, other } = accounts;

/** Opens the page that was written for Komodo DeFi Framework and waits until its script has run. */
async function open(context) {
  const page = await visit(context, "upstream.html");
  await page.waitForSelector("#status[data-ready]", { state: "attached" });
  const answer = async (button) => {
    await page.click(button);
    await page.waitForFunction(() => document.getElementById("answer").textContent !== "");
    return page.textContent("#answer");
  };
  return Object.assign(page, {
    run: async (conf) => {
      await page.fill("#conf", JSON.stringify(conf));
      return answer("#run");
    },
    ask: async (request) => {
      await page.fill("#request", JSON.stringify(request));
      const text = await answer("#send");
      return text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : text;
    },
    end: () => answer("#stop"),
    shows: (status) => until(async () => (await page.textContent("#status")) === status),
  });
}

const conf = (more = {}) => ({ gui: "a-page", mm2: 1, netid: 8762, coins: [], ...config({ rpc_password: password, passphrase: user.passphrase, event_streaming_configuration: {}, ...more }) });

test("a page for upstream starts, asks, hears events and stops", async (t) => {
  const context = await browser(t);
  const page = await open(context);
  await page.shows("NotRunning");
  assert.equal(await page.ask({ method: "version" }), "not running");
  assert.equal(await page.end(), "not running");
  assert.match(await page.run(conf({ rpc_password: "weak" })), /^config: /);
  assert.equal(await page.run("no config"), "invalid params");
  assert.equal(await page.run(conf({ passphrase: owner.passphrase })), "started true true");
  await page.shows("RpcIsUp");
  assert.equal(await page.run(conf()), "already running");
  assert.deepEqual(await page.ask({ userpass: password, mmrpc: "2.0", method: "get_public_key", params: {}, id: 1 }), { mmrpc: "2.0", result: { public_key: owner.publicKey }, id: 1 });
  assert.equal(await page.ask(5), "invalid payload");

  assert.deepEqual(await page.ask({ userpass: password, mmrpc: "2.0", method: "stream::heartbeat::enable", params: { client_id: 0, config: { stream_interval_seconds: 0.1 } } }), {
    mmrpc: "2.0",
    result: { streamer_id: "HEARTBEAT" },
    id: null,
  });
  await until(() => page.evaluate(() => globalThis.events.length > 1));
  assert.deepEqual(await page.evaluate(() => globalThis.events[0]), { _type: "HEARTBEAT", message: {} });
  assert.deepEqual((await page.ask({ userpass: password, mmrpc: "2.0", method: "stream::disable", params: { client_id: 0, streamer_id: "HEARTBEAT" } })).result, { result: "Success" });

  assert.equal(await page.end(), "stopped");
  await page.shows("NotRunning");
  assert.equal(await page.run(conf({ passphrase: owner.passphrase })), "started true true", "and again");
  assert.deepEqual(await page.ask({ userpass: password, method: "stop" }), { result: "success" });
  await page.shows("NotRunning");
  assert.deepEqual([...new Set(context.said)], ["keys of Komodo DeFi Framework that have no effect here: mm2"]);
});

test("a page for upstream gets the answers of a native node", async (t) => {
  const [native, chain, context] = await Promise.all([serveNative(t, user.passphrase), cosmosChain(t), browser(t)]);
  const page = await open(context);
  assert.equal(await page.run(conf()), "started true true");
  const v2 = (method, params = {}, more = {}) => ({ userpass: password, mmrpc: "2.0", method, params, id: 7, ...more });
  const atom = { ticker: "ATOM", tokens_params: [{ ticker: "IRIS-IBC_ATOM" }], nodes: [{ url: chain.url }], tx_history: true };
  const bodies = [
    v2("get_public_key"),
    v2("get_public_key_hash"),
    v2("get_enabled_coins"),
    v2("my_balance", { coin: "ATOM" }),
    v2("my_balance", {}),
    v2("my_balance", { coin: 1 }),
    v2("nothing"),
    v2("get_public_key", {}, { mmrpc: "1.0" }),
    v2("get_public_key", {}, { userpass: undefined }),
    v2("get_public_key", {}, { id: "text" }),
    { userpass: password, method: "my_balance", coin: "ATOM" },
    { userpass: password, method: "nothing" },
    { userpass: password },
    [],
    [v2("get_public_key"), v2("nothing")],
    v2("help"),
    v2("help", { command: "my_balance" }),
    v2("rpc.discover"),
    v2("stream::heartbeat::enable", { config: { stream_interval_seconds: 0 } }),
    v2("stream::disable", { client_id: 9, streamer_id: "HEARTBEAT" }),
    v2("enable_tendermint_token", { ticker: "IRIS-IBC_ATOM" }),
    v2("enable_tendermint_with_assets", { ...atom, ticker: "NOSUCH" }),
    v2("enable_tendermint_with_assets", { ...atom, nodes: [] }),
    v2("enable_tendermint_with_assets", atom),
    v2("enable_tendermint_with_assets", atom),
    v2("get_enabled_coins"),
    v2("my_balance", { coin: "ATOM" }),
    { userpass: password, method: "my_balance", coin: "ATOM" },
    v2("max_maker_vol", { coin: "ATOM" }),
    v2("get_locked_amount", { coin: "ATOM" }),
    v2("withdraw", { coin: "ATOM", to: other.address, amount: "0.5", fee: { type: "CosmosGas", gas_price: 0.05, gas_limit: 100000 }, memo: "x" }),
    v2("withdraw", { coin: "ATOM", to: "nobody", amount: "0.5" }),
    v2("sign_message", { coin: "ATOM", message: "hello" }),
    v2("disable_coin", { coin: "ATOM" }),
    v2("disable_coin", { coin: "IRIS-IBC_ATOM" }),
    v2("get_enabled_coins"),
    v2("get_public_key", {}, { userpass: "wrong" }),
  ];
  for (const body of bodies) {
    const text = JSON.stringify(body);
    const [there, here] = [JSON.parse((await native.raw.rpc(text)).body), await page.ask(body)];
    assert.deepEqual(here, there, text);
  }
  assert.equal(await page.end(), "stopped");
});

const walletPassword = "Its-a-W4llet!";

/** The configs with which the KDF SDK starts a node in a page: without a wallet, and with one. */
const noLogin = (more = {}) => ({
  mm2: 1,
  allow_weak_password: true,
  rpc_password: password,
  netid: 6133,
  gui: "komodo-defi-flutter-auth",
  rpcport: 7783,
  rpc_local_only: true,
  allow_registrations: false,
  enable_hd: false,
  https: false,
  coins: [],
  seednodes: ["seed.example"],
  disable_p2p: false,
  i_am_seed: false,
  is_bootstrap_node: false,
  event_streaming_configuration: { access_control_allow_origin: "*", worker_path: "event_streaming_worker.js" },
  ...more,
});
const login = (name, more = {}) => noLogin({ wallet_name: name, wallet_password: walletPassword, enable_hd: true, ...more });

/** Returns all data that the browser has stored for a page, as text. */
const stored = (page) =>
  page.evaluate(async () => {
    const found = [];
    const walk = async (folder) => {
      for await (const entry of folder.values()) {
        found.push(entry.name);
        await (entry.kind === "directory" ? walk(entry) : entry.getFile().then(async (file) => found.push(await file.text())));
      }
    };
    await walk(await navigator.storage.getDirectory());
    const settle = (request) => new Promise((resolve, reject) => Object.assign(request, { onsuccess: () => resolve(request.result), onerror: () => reject(request.error) }));
    for (const { name } of await indexedDB.databases()) {
      const db = await settle(indexedDB.open(name));
      for (const table of db.objectStoreNames) {
        const files = db.transaction(table).objectStore(table);
        found.push(name, JSON.stringify([await settle(files.getAllKeys()), await settle(files.getAll())]));
      }
      db.close();
    }
    return found.join("\n");
  });

/** Returns the number of other calls that the node answers while it answers get_mnemonic. */
const answeredDuring = (page, params) =>
  page.evaluate(
    async (request) => {
      const { mm2_rpc } = await import("/dist/kdflib.js");
      let [answers, done] = [0, false];
      void mm2_rpc(request).then(() => (done = true));
      for (; !done; answers++) {
        await mm2_rpc({ method: "version" });
      }
      return answers;
    },
    { userpass: password, mmrpc: "2.0", method: "get_mnemonic", params },
  );

/** Returns the page with shortcuts for the wallet methods. */
function walletsOf(page) {
  const ask = (method, params) => page.ask({ userpass: password, mmrpc: "2.0", method, params });
  return {
    ask,
    names: async () => (await ask("get_wallet_names", null)).result,
    phrase: async (word = walletPassword) => (await ask("get_mnemonic", { format: "plaintext", password: word })).result?.mnemonic,
    file: async () => (await ask("get_mnemonic", { format: "encrypted" })).result.encrypted_mnemonic_data,
    publicKey: async () => (await ask("get_public_key", {})).result.public_key,
    start: async (conf) => assert.equal(await page.run(conf), "started true true"),
    /** Signs out and starts with another config. */
    again: async (conf) => {
      assert.equal(await page.end(), "stopped");
      assert.equal(await page.run(conf), "started true true");
    },
  };
}

test("the KDF SDK's session: lists, registers, signs out and in, imports, changes the password, deletes", async (t) => {
  const context = await browser(t);
  const page = await open(context);
  const { ask, names, phrase, publicKey, start, again } = walletsOf(page);
  await start(noLogin({ passphrase: owner.passphrase }));
  const before = (await page.ask({ userpass: password, mmrpc: "2.0", method: "get_my_peer_id" })).result;
  await again(noLogin());
  assert.equal(typeof (await page.ask({ method: "version" })).result, "string");
  assert.deepEqual(await names(), { wallet_names: [], activated_wallet: null });
  assert.equal((await ask("get_public_key", {})).error_type, "InternalError", "there is no key");
  assert.equal((await ask("get_mnemonic", { format: "encrypted" })).error_type, "Internal");

  await page.evaluate(() => (globalThis.statuses.length = 0));
  await again(login("My wallet", { allow_registrations: true }));
  assert.deepEqual(await page.evaluate(() => globalThis.statuses.filter((status) => status === "NoRpc")), ["NoRpc"], "the page's thread is free meanwhile");
  assert.deepEqual(await names(), { wallet_names: ["My wallet"], activated_wallet: "My wallet" });
  const words = await phrase();
  assert.equal(words.split(" ").length, 12);
  const key = await publicKey();
  const [read, derived] = [await answeredDuring(page, { format: "encrypted" }), await answeredDuring(page, { format: "plaintext", password: walletPassword })];
  assert(derived > 5 * (read + 1), `the node answers while keys are derived: ${derived} times, ${read} while a file is read`);
  assert.equal(await page.end(), "stopped");
  await page.shows("NotRunning");

  await page.reload();
  await page.waitForSelector("#status[data-ready]", { state: "attached" });
  await start(login("My wallet"));
  assert.equal(await publicKey(), key);
  for (let n = 0; n < 2; n++) {
    await page.end();
    assert.match(await page.run(login("My wallet", { wallet_password: "Wr0ng-word!" })), /^init: Error generating or decrypting mnemonic: /);
    await page.shows("NotRunning");
    const log = await page.evaluate(() => globalThis.log.filter(({ level }) => level === 1).map(({ line }) => line));
    assert.match(log.at(-1), /^Error generating or decrypting mnemonic: /, "the SDK looks for it in the log");
  }
  assert.match(await page.run(login("Another")), /Wallet does not exist/);

  await start(login("Imported", { allow_registrations: true, passphrase: words }));
  assert.equal(await publicKey(), key);
  assert.deepEqual(await names(), { wallet_names: ["Imported", "My wallet"], activated_wallet: "Imported" });
  const changing = { current_password: walletPassword, new_password: "An0ther-one!" };
  assert.equal((await ask("change_mnemonic_password", { ...changing, current_password: "Wr0ng-word!" })).error_type, "InvalidPassword");
  assert.equal((await ask("change_mnemonic_password", changing)).result, null);
  assert.equal(await phrase(), undefined);
  await page.end();
  assert.match(await page.run(login("Imported")), /^init: Error generating or decrypting mnemonic: /);
  await start(login("Imported", { wallet_password: "An0ther-one!" }));

  const text = await stored(page);
  assert(text.includes("AES256CBC") && text.includes("My wallet"), "the wallets are there");
  for (const secret of [words, words.split(" ").slice(0, 2).join(" "), walletPassword, "An0ther-one!"]) {
    assert(!text.includes(secret), secret);
  }
  assert.equal((await ask("delete_wallet", { wallet_name: "Imported", password: "An0ther-one!" })).error_data, "Cannot delete wallet 'Imported' as it is currently active.");
  assert.equal((await ask("delete_wallet", { wallet_name: "My wallet", password: "Wr0ng-word!" })).error_type, "InvalidPassword");
  assert.equal((await ask("delete_wallet", { wallet_name: "My wallet", password: walletPassword })).result, null);
  assert.equal((await ask("delete_wallet", { wallet_name: "My wallet", password: walletPassword })).error_data, "Wallet 'My wallet' not found.");
  assert.deepEqual(await names(), { wallet_names: ["Imported"], activated_wallet: "Imported" });

  await again(noLogin({ passphrase: owner.passphrase }));
  assert.deepEqual((await page.ask({ userpass: password, mmrpc: "2.0", method: "get_my_peer_id" })).result, before, "a node without a wallet has its store still");
});

test("wallet files go from a page to a native node, and back", async (t) => {
  const context = await browser(t);
  const page = await open(context);
  const { file, publicKey, start, again } = walletsOf(page);
  await start(login("From the page", { allow_registrations: true }));
  const named = { wallet_name: "moved", wallet_password: walletPassword, enable_hd: true };
  const native = await serveNative(t, "", { ...named, passphrase: await file() });
  assert.equal((await native.rpc("get_public_key")).public_key, await publicKey());

  const other = await serveNative(t, "", { ...named, wallet_name: "made natively" });
  const { encrypted_mnemonic_data } = await other.rpc("get_mnemonic", { format: "encrypted" });
  await again(login("made natively", { allow_registrations: true, passphrase: encrypted_mnemonic_data }));
  assert.equal(await publicKey(), (await other.rpc("get_public_key")).public_key);
  assert.deepEqual(await file(), encrypted_mnemonic_data);

  const second = await open(context);
  const tab = walletsOf(second);
  await tab.start(login("made natively", { allow_registrations: true, passphrase: encrypted_mnemonic_data }));
  await page.close();
  assert.deepEqual(await tab.names(), { wallet_names: ["From the page", "made natively"], activated_wallet: "made natively" }, "the other tab opens the wallet too");
  assert.deepEqual(await tab.file(), encrypted_mnemonic_data);
});
