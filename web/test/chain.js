/**
 * A node of a Cosmos chain for tests. It returns the responses of gaiad that are recorded in
 * core/wallet/cosmos/testdata, and records the transactions that it receives. It does not verify signatures or make
 * blocks. For make interop, it is a real chain.
 *
 * @typedef {object} Chain
 * @property {string} url
 * @property {Record<string, string>} accounts addresses: user, other and so on are derived from a well-known mnemonic
 * @property {string} balance the spendable balance of user
 * @property {number} confirmations the number of confirmations that a test can wait for
 * @property {Buffer[]} [sent] the received transactions; absent for a real chain
 * @property {() => Promise<unknown>} close
 */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { web } from "./support.js";

const recordings = path.resolve(web, "../core/wallet/cosmos/testdata/gaiad");
const read = (name) => JSON.parse(readFileSync(path.join(recordings, name), "utf8"));

/** Returns the key of a request in the recordings. */
const keyOf = ({ method, params }) => JSON.stringify([method, params?.path, String(params?.data ?? "").toUpperCase()]);

/** Returns the fields of a protobuf message that are texts. @param {Buffer} message */
function texts(message) {
  const found = [];
  for (let at = 0; at < message.length; ) {
    const length = message[at + 1];
    found[message[at] >> 3] = message.subarray(at + 2, at + 2 + length).toString();
    at += 2 + length;
  }
  return found;
}

/** Encodes a field of a message. */
const field = (number, content) => Buffer.concat([Buffer.from([(number << 3) | 2, content.length]), Buffer.from(content)]);

/**
 * Returns the real chain that native/test/interop/page_test.go started, if there is one.
 * @returns {Chain | undefined}
 */
export function realChain() {
  const { OBVERSE_CHAIN } = process.env;
  return OBVERSE_CHAIN ? { ...JSON.parse(OBVERSE_CHAIN), confirmations: 1, close: async () => {} } : undefined;
}

/**
 * @param {string} [chain] the id of the chain
 * @returns {Promise<Chain>}
 */
export async function startChain(chain = "cosmoshub-4") {
  const { accounts, balances } = read("chain.json");
  const recorded = new Map();
  /** @type {any} */
  let simulation;
  for (const { name, path: elsewhere, request, response } of ["rpc.json", "query.json", "broadcast.json"].flatMap(read)) {
    if (!elsewhere && request?.method && response?.result) {
      recorded.set(keyOf(request), response.result);
      simulation = name === "simulate: coin" ? response.result : simulation;
    }
  }
  const held = Object.fromEntries(Object.entries(balances).map(([name, coins]) => [accounts[name].address, new Map(coins.map(({ denom, amount }) => [denom, amount]))]));
  const sent = [];

  const answer = ({ method, params = {} }) => {
    switch (method) {
      case "status": {
        const status = structuredClone(recorded.get(keyOf({ method })));
        status.node_info.network = chain;
        return status;
      }
      case "broadcast_tx_sync": {
        const tx = Buffer.from(params.tx, "base64");
        sent.push(tx);
        return { code: 0, data: "", log: "[]", codespace: "", hash: createHash("sha256").update(tx).digest("hex").toUpperCase() };
      }
      case "abci_query":
        if (params.path === "/cosmos.bank.v1beta1.Query/Balance") {
          const [, address, denom] = texts(Buffer.from(params.data, "hex"));
          const coin = Buffer.concat([field(1, denom), field(2, held[address]?.get(denom) ?? "0")]);
          return { response: { code: 0, value: field(1, coin).toString("base64"), height: "45" } };
        }
        if (params.path === "/cosmos.tx.v1beta1.Service/Simulate") {
          return simulation;
        }
        if (params.path === "/cosmos.auth.v1beta1.Query/Account" && !recorded.has(keyOf({ method, params }))) {
          const [, address] = texts(Buffer.from(params.data, "hex"));
          const account = Buffer.concat([field(1, address), Buffer.from([3 << 3, 7])]);
          const any = Buffer.concat([field(1, "/cosmos.auth.v1beta1.BaseAccount"), field(2, account)]);
          return { response: { code: 0, value: field(1, any).toString("base64"), height: "45" } };
        }
    }
    return recorded.get(keyOf({ method, params }));
  };

  const server = createServer((request, reply) => {
    const body = [];
    request.on("data", (part) => body.push(part));
    request.on("end", () => {
      const headers = { "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "Content-Type", "Content-Type": "application/json" };
      if (request.method !== "POST") {
        reply.writeHead(request.method === "OPTIONS" ? 204 : 405, headers).end();
        return;
      }
      const asked = JSON.parse(Buffer.concat(body).toString());
      const result = answer(asked);
      const outcome = result ? { result } : { error: { code: -32603, message: "Internal error", data: "there is no recording of this" } };
      reply.writeHead(200, headers).end(JSON.stringify({ jsonrpc: "2.0", id: asked.id, ...outcome }));
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    sent,
    balance: "993.4998",
    confirmations: 0,
    accounts: Object.fromEntries(Object.entries(accounts).map(([name, { address }]) => [name, address])),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
