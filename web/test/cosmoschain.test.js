import assert from "node:assert/strict";
import { test } from "node:test";
import { init } from "obverse";
import { accounts, cosmosChain } from "./cosmoschain.js";
import { until } from "./support.js";

const { user, other, elsewhere } = accounts;

/** @param {import("node:test").TestContext} t */
async function start(t, chain, more = {}) {
  const node = await init({ config: { passphrase: user.passphrase } });
  t.after(() => node.stop());
  const activated = await node.rpc("enable_tendermint_with_assets", { ticker: "ATOM", nodes: [{ url: chain.url }], tokens_params: [], ...more });
  return Object.assign(node, { activated });
}

test("a node activates a coin of the chain, has its history, receives changes, and sends", async (t) => {
  const chain = await cosmosChain(t);
  const node = await start(t, chain, { tx_history: true, tokens_params: [{ ticker: "IRIS-IBC_ATOM" }] });
  assert.deepEqual([node.activated.address, node.activated.balance], [user.address, { spendable: "993.4998", unspendable: "0" }]);
  await until(async () => (await node.rpc("my_tx_history", { coin: "ATOM" })).sync_status.state === "Finished");
  const { total, transactions } = await node.rpc("my_tx_history", { coin: "ATOM", limit: 100 });
  assert.deepEqual([total, transactions.length, transactions.every(({ timestamp }) => timestamp > 0)], [total, total, true]);
  assert(total > 25, `${total} of the recorded transactions`);
  const events = [];
  node.subscribe("BALANCE:ATOM", ({ message }) => events.push(...message));
  await node.rpc("stream::balance::enable", { coin: "ATOM" });
  await node.rpc("my_balance", { coin: "ATOM" });
  chain.give(user.address, "uatom", "1");
  await until(() => events.length > 0);
  assert.deepEqual(events[0], { ticker: "ATOM", balance: { spendable: "993.499801", unspendable: "0" } });

  const { tx_hex, fee_details } = await node.rpc("withdraw", { coin: "ATOM", to: other.address, amount: "1.5", memo: "for you" });
  const { tx_hash, block_height } = await node.rpc("send_raw_transaction", { coin: "ATOM", tx_hex, wait: true, required_confirmations: 1 });
  assert.equal(block_height, chain.height);
  assert.equal(chain.has(user.address, "uatom"), 993499801n - 1500000n - BigInt(Math.round(Number(fee_details.amount) * 1e6)));
  assert.equal(chain.transactions[0].memo, "for you");
  assert.equal(tx_hash, chain.transactions[0].hash);
});

test("the chain does not take what is wrong", async (t) => {
  const chain = await cosmosChain(t);
  const node = await start(t, chain);
  const { tx_hex } = await node.rpc("withdraw", { coin: "ATOM", to: other.address, amount: "1" });
  const late = await node.rpc("withdraw", { coin: "ATOM", to: other.address, amount: "2" });
  await node.rpc("send_raw_transaction", { coin: "ATOM", tx_hex });
  await assert.rejects(node.rpc("send_raw_transaction", { coin: "ATOM", tx_hex: late.tx_hex }), { kind: "TransactionRefused" });
  await assert.rejects(node.rpc("withdraw", { coin: "ATOM", to: other.address, amount: "10000" }), { kind: "NotSufficientBalance" });
  await assert.rejects(node.rpc("withdraw", { coin: "ATOM", to: elsewhere.address, amount: "1", ibc_source_channel: 9 }), { kind: "IBCError" });
  chain.id = "otherchain-1";
  await assert.rejects(node.rpc("enable_tendermint_with_assets", { ticker: "OSMOSIS", nodes: [{ url: chain.url }], tokens_params: [] }), { kind: "Transport" });
});
