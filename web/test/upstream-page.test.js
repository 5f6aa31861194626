import assert from "node:assert/strict";
import { browser, config, owner, test, until, visit } from "./chromium.js";
import { accounts, cosmosChain } from "./cosmoschain.js";
import { password, serveNative } from "./native.js";

const { user, other } = accounts;

/** Opens the page that was written for upstream, once its script has run. */
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
