/**
 * All network requests of a browser during a session, from the browser's own log, which includes workers and sockets,
 * compared with the list of hosts in Settings. Each switch of that list stops the requests that it names.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { nftServices } from "../../test/evmchain.js";
import { amount, row } from "./money.js";
import { browser, folder, isOpen, restore, until, visit } from "./support.js";
import { EVM, usualWorld } from "./usual.js";

/**
 * Returns the hosts in a log of Chromium's network stack that a site requested: of all requests, including websockets, with
 * a site as initiator. A browser with windows also makes requests of its own, for updates, accounts and autofill.
 * @param {string} file
 */
function hostsIn(file) {
  const hosts = new Set();
  for (const line of readFileSync(file, "utf8").split("\n").filter((line) => line.includes('"initiator":"http'))) {
    const { url } = JSON.parse(line.replace(/,\s*$/, "")).params;
    url && hosts.add(new URL(url).host);
  }
  return hosts;
}

/** Returns the hosts that Settings lists. Each row has a switch. @param {import("playwright-core").Page} page */
async function listed(page) {
  await visit(page, "settings", "Settings");
  await page.getByRole("checkbox", { name: /^Ethereum/ }).waitFor();
  await until(async () => (await page.locator(".asks .check small").allInnerTexts()).every((text) => text !== ""), "each row has its hosts");
  const rows = await page.locator(".asks .check small").allInnerTexts();
  return new Set(rows.flatMap((text) => text.match(/(?:[\w-]+\.)+\w+(?::\d+)?/g) ?? []));
}

/** Uses all features that make requests. @param {import("playwright-core").Page} page */
async function session(page) {
  await visit(page, "", "Home");
  await amount(page, "993.4998").waitFor();
  await page.locator(".worth", { hasText: "$4,480.68" }).waitFor();
  await visit(page, "activity", "Activity");
  await page.locator(".activity button.row").first().click();
  await page.getByRole("dialog").getByText("Confirmed in block").waitFor();
  await page.keyboard.press("Escape");
  await visit(page, "nfts/ETH", "NFTs");
  await page.locator(".tiles > li").first().waitFor();
  await visit(page, "receive/ETH", "Receive");
  await page.getByRole("img", { name: /QR/ }).waitFor();
  await visit(page, "send/ETH", "Send");
  await page.getByRole("textbox", { name: "To", exact: true }).fill("nick.eth");
  await page.getByRole("textbox", { name: /^Amount/ }).fill("0.1");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.locator(".wrong, [role=alert]").first().waitFor(); // this chain has no names
  await visit(page, "coin/ATOM", /^Cosmos/);
  await page.getByText(/^The operators of/).waitFor();
  await visit(page, "settings", "Settings");
}

test("a whole session asks only whom Settings names, and each switch there ends its requests", { timeout: 400000 }, async (t) => {
  const log = path.join(folder(t), "net.json");
  const { context, url } = await browser(t, { usual: true, args: [`--log-net-log=${log}`, "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"] });
  const world = await usualWorld(t, context, { dead: [] });
  const pictures = await world.ethereum.deploy("Token721");
  await world.ethereum.send(pictures, "mint(address,uint256,string)", EVM, 1, "https://meta.example/1");
  const services = await nftServices(t, world.ethereum, { documents: { "https://meta.example/1": JSON.stringify({ name: "Lighthouse" }) } });
  /** @type {Set<string>} */
  let asked = new Set();
  context.on("request", (request) => asked.add(new URL(request.url()).host)); // includes requests that this test answers instead of the internet
  const page = await context.newPage();
  await page.goto(url);
  await restore(page, { passphrase: world.passphrase });
  await row(page, "MATIC").waitFor();
  await amount(page, "1.234567890123456789").waitFor();
  await visit(page, "nfts/ETH", "NFTs");
  await page.getByText(/^1 NFT/).waitFor(); // the NFT is read from the chain itself
  await page.getByText("Use an indexer instead").click();
  await page.getByRole("textbox", { name: "Indexer" }).fill(services.url);
  await page.getByRole("textbox", { name: "Anti-spam service" }).fill(services.url);
  await page.getByRole("button", { name: "Use these" }).click();
  await page.getByRole("button", { name: "Refresh" }).click();
  await page.getByText("The NFTs on Ethereum are refreshed").waitFor({ state: "attached" });
  await session(page);
  const known = await listed(page);
  for (const one of [world.cosmos.url, world.ethereum.url, world.polygon.url, services.url, "https://api.coingecko.com"]) {
    assert(known.has(new URL(one).host), `${one} is listed`);
    assert(asked.has(new URL(one).host), `${one} was asked`);
  }
  const own = new URL(url).host;
  assert.deepEqual([...asked].filter((host) => host !== "" && host !== own && !known.has(host)), []);

  const groups = [
    [/^Show what coins are worth/, "https://api.coingecko.com"],
    [/^NFTs on Ethereum/, services.url],
    [/^Cosmos Hub/, world.cosmos.url],
    [/^Ethereum/, world.ethereum.url],
    [/^Polygon/, world.polygon.url],
  ];
  const places = async () => (await page.locator(".asks .check").allInnerTexts()).map((text) => groups.findIndex(([name]) => name.test(text.trim()))).filter((n) => n >= 0);
  const before = await places();
  assert.equal(before.length, groups.length);
  for (const [name] of groups) {
    const box = page.getByRole("checkbox", { name });
    await box.click();
    await until(async () => !(await box.isChecked()) && (await box.isEnabled()), `${name} is off`);
  }
  assert.deepEqual(await places(), before, "a switch that is turned stays in its place");
  await page.reload(); // pending requests have ended
  await isOpen(page);
  asked = new Set();
  await visit(page, "", "Home");
  await page.getByText("No coin is active yet.").waitFor();
  await visit(page, "activity", "Activity");
  await visit(page, "nfts", "NFTs");
  await visit(page, "send", "Send");
  await visit(page, "settings", "Settings");
  for (const [name] of groups) {
    assert.equal(await page.getByRole("checkbox", { name }).isChecked(), false, String(name));
  }
  assert.deepEqual([...asked].filter((host) => host !== own && host !== ""), []);

  for (const [name] of groups.toReversed()) {
    const box = page.getByRole("checkbox", { name });
    await until(async () => box.isEnabled(), `${name} can be switched`);
    await box.click();
    await until(async () => (await box.isChecked()) && (await box.isEnabled()), `${name} is on`);
  }
  await visit(page, "", "Home");
  for (const value of ["993.4998", "1.234567890123456789", "1250.5", "42"]) {
    await amount(page, value).waitFor();
  }
  await context.browser()?.close(); // completes the log
  console.log(`# asked: ${[...hostsIn(log)].join(", ")}`);
  const all = [...hostsIn(log)].filter((host) => host !== own && !known.has(host));
  assert.deepEqual(all, []);
  assert(hostsIn(log).has(new URL(world.cosmos.url).host), "the log has what the node's worker asks");
});
