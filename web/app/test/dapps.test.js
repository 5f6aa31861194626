import assert from "node:assert/strict";
import { evmChain } from "../../test/evmchain.js";
import { sharing } from "../../test/sharing.js";
import { owner } from "../../test/support.js";
import { begin, serveSite, visitSite } from "./dapp.js";
import { accounts, activate, cosmosChain } from "./money.js";
import { button, look } from "./steps.js";
import { PASSWORD, isOpen, until, visit, wallet } from "./support.js";

const OTHER = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const COIN = 10n ** 18n;

/** An open wallet with coins on a Cosmos chain and on an EVM network, and a site of another origin. */
async function opened(t) {
  const [site, evm, cosmos] = [await serveSite(t), await evmChain(t), await cosmosChain(t)];
  const home = await wallet(t, { passphrase: accounts.user.passphrase });
  await activate(home.page, [evm], { coin: "ETH", history: null });
  const address = (await home.page.locator("main .groups").innerText()).replaceAll(/\s/g, "");
  await evm.give(address, 10n * COIN);
  await button(home.page, "Activate another coin").click();
  await activate(home.page, [cosmos], { history: false });
  return { ...home, site, evm, cosmos, address };
}

const inWallet = sharing("a site of another origin and an open wallet", opened);

/** A test that begins with the site in a new tab, which the wallet does not know. */
const withSite = (name, does) =>
  inWallet(name, async (t, shared) => {
    const { context, site, url, page: home } = shared;
    await forget(home);
    const page = await visitSite(context, site, url);
    t.after(async () => {
      await Promise.all(context.pages().filter((one) => one !== home).map((one) => one.close()));
    });
    await does(t, { ...shared, home, page });
  });

/** Disconnects all sites in the settings. */
async function forget(home) {
  await visit(home, "settings", "Settings");
  const disconnect = button(home, /^Disconnect http/);
  await home.getByText("No site is connected.").or(disconnect.first()).waitFor();
  while ((await disconnect.count()) > 0) {
    const before = await disconnect.count();
    await disconnect.first().click();
    await until(async () => (await disconnect.count()) < before);
  }
}

/** Does something in the site that opens the wallet's window. */
async function popup(page, does) {
  const [shown, asked] = await Promise.all([page.waitForEvent("popup"), begin(page, does)]);
  return { shown, asked };
}

const heading = (page, name) => page.getByRole("heading", { level: 1, name }).waitFor();

/** Connects the site to the accounts of EVM networks. */
async function connected(page) {
  const { shown, asked } = await popup(page, 'ethereum.request({ method: "eth_requestAccounts" })');
  await heading(shown, "Connect a site");
  await button(shown, "Connect").click();
  await heading(shown, "Nothing to confirm");
  return { shown, accounts: (await asked.end()).result };
}

withSite("connecting: what the person is shown, and what the site gets", async (t, { page, home, site, address }) => {
  const [{ info }] = await page.evaluate("announced()");
  assert.deepEqual([info.name, info.rdns, info.icon.slice(0, 19), info.uuid.length], ["Obverse", "localhost.obverse", "data:image/svg+xml,", 36]);
  assert.deepEqual(await begin(page, 'ethereum.request({ method: "eth_accounts" })').end(), { result: [] });

  const { shown, asked } = await popup(page, 'ethereum.request({ method: "eth_requestAccounts" })');
  await heading(shown, "Connect a site");
  assert.equal(await shown.locator(".site strong").innerText(), site);
  assert.equal((await shown.locator(".groups").innerText()).replaceAll(/\s/g, ""), address);
  await look(shown, "dapps-connect");
  await button(shown, "Connect").click();
  assert.deepEqual(await asked.end(), { result: [address] });
  await heading(shown, "Nothing to confirm");
  await look(shown, "dapps-connected");
  assert.deepEqual(await page.evaluate("events"), [["connect", { chainId: "0x1" }], ["accountsChanged", [address]]]);
  assert.deepEqual(await page.evaluate("ethereum.request({ method: 'wallet_getPermissions' })"), [{ invoker: site, parentCapability: "eth_accounts", caveats: [{ type: "restrictReturnedAccounts", value: [address] }] }]);

  // It is remembered, for a new page too, which finds the same window.
  await page.reload();
  await page.waitForFunction("globalThis.wallet");
  assert.deepEqual(await begin(page, 'ethereum.request({ method: "eth_requestAccounts" })').end(), { result: [address] });

  await visit(home, "settings", "Settings");
  await home.getByText(site).waitFor();
  await look(home, "dapps-settings");
  await button(home, `Disconnect ${site}`).click();
  await home.getByText("No site is connected.").waitFor();
  await until(() => page.evaluate("events.length === 4"));
  assert.deepEqual(await page.evaluate("events.slice(2)"), [["accountsChanged", []], ["disconnect", 4900]]);
  assert.equal((await begin(page, 'ethereum.request({ method: "eth_blockNumber" })').end()).code, 4100);
});
