/**
 * A Cosmos SDK chain for tests: a server with the JSON-RPC and the websocket of CometBFT. Its initial state is that of
 * gaiad 7 when core/wallet/cosmos/testdata was recorded, with its accounts and their history. Transactions are
 * validated, move coins and can be queried.
 *
 *   const chain = await cosmosChain(t);
 *   chain.give(address, "uatom", "1500000");       // pays the address and notifies subscribers
 *   chain.behave(({ method }) => method === "abci_info" ? { status: 503 } : undefined);
 *   chain.transactions                             // the accepted transactions, newest last
 */

import { createServer } from "node:http";
import { WebSocketServer } from "ws";
import { Chain } from "./cosmosstate.js";
import { hasAttribute } from "./cosmoswire.js";
import { bodyOf } from "./support.js";

export { accounts } from "./cosmosstate.js";

const anyone = { "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "Authorization, Content-Type", "Access-Control-Allow-Methods": "*" };

/**
 * Serves a chain until the test ends.
 * @param {import("node:test").TestContext} t
 * @param {{id?: string, cors?: boolean, socket?: boolean}} [options] cors: whether pages may send requests; socket: whether there is a websocket
 */
export async function cosmosChain(t, { id = "cosmoshub-4", cors = true, socket = true } = {}) {
  const chain = new Chain(id);
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    if (body === null) {
      return; // the client has disconnected
    }
    const asked = request.method === "POST" ? JSON.parse(body) : null;
    const other = asked && (await chain.behaviour(asked));
    const { status = 200, text = "" } = other ?? (asked ? { text: JSON.stringify(chain.answer(asked)) } : {});
    response.writeHead(status, { "Content-Type": "application/json", ...(cors ? anyone : {}) }).end(text);
  });
  const sockets = new WebSocketServer({ noServer: true });
  server.on("upgrade", (request, line, head) => {
    if (!socket || chain.behaviour({ method: "websocket" })) {
      line.destroy();
      return;
    }
    sockets.handleUpgrade(request, line, head, (opened) => listen(chain, opened));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  t.after(async () => {
    sockets.clients.forEach((client) => client.terminate());
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return Object.assign(chain, { url: `http://127.0.0.1:${port}`, hangUp: () => sockets.clients.forEach((client) => client.terminate()) });
}

/** Serves a websocket connection. */
function listen(chain, opened) {
  const queries = new Map();
  const say = (message) => opened.send(JSON.stringify(message));
  const notify = (tx) => {
    for (const [query, id] of queries) {
      const [, type, key, value] = /AND (\w+)\.(\w+)='(.*)'$/.exec(query) ?? [];
      if (hasAttribute(tx.result.events, type, key, value)) {
        say({ jsonrpc: "2.0", id, result: { query, data: { type: "tendermint/event/Tx", value: { TxResult: tx } }, events: {} } });
      }
    }
  };
  chain.listeners.add(notify);
  opened.on("close", () => chain.listeners.delete(notify));
  opened.on("message", (text) => {
    const request = JSON.parse(String(text));
    if (request.method === "subscribe") {
      queries.set(request.params.query, request.id);
      say({ jsonrpc: "2.0", id: request.id, result: {} });
    } else {
      say(chain.answer(request));
    }
  });
}
