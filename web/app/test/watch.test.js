/** Wallets that watch an address without its key. */

import assert from "node:assert/strict";
import { test as plain } from "node:test";
import { accounts, amount } from "./money.js";
import { button, heading, look, text } from "./steps.js";
import { browser, isOpen, visit } from "./support.js";
import { EVM, usualWorld } from "./usual.js";

const test = (name, does) => plain(name, { timeout: 400000 }, does);

/** Chooses "Watch an address" in the first run. */
async function watch(page, address) {
  await button(page, /^Watch an address/).click();
  await text(page, "Address").fill(address);
  await button(page, "Watch it").click();
  await isOpen(page);
}

test("an address of EVM networks, then one of Cosmos chains: balances and activity, nothing to send, no password", async (t) => {
  const { context, url, said } = await browser(t, { usual: true });
  const world = await usualWorld(t, context, { dead: [] });
  const page = await context.newPage();
  await page.goto(url);
  await heading(page, "Welcome to Obverse");
  await button(page, /^Watch an address/).click();
  const user = accounts.user.address;
  for (const [given, why] of [["", "Not an address"], ["0x12", "Not an address"], [`${user.slice(0, -1)}${user.endsWith("q") ? "p" : "q"}`, "The address has a mistake in it: its checksum is wrong."]]) {
    await text(page, "Address").fill(given);
    await button(page, "Watch it").click();
    await page.getByText(why).waitFor();
  }
  await look(page, "watch-form");
  await button(page, "Back").click();
  await watch(page, EVM);
  for (const value of ["1.234567890123456789", "1250.5", "42"]) {
    await amount(page, value).waitFor();
  }
  assert.equal(await page.locator('.coin[data-coin="ATOM"]').count(), 0, "the address is of no Cosmos chain");
  assert.equal(await page.getByRole("link", { name: "Send" }).count(), 0);
  assert.equal(await button(page, "Lock").count(), 0);
  await look(page, "watched-home");
  await visit(page, "send/ETH", "Send");
  await page.getByText("This wallet watches an address and has no key of it.").waitFor();
  await visit(page, "receive/ETH", "Receive");
  await page.locator("main .groups").first().waitFor();
  assert.equal((await page.locator("main .groups").first().innerText()).replaceAll(/\s/g, ""), EVM);

  await button(page, /^Wallet: /).click();
  await button(page, "Add a wallet").click();
  await watch(page, user);
  await visit(page, "", "Home");
  await amount(page, "993.4998").first().waitFor();
  assert.equal(await page.locator('.coin[data-coin="ETH"]').count(), 0);
  await visit(page, "activity", "Activity");
  await page.locator(".activity button.row").first().waitFor();
  await page.reload();
  await isOpen(page);
  await visit(page, "", "Home");
  await amount(page, "993.4998").first().waitFor();
  await button(page, /^Wallet: /).click();
  await page.getByRole("dialog", { name: "Wallets" }).getByRole("button", { name: /^Watched 1/ }).click();
  await amount(page, "42").waitFor();
  world.cosmos.fail(0);
  assert.deepEqual(said.filter((line) => !line.includes("ERR_CACHE_WRITE_FAILURE")), []);
});
