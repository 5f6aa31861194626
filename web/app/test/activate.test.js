import assert from "node:assert/strict";
import { before, test as plain } from "node:test";
import path from "node:path";
import { build } from "esbuild";
import { connect } from "obverse/http";
import { sharing } from "../../test/sharing.js";
import { accounts, activate, amount, cosmosChain, nativeWallet, row, withoutCoins } from "./money.js";
import { secrets } from "./native.js";
import { browser, checkAccess, checkWidth, headingFocused, isOpen, picture, sizes, until, visit, wallet } from "./support.js";
import { web } from "../../test/support.js";

const test = (name, does) => plain(name, { timeout: 400000 }, does);
const { user } = accounts;

const inWallet = withoutCoins(sharing("an open wallet without coins", (t) => wallet(t, { passphrase: user.passphrase })));
const inNative = withoutCoins(sharing("a native node without coins", (t) => nativeWallet(t)));

/** Fills in the form for ATOM and submits it. */
async function ask(page, url) {
  await visit(page, "activate", /^Activat| is active$/);
  await page.getByRole("radio", { name: /^ATOM / }).check();
  await page.getByRole("textbox", { name: "Server 1" }).fill(url);
  await page.getByRole("button", { name: "Activate ATOM" }).click();
}

/** Delays a chain's responses. A server that does not respond is abandoned after 15 seconds. */
function hold(chain, what = "status") {
  let [proceed, waiting] = [() => {}, 0];
  const held = new Promise((resolve) => (proceed = resolve));
  chain.behave(async ({ method }) => {
    if (method === what) {
      waiting++;
      await held;
    }
  });
  return {
    /** Reports whether a call waits for its response. */
    waits: () => waiting > 0,
    proceed: () => {
      chain.fail(0);
      proceed();
    },
  };
}

/** Counts calls of a method that a native node answers with "ok" or with an error of the given kind. */
async function answers(node) {
  const metrics = async () => (await fetch(new URL("metrics", node))).text();
  const among = (text, method, status) => Number(new RegExp(`rpc_calls_total\\{[^}]*method="${method}",status="${status}"\\} (\\d+)\n`).exec(text)?.[1] ?? 0);
  const before = await metrics();
  return async (method, status) => among(await metrics(), method, status) - among(before, method, status);
}

/** Delays a page's calls of a method of a native node. The page waits for up to a minute. */
async function holdCalls(page, node, method) {
  let [proceed, waiting] = [() => {}, 0];
  const held = new Promise((resolve) => (proceed = resolve));
  const pass = async (route) => {
    if (route.request().postData()?.includes(`"method":"${method}"`)) {
      waiting++;
      await held;
    }
    await route.continue().catch(() => {}); // the page has canceled the request
  };
  await page.route(`${node}/**`, pass);
  return {
    /** Reports whether the page waits for a response. */
    waits: () => waiting > 0,
    proceed: async () => {
      await page.unroute(`${node}/**`, pass);
      proceed();
    },
  };
}

inWallet("the form says what is needed, and each server why it cannot be used", async (t, { page, said }) => {
  const [chain, other] = [await cosmosChain(t), await cosmosChain(t, { id: "osmosis-1" })];
  const closed = await cosmosChain(t, { cors: false });
  await visit(page, "activate", /^Activat| is active$/);
  await page.getByRole("button", { name: "Activate ATOM" }).click();
  await page.getByText("The node needs at least one server of the chain.").waitFor();
  for (const [url, words] of [
    ["my server", "The address must start with https:// or http://."],
    ["ws://127.0.0.1:26657", "The address must start with https:// or http://."],
    ["http://rpc.example", "The node in this page can only use https:// addresses, and http:// on this machine."],
  ]) {
    await page.getByRole("textbox", { name: "Server 1" }).fill(url);
    await page.getByRole("button", { name: "Activate ATOM" }).click();
    await page.getByRole("alert").getByText(words).waitFor();
  }
  await checkAccess(page);
  await picture(page, "activate");

  const lost = await cosmosChain(t);
  lost.fail(500);
  for (const [n, { url }] of [other, lost, closed].entries()) {
    if (n > 0) {
      await page.getByRole("button", { name: "Add a server" }).click();
      await until(() => page.getByRole("textbox", { name: `Server ${n + 1}` }).evaluate((input) => input === document.activeElement), "the new field has the focus");
    }
    await page.getByRole("textbox", { name: `Server ${n + 1}` }).fill(url);
  }
  await page.getByRole("button", { name: "Activate ATOM" }).click();
  const reasons = page.getByRole("alert");
  await reasons.getByText("No server of the coin can be used, so nothing was activated.").waitFor();
  for (const [url, words] of [
    [other.url, "It is a server of the chain osmosis-1, not of cosmoshub-4. Remove it."],
    [lost.url, "It failed with the status 500."],
    [closed.url, "It is unreachable, or it does not allow web pages (CORS)."],
  ]) {
    await reasons.getByRole("listitem").filter({ hasText: url }).getByText(words).waitFor();
  }
  await checkAccess(page);
  await picture(page, "activate-failed");
  await page.setViewportSize(sizes.phone);
  await checkWidth(page);
  await page.setViewportSize(sizes.desktop);

  await page.getByRole("textbox", { name: "Server 3" }).fill("foo");
  await page.getByRole("button", { name: "Activate ATOM" }).click();
  await page.getByText("The address must start with https:// or http://.").waitFor();
  assert.equal(await reasons.getByText("No server of the coin can be used").count(), 0, "that was about others");
  await page.getByRole("button", { name: "Remove server 3" }).click();
  await page.getByRole("button", { name: "Remove server 2" }).click();
  assert.equal(await page.getByRole("textbox", { name: "Server 1" }).inputValue(), other.url, "the form is as it was");
  await page.getByRole("textbox", { name: "Server 1" }).fill(chain.url);
  await page.getByRole("button", { name: "Activate ATOM" }).click();
  await page.getByRole("heading", { name: "ATOM is active" }).waitFor();
  assert.equal((await page.locator(".groups").innerText()).replaceAll(/\s/g, ""), user.address);
  await picture(page, "activate-done");
  await page.getByRole("link", { name: "Go to Home" }).click();
  await amount(page, "993.4998").waitFor();
  // Ignore the browser's messages about servers that reject cross-origin requests or fail.
  assert.deepEqual(said.filter((line) => !/CORS|Failed to load resource/.test(line)), []);
});

inWallet("servers that a coin is activated without are named, with the reason", async (t, { page }) => {
  const [chain, other, lost] = [await cosmosChain(t), await cosmosChain(t, { id: "osmosis-1" }), await cosmosChain(t)];
  // Once one server has responded, the node waits a second for the others. This one responds later.
  const asked = new Set();
  other.behave(() => void asked.add(other));
  lost.behave(() => (asked.add(lost), { status: 500 }));
  chain.behave(({ method }) => (method === "status" ? until(() => asked.size === 2, "the others were asked") : undefined));
  await activate(page, [other, chain, lost]);
  const note = page.getByRole("status").filter({ hasText: "2 of its servers are not used." });
  const isNamed = async () => {
    for (const [url, words] of [
      [other.url, "It is a server of the chain osmosis-1, not of cosmoshub-4. Remove it."],
      [lost.url, "It failed with the status 500."],
    ]) {
      await note.getByRole("listitem").filter({ hasText: url }).getByText(words).waitFor();
    }
    assert.equal(await note.getByRole("listitem").count(), 2);
  };
  await isNamed();
  await checkAccess(page);
  await picture(page, "activate-leftout");
  await page.setViewportSize(sizes.phone);
  await checkWidth(page);
  await page.setViewportSize(sizes.desktop);
  await page.getByRole("button", { name: "Activate another coin" }).click();
  await page.getByRole("radio", { name: /^ATOM / }).check();
  await isNamed();
  await page.reload();
  await isOpen(page);
  await page.getByRole("radio", { name: /^ATOM / }).check();
  await isNamed();

  await page.getByRole("button", { name: "Disable ATOM" }).click();
  await page.getByRole("dialog").getByText(`Servers: ${other.url} (left out), ${chain.url}, ${lost.url} (left out)`).waitFor();
  await picture(page, "activate-servers");
  await page.setViewportSize(sizes.phone);
  await checkWidth(page);
  await page.setViewportSize(sizes.desktop);
  await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
  await page.getByRole("button", { name: "Remove server 3" }).click();
  await page.getByRole("button", { name: "Remove server 1" }).click();
  await page.getByRole("button", { name: "Activate ATOM" }).click();
  await page.getByRole("heading", { level: 1, name: "ATOM is active" }).waitFor();
  await page.getByRole("link", { name: "Go to Home" }).waitFor();
  assert.equal(await page.getByText("left out").count(), 0, "of the last activation alone");
});

inWallet("a server that answers late is used from then on", async (t, { page }) => {
  const [chain, late] = [await cosmosChain(t), await cosmosChain(t)];
  const held = hold(late);
  await activate(page, [chain, late]);
  const note = page.getByRole("status").filter({ hasText: "One of its servers is not used." });
  await note.getByRole("listitem").filter({ hasText: late.url }).getByText(/It has not answered yet\.|It timed out\./).waitFor();
  held.proceed();
  await note.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Disable ATOM" }).click();
  await page.getByRole("dialog").getByText(new RegExp(`^Servers: ${chain.url}, ${late.url}$`)).waitFor();
});

inWallet("an activation goes on while other views are shown, and can be cancelled", async (t, { page }) => {
  const chain = await cosmosChain(t);
  const held = hold(chain);
  await ask(page, chain.url);
  await page.getByRole("heading", { name: "Activating ATOM" }).waitFor();
  await visit(page, "settings", "Settings");
  await visit(page, "activate", /^Activat| is active$/);
  await page.getByRole("heading", { name: "Activating ATOM" }).waitFor();
  await visit(page, "", "Home");
  held.proceed();
  await amount(page, "993.4998").waitFor();
  await visit(page, "activate", /^Activat| is active$/);
  await page.getByRole("heading", { name: "ATOM is active" }).waitFor();
  await visit(page, "", "Home");
  await visit(page, "activate", "Activate a coin");
});

inNative("another view shows that an activation is running, and that it failed", async (t, { page, node }) => {
  const chain = await cosmosChain(t);
  chain.fail(401);
  const enabling = await holdCalls(page, node, "enable_tendermint_with_assets");
  await ask(page, chain.url);
  await until(enabling.waits, "the coin is on its way");
  for (const [view, heading] of [["send", "Send"], ["", "Home"]]) {
    await visit(page, view, heading);
    await page.getByRole("main").getByText("ATOM is being activated.").waitFor();
  }
  await enabling.proceed();
  await page.getByRole("main").getByText("ATOM did not become active.").waitFor();
  await page.getByRole("status").getByText("ATOM did not become active").waitFor();
  await page.setViewportSize(sizes.phone);
  await checkWidth(page);
  await checkAccess(page);
  await page.getByRole("link", { name: "See why" }).click();
  await page.getByRole("alert").waitFor();
});


inNative("who cancels ends the activation on the node at once", async (t, { page, node }) => {
  const chain = await cosmosChain(t);
  const answered = await answers(node);
  const held = hold(chain);
  await ask(page, chain.url);
  await until(held.waits, "the node waits for the chain");
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("Cancelled. ATOM does not become active.").waitFor();
  await until(async () => (await answered("disable_coin", "NoSuchCoin")) === 1, "the page notifies the node");
  assert.equal(await answered("enable_tendermint_with_assets", "InternalError"), 1, "the chain has not answered yet");
  held.proceed();
  await visit(page, "", "Home");
  await page.getByText("No coin is active yet.").waitFor();
  await activate(page, [chain]);
});

inNative("what was cancelled too late is not active in the end", async (t, { page, node }) => {
  const chain = await cosmosChain(t);
  const answered = await answers(node);
  const held = hold(chain);
  await ask(page, chain.url);
  await until(held.waits, "the node waits for the chain");
  const disabling = await holdCalls(page, node, "disable_coin");
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("Cancelled. ATOM does not become active.").waitFor();
  await until(disabling.waits, "the page notifies the node");
  held.proceed();
  await until(async () => (await answered("enable_tendermint_with_assets", "ok")) === 1, "the node has activated it");
  await disabling.proceed();
  await until(async () => (await answered("disable_coin", "ok")) === 1, "the page undoes it");
  await visit(page, "", "Home");
  await page.getByText("No coin is active yet.").waitFor();
  await page.reload();
  await isOpen(page);
  await page.getByText("No coin is active yet.").waitFor();
});

inWallet("a node in the page ends an activation that is cancelled", async (t, { page }) => {
  const chain = await cosmosChain(t);
  const held = hold(chain);
  await ask(page, chain.url);
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("Cancelled. ATOM does not become active.").waitFor();
  held.proceed();
  await visit(page, "", "Home");
  await page.getByText("No coin is active yet.").waitFor();
  await page.reload();
  await isOpen(page);
  await page.getByText("No coin is active yet.").waitFor();
});

inWallet("a reload during it leaves a form to continue with", async (t, { page }) => {
  const chain = await cosmosChain(t);
  const held = hold(chain);
  await ask(page, chain.url);
  await page.getByRole("heading", { name: "Activating ATOM" }).waitFor();
  await page.reload();
  await isOpen(page);
  await page.getByText("The page was reloaded while ATOM was being activated.").waitFor();
  assert.equal(await page.getByRole("textbox", { name: "Server 1" }).inputValue(), chain.url);
  await checkAccess(page);
  await picture(page, "activate-interrupted");
  await visit(page, "", "Home");
  await page.getByText("No coin is active yet.").waitFor();
  held.proceed();
  await visit(page, "activate", /^Activat| is active$/);
  await page.getByRole("button", { name: "Activate ATOM" }).click();
  await page.getByRole("heading", { name: "ATOM is active" }).waitFor();
  await page.reload();
  await isOpen(page);
  await visit(page, "", "Home");
  await amount(page, "993.4998").waitFor();
});

inWallet("tokens are added to a coin, and coins disabled", async (t, { page }) => {
  const chain = await cosmosChain(t);
  await activate(page, [chain]);
  await page.getByRole("button", { name: "Activate another coin" }).click();
  await page.getByRole("radio", { name: /^ATOM / }).check();
  await page.getByRole("checkbox", { name: /^IRIS-IBC_ATOM/ }).check();
  await page.getByRole("checkbox", { name: /^OSMOSIS-IBC_ATOM/ }).check();
  await page.getByRole("button", { name: "Activate IRIS-IBC_ATOM, OSMOSIS-IBC_ATOM" }).click();
  await page.getByText("ATOM is active, with all its tokens.").waitFor();
  await page.getByRole("button", { name: "Disable OSMOSIS-IBC_ATOM" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
  await page.getByRole("button", { name: "Disable OSMOSIS-IBC_ATOM" }).waitFor({ state: "hidden" });
  await headingFocused(page);

  await page.getByRole("button", { name: "Disable ATOM" }).click();
  await page.getByRole("dialog").getByText("Its tokens too: IRIS-IBC_ATOM").waitFor();
  await checkAccess(page);
  await picture(page, "activate-disable");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  assert(await page.getByRole("button", { name: "Disable ATOM" }).evaluate((button) => button === document.activeElement), "who asked goes on from there");
  await page.getByRole("button", { name: "Disable ATOM" }).click();
  await page.getByRole("dialog").getByRole("checkbox").uncheck();
  await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
  await page.getByRole("button", { name: "Disable ATOM" }).waitFor({ state: "hidden" });
  await visit(page, "", "Home");
  await row(page, "IRIS-IBC_ATOM").waitFor();
  await until(() => chain.listeners.size > 0, "the token's balance is still watched");

  await visit(page, "activate", /^Activat| is active$/);
  await page.getByRole("button", { name: "Disable IRIS-IBC_ATOM" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
  await visit(page, "", "Home");
  await page.getByText("No coin is active yet.").waitFor();
  await visit(page, "activate", /^Activat| is active$/);
  await page.getByRole("radio", { name: /^ATOM / }).check();
  assert.equal(await page.getByRole("textbox", { name: "Server 1" }).inputValue(), chain.url, "its servers are known from the last time");
});

inWallet("a coin that does not come back gets other servers", async (t, { page }) => {
  const chain = await cosmosChain(t);
  await activate(page, [chain]);
  const other = await cosmosChain(t);
  chain.fail();
  await visit(page, "", "Home");
  await page.reload();
  await isOpen(page);
  await page.locator(".unreachable summary").click();
  await page.getByRole("link", { name: "Use other servers for ATOM" }).click();
  const server = (n) => page.getByRole("textbox", { name: `Server ${n}` });
  await server(1).waitFor();
  assert.equal(await server(1).inputValue(), chain.url);
  await page.getByRole("button", { name: "Add a server" }).click();
  await server(2).fill(other.url);
  await page.getByRole("button", { name: "Activate ATOM" }).click();
  await page.getByRole("heading", { name: "ATOM is active" }).waitFor();
  await visit(page, "", "Home");
  await amount(page, "993.4998").waitFor();
  await page.reload();
  await isOpen(page);
  await amount(page, "993.4998").waitFor();
});

inWallet("the password of a server is for the node alone", async (t, { page }) => {
  const chain = await cosmosChain(t);
  const url = chain.url.replace("//", "//alice:0pen-sesame@");
  const held = hold(chain);
  await ask(page, url);
  const kept = () => page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  await until(held.waits);
  assert(!(await kept()).includes("0pen-sesame"));
  held.proceed();
  await page.getByRole("heading", { name: "ATOM is active" }).waitFor();
  assert((await kept()).includes(new URL(chain.url).host), "the server is known for the next time");
  assert(!(await kept()).includes("0pen-sesame"));
});

inNative("a native node activates, and says when a coin was active already", async (t, { page, node, said }) => {
  const chain = await cosmosChain(t);
  await ask(page, "http://127.0.0.1:9");
  await page.getByRole("alert").getByText("It is unreachable.").waitFor();
  assert.equal(await page.getByText("Keplr").count(), 0, "a native node has no wallet of a browser");
  const client = connect({ url: node, userpass: secrets.rpc });
  t.after(() => client.stop());
  const looks = await holdCalls(page, node, "get_enabled_coins"); // so that the page does not list the coin before it requests it
  await client.rpc("enable_tendermint_with_assets", { ticker: "ATOM", nodes: [{ url: chain.url }], tokens_params: [] });
  await page.getByRole("textbox", { name: "Server 1" }).fill(chain.url);
  await page.getByRole("button", { name: "Activate ATOM" }).click();
  await looks.proceed();
  await page.getByText("It was already active").waitFor();
  assert.equal(await page.getByRole("heading", { level: 1 }).evaluate((heading) => heading === document.activeElement), true);
  await page.getByRole("button", { name: "Activate another coin" }).click();
  await activate(page, [await cosmosChain(t, { id: "irishub-1" }), { url: "http://127.0.0.1:9" }], { coin: "IRIS" });
  const note = page.getByRole("status").filter({ hasText: "One of its servers is not used." });
  await note.getByRole("listitem").filter({ hasText: "http://127.0.0.1:9" }).getByText("It is unreachable.").waitFor();
  await picture(page, "activate-done-native");
  await visit(page, "", "Home");
  await row(page, "IRIS").waitFor();
  assert.deepEqual(said.filter((line) => !/Failed to load resource/.test(line)), []);
});

inNative("what was cancelled before a reload is undone after it", async (t, { page, node }) => {
  const chain = await cosmosChain(t);
  const answered = await answers(node);
  const client = connect({ url: node, userpass: secrets.rpc });
  t.after(() => client.stop());
  const held = hold(chain);
  await ask(page, chain.url);
  await until(held.waits, "the node waits for the chain");
  const disabling = await holdCalls(page, node, "disable_coin");
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("Cancelled. ATOM does not become active.").waitFor();
  await until(disabling.waits, "the page notifies the node");
  await page.reload();
  await disabling.proceed();
  await isOpen(page);
  await until(async () => (await answered("disable_coin", "NoSuchCoin")) === 1, "the page has notified the node again");
  held.proceed();
  await visit(page, "", "Home");
  assert.deepEqual(await client.rpc("get_enabled_coins"), { coins: [] });
  await page.getByText("No coin is active yet.").waitFor();

  await activate(page, [chain]);
  await page.reload();
  await isOpen(page);
  await visit(page, "", "Home");
  await row(page, "ATOM").waitFor();
});

inNative("what was cancelled before a reload is not taken from who activates it later", async (t, { page, node }) => {
  const chain = await cosmosChain(t);
  const answered = await answers(node);
  const client = connect({ url: node, userpass: secrets.rpc });
  t.after(() => client.stop());
  const held = hold(chain);
  await ask(page, chain.url);
  await until(held.waits, "the node waits for the chain");
  const disabling = await holdCalls(page, node, "disable_coin");
  await page.getByRole("button", { name: "Cancel" }).click();
  await until(disabling.waits, "the page notifies the node");
  await page.reload();
  await disabling.proceed();
  await isOpen(page);
  await until(async () => (await answered("enable_tendermint_with_assets", "InternalError")) === 1, "the node has given it up");
  held.proceed();
  await client.rpc("enable_tendermint_with_assets", { ticker: "ATOM", tokens_params: [], nodes: [{ url: chain.url }] });
  await visit(page, "", "Home");
  await row(page, "ATOM").waitFor();
  assert.equal(await answered("disable_coin", "ok"), 0);
});

inNative("who cancels does not disable what another client has activated meanwhile", async (t, { page, node }) => {
  const chain = await cosmosChain(t);
  const answered = await answers(node);
  const client = connect({ url: node, userpass: secrets.rpc });
  t.after(() => client.stop());
  await visit(page, "activate", /^Activat| is active$/);
  const enabling = await holdCalls(page, node, "enable_tendermint_with_assets");
  await ask(page, chain.url);
  await until(enabling.waits, "the page asks the node");
  await client.rpc("enable_tendermint_with_assets", { ticker: "ATOM", tokens_params: [], nodes: [{ url: chain.url }] });
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("Cancelled. ATOM does not become active.").waitFor();
  await enabling.proceed();
  await until(async () => (await answered("enable_tendermint_with_assets", "PlatformIsAlreadyActivated")) === 1, "the node refuses it");
  await visit(page, "", "Home");
  await row(page, "ATOM").waitFor();
  assert.equal(await answered("disable_coin", "ok"), 0);
});

inNative("a coin reported active is so in all views, and a choice made meanwhile stays", async (t, { page, node }) => {
  const chain = await cosmosChain(t);
  await page.getByText("No coin is active yet.").waitFor();
  const looks = await holdCalls(page, node, "get_enabled_coins");
  await ask(page, chain.url);
  await until(looks.waits, "the page looks what is active");
  await page.getByRole("heading", { name: "Activating ATOM" }).waitFor();
  await checkAccess(page);
  await picture(page, "activate-running");
  await looks.proceed();
  await page.getByRole("heading", { name: "ATOM is active" }).waitFor();
  const seen = await holdCalls(page, node, "get_enabled_coins");
  await page.getByRole("button", { name: "Activate another coin" }).click();
  await page.getByRole("radio", { name: /^ATOM / }).check();
  await page.getByText("ATOM is active. The node activates its tokens with its servers.").waitFor();
  await seen.proceed();

  const [iris, osmosis] = [page.getByRole("checkbox", { name: /^IRIS-IBC_ATOM/ }), page.getByRole("checkbox", { name: /^OSMOSIS-IBC_ATOM/ })];
  const enabling = await holdCalls(page, node, "enable_tendermint_token");
  await iris.check();
  await page.getByRole("button", { name: "Activate IRIS-IBC_ATOM" }).click();
  await until(enabling.waits, "the token is on its way");
  await osmosis.check();
  await page.setViewportSize(sizes.phone);
  await checkWidth(page);
  await page.getByRole("button", { name: "Activate IRIS-IBC_ATOM", exact: true }).waitFor();
  await enabling.proceed();
  await iris.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Activate OSMOSIS-IBC_ATOM", exact: true }).click();
  await page.getByText("ATOM is active, with all its tokens.").waitFor();
});

/** Keplr as a script for pages. */
let keplr = "";
before(async () => {
  const { outputFiles } = await build({ entryPoints: [path.join(web, "test/wallet/keplr.js")], bundle: true, write: false, format: "iife", globalName: "testKeplr", platform: "browser", logLevel: "warning" });
  keplr = `${outputFiles[0].text}; { const { keplr, user } = testKeplr.makeKeplr(); Object.assign(globalThis, { keplr, user, choose: testKeplr.choose }); }`;
});

inWallet("a page without Keplr says so", async (t, { page }) => {
  const chain = await cosmosChain(t);
  await visit(page, "activate", /^Activat| is active$/);
  await page.getByRole("radio", { name: /^Keplr/ }).check();
  await page.getByRole("textbox", { name: "Server 1" }).fill(chain.url);
  await page.getByRole("button", { name: "Activate ATOM" }).click();
  await page.getByText("This wallet was not found in this browser.").waitFor();
});

inWallet("Keplr has the key: it says no, then yes, signs, and switches to another account", async (t, { page }) => {
  const chain = await cosmosChain(t);
  chain.set("cosmos19rl4cm2hmr8afy4kldpxz3fka4jguq0auqdal4", "uatom", "5000000");
  await page.evaluate(keplr);
  const setUser = (change) => page.evaluate(`(${change})(globalThis.user)`);
  await setUser("(user) => (user.refuses = ['enable'])");
  await visit(page, "activate", /^Activat| is active$/);
  await page.getByRole("radio", { name: /^Keplr/ }).check();
  await page.getByRole("textbox", { name: "Server 1" }).fill(chain.url);
  await page.getByRole("button", { name: "Activate ATOM" }).click();
  await page.getByText("You rejected this in the wallet.").waitFor();
  await checkAccess(page);
  await picture(page, "activate-keplr");
  await setUser("(user) => (user.refuses = [])");
  assert.equal(await page.getByRole("radio", { name: /^Keplr/ }).isChecked(), true);
  await page.getByRole("button", { name: "Activate ATOM" }).click();
  await page.getByRole("heading", { name: "ATOM is active" }).waitFor();
  const own = (await page.locator(".groups").innerText()).replaceAll(/\s/g, "");
  chain.give(own, "uatom", "7000000");

  await visit(page, "send", "Send");
  await page.getByLabel("To", { exact: true }).fill(accounts.other.address);
  await page.getByLabel("Amount in ATOM").fill("1");
  await page.getByText("Keplr asks you to sign").waitFor();
  await setUser("(user) => (user.refuses = ['signDirect'])");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("You rejected this in the wallet.").waitFor();
  assert.equal(await page.getByLabel("Amount in ATOM").inputValue(), "1");
  await setUser("(user) => (user.refuses = [])");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Send 1 ATOM" }).click();
  await page.getByText(/^Confirmed in block/).waitFor();
  assert.equal(chain.transactions.length, 1);
  assert.equal(chain.has(accounts.other.address, "uatom"), 999998900186n);

  await page.evaluate("choose(user, 1)");
  await visit(page, "", "Home");
  await page.getByText("Keplr has switched to another account.").waitFor();
  await picture(page, "portfolio-switched");
  await visit(page, "send", "Send");
  await page.getByLabel("To", { exact: true }).fill(accounts.other.address);
  await page.getByLabel("Amount in ATOM").fill("1");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("The wallet now uses a different account than this coin.").waitFor();
  await checkAccess(page);
});

test("a wallet whose keys are all in Keplr", async (t) => {
  const chain = await cosmosChain(t);
  const { context, url, said } = await browser(t);
  await context.addInitScript({ content: keplr });
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole("button", { name: /^Use an external wallet/ }).click();
  await page.getByRole("button", { name: "Continue" }).click();
  await isOpen(page);
  await page.getByText("No coin is active yet.").waitFor();
  await visit(page, "activate", "Activate a coin");
  assert.equal(await page.getByRole("radio", { name: /^This wallet/ }).count(), 0, "it has no key of its own");
  await activate(page, [chain]);
  const own = (await page.locator(".groups").innerText()).replaceAll(/\s/g, "");
  chain.give(own, "uatom", "7000000");
  await visit(page, "send", "Send");
  await page.evaluate("user.ignores = ['signDirect']");
  await page.getByRole("textbox", { name: "To", exact: true }).fill(accounts.other.address);
  await page.getByRole("textbox", { name: /^Amount/ }).fill("1");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Confirm it in Keplr" }).waitFor();
  await checkAccess(page);
  await page.getByRole("button", { name: "Stop" }).click();
  await page.evaluate("user.ignores = []");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Send 1 ATOM" }).click();
  await page.getByText(/^Confirmed in block/).waitFor();
  await page.reload();
  await isOpen(page);
  await visit(page, "", "Home");
  await amount(page, "999.496485").waitFor();
  assert.deepEqual(said, []);
});
