/**
 * The calls of the KDF SDK to the node in JavaScript, in the order of the SDK, with results parsed as strictly as the SDK parses them.
 * native/sdk_test.go makes the same calls to native nodes.
 */

import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { LogLevel, MainStatus, mm2_main, mm2_main_status, mm2_rpc, mm2_stop } from "obverse/upstream";
import { accounts, cosmosChain } from "./cosmoschain.js";
import { folder, until } from "./support.js";

const userpass = "Sdk-s3cret-word";
const wallet_password = "Its-a-W4llet!";
const other = "cosmos1nv4mqaky7n7rqjhch7829kgypx5s8fh62wdtr8";

/** Returns the config with which the SDK starts a node. */
const conf = (dbdir, more = {}) => ({
  ...{ mm2: 1, allow_weak_password: true, rpc_password: userpass, netid: 6133, gui: "komodo-defi-flutter-auth", dbdir, rpcport: 7783, rpc_local_only: true },
  ...{ allow_registrations: false, enable_hd: false, https: false, coins: [], seednodes: ["seed.example"], disable_p2p: false, i_am_seed: false, is_bootstrap_node: false },
  ...more,
});

/** Parsers with the rules of the SDK: a text may be an integer, a number is not accepted as a text, and no value may be null or missing. */
const read = {
  text(of, name) {
    const value = of[name];
    assert(typeof value === "string" || Number.isSafeInteger(value), `${name} is no text in ${JSON.stringify(of)}`);
    return String(value);
  },
  amount(of, name) {
    assert.match(read.text(of, name), /^-?\d+(\.\d+)?$/, name);
    return of[name];
  },
  number(of, name) {
    assert(Number.isSafeInteger(of[name]), `${name} is no whole number in ${JSON.stringify(of)}`);
    return of[name];
  },
  balance(of, name) {
    read.amount(of[name], "unspendable");
    return read.amount(of[name], "spendable");
  },
  transaction(tx) {
    ["tx_hash", "coin", "internal_id"].forEach((name) => assert.notEqual(read.text(tx, name), ""));
    ["my_balance_change", "total_amount", "spent_by_me", "received_by_me"].forEach((name) => read.amount(tx, name));
    ["block_height", "timestamp"].forEach((name) => read.number(tx, name));
    [tx.from, tx.to].forEach((list) => assert(list.every((address) => typeof address === "string")));
    assert.equal(tx.fee_details.type, "Tendermint");
    read.amount(tx.fee_details, "amount");
    read.number(tx.fee_details, "gas_limit");
    return tx;
  },
};

async function v2(method, params) {
  const answer = await mm2_rpc({ userpass, mmrpc: "2.0", method, params });
  assert(!("error" in answer), `${method}: ${answer.error}`);
  return answer.result;
}

async function legacy(method, members = {}) {
  const answer = await mm2_rpc({ userpass, method, ...members });
  assert(!("error" in answer || "mmrpc" in answer), `${method}: ${JSON.stringify(answer)}`);
  return answer;
}

const start = (config) => mm2_main({ conf: config, log_level: LogLevel.Off });

/** Signs out like the SDK. */
async function stop() {
  await mm2_stop();
  await until(() => mm2_main_status() === MainStatus.NotRunning);
}

test("login, activation, history and sending, as the KDF SDK does them", async (t) => {
  const chain = await cosmosChain(t);
  const dbdir = path.join(folder(t), "data");
  await start(conf(dbdir));
  read.text(await legacy("version"), "result");
  assert.deepEqual(await v2("get_wallet_names", null), { wallet_names: [], activated_wallet: null });
  await stop();
  const login = { wallet_name: "a wallet", wallet_password };
  await start(conf(dbdir, { ...login, allow_registrations: true, passphrase: accounts.user.passphrase }));
  await stop();
  await start(conf(dbdir, login));
  assert.equal((await v2("get_wallet_names", null)).activated_wallet, "a wallet");
  assert.equal((await v2("get_mnemonic", { format: "plaintext", password: wallet_password })).mnemonic, accounts.user.passphrase);

  const init = { ticker: "ATOM", get_balances: true, tx_history: true, tokens_params: [], nodes: [{ url: chain.url }] };
  const { task_id } = await v2("task::enable_tendermint::init", init);
  let enabled = { status: "InProgress", details: "" };
  await until(async () => (enabled = await v2("task::enable_tendermint::status", { task_id, forget_if_finished: false })).status !== "InProgress");
  assert.equal(enabled.status, "Ok");
  read.balance(enabled.details, "balance");
  assert.equal((await mm2_rpc({ userpass, mmrpc: "2.0", method: "task::enable_tendermint::init", params: init })).error_type, "PlatformIsAlreadyActivated");
  assert.deepEqual((await v2("get_enabled_coins", {})).coins, [{ ticker: "ATOM" }]);
  const own = await legacy("my_balance", { coin: "ATOM" });
  assert.equal(own.address, accounts.user.address);
  read.amount(own, "balance");
  read.amount(own, "unspendable_balance");

  await v2("stream::tx_history::enable", { coin: "ATOM", client_id: 0 });
  const page = async () => v2("my_tx_history", { coin: "ATOM", limit: 10, paging_options: { PageNumber: 1 } });
  await until(async () => (await page()).sync_status.state === "Finished", "a history");
  const before = await page();
  ["current_block", "limit", "skipped", "total", "total_pages"].forEach((name) => read.number(before, name));
  assert.equal(before.transactions.length, 10);
  before.transactions.forEach((tx) => read.number(read.transaction(tx), "confirmations"));

  const made = read.transaction(await v2("withdraw", { coin: "ATOM", to: other, amount: "0.5", memo: "x" }));
  const { tx_hash } = await legacy("send_raw_transaction", { coin: "ATOM", tx_hex: made.tx_hex });
  assert.equal(tx_hash, made.tx_hash);
  await until(async () => (await page()).transactions[0].tx_hash === tx_hash, "the payment in the history");
  assert.equal((await page()).total, before.total + 1);

  assert.equal((await legacy("validateaddress", { coin: "ATOM", address: other })).result.is_valid, true);
  const { result: checked } = await legacy("validateaddress", { coin: "ATOM", address: "nobody" });
  assert.equal(checked.is_valid, false);
  assert.notEqual(read.text(checked, "reason"), "");
  const { result: listed } = await legacy("get_enabled_coins");
  assert.deepEqual(listed, [{ address: accounts.user.address, ticker: "ATOM" }]);
  for (const key of await v2("get_private_keys", { coins: ["ATOM"] })) {
    ["coin", "pubkey", "address", "priv_key"].forEach((name) => assert.notEqual(read.text(key, name), ""));
  }
  assert.deepEqual(await v2("my_orders", {}), { maker_orders: {}, taker_orders: {} });
  await stop();
});
