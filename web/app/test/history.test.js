import assert from "node:assert/strict";
import { test as plain } from "node:test";
import { sharing } from "../../test/sharing.js";
import { accounts, activate, cosmosChain, nativeWallet, withoutCoins } from "./money.js";
import { checkAccess, checkWidth, FAST, isOpen, picture, sizes, until, visit, wallet } from "./support.js";

const test = (name, does) => plain(name, { timeout: 400000 }, does);
const { user, other } = accounts;
const inWallet = withoutCoins(sharing("an open wallet without coins", (t) => wallet(t, { passphrase: user.passphrase, speed: FAST })));

const items = (page) => page.locator(".history > li");
/** Returns the summary of a closed entry as one line. */
const line = async (item) => (await item.locator("summary").innerText()).replace(/\s+/g, " ").trim();

inWallet("an empty history says so", async (t, { page }) => {
  const chain = await cosmosChain(t);
  chain.txs.length = 0;
  await activate(page, [chain]);
  await visit(page, "history", "History");
  await page.getByText("There are no transactions of ATOM yet.").waitFor();
  await checkAccess(page);
});

inWallet("what is not kept can be loaded", async (t, { page }) => {
  const chain = await cosmosChain(t);
  await activate(page, [chain], { history: false, tokens: ["IRIS-IBC_ATOM"] });
  await visit(page, "history", "History");
  await page.getByText("The history of ATOM is not kept: ATOM was activated without it.").waitFor();
  await checkAccess(page);
  await picture(page, "history-none");
  await page.getByRole("button", { name: "Load the history" }).click();
  await page.getByRole("heading", { level: 1, name: "ATOM is active" }).waitFor();
  await visit(page, "history", "History");
  await page.getByText("20 of 27 transactions").waitFor();
  await visit(page, "history/IRIS-IBC_ATOM", "History");
  await page.getByText("There are no transactions of IRIS-IBC_ATOM yet.").waitFor();
});

inWallet("transactions, exactly, with all that is known of each; older ones leave the reader where they are", async (t, { page, said }) => {
  const chain = await cosmosChain(t);
  await activate(page, [chain]);
  await visit(page, "history", "History");
  await page.getByText("20 of 27 transactions").waitFor();
  assert.equal(await items(page).count(), 20);
  assert.match(await line(items(page).first()), /^Sent .* · confirmed −0\.100022 ATOM$/);
  await checkAccess(page);
  await picture(page, "history");
  await page.setViewportSize(sizes.phone);
  await checkWidth(page);
  await page.setViewportSize(sizes.desktop);

  const older = page.getByRole("button", { name: "Show older ones" });
  await items(page).nth(2).locator("summary").click();
  await older.focus();
  await older.scrollIntoViewIfNeeded();
  const place = () => page.evaluate(() => JSON.stringify([scrollY, ...[...document.querySelectorAll(".history > li")].slice(0, 20).map((item) => item.getBoundingClientRect())]));
  const before = await place();
  await page.keyboard.press("Enter");
  await page.getByText("27 of 27 transactions").waitFor();
  assert.equal(await items(page).count(), 27);
  assert.equal(await place(), before, "what was there stays where it was");
  assert.equal(await items(page).nth(20).locator("summary").evaluate((summary) => summary === document.activeElement), true, "the keyboard goes on with the first of the older ones");
  assert.equal(await page.evaluate(() => { const { top, bottom } = document.activeElement.getBoundingClientRect(); return top >= 0 && bottom <= innerHeight; }), true, "which is in sight");
  assert.equal(await items(page).nth(2).locator("details").getAttribute("open"), "", "what was opened is open still");
  assert.equal(await older.count(), 0);
  await picture(page, "history-older");
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
  assert.deepEqual(said, []);
});

inWallet("a new transaction comes by itself, and so does one's own", async (t, { page }) => {
  const chain = await cosmosChain(t);
  await activate(page, [chain]);
  await visit(page, "history", "History");
  await page.getByText("20 of 27 transactions").waitFor();
  await until(() => chain.listeners.size > 0);
  chain.give(user.address, "uatom", "123", "click https://claim.example to win \u202elive\u2066");
  await page.locator("summary .in data[value='0.000123']").waitFor();
  assert.match(await line(items(page).first()), /^Received/);
  await items(page).first().locator("summary").click();
  const memo = (where) => where.locator("dt", { hasText: /^Memo, written by the sender$/ }).locator("xpath=following-sibling::dd[1]");
  assert.equal(await memo(items(page).first()).locator("bdi").textContent(), "click https://claim.example to win live");
  assert.equal(await memo(items(page).first()).getByRole("link").count(), 0);
  await visit(page, "activity", "Activity");
  await page.locator(".activity button.row").filter({ hasText: "0.000123" }).first().click();
  assert.equal(await memo(page.getByRole("dialog")).locator("bdi").textContent(), "click https://claim.example to win live");
  await page.keyboard.press("Escape");
  await visit(page, "send", "Send");
  await page.getByRole("textbox", { name: "To", exact: true }).fill(other.address);
  await page.getByRole("textbox", { name: /^Amount/ }).fill("2");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Send 2 ATOM" }).click();
  await page.getByText(/^Confirmed in block/).waitFor();
  await page.getByRole("link", { name: "History of ATOM" }).click();
  await page.locator("summary data[value='-2.003315']").waitFor();
});

test("the history shows the sync progress and what blocks it", async (t) => {
  const chain = await cosmosChain(t);
  let broken = true;
  chain.behave(({ method }) => (method === "tx_search" && broken ? { status: 500 } : undefined));
  const { page } = await wallet(t, { passphrase: user.passphrase, speed: FAST });
  await activate(page, [chain]);
  await visit(page, "history", "History");
  await page.getByText("The history is incomplete.").or(page.getByText("The node is loading the history")).first().waitFor();
  await page.getByText("The history is incomplete.").waitFor();
  await checkAccess(page);
  await picture(page, "history-broken");
  broken = false;
  await page.reload();
  await isOpen(page);
  await page.getByText("20 of 27 transactions").waitFor();
});

test("the history of a native node; older transactions that do not come are said where they were asked for", async (t) => {
  const chain = await cosmosChain(t);
  const { page, node, said } = await nativeWallet(t);
  await activate(page, [chain]);
  const own = (await page.locator(".groups").innerText()).replaceAll(/\s/g, "");
  await visit(page, "history", "History");
  await page.getByText("There are no transactions of ATOM yet.").waitFor();
  await until(() => chain.listeners.size > 0);
  chain.give(own, "uatom", "1000000000000000001");
  await page.locator("summary data[value='1000000000000.000001']").waitFor();
  for (let n = 0; n < 21; n++) {
    chain.give(own, "uatom", "1");
  }
  await page.getByText("20 of 22 transactions").waitFor();
  assert.deepEqual(said, []);
  await page.route(`${node}/**`, (route) => route.abort());
  const older = page.getByRole("button", { name: "Show older ones" });
  await older.click();
  const fault = page.getByRole("alert").filter({ hasText: "The node does not answer." });
  await fault.waitFor();
  assert((await fault.boundingBox()).y > (await older.boundingBox()).y);
  await page.unroute(`${node}/**`);
  await fault.getByRole("button", { name: "Try again" }).click();
  await page.getByText("22 of 22 transactions").waitFor();
  await page.waitForFunction(() => document.activeElement === document.querySelectorAll(".history > li summary")[20]);
});
