/** Coins in a page: the browser's WebSocket, a page that is reloaded while it activates a coin, and a page without a network. */

import assert from "node:assert/strict";
import { WebSocketServer } from "ws";
import { begun, browser, config, create, daemon, rejection, rpc, tab, test, until } from "./chromium.js";
import { accounts, cosmosChain } from "./cosmoschain.js";

const { user } = accounts;
const conf = (more = {}) => config({ passphrase: user.passphrase, ...more });
const tickers = (page) => rpc(page, "get_enabled_coins").then(({ coins }) => coins.map(({ ticker }) => ticker));
const atom = (chain, more = {}) => ({ ticker: "ATOM", tokens_params: [], nodes: [{ url: chain.url, ...more }] });

/** Activates the coin and subscribes to its balance events, which are added to events. */
async function listen(page, chain, node = {}) {
  await rpc(page, "enable_tendermint_with_assets", atom(chain, node));
  await page.evaluate(async () => {
    globalThis.events = [];
    globalThis.node.subscribe("BALANCE:ATOM", (event) => globalThis.events.push(event));
    await globalThis.node.rpc("stream::balance::enable", { coin: "ATOM" });
  });
}

/** Waits until the page has received a balance event. */
const balanceIs = (page, spendable) =>
  until(() => page.evaluate((wanted) => globalThis.events.some(({ _type, message }) => _type === "BALANCE:ATOM" && message.some(({ balance }) => balance.spendable === wanted)), spendable), `a balance of ${spendable}`);

/**
 * Returns a websocket of the chain that a test controls. Each connection records its requests and
 * is closed at the end of the test.
 * @param {import("node:test").TestContext} t
 */
async function socketOf(t, chain) {
  const connections = [];
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  server.on("connection", (socket) => {
    const connection = { socket, asked: [], closed: 0 };
    connections.push(connection);
    socket.on("close", (code) => (connection.closed = code));
    socket.on("error", () => {});
    socket.on("message", (text) => {
      const request = JSON.parse(String(text));
      connection.asked.push(request);
      socket.send(JSON.stringify(request.method === "subscribe" ? { jsonrpc: "2.0", id: request.id, result: {} } : chain.answer(request)));
    });
  });
  await new Promise((resolve) => server.on("listening", () => resolve(undefined)));
  t.after(() => {
    server.clients.forEach((client) => client.terminate());
    server.close();
  });
  const listening = async (n) => {
    await until(() => connections[n]?.asked.length >= 3, `connection ${n} to be asked for three things`);
    return connections[n];
  };
  return { url: `ws://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (server.address()).port}/socket`, connections, listening };
}

/** Returns the notification that a transaction pays the address. */
const event = (id, tx) => JSON.stringify({ jsonrpc: "2.0", id, result: { query: "größer €", data: { type: "tendermint/event/Tx", value: { TxResult: tx } }, events: { padding: ["x".repeat(70000)] } } });

test("the browser's websocket receives balances, whole and in parts", async (t) => {
  const [chain, context] = await Promise.all([cosmosChain(t), browser(t)]);
  const socket = await socketOf(t, chain);
  const page = await tab(context, conf());
  await listen(page, chain, { ws_url: socket.url });
  const { socket: line, asked } = await socket.listening(0);
  assert.deepEqual(
    asked.slice(0, 3).map(({ method, params }) => [method, params?.query]),
    [
      ["status", undefined],
      ["subscribe", `tm.event='Tx' AND coin_spent.spender='${user.address}'`],
      ["subscribe", `tm.event='Tx' AND coin_received.receiver='${user.address}'`],
    ],
  );
  const recorded = [];
  chain.listeners.add((tx) => recorded.push(tx));
  chain.give(user.address, "uatom", "1");
  line.send(event(asked[2].id, recorded[0]));
  await balanceIs(page, "993.499801");
  chain.give(user.address, "uatom", "1000000");
  const bytes = Buffer.from(event(asked[2].id, recorded[1]));
  const cut = bytes.indexOf("ö") + 1; // within a character
  line.send(bytes.subarray(0, cut), { binary: false, fin: false });
  line.ping();
  line.send(bytes.subarray(cut), { binary: false, fin: true });
  await balanceIs(page, "994.499801");
  await rpc(page, "stream::disable", { streamer_id: "BALANCE:ATOM" });
  await until(() => socket.connections[0].closed !== 0, "the node to close the websocket that is no longer needed");
  assert.equal(socket.connections.length, 1);
  assert.deepEqual(await page.evaluate(() => globalThis.violations), []);
});

test("a websocket that breaks, or brings what it must not, is opened again", async (t) => {
  const [chain, context] = await Promise.all([cosmosChain(t), browser(t)]);
  const socket = await socketOf(t, chain);
  const page = await tab(context, conf());
  await listen(page, chain, { ws_url: socket.url });
  for (const [n, disturb] of [
    (line) => line.close(1011, "enough"),
    (line) => line.send(Buffer.from("no text")),
    (line) => line.send("x".repeat((4 << 20) + 1)),
  ].entries()) {
    const { socket: line } = await socket.listening(n);
    chain.set(user.address, "uatom", String(1000000 * (n + 1))); // while there are no subscriptions
    disturb(line);
    await until(() => socket.connections[n].closed !== 0, `the end of connection ${n}`);
    await socket.listening(n + 1);
    await balanceIs(page, String(n + 1));
  }
});

test("without a websocket a page looks for itself", async (t) => {
  const [chain, context] = await Promise.all([cosmosChain(t, { socket: false }), browser(t)]);
  const page = await tab(context, conf());
  await listen(page, chain);
  chain.set(user.address, "uatom", "7000000");
  await balanceIs(page, "7");
});

/** Delays the chain's responses until release is called. began is resolved by the first request. */
function hold(chain) {
  let end = () => {};
  let begin = () => {};
  const held = new Promise((resolve) => (end = resolve));
  const began = new Promise((resolve) => (begin = resolve));
  chain.behave(async () => {
    begin();
    await held;
  });
  const release = () => {
    chain.behave(() => undefined);
    end();
  };
  return { began, release };
}

test("a page that is reloaded while it activates a coin has activated nothing, and can activate it", async (t) => {
  const [chain, context] = await Promise.all([cosmosChain(t), browser(t)]);
  const page = await tab(context, conf());
  const { began, release } = hold(chain);
  await page.evaluate((params) => void globalThis.node.rpc("enable_tendermint_with_assets", params).catch(() => {}), atom(chain));
  await began;
  await page.reload();
  await begun(page);
  release();
  assert.deepEqual(await tickers(page), []);
  assert.equal((await rpc(page, "enable_tendermint_with_assets", atom(chain))).address, user.address);
  await page.reload();
  await begun(page);
  await until(async () => (await tickers(page)).includes("ATOM"), "what was active is activated again");
  assert.equal((await rpc(page, "my_balance", { coin: "ATOM" })).balance, "993.4998");
});

test("a tab that is reloaded while another one activates a coin for it finds the coin", async (t) => {
  const [chain, context] = await Promise.all([cosmosChain(t), browser(t)]);
  const first = await tab(context, conf());
  const second = await tab(context, conf());
  const { began, release } = hold(chain);
  await second.evaluate((params) => void globalThis.node.rpc("enable_tendermint_with_assets", params).catch(() => {}), atom(chain));
  await began;
  await second.reload();
  await begun(second);
  release();
  for (const page of [first, second]) {
    await until(async () => (await tickers(page)).includes("ATOM"));
    assert.equal((await rpc(page, "my_balance", { coin: "ATOM" })).balance, "993.4998");
  }
});

test("a page without a network works on, says what it cannot reach, and goes on with it", async (t) => {
  const [chain, context] = await Promise.all([cosmosChain(t), browser(t)]);
  const page = await tab(context, conf());
  await listen(page, chain);
  chain.give(user.address, "uatom", "1");
  await balanceIs(page, "993.499801");
  // Make calls first, since they load parts of the program.
  assert.equal(await daemon(page, "getblockcount"), 1);
  await rpc(page, "withdraw", { coin: "ATOM", to: accounts.other.address, amount: "0.1" });
  await context.setOffline(true);
  assert.equal(await page.evaluate(() => navigator.onLine), false);
  chain.hangUp();
  const before = await create(page, "OFFLINE");
  const { name, kind, status } = await rejection(page, "rpc", "withdraw", { coin: "ATOM", to: accounts.other.address, amount: "0.1" });
  assert.deepEqual([name, kind, status], ["RpcError", "Transport", 502]);
  const { kind: activation } = await rejection(page, "rpc", "enable_tendermint_with_assets", { ...atom(chain), ticker: "IRIS" });
  assert.equal(activation, "Transport");
  chain.give(user.address, "uatom", "1000000");
  await context.setOffline(false);
  await balanceIs(page, "994.499801");
  assert.deepEqual(await daemon(page, "tokenlist"), [before]);
  assert.equal((await rpc(page, "my_balance", { coin: "ATOM" })).balance, "994.499801");
});
