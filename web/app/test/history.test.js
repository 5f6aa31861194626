import assert from "node:assert/strict";
import { test as plain } from "node:test";
import { accounts, activate, cosmosChain, moneyWallet, nativeWallet } from "./money.js";
import { checkAccess, checkWidth, isOpen, picture, sizes, until, visit, wallet } from "./support.js";

const test = (name, does) => plain(name, { timeout: 120000 }, does);
const { user, other } = accounts;

const items = (page) => page.locator(".history > li");
/** What an entry says while it is closed, in one line. */
const line = async (item) => (await item.locator("summary").innerText()).replace(/\s+/g, " ").trim();

test("pages of transactions, exactly, with all that is known of each", async (t) => {
  const { page, said } = await moneyWallet(t);
  await visit(page, "history", "History");
  await page.getByText("Page 1 of 2").waitFor();
  assert.equal(await items(page).count(), 20);
  assert.match(await line(items(page).first()), /^Sent .* · confirmed −0\.100022 ATOM$/);
  await checkAccess(page);
  await picture(page, "history");
  await page.setViewportSize(sizes.phone);
  await checkWidth(page);
  await page.setViewportSize(sizes.desktop);

  const newer = page.getByRole("button", { name: "Newer" });
  const older = page.getByRole("button", { name: "Older" });
  assert.equal(await newer.isDisabled(), true);
  await older.click();
  await page.getByText("Page 2 of 2").waitFor();
  assert.equal(await older.isDisabled(), true);
  await until(async () => (await items(page).count()) === 7);
  const lines = await Promise.all((await items(page).all()).map(line));
  for (const [words, change] of [["Fee", "−0\\.1"], ["Sent to yourself", "−0\\.1"], ["Received", "\\+2\\.5"], ["Sent", "−1\\.1"]]) {
    assert(lines.some((text) => new RegExp(`^${words} .* ${change} ATOM$`).test(text)), `${words} in ${lines.join("\n")}`);
  }

  const last = items(page).last();
  await last.locator("summary").focus();
  await page.keyboard.press("Enter");
  const fact = (name) => last.locator("dt", { hasText: new RegExp(`^${name}$`) }).locator("xpath=following-sibling::dd[1]");
  assert.equal((await fact("To").locator(".groups").innerText()).replaceAll(/\s/g, ""), other.address);
  assert.equal(await fact("Moved").innerText(), "1.1 ATOM");
  assert.equal(await fact("Fee").innerText(), "0.1 ATOM of the whole transaction");
  assert.equal(await fact("Memo").innerText(), 'Grüße, "first" <memo> & 🚀');
  assert.match(await fact("Block").innerText(), /^3, \d+ confirmations$/);
  assert.match(await last.locator("time").getAttribute("datetime"), /^2026-11-21T20:01:01/);
  await checkAccess(page);
  await picture(page, "history-details");
  await page.setViewportSize(sizes.phone);
  await checkWidth(page);
  await newer.click();
  await page.getByText("Page 1 of 2").waitFor();
  assert.deepEqual(said, []);
});

test("a new transaction comes by itself, and so does one's own", async (t) => {
  const { page, chain } = await moneyWallet(t);
  await visit(page, "history", "History");
  await page.getByText("Page 1 of 2").waitFor();
  await until(() => chain.listeners.size > 0);
  chain.give(user.address, "uatom", "123");
  await page.locator("summary .in data[value='0.000123']").waitFor();
  assert.match(await line(items(page).first()), /^Received/);
  await visit(page, "send", "Send");
  await page.getByRole("textbox", { name: "To", exact: true }).fill(other.address);
  await page.getByRole("textbox", { name: /^Amount/ }).fill("2");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Send 2 ATOM" }).click();
  await page.getByText("and final").waitFor();
  await page.getByRole("link", { name: "History of ATOM" }).click();
  await page.locator("summary data[value='-2.027625']").waitFor();
});

test("an empty history says so", async (t) => {
  const chain = await cosmosChain(t);
  const { page } = await wallet(t, { passphrase: "nobody has ever sent anything to this one" });
  await activate(page, [chain]);
  await visit(page, "history", "History");
  await page.getByText("There are no transactions of ATOM yet.").waitFor();
  await checkAccess(page);
});

test("what is not kept can be loaded", async (t) => {
  const { page } = await moneyWallet(t, { history: false, tokens: ["IRIS-IBC_ATOM"] });
  await visit(page, "history", "History");
  await page.getByText("The history of ATOM is not kept: ATOM was activated without it.").waitFor();
  await checkAccess(page);
  await picture(page, "history-none");
  await page.getByRole("button", { name: "Load the history" }).click();
  await page.getByRole("heading", { level: 1, name: "ATOM is active" }).waitFor();
  await visit(page, "history", "History");
  await page.getByText("Page 1 of 2").waitFor();
  await visit(page, "history/IRIS-IBC_ATOM", "History");
  await page.getByText("There are no transactions of IRIS-IBC_ATOM yet.").waitFor();
});

test("it tells how far the node is, and what keeps it from going on", async (t) => {
  const chain = await cosmosChain(t);
  let broken = true;
  chain.behave(({ method }) => (method === "tx_search" && broken ? { status: 500 } : undefined));
  const { page } = await wallet(t, { passphrase: user.passphrase });
  await activate(page, [chain]);
  await visit(page, "history", "History");
  await page.getByText("The history could not be loaded to its end.").or(page.getByText("The node is loading the history")).first().waitFor();
  await page.getByText("The history could not be loaded to its end.").waitFor();
  await checkAccess(page);
  await picture(page, "history-broken");
  broken = false;
  await page.reload();
  await isOpen(page);
  await page.getByText("Page 1 of 2").waitFor();
});

test("the history of a native node", async (t) => {
  const chain = await cosmosChain(t);
  const { page, said } = await nativeWallet(t);
  await activate(page, [chain]);
  const own = (await page.locator(".groups").innerText()).replaceAll(/\s/g, "");
  await visit(page, "history", "History");
  await page.getByText("There are no transactions of ATOM yet.").waitFor();
  await until(() => chain.listeners.size > 0);
  chain.give(own, "uatom", "1000000000000000001");
  await page.locator("summary data[value='1000000000000.000001']").waitFor();
  assert.deepEqual(said, []);
});
