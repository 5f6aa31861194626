/** Tokens of native nodes: other chains, many tokens, and a daemon API that is unavailable. */

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test as plain } from "node:test";
import { connect } from "obverse";
import { connectTo, nativeNode, secrets } from "./native.js";
import { browser, until, visit } from "./support.js";
import { amount, build, button, fact, look, OTHER } from "./tokensteps.js";

const test = (name, does) => plain(name, { timeout: 400000 }, does);

/** Opens a page that is connected to a native node, with or without its daemon API. */
async function native(t, { settings = [], tokens = true } = {}) {
  const opened = await browser(t, { routed: true });
  const node = await nativeNode(t, new URL(opened.url).origin, settings);
  const page = await opened.context.newPage();
  await page.goto(opened.url);
  await connectTo(page, node, tokens);
  // Chromium recommends one password per form, but both belong to the same node.
  const said = () => opened.said.filter((line) => !line.includes("Multiple forms"));
  return { page, node, said };
}

test("a native chain whose blocks are made when they are asked for", async (t) => {
  const { page, said } = await native(t, { settings: ["chain.ac_name=ASKED", "chain.ac_supply=100000000", "chain.ac_reward=100000000", "chain.ac_cc=2", "chain.regtest=true"] });
  await visit(page, "tokens", "Tokens");
  await page.getByText("a block is made on request").waitFor();
  await build(page, { name: "SOON", count: "1" });
  await page.getByText("There are not enough ASKED for it and its fee.").waitFor();
  await page.getByText(/generate 101/).waitFor();
  await visit(page, "tokens", "Tokens");
  const height = () => amount(page, "Block").then(BigInt);
  const before = await height();
  await button(page, "Make a block").click();
  await until(async () => (await height()) > before);
  await look(page, "regtest");

  // More tokens than floating point can represent exactly.
  const many = String(2n ** 53n - 1n + 2n ** 40n);
  await build(page, { name: "MANY", count: many });
  await page.getByRole("heading", { level: 1, name: "Create MANY" }).waitFor();
  assert.equal(await amount(page, "Token"), many);
  await button(page, "Broadcast").click();
  await page.getByText(/waits for a block/).waitFor();
  await page.getByRole("link", { name: "To the tokens" }).click();
  await page.getByText("waits for a block").waitFor();
  await button(page, "Make a block").click();
  await page.getByRole("row", { name: /MANY/ }).locator(`data[value="${many}"]`).first().waitFor();
  await page.getByText(/^in block \d+$/).waitFor();
  assert.deepEqual(said(), []);
});

test("a native node whose daemon API this page may not call", async (t) => {
  const { page, said } = await native(t, { tokens: false });
  await visit(page, "tokens", "Tokens");
  await page.getByText("has its own port and password").waitFor();
  await look(page, "nodaemon");
  assert.deepEqual(said(), []);
});

test("a daemon API that does not answer, or not with this password", async (t) => {
  const { page, node, said } = await native(t);
  await page.route(`${node.daemon}/`, (route) => route.abort());
  await visit(page, "tokens", "Tokens");
  await page.getByText("The daemon API of the node does not answer.").waitFor();
  assert.equal(await page.locator(".status").getAttribute("data-state"), "on", "the node itself does");
  await look(page, "away");
  // The page reloads all data if the chain has changed, which would happen before the clicks.
  const refuse = { status: 401, headers: { "access-control-allow-origin": new URL(page.url()).origin }, body: "" };
  await page.route(`${node.daemon}/`, (route) => (route.request().method() === "POST" ? route.fulfill(refuse) : route.continue()));
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("Wrong password for the daemon API.").waitFor();
  await page.route(`${node.daemon}/`, (route) => (/getbestblockhash|getmempoolinfo/.test(route.request().postData() ?? "") ? route.abort() : route.continue()));
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("No tokens yet.").waitFor();
  assert.deepEqual(said().filter((line) => !/ERR_FAILED|401/.test(line)), []);
});

/** Returns a client for the node, in addition to the page. */
function clientOf(t, node) {
  const client = connect({ url: node.node, userpass: secrets.rpc, daemon: { url: node.daemon, user: "obverse", password: secrets.daemon } });
  t.after(() => client.stop());
  return client;
}

test("a slow node gets no second request before it has answered, and a token's owner is not shown before it is known", async (t) => {
  const { page, node, said } = await native(t);
  const client = clientOf(t, node);
  const id = await client.daemon("sendrawtransaction", (await client.daemon("tokencreate", "SLOW", "0.000001")).hex);
  await client.daemon("generate", 1);
  let answer = () => {};
  const held = new Promise((resolve) => void (answer = () => resolve(undefined)));
  let looks = 0;
  await page.route(`${node.daemon}/`, async (route) => {
    const asked = route.request().postData() ?? "";
    looks += asked.includes("getbestblockhash") ? 1 : 0;
    await (/getinfo|getbestblockhash/.test(asked) && held);
    await route.continue();
  });
  await page.clock.install();
  await visit(page, `tokens/${id}`, "SLOW");
  assert.equal(await fact(page, "Creator").textContent(), "…");
  await until(() => looks > 0, "the page looks whether the chain is another one");
  await page.clock.runFor(20_000);
  await page.getByText("Balance of another key").click();
  await page.getByLabel("Public key").fill(OTHER);
  await button(page, "Check").click(); // this request follows all polling requests
  await page.getByText(/It holds/).locator("data[value='0']").waitFor();
  assert.equal(looks, 1);
  answer();
  await until(async () => (await fact(page, "Creator").textContent()) === "you");
  await page.clock.runFor(10_000);
  await until(() => looks > 1, "and looks again");
  assert.deepEqual(said(), []);
});

test("a list of many tokens, which others make too", async (t) => {
  const { page, node, said } = await native(t);
  const client = clientOf(t, node);
  const make = async (name, to) => {
    const id = await client.daemon("sendrawtransaction", (await client.daemon("tokencreate", name, "0.000001")).hex);
    await client.daemon("generate", 1);
    if (to) {
      await client.daemon("sendrawtransaction", (await client.daemon("tokentransfer", id, to, "100")).hex);
      await client.daemon("generate", 1);
    }
    return id;
  };
  const first = await make("ALPHA", OTHER);
  await visit(page, "tokens", "Tokens");
  await page.getByRole("row", { name: /ALPHA/ }).waitFor();
  assert.equal(await page.getByLabel("Find").count(), 0, "one token needs no search");
  for (let n = 0; n < 8; n++) {
    await make(`BETA ${n}`);
  }
  const rows = page.locator("tbody tr");
  await until(async () => (await rows.count()) === 9, "the list follows the chain");
  assert.match(await rows.last().textContent(), /ALPHA/, "what one holds comes first");
  await page.getByLabel("Only those that I hold").check();
  assert.equal(await rows.count(), 8);
  await page.getByLabel("Find").fill("beta 3");
  assert.equal(await rows.count(), 1);
  await page.getByLabel("Find").fill(first.slice(0, 12));
  await page.getByText("No token matches.").waitFor();
  await page.getByLabel("Only those that I hold").uncheck();
  assert.match(await rows.textContent(), /ALPHA/);
  await page.getByLabel("Find").fill("");
  await look(page, "many");
  assert.deepEqual(said(), []);
});

/**
 * Serves the daemon API of a node. Results of methods can be replaced, by a result or by a raw body.
 * @param {import("node:test").TestContext} t
 * @param {string} daemon
 * @param {string} origin the origin of the page
 */
async function hostile(t, daemon, origin) {
  /** @type {Record<string, string | ((params: any[]) => unknown)>} */
  const lies = {};
  const server = createServer(async (request, answer) => {
    answer.setHeader("Access-Control-Allow-Origin", origin).setHeader("Access-Control-Allow-Headers", "content-type,authorization");
    if (request.method === "OPTIONS") {
      answer.writeHead(204).end();
      return;
    }
    const chunks = [];
    for await (const chunk of request) {
      chunks.push(chunk);
    }
    const body = Buffer.concat(chunks).toString();
    const calls = JSON.parse(body);
    const lie = lies[[calls].flat()[0]?.method];
    const answered = typeof lie === "string" ? lie : null;
    const lied = ({ id, params }) => ({ id, error: null, result: /** @type {any} */ (lie)(params) });
    const honest = async () => (await fetch(daemon, { method: "POST", body, headers: { authorization: request.headers.authorization ?? "" } })).text();
    answer.setHeader("Content-Type", "application/json").end(lie === undefined ? await honest() : (answered ?? JSON.stringify(Array.isArray(calls) ? calls.map(lied) : lied(calls))));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  t.after(() => server.close().closeAllConnections());
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return { daemon: `http://127.0.0.1:${port}/`, lies };
}

test("a daemon API that answers anything: its lists are bounded, and what is invalid of one token leaves the others", async (t) => {
  const opened = await browser(t, { routed: true });
  const { origin } = new URL(opened.url);
  const { node, daemon } = await nativeNode(t, origin);
  const { daemon: between, lies } = await hostile(t, daemon, origin);
  const page = await opened.context.newPage();
  await page.goto(opened.url);
  await connectTo(page, { node, daemon: between });
  const id = (/** @type {number} */ n) => n.toString(16).padStart(64, "0");
  const info = (/** @type {string} */ tokenid, more = {}) => ({ result: "success", tokenid, owner: "02".repeat(33), name: `T${Number.parseInt(tokenid, 16)}`, supply: "1.0", description: "d", ...more });
  const honest = { tokenlist: () => [1, 2, 3].map(id), tokeninfo: ([token]) => info(token), tokenbalance: () => ({ result: "success", balance: 5 }) };
  const lie = async (/** @type {typeof lies} */ made) => {
    await visit(page, "settings", "Settings");
    Object.keys(lies).forEach((name) => delete lies[name]);
    Object.assign(lies, honest, made);
    await visit(page, "tokens", "Tokens");
  };
  const rows = () => page.locator("tbody tr").allInnerTexts();
  const bad = (/** @type {RegExp} */ why) => page.getByText("The answer is not that of an Obverse node.").waitFor().then(() => page.locator(".fault dd").filter({ hasText: why }).waitFor({ state: "attached" }));
  const first = (/** @type {unknown} */ value, otherwise = honest.tokeninfo) => (/** @type {any[]} */ params) => (params[0] === id(1) ? value : otherwise(params));

  await lie({});
  await until(async () => (await rows()).length === 3);
  for (const result of [null, 5, {}, info(id(1), { name: {} }), info(id(1), { supply: "much" })]) {
    await lie({ tokeninfo: first(result) });
    await until(async () => (await rows()).some((row) => row.startsWith("(no name)")) && (await rows()).filter((row) => /^T[23]/.test(row)).length === 2, `T2 and T3 next to ${JSON.stringify(result)}`);
  }
  for (const balance of ["abc", null, "9".repeat(1000)]) {
    await lie({ tokenbalance: first({ balance }, honest.tokenbalance) });
    await until(async () => (await rows()).length === 3 && (await rows()).filter((row) => row.includes("unknown")).length === 1);
  }
  await lie({ tokenlist: () => [5, null, {}, "x", id(2)] });
  await until(async () => (await rows()).length === 1);
  await lie({ tokeninfo: ([token]) => info(token, { name: "N".repeat(100_000) }) });
  await until(async () => (await rows()).length === 3 && (await rows()).every((row) => row.length < 200));
  for (const tokenlist of [() => null, () => ({}), () => "abc"]) {
    await lie({ tokenlist });
    await bad(/^tokenlist: unexpected form/);
  }
  await lie({ tokenlist: `{"result":[${"1,".repeat(7_000_000)}1],"error":null}` });
  await bad(/^tokenlist: a list in the answer has more than 250000 members/);
  await lie({ getinfo: () => null });
  await bad(/^getinfo: unexpected form/);
  await lie({ getinfo: JSON.stringify({ result: null, error: { code: -1, message: "E".repeat(200_000) } }) });
  await page.locator(".fault").waitFor();
  assert((await page.locator("main").innerText()).length < 50_000, "errors are cut");
});
