/**
 * A false native node. A test defines its responses and sends its events.
 *
 *   const node = await falseNode(t, { get_enabled_coins: () => ({ coins }) });
 *   node.tell('{"_type":…}');
 */

import { createServer } from "node:http";
import path from "node:path";
import { bodyOf, web } from "../../test/support.js";
import { profileOf } from "./seed.js";

const cors = { "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*", "Access-Control-Allow-Methods": "*" };

/**
 * @param {import("node:test").TestContext} t
 * @param {Record<string, (params: any) => unknown>} answers by method; other methods have an empty result
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

/** Returns the tickers of a number of tokens on Ethereum, and the coin of their network. */
export const manyCoins = (/** @type {number} */ count) => ["ETH", ...Array.from({ length: count }, (_, n) => `T${n}-ERC20`)].map((ticker) => ({ ticker }));

/** Records tasks of the page's thread above 50 ms. @param {import("playwright-core").BrowserContext} context */
export const recordLongTasks = (context) =>
  context.addInitScript(() => {
    globalThis.longTasks = [];
    new PerformanceObserver((list) => globalThis.longTasks.push(...list.getEntries().map(({ startTime, duration }) => ({ startTime, duration })))).observe({ type: "longtask", buffered: true });
  });

/**
 * Returns the durations of tasks above 50 ms that began at least a second after the first view was rendered.
 * @param {import("playwright-core").Page} page
 */
export const longTasks = (page) =>
  page.evaluate(() => {
    const first = performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0;
    return globalThis.longTasks.filter(({ startTime }) => startTime > first + 1000).map(({ duration }) => duration);
  });

/**
 * Sets up token contracts on a network, in each of which the account has 7 tokens, and activates them in the page's
 * node from another tab of the same wallet.
 * @param {import("playwright-core").BrowserContext} context
 * @param {string} url the URL of the page
 * @param {Awaited<ReturnType<typeof import("../../test/evmchain.js").evmChain>>} chain
 * @param {{passphrase: string, account: string, count: number}} wanted
 */
export async function addTokens(context, url, chain, { passphrase, account, count }) {
  const code = await chain.ask("eth_getCode", await chain.deploy("Token20", 0), "latest");
  const balance = await chain.ask("web3_sha3", `0x${account.slice(2).padStart(64, "0")}${"".padStart(64, "0")}`); // OpenZeppelin's balances are in the first storage slot of a token
  const contracts = Array.from({ length: count }, (_, n) => `0x${String(n).padStart(40, "70c0")}`);
  for (const contract of contracts) {
    await chain.ask("anvil_setCode", contract, code);
    await chain.ask("anvil_setStorageAt", contract, balance, `0x${"7".padStart(64, "0")}`);
  }
  const tab = await context.newPage();
  await tab.route(`${url}package/*`, (route) => route.fulfill({ path: path.join(web, "dist", path.basename(new URL(route.request().url()).pathname)) }));
  await tab.goto(`${url}theme.js`);
  const { secret } = profileOf(passphrase);
  await tab.evaluate(
    async ({ library, config, contracts }) => {
      const { init } = await import(library);
      const node = await init({ config, log: () => {} });
      for (const [n, contract_address] of contracts.entries()) {
        await node.rpc("enable_erc20", { ticker: `T${n}-ERC20`, protocol: { type: "ERC20", protocol_data: { platform: "ETH", contract_address } } });
      }
      await node.stop();
    },
    { library: `${url}package/index.js`, config: { gui: "obverse page", passphrase: secret.passphrase, enable_hd: secret.hd, dbdir: "obverse" }, contracts },
  );
  await tab.close();
}
