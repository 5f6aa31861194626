import assert from "node:assert/strict";
import { sharing } from "../../test/sharing.js";
import { accounts, activate, amount, cosmosChain, nativeWallet, withoutCoins } from "./money.js";
import { checkAccess, checkWidth, FAST, isOpen, picture, sizes, until, visit, wallet } from "./support.js";

const IRIS = "ibc/9FBA79F830617D8C17C6D22BA1BB069C0515DAF2F942C5D82863552832E00F01";
const { user } = accounts;
const inWallet = withoutCoins(sharing("an open wallet without coins", (t) => wallet(t, { passphrase: user.passphrase, speed: FAST })));
const inNative = withoutCoins(sharing("a native node without coins", (t) => nativeWallet(t)));

inWallet("an empty portfolio says what to do", async (t, { page, said }) => {
  await page.getByText("No coin is active yet.").waitFor();
  await checkAccess(page);
  await page.setViewportSize(sizes.phone);
  await checkWidth(page);
  await picture(page, "portfolio-empty");
  await page.getByRole("main").getByRole("link", { name: "Add coins" }).click();
  await page.getByRole("heading", { level: 1, name: "Add coins" }).waitFor();
  await visit(page, "receive", "Receive");
  await page.getByText("No coin is active yet.").waitFor();
  assert.deepEqual(said, []);
});

inWallet("balances are exact, and change when the chain says so", async (t, { page, said }) => {
  const chain = await cosmosChain(t);
  await activate(page, [chain], { tokens: ["IRIS-IBC_ATOM"] });
  await visit(page, "", "Home");
  await amount(page, "993.4998").waitFor();
  await until(() => chain.listeners.size > 0, "the node listens to the chain");
  const live = page.getByRole("status").filter({ hasText: "ATOM" });
  const rows = () => page.locator(".coin").evaluateAll((all) => all.map((row) => JSON.stringify(row.getBoundingClientRect())));
  const before = await rows();

  chain.give(user.address, "uatom", "1");
  await amount(page, "993.499801").waitFor();
  await live.getByText("ATOM: 0.000001 more, now 993.499801").waitFor();
  await page.locator(".toasts").getByText("ATOM: 0.000001 more, now 993.499801").waitFor(); // also shown while the page is visible
  chain.give(user.address, IRIS, "12345678901234567890");
  await amount(page, "12345678901234.56789").waitFor();
  await live.getByText("IRIS-IBC_ATOM: 12345678901234.56789 more").waitFor();
  assert.deepEqual(await rows(), before, "nothing has moved");

  await checkAccess(page);
  await page.setViewportSize(sizes.phone);
  await checkWidth(page);
  await checkAccess(page);
  await picture(page, "portfolio");
  assert.deepEqual(said, []);
});

inNative("what came before the node listens is reported too", async (t, { page, node }) => {
  const chain = await cosmosChain(t);
  let listen = () => {};
  const wait = new Promise((resolve) => (listen = () => resolve(undefined)));
  await page.route(`${node}/**`, async (route) => {
    await (route.request().postData()?.includes('"stream::balance::enable"') && wait);
    await route.continue();
  });
  await activate(page, [chain]);
  const own = (await page.locator(".groups").innerText()).replaceAll(/\s/g, "");
  await visit(page, "", "Home");
  await amount(page, "0").waitFor();
  chain.give(own, "uatom", "1500000");
  await until(() => chain.has(own, "uatom") > 0n);
  listen();
  await amount(page, "1.5").waitFor();
  await page.getByRole("status").getByText("ATOM: 1.5 more, now 1.5").waitFor();
});

inWallet("balances that cannot be spent yet are shown separately", async (t, { page }) => {
  const chain = await cosmosChain(t);
  chain.lock(user.address, "uatom", "500000000");
  await activate(page, [chain]);
  await visit(page, "", "Home");
  await amount(page, "993.4998").waitFor();
  assert.match(await page.locator(".coin").first().innerText(), /493\.499 can be spent, 500 cannot yet/);
  await checkAccess(page);
});

inWallet("each coin's view has its exact balance, its address and its actions", async (t, { page }) => {
  const chain = await cosmosChain(t);
  await activate(page, [chain]);
  for (const [label, heading] of [["Receive", "Receive"], ["Send", "Send"], ["History", "History"]]) {
    await visit(page, "", "Home");
    await page.locator('.coin[data-coin="ATOM"] a').click();
    await page.getByRole("heading", { level: 1, name: /^Cosmos/ }).waitFor();
    assert.equal(await page.locator(".exact").innerText(), "993.4998 ATOM");
    await checkAccess(page);
    await page.getByRole("link", { name: `${label} ATOM` }).click();
    await page.getByRole("heading", { level: 1, name: heading }).waitFor();
    assert.equal(await page.getByLabel("Coin").inputValue(), "ATOM");
  }
});

inWallet("after a reload the node brings coins back, as soon as a server of theirs answers", async (t, { page }) => {
  const chain = await cosmosChain(t);
  await activate(page, [chain], { tokens: ["IRIS-IBC_ATOM"] });
  await page.reload();
  await isOpen(page);
  await visit(page, "", "Home");
  await amount(page, "993.4998").waitFor();
  assert.equal(await page.locator(".coin[data-coin]").count(), 2);

  chain.fail();
  await page.reload();
  await isOpen(page);
  await page.getByText("Cosmos Hub is not reachable.").waitFor();
  await page.locator(".unreachable summary").click();
  assert.equal(await page.getByRole("link", { name: "Use other servers for ATOM" }).count(), 1);
  assert.equal(await page.getByText("Nothing here yet").count(), 0);
  await amount(page, "993.4998").waitFor(); // the previous amount
  await checkAccess(page);
  await picture(page, "portfolio-returning");
  await visit(page, "send", "Send");
  await page.getByText("no server of the network answers").waitFor();
  await visit(page, "", "Home");
  await page.reload(); // the interval between the node's attempts grows
  await isOpen(page);
  await page.getByText("Cosmos Hub is not reachable.").waitFor();
  chain.fail(0);
  await amount(page, "993.4998").waitFor();
  await page.getByText("Cosmos Hub is not reachable.").waitFor({ state: "hidden" });
});

inWallet("a balance that cannot be read is not 0, and comes by itself", async (t, { page }) => {
  const chain = await cosmosChain(t);
  await activate(page, [chain]);
  await visit(page, "", "Home");
  await amount(page, "993.4998").waitFor();
  const balance = (answer) => chain.behave(({ method, params }) => (method === "abci_query" && params.path.endsWith("Balance") ? answer() : undefined));
  balance(() => ({ status: 500 }));
  await page.reload();
  await isOpen(page);
  const unreachable = page.getByText("Cosmos Hub is not reachable.");
  await unreachable.waitFor();
  await page.locator(".unreachable details", { hasText: "The coin's servers do not answer." }).waitFor(); // after the node has restored the coin
  await amount(page, "993.4998").waitFor();
  await page.getByText("Balance as of ").waitFor();
  await page.evaluate(() => Object.keys(localStorage).filter((name) => name.startsWith("obverse.balances.")).forEach((name) => localStorage.removeItem(name)));
  await page.reload();
  await isOpen(page);
  await page.getByText("unknown").waitFor();
  let [go, asked] = [() => {}, 0];
  const wait = new Promise((resolve) => (go = () => resolve(undefined)));
  balance(() => void asked++ || wait); // the node also polls and must not be first
  await page.getByRole("button", { name: "Try again" }).click();
  await until(() => asked > 0);
  go();
  await amount(page, "993.4998").waitFor();
  await unreachable.waitFor({ state: "hidden" });
});

inWallet("where there is no websocket, the node looks for changes", async (t, { page }) => {
  const chain = await cosmosChain(t, { socket: false });
  await activate(page, [chain]);
  await visit(page, "", "Home");
  await amount(page, "993.4998").waitFor();
  chain.give(user.address, "uatom", "1");
  await amount(page, "993.499801").waitFor();
});

inNative("balances of a native node are live too", async (t, { page, said }) => {
  const chain = await cosmosChain(t);
  await activate(page, [chain]);
  await visit(page, "", "Home");
  await amount(page, "0").waitFor();
  await until(() => chain.listeners.size > 0, "the node listens to the chain");
  await visit(page, "receive", "Receive");
  const address = await page.getByRole("main").locator(".groups").first().innerText();
  await visit(page, "", "Home");
  chain.give(address.replaceAll(/\s/g, ""), "uatom", "1500000");
  await amount(page, "1.5").waitFor();
  assert.deepEqual(said, []);
});

inWallet("two tabs show the same, and what one activates appears in the other", async (t, { page, context, url }) => {
  const chain = await cosmosChain(t);
  const second = await context.newPage();
  await second.goto(url);
  await isOpen(second);
  await second.getByText("No coin is active yet.").waitFor();
  await activate(page, [chain]);
  await amount(second, "993.4998").waitFor();
  await until(() => chain.listeners.size > 0);
  chain.give(user.address, "uatom", "1");
  await amount(second, "993.499801").waitFor();
  await page.close(); // this page ran the node; this is the last subtest
  await until(() => chain.listeners.size > 0);
  chain.give(user.address, "uatom", "1");
  await amount(second, "993.499802").waitFor();
});

inNative("a restarted native node restores its coins, and their updates resume", async (t, { page, restart }) => {
  const chain = await cosmosChain(t);
  await activate(page, [chain]);
  const own = (await page.locator(".groups").innerText()).replaceAll(/\s/g, "");
  await visit(page, "", "Home");
  await amount(page, "0").waitFor();
  await until(() => chain.listeners.size > 0);
  await restart(() => until(() => chain.listeners.size === 0));
  await until(() => chain.listeners.size > 0, "the node listens to the chain again");
  await amount(page, "0").waitFor();
  chain.give(own, "uatom", "2500000");
  await amount(page, "2.5").waitFor();
});
