/**
 * A native node that a test plays: it answers what the page asks with what the test says, and writes events.
 *
 *   const node = await falseNode(t, { get_enabled_coins: () => ({ coins }) });
 *   node.tell('{"_type":…}');
 */

import { createServer } from "node:http";
import { bodyOf } from "../../test/support.js";

const cors = { "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*", "Access-Control-Allow-Methods": "*" };

/**
 * @param {import("node:test").TestContext} t
 * @param {Record<string, (params: any) => unknown>} answers by method; what is not there has an empty result
 */
export async function falseNode(t, answers) {
  /** @type {Record<string, number>} */
  const asked = {};
  /** @type {Set<import("node:http").ServerResponse>} */
  const streams = new Set();
  const server = createServer(async (request, response) => {
    if (request.url?.startsWith("/event-stream")) {
      response.writeHead(200, { "Content-Type": "text/event-stream", ...cors });
      response.write(": hello\n\n");
      streams.add(response);
      return;
    }
    const body = await bodyOf(request);
    if (body === null || request.method !== "POST") {
      response.writeHead(204, cors).end();
      return;
    }
    const { method, params } = JSON.parse(body);
    asked[method] = (asked[method] ?? 0) + 1;
    const result = answers[method]?.(params) ?? (method === "version" ? { result: "false" } : method === "stream::ticket" ? { ticket: "t", expires_in: 30 } : method.startsWith("stream::") ? { streamer_id: `BALANCE:${params.coin}` } : {});
    response.writeHead(200, { "Content-Type": "application/json", ...cors }).end(JSON.stringify({ mmrpc: "2.0", result, id: null }));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  t.after(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { node: `http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (server.address()).port}`, password: "x", asked, streams };
}

/** Tickers of so many tokens on Ethereum, with the coin of their network. */
export const manyCoins = (/** @type {number} */ count) => ["ETH", ...Array.from({ length: count }, (_, n) => `T${n}-ERC20`)].map((ticker) => ({ ticker }));

/** Records tasks of the page's thread above 50 ms. @param {import("playwright-core").BrowserContext} context */
export const recordLongTasks = (context) =>
  context.addInitScript(() => {
    globalThis.longTasks = [];
    new PerformanceObserver((list) => globalThis.longTasks.push(...list.getEntries().map(({ startTime, duration }) => ({ startTime, duration })))).observe({ type: "longtask", buffered: true });
  });
