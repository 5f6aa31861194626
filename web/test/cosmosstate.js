/** The state of a Cosmos SDK chain for tests and its responses. It is served by cosmoschain.js. */

import { readFileSync } from "node:fs";
import path from "node:path";
import { COLLECTOR, decode, encode, ESCROW, eventsOf, hasAttribute, hashOf, isSigned, readTx, SEND, writeTx } from "./cosmoswire.js";
import { web } from "./support.js";

const recorded = (file, kind = "gaiad") => JSON.parse(readFileSync(path.join(web, "../core/wallet/cosmos/testdata", kind, file), "utf8"));

/** The accounts of the recordings, with the passphrases of their keys. The account elsewhere is on Iris. */
export const accounts = { ...recorded("chain.json").accounts, elsewhere: recorded("chain.json", "iris").accounts.other };

const ok = (value, height) => ({ response: { code: 0, log: "", info: "", index: "0", key: null, value: Buffer.from(value).toString("base64"), proofOps: null, height: String(height), codespace: "" } });
const no = (code, log, codespace = "sdk") => ({ response: { code, log, info: "", index: "0", key: null, value: null, proofOps: null, height: "0", codespace } });

/** A JSON-RPC error. */
class Refusal extends Error {}

/** A chain that starts in the state of the recorded gaiad. */
export class Chain {
  /** @param {string} id the chain's id */
  constructor(id) {
    const facts = recorded("chain.json");
    this.id = id;
    this.height = facts.height;
    this.gas = 85000;
    /** @type {Map<string, Map<string, bigint>>} balances by address and denom */
    this.balances = new Map(Object.entries(facts.balances).map(([name, coins]) => [accounts[name].address, new Map(coins.map(({ denom, amount }) => [denom, BigInt(amount)]))]));
    this.locked = new Map();
    this.sequences = new Map();
    /** @type {any[]} pending transactions */
    this.waiting = [];
    /** Whether transactions are included in a block immediately; otherwise mine() includes them. */
    this.mining = true;
    /** The transactions that the chain accepted in this test. */
    this.transactions = [];
    this.asked = new Map();
    this.listeners = new Set();
    this.behaviour = (_request) => undefined;
    this.calls = ["rpc.json", "query.json", "history.json", "broadcast.json"].flatMap((file) => recorded(file)).filter(({ request, response }) => request?.method && response?.result);
    this.results = new Map(this.calls.map(({ request, response }) => [JSON.stringify([request.method, request.params]), response.result]));
    const found = new Map(this.calls.filter(({ request }) => request.method === "tx_search").flatMap(({ response }) => response.result.txs.map((tx) => [tx.hash, tx])));
    this.txs = [...found.values()].sort((a, b) => a.height - b.height || a.index - b.index);
    this.times = new Map(this.calls.filter(({ request }) => request.method === "block").map(({ response: { result } }) => [Number(result.block.header.height), result.block.header.time]));
  }

  /** Overrides responses. The function returns a status and a body, or nothing for the default response. It may be asynchronous. */
  behave(behaviour) {
    this.behaviour = behaviour;
  }

  /** Makes all requests fail, as if the server were gone. A status of 0 ends this. */
  fail(status = 503) {
    this.behave(() => (status === 0 ? undefined : { status }));
  }

  /** Returns the balance of an address. */
  has(address, denom) {
    return this.balances.get(address)?.get(denom) ?? 0n;
  }

  /** Sets the balance of an address without a transaction. */
  set(address, denom, amount) {
    const held = this.balances.get(address) ?? new Map();
    this.balances.set(address, held.set(denom, BigInt(amount)));
  }

  /** Locks an amount, as for a vesting account. */
  lock(address, denom, amount) {
    this.locked.set(address, new Map([[denom, BigInt(amount)]]));
  }

  /** Pays an address. The payment becomes the newest transaction in its history. */
  give(address, denom, amount, memo = "") {
    const from = accounts.validator.address;
    const coins = [{ denom, amount: BigInt(amount) }];
    this.set(from, denom, this.has(from, denom) + BigInt(amount));
    const message = { type: SEND, from, to: address, coins };
    this.#deliver({ raw: writeTx(message, this.height, memo), fees: [], messages: [message] });
  }

  #add(address, { denom, amount }) {
    this.set(address, denom, this.has(address, denom) + amount);
  }

  #block(raw, code, log, events, gas) {
    this.height++;
    this.times.set(this.height, new Date(Date.UTC(2026, 10, 22) + this.height * 6000).toISOString());
    const result = { code, data: "", log, info: "", gas_wanted: String(gas), gas_used: String(this.gas), events, codespace: code ? "sdk" : "" };
    this.txs.push({ hash: hashOf(raw), height: String(this.height), index: 0, tx_result: result, tx: raw.toString("base64") });
    for (const notify of this.listeners) {
      notify({ height: String(this.height), tx: raw.toString("base64"), result });
    }
  }

  /** Executes a transaction in a new block. */
  #deliver(tx) {
    const [{ from }] = tx.messages;
    for (const fee of tx.fees) {
      this.#add(from, { ...fee, amount: -fee.amount });
      this.#add(COLLECTOR, fee);
    }
    const short = tx.messages.flatMap(({ coins }) => coins).find(({ denom, amount }) => this.has(from, denom) < amount);
    if (!short) {
      for (const { type, to, coins } of tx.messages) {
        for (const moved of coins) {
          this.#add(from, { ...moved, amount: -moved.amount });
          this.#add(type === SEND ? to : ESCROW, moved);
        }
      }
    }
    const log = short ? `failed to execute message; message index: 0: ${this.has(from, short.denom)}${short.denom} is smaller than ${short.amount}${short.denom}: insufficient funds` : "[]";
    this.#block(tx.raw, short ? 5 : 0, log, eventsOf(tx, Boolean(short)), tx.gas ?? 0);
  }

  /** Includes the pending transactions in blocks. */
  mine() {
    this.waiting.splice(0).forEach((tx) => this.#deliver(tx));
  }

  #number(address) {
    return [...this.balances.keys()].indexOf(address) + 1;
  }

  /** Validates a transaction as nodes do before they relay it. */
  #check(tx) {
    const [{ from }] = tx.messages;
    const sequence = this.sequences.get(from) ?? 0;
    if (tx.sequence !== sequence) {
      return [32, `account sequence mismatch, expected ${sequence}, got ${tx.sequence}: incorrect account sequence`];
    }
    if (!isSigned(tx, this.id, this.#number(from))) {
      return [4, "signature verification failed: unauthorized"];
    }
    const poor = tx.fees.find(({ denom, amount }) => this.has(from, denom) < amount);
    return poor ? [5, `${this.has(from, poor.denom)}${poor.denom} is smaller than ${poor.amount}${poor.denom}: insufficient funds`] : [0, "[]"];
  }

  #broadcast(raw) {
    const hash = hashOf(raw);
    if (this.transactions.some((tx) => tx.hash === hash)) {
      throw new Refusal("tx already exists in cache");
    }
    const tx = { ...readTx(raw), raw, hash };
    const [code, log] = this.#check(tx);
    if (code === 0) {
      this.sequences.set(tx.messages[0].from, tx.sequence + 1);
      this.transactions.push(tx);
      this.waiting.push(tx);
      if (this.mining) {
        setImmediate(() => this.mine());
      }
    }
    return { code, data: "", log, codespace: code ? "sdk" : "", hash };
  }

  #simulate(data) {
    const tx = readTx(decode(data)[2][0]);
    const [{ from, coins: [{ denom, amount }] }] = tx.messages;
    const needs = amount + tx.fees.filter((fee) => fee.denom === denom).reduce((sum, fee) => sum + fee.amount, 0n);
    if (this.has(from, denom) < needs) {
      return no(5, `${this.has(from, denom)}${denom} is smaller than ${needs}${denom}: insufficient funds`);
    }
    return ok(encode([1, encode([2, this.gas])]), this.height);
  }

  /** Returns the response to a query about a channel: the channel's recording, or that of a healthy channel. */
  #channel(path, data) {
    const asked = Object.fromEntries(this.calls.filter(({ request, name }) => request.params?.path === path && /healthy|expired|closed/.test(name)).map(({ request, response }) => [String(decode(Buffer.from(request.params.data, "hex"))[2][0]), response.result]));
    const channel = String(decode(data)[2][0]);
    return channel === "channel-9" ? no(22, "channel not found") : (asked[channel] ?? asked["channel-0"]);
  }

  #query({ path, data: hex }) {
    const data = Buffer.from(hex, "hex");
    const [first, second] = [1, 2].map((n) => String(decode(data)[n]?.[0] ?? ""));
    switch (path) {
      case "/cosmos.bank.v1beta1.Query/Balance":
        return ok(encode([1, encode([1, second], [2, String(this.has(first, second))])]), this.height);
      case "/cosmos.auth.v1beta1.Query/Account": {
        if (!this.balances.has(first)) {
          return no(22, `rpc error: code = NotFound desc = account ${first} not found: key not found`);
        }
        const base = encode([1, first], [3, this.#number(first)], [4, this.sequences.get(first) ?? 0]);
        const [type, account] = this.locked.has(first) ? ["/cosmos.vesting.v1beta1.DelayedVestingAccount", encode([1, encode([1, base])])] : ["/cosmos.auth.v1beta1.BaseAccount", base];
        return ok(encode([1, encode([1, type], [2, account])]), this.height);
      }
      case "/cosmos.bank.v1beta1.Query/SpendableBalances": {
        const coins = [...(this.balances.get(first) ?? [])].map(([denom, amount]) => [denom, amount - (this.locked.get(first)?.get(denom) ?? 0n)]);
        return ok(encode(...coins.filter(([, amount]) => amount > 0n).map(([denom, amount]) => [1, encode([1, denom], [2, String(amount)])])), this.height);
      }
      case "/cosmos.tx.v1beta1.Service/Simulate":
        return this.#simulate(data);
      case "/ibc.core.channel.v1.Query/Channel":
      case "/ibc.core.channel.v1.Query/ChannelClientState":
        return this.#channel(path, data);
    }
    return this.results.get(JSON.stringify(["abci_query", { path, data: hex, prove: false }])) ?? no(6, "unknown query path: unknown request");
  }

  #search({ query, page = "1", per_page = "30", order_by }) {
    const [, type, key, value] = /^(\w+)\.(\w+)='(.*)'$/.exec(query) ?? [];
    const fits = (tx) => (type === "tx" && key === "hash" ? tx.hash === value : hasAttribute(tx.tx_result.events, type, key, value));
    const all = this.txs.filter(fits);
    const [at, size] = [Number(page), Number(per_page)];
    const pages = Math.max(1, Math.ceil(all.length / size));
    if (at < 1 || at > pages) {
      throw new Refusal(`page should be within [1, ${pages}] range, given ${at}`);
    }
    return { txs: (order_by === "desc" ? all.reverse() : all).slice((at - 1) * size, at * size), total_count: String(all.length) };
  }

  /** @param {{method: string, params: any}} request @returns {any} */
  result({ method, params }) {
    this.asked.set(method, (this.asked.get(method) ?? 0) + 1);
    const known = structuredClone(this.results.get(JSON.stringify([method, {}])));
    switch (method) {
      case "status":
        known.node_info.network = this.id;
        Object.assign(known.sync_info, { latest_block_height: String(this.height), latest_block_time: new Date().toISOString() });
        return known;
      case "abci_info":
        known.response.last_block_height = String(this.height);
        return known;
      case "abci_query":
        return this.#query(params);
      case "broadcast_tx_sync":
        return this.#broadcast(Buffer.from(params.tx, "base64"));
      case "tx": {
        const hash = Buffer.from(params.hash, "base64").toString("hex").toUpperCase();
        const tx = this.txs.find((one) => one.hash === hash);
        if (!tx) {
          throw new Refusal(`tx (${hash}) not found`);
        }
        return tx;
      }
      case "tx_search":
        return this.#search(params);
      case "block": {
        const height = Number(params.height ?? this.height);
        return { block_id: {}, block: { header: { chain_id: this.id, height: String(height), time: this.times.get(height) ?? new Date(0).toISOString() } } };
      }
    }
    if (known === undefined) {
      throw new Refusal(`there is no recording of ${method}`);
    }
    return known;
  }

  /** @param {any} request */
  answer(request) {
    try {
      return { jsonrpc: "2.0", id: request.id, result: this.result(request) };
    } catch (error) {
      if (!(error instanceof Refusal)) {
        throw error;
      }
      return { jsonrpc: "2.0", id: request.id, error: { code: -32603, message: "Internal error", data: error.message } };
    }
  }
}
