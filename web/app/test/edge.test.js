/** The wallet page with a node at the edge, in workerd, which also serves the page. */

import assert from "node:assert/strict";
import { get } from "node:http";
import path from "node:path";
import { test as plain } from "node:test";
import { accounts, activate, amount as shown, cosmosChain } from "./money.js";
import { connectTo, secrets } from "./native.js";
import { browser, isOpen, policy, until, visit } from "./support.js";
import { amount, broadcast, build, button, OTHER } from "./tokensteps.js";
import { configure, serveEdge } from "../../test/edge.js";
import { web } from "../../test/support.js";

const test = (name, does) => plain(name, { timeout: 400000 }, does);

/** Starts workerd with the page and, at the root, a node. */
async function edge(t) {
  const { url } = await serveEdge(t, path.join(web, "dist/app"));
  await configure(url, "n0", { passphrase: accounts.user.passphrase, rpc_password: secrets.rpc, daemon: { rpcpassword: secrets.daemon } });
  return { url, node: `${url}/`, daemon: `${url}/daemon` };
}

/**
 * Returns the headers of a response over a separate connection, since the server may close an idle connection when the next request is
 * sent.
 * @param {string} url
 */
const headersOf = (url) =>
  new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => resolve(response.resume().headers)).on("error", reject);
  });

test("tokens and coins of a node at the edge", async (t) => {
  const opened = await browser(t);
  const node = await edge(t);
  const page = await opened.context.newPage();
  const answer = await page.goto(node.url);
  assert.equal(answer?.headers()["content-security-policy"], policy);
  for (const [file, keep] of [["", "no-cache"], ["session-worker.js", "no-cache"], ["manifest.webmanifest", "no-cache"], [new URL(await page.locator("script[type=module]").getAttribute("src") ?? "", node.node).pathname.slice(1), "public, max-age=31536000, immutable"], ["assets/none.js", "no-store"]]) {
    const headers = await headersOf(node.node + file);
    assert.deepEqual([headers["cache-control"], headers["content-security-policy"]], [keep, policy], file);
  }
  await connectTo(page, node);
  await isOpen(page);

  await build(page, { name: "EDGE", count: "10000" });
  await page.getByRole("heading", { level: 1, name: "Create EDGE" }).waitFor();
  await broadcast(page);
  await page.getByRole("row", { name: /EDGE/ }).getByRole("link").click();
  await page.getByRole("link", { name: "Transfer", exact: true }).click();
  await page.getByLabel("Public key of the new owner").fill(OTHER);
  await page.getByLabel("How many").fill("2500");
  await button(page, "Continue").click();
  await page.getByText("Signed, not sent yet.").waitFor();
  await broadcast(page);
  await page.getByRole("row", { name: /EDGE/ }).getByRole("link").click();
  await page.getByRole("heading", { level: 1, name: "EDGE" }).waitFor();
  await until(async () => (await amount(page, "You hold")) === "7500");

  const chain = await cosmosChain(t);
  await activate(page, [chain]);
  await visit(page, "", "Home");
  const before = chain.has(accounts.user.address, "uatom");
  const inAtom = (uatom) => String(Number(uatom) / 1e6);
  await shown(page, inAtom(before)).first().waitFor();
  chain.give(accounts.user.address, "uatom", "5000000");
  await shown(page, inAtom(BigInt(before) + 5000000n)).first().waitFor();
});
