import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test as plain } from "node:test";
import { sharing } from "../../test/sharing.js";
import { accounts, activate, cosmosChain, nativeWallet } from "./money.js";
import { connectTo, isOfEnd, nativeNode } from "./native.js";
import { browser, checkAccess, checkWidth, isOpen, picture, sizes, until, visit, wallet } from "./support.js";

const test = (name, does) => plain(name, { timeout: 400000 }, does);

/** Returns the value of a fact about the node. */
const fact = (page, name) => page.locator(`dt:text-is("${name}") + dd`);

const events = (page) => page.getByRole("region", { name: "Events", exact: true });

/** Checks the view in all sizes and colour schemes. */
async function look(page, name) {
  await picture(page, `node-${name}`);
  await checkAccess(page);
  await page.setViewportSize(sizes.phone);
  await checkWidth(page);
  await page.setViewportSize(sizes.desktop);
}

/** Returns the address of a closed server. */
async function closedPort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = server.address();
  await new Promise((resolve) => server.close(() => resolve(undefined)));
  return `http://127.0.0.1:${port}/`;
}

/** Stops the heartbeats. @param {import("playwright-core").Page} page */
async function quiet(page) {
  await page.getByRole("checkbox", { name: "Heartbeats" }).uncheck();
  await until(() => page.getByLabel("Seconds between two heartbeats").isEnabled());
}

const inWallet = sharing("the node of an open wallet", (t) => wallet(t, { passphrase: accounts.user.passphrase }));

inWallet("how the node in this page is", async (t, { page, said }) => {
  await visit(page, "node", "Node");
  await page.getByText("at work", { exact: true }).waitFor();
  assert.equal(await fact(page, "Runs").textContent(), "in this tab, in a worker");
  assert.match(await fact(page, "Data").textContent(), /^in the browser's private files, /);
  assert.equal(await fact(page, "Token chain").textContent(), "OBVERSE, block 1");
  assert.match(await fact(page, "Peers").textContent(), /^none/);
  assert.equal(await fact(page, "Active coins").textContent(), "none");
  assert.match((await fact(page, "Peer ID").locator(".groups").textContent()).replaceAll(/\s/g, ""), /^12D3Koo\w+$/);
  await look(page, "page");
  assert.deepEqual(said, []);
});

inWallet("events come, are filtered, held, and thrown away", async (t, { page, said }) => {
  await visit(page, "node", "Node");
  const [list, filter, pause, clear] = [events(page), page.getByLabel("Filter").first(), page.getByRole("button", { name: "Pause" }).first(), page.getByRole("button", { name: "Clear" }).first()];
  await page.getByText("No events yet.").waitFor();
  const seconds = page.getByLabel("Seconds between two heartbeats");
  const beats = page.getByRole("checkbox", { name: "Heartbeats" });
  await seconds.fill("0");
  await beats.click();
  await page.getByText("Enter 0.1 to 3600 seconds.").waitFor();
  assert(!(await beats.isChecked()), "a stream that is not on is not ticked");
  await seconds.fill("0.1");
  await beats.click();
  await list.getByText("HEARTBEAT").nth(2).waitFor();
  await until(() => seconds.isDisabled());
  await look(page, "events");
  await clear.click(); // a list that is full, as after a long time, does not grow any more
  await list.getByText("HEARTBEAT").first().waitFor();

  await pause.click();
  assert.equal(await pause.getAttribute("aria-pressed"), "true");
  const held = await list.getByRole("listitem").count();
  await page.getByText(/paused: ([2-9]|\d\d+) more since/).waitFor();
  assert.equal(await list.getByRole("listitem").count(), held, "nothing moves in a list that is held");
  await filter.fill("balance");
  await page.getByText("No match.").waitFor();
  await filter.fill("heartbeat {}");
  assert.equal(await list.getByRole("listitem").count(), held);
  await filter.fill("");
  await pause.click();
  await until(async () => (await list.getByRole("listitem").count()) > held);

  await visit(page, "settings", "Settings");
  await visit(page, "node", "Node");
  assert(await beats.isChecked(), "it goes on while one looks at something else");
  const before = await list.getByRole("listitem").count();
  assert(before > held);
  await beats.uncheck();
  await until(() => seconds.isEnabled());
  await until(async () => {
    await clear.click(); // the node may report another event before it receives the request to stop
    return page.getByText("No events yet.").isVisible();
  });

  await beats.check();
  await list.getByText("HEARTBEAT").first().waitFor();
  await page.getByRole("button", { name: "Lock" }).click();
  await page.getByRole("textbox", { name: "Password" }).fill("correct horse battery");
  await page.getByRole("button", { name: "Unlock" }).click();
  await isOpen(page);
  await visit(page, "node", "Node");
  await page.getByText("No events yet.").waitFor();
  assert(!(await beats.isChecked()), "a wallet that was locked has forgotten them");
  assert.deepEqual(said, []);
});

inWallet("the newest event is above", async (t, { page, said }) => {
  await visit(page, "node", "Node");
  await page.getByLabel("Seconds between two heartbeats").fill("0.1");
  await page.getByRole("checkbox", { name: "Heartbeats" }).check();
  const times = events(page).locator("time");
  await times.nth(4).waitFor();
  const shown = await times.evaluateAll((all) => all.map((one) => one.dateTime));
  assert.deepEqual(shown, [...shown].sort().reverse(), "the newest is above");
  await quiet(page);
  assert.deepEqual(said, []);
});

inWallet("two tabs: the one that has no node of its own says so", async (t, opened) => {
  const { context, page, url, said } = opened;
  const second = await context.newPage();
  await second.goto(url);
  await isOpen(second);
  await visit(second, "node", "Node");
  await second.getByText("at work", { exact: true }).waitFor();
  assert.equal(await fact(second, "Runs").textContent(), "in this page's origin, in another tab");
  await second.getByText("Another tab runs the node, and has its log.").waitFor();
  await second.getByLabel("Seconds between two heartbeats").fill("0.1");
  await second.getByRole("checkbox", { name: "Heartbeats" }).check();
  await events(second).getByText("HEARTBEAT").nth(1).waitFor();
  await page.close();
  opened.page = second;
  await second.getByText("in this tab, in a worker").waitFor();
  const newest = () => events(second).locator("time").first().getAttribute("datetime");
  const before = await newest();
  await until(async () => (await newest()) !== before, "events go on with the new owner");
  await quiet(second);
  assert.deepEqual(said, []);
});

inWallet("balances of an active coin, and what the node logs of its servers", async (t, { page, said }) => {
  const chain = await cosmosChain(t);
  await activate(page, [chain, { url: await closedPort() }]);
  await visit(page, "node", "Node");
  await page.getByText("at work", { exact: true }).waitFor();
  assert.equal(await fact(page, "Active coins").textContent(), "ATOM");
  await page.getByRole("checkbox", { name: "Balances of ATOM" }).check();
  const change = events(page).getByRole("listitem").filter({ hasText: "BALANCE:ATOM" });
  await until(async () => {
    chain.give(accounts.user.address, "uatom", "1500000");
    return (await change.count()) > 0;
  }, "an event of the balance");
  assert.match(await change.first().textContent(), /"ticker":"ATOM","balance":\{"spendable":"\d+\.?\d*"/);

  const log = page.getByRole("region", { name: "Log of the node" });
  const line = log.getByText(/excluded a node of a coin/);
  await line.waitFor();
  await look(page, "log");
  await page.getByLabel("Lines").selectOption("error");
  await log.getByText("Nothing was logged.").waitFor();
  await page.getByLabel("Lines").selectOption("warn");
  await line.waitFor();
  await page.getByLabel("Filter").last().fill("no such words");
  await log.getByText("No match.").waitFor();
  assert.deepEqual(said.filter((text) => !text.includes("ERR_CONNECTION_REFUSED")), []);
});

test("a stream that is being enabled is ticked, even if the list of streams is loaded again meanwhile", async (t) => {
  const chain = await cosmosChain(t);
  const { page, node } = await nativeWallet(t);
  await activate(page, [chain]);
  const gate = () => {
    let go = () => {};
    const wait = new Promise((resolve) => (go = () => resolve(undefined)));
    return { wait, go };
  };
  const [first, second, enable] = [gate(), gate(), gate()];
  const asked = [];
  await page.route(`${node}/**`, async (route) => {
    const { method } = route.request().method() === "POST" ? route.request().postDataJSON() : {};
    asked.push(method);
    const again = method === "rpc.discover" && asked.indexOf(method) < asked.length - 1;
    await (method === "version" ? first.wait : method === "stream::heartbeat::enable" ? enable.wait : again && second.wait);
    await route.continue();
  });
  const answered = page.waitForResponse((response) => response.request().postData()?.includes("rpc.discover") ?? false);
  await visit(page, "node", "Node");
  await (await answered).finished();
  first.go(); // the active coins are known after the streams, so the streams are requested again
  const beats = page.getByRole("checkbox", { name: "Heartbeats" });
  await beats.click();
  await until(() => asked.includes("stream::heartbeat::enable") && asked.filter((method) => method === "rpc.discover").length === 2);
  const reloaded = page.waitForResponse((response) => response.request().postData()?.includes("rpc.discover") ?? false);
  second.go();
  await (await reloaded).finished();
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
  assert(await beats.isChecked());
  enable.go();
  await events(page).getByText("HEARTBEAT").first().waitFor();
  assert(await beats.isChecked());
});

test("a native node, its events, and its end", async (t) => {
  const { context, url, said } = await browser(t);
  const native = await nativeNode(t, new URL(url).origin);
  const page = await context.newPage();
  await page.goto(url);
  await connectTo(page, native);
  await visit(page, "node", "Node");
  await page.getByText("at work", { exact: true }).waitFor();
  assert.match(await fact(page, "Runs").textContent(), /^natively, at http:\/\/127\.0\.0\.1:\d+/);
  assert.equal(await fact(page, "Data").textContent(), "in the node's own folder");
  await page.getByText("A native node writes its log where it was started.").waitFor();
  await page.getByLabel("Seconds between two heartbeats").fill("0.1");
  await page.getByRole("checkbox", { name: "Heartbeats" }).check();
  await events(page).getByText("HEARTBEAT").nth(1).waitFor();
  await look(page, "native");
  await native.stop();
  await page.getByText("does not answer", { exact: true }).waitFor();
  assert.deepEqual(said.filter((line) => !isOfEnd(line)), []);
});

test("a page served by a native node shows the node's status and tokens", async (t) => {
  const { context, said } = await browser(t);
  const native = await nativeNode(t, "https://elsewhere.example");
  const page = await context.newPage();
  await page.goto(native.node);
  await connectTo(page, native);
  await visit(page, "node", "Node");
  await page.getByText("at work", { exact: true }).waitFor();
  assert.notEqual(await fact(page, "Since").textContent(), "Invalid Date");
  await visit(page, "tokens", "Tokens");
  await page.getByText("No tokens yet.").waitFor();
  assert.deepEqual(said.filter((line) => !line.includes("Multiple forms")), []);
});
