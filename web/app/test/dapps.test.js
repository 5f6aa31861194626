import assert from "node:assert/strict";
import { serializeSignDoc } from "@cosmjs/amino";
import { Secp256k1, Secp256k1Signature, sha256 } from "@cosmjs/crypto";
import { fromBase64 } from "@cosmjs/encoding";
import { evmChain } from "../../test/evmchain.js";
import { sharing } from "../../test/sharing.js";
import { begin, serveSite, visitSite } from "./dapp.js";
import { accounts, activate, cosmosChain } from "./money.js";
import { button, look } from "./steps.js";
import { PASSWORD, isOpen, until, visit, wallet } from "./support.js";

const OTHER = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const COIN = 10n ** 18n;
const USDC = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";

/** Opens a wallet with coins on a Cosmos chain and an EVM network, and starts a site of another origin. */
async function opened(t) {
  const [site, evm, cosmos] = [await serveSite(t, { "Cross-Origin-Opener-Policy": "same-origin-allow-popups" }), await evmChain(t), await cosmosChain(t)];
  const home = await wallet(t, { passphrase: accounts.user.passphrase });
  await activate(home.page, [evm], { coin: "ETH", history: null });
  const address = (await home.page.locator("main .groups").innerText()).replaceAll(/\s/g, "");
  await evm.give(address, 10n * COIN);
  await button(home.page, "Activate another coin").click();
  await activate(home.page, [cosmos], { history: false });
  return { ...home, site, evm, cosmos, address };
}

const inWallet = sharing("a site of another origin and an open wallet", opened);

/** Defines a test that starts with the site in a new tab, which is not connected to the wallet. */
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

/** Runs an expression in the site that opens the wallet's window. */
async function popup(page, does) {
  const [shown, asked] = await Promise.all([page.waitForEvent("popup"), begin(page, does)]);
  return { shown, asked };
}

const heading = (page, name) => page.getByRole("heading", { level: 1, name }).waitFor();

/** Connects the site to the EVM accounts. */
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

  // The permission persists for a new page too, which finds the same window.
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

withSite("no: to accounts, by closing the window, to all that waits", async (t, { page, address }) => {
  const { shown, asked } = await popup(page, 'ethereum.request({ method: "eth_requestAccounts" })');
  await button(shown, "Reject").click();
  assert.deepEqual(await asked.end(), { code: 4001, message: "the request was rejected" });
  assert.deepEqual(await page.evaluate("ethereum.request({ method: 'eth_accounts' })"), []);

  const second = await begin(page, 'ethereum.request({ method: "wallet_requestPermissions", params: [{ eth_accounts: {} }] })');
  await heading(shown, "Connect a site");
  await shown.close();
  assert.deepEqual(await second.end(), { code: 4001, message: "the wallet's window was closed" });

  const { shown: again, accounts: given } = await connected(page);
  assert.deepEqual(given, [address]);
  const network = await begin(page, 'ethereum.request({ method: "wallet_switchEthereumChain", params: [{ chainId: "0x89" }] })');
  const chain = await begin(page, 'keplr.enable("osmosis-1")');
  await again.getByText("No coin is active on eip155:137.").waitFor();
  await again.getByText("1 more request waits.").waitFor();
  await look(again, "dapps-missing");
  await button(again, "Reject all").click();
  assert.deepEqual([(await network.end()).code, (await chain.end()).code], [4001, 4001]);
  await heading(again, "Nothing to confirm");
  assert.match((await begin(page, 'keplr.experimentalSuggestChain({ chainId: "osmosis-1" })').end()).message, /activate a coin of osmosis-1 in the wallet itself/);
  for (const method of ["eth_sign", "eth_signTransaction", "wallet_watchAsset", "web3_sha3", "get_private_keys"]) {
    assert.equal((await begin(page, `ethereum.request({ method: "${method}", params: [] })`).end()).code, 4200, method);
  }
});

withSite("a site that is connected in one window waits in no other", async (t, { context, page, site, url, address }) => {
  const other = await visitSite(context, site, url);
  const first = await popup(page, 'ethereum.request({ method: "eth_requestAccounts" })');
  const second = await popup(other, 'ethereum.request({ method: "eth_requestAccounts" })');
  await heading(first.shown, "Connect a site");
  await heading(second.shown, "Connect a site");
  await button(first.shown, "Connect").click();
  assert.deepEqual(await first.asked.end(), { result: [address] });
  assert.deepEqual(await second.asked.end(), { result: [address] });
  await heading(second.shown, "Nothing to confirm");
});

withSite("ids of requests that cannot be answered are refused", async (t, { context, url }) => {
  const page = await visitSite(context, await serveSite(t), url);
  const shown = await openRaw(page, url);
  const ask = request(7, "connect", { family: "eip155" });
  await sendRaw(page, [ask, { ...ask, id: "a" }, { ...ask, id: 1.5 }, { ...ask, id: null }, { ...ask, id: undefined }, ask]);
  await heading(shown, "Connect a site");
  await until(() => page.evaluate("answers.length === 4"));
  assert.deepEqual(await page.evaluate("answers.map(({ id, error }) => [id, error.code, error.message])"), [
    ...["a", 1.5, null].map((id) => [id, -32602, "id must be a whole number"]),
    [7, -32602, "id 7 is that of a request that waits"],
  ]);
  await button(shown, "Reject").click();
  await until(() => page.evaluate("answers.length === 5"));
  assert.deepEqual(await page.evaluate("[answers[4].id, answers[4].error.code]"), [7, 4001]);
});

/** Sends raw requests over the channel, as a site that does not use the package. */
const raw = `async (requests) => {
  const [{ data }] = await globalThis.ready;
  const { port1, port2 } = new MessageChannel();
  const answers = [];
  port1.onmessage = (event) => answers.push(event.data);
  globalThis.window_.postMessage({ obverse: "connect", version: 1, origin: "https://bank.example" }, "*", [port2]);
  requests.forEach((request) => port1.postMessage(request));
  Object.assign(globalThis, { port1, answers, data });
}`;

/** Opens the wallet's window as a site that does not use the package. */
async function openRaw(page, url) {
  const [shown] = await Promise.all([
    page.waitForEvent("popup"),
    page.evaluate((wallet) => {
      globalThis.ready = new Promise((resolve) => addEventListener("message", (event) => resolve([{ data: event.data }]), { once: true }));
      globalThis.window_ = window.open(`${wallet}#/connect?ask=1`, "raw", "popup");
    }, url),
  ]);
  return shown;
}

const sendRaw = (page, requests) => page.evaluate(`(${raw})(${JSON.stringify(requests)})`);
const request = (id, method, params = [], chain = "eip155:1") => ({ id, method, params: JSON.stringify(params), chain });

withSite("a site without consent gets nothing, and cannot forge its origin", async (t, { context, page, home, url, site, address }) => {
  const { shown: own } = await connected(page);
  const other = await visitSite(context, await serveSite(t), url);
  const shown = await openRaw(other, url);
  await sendRaw(other, [
    request(1, "eth_blockNumber"),
    request(2, "personal_sign", ["0x00", address]),
    request(3, "eth_sendTransaction", [{ from: address, to: OTHER, value: "0x1" }]),
    request(4, "signAmino", { signerAddress: accounts.user.address, signDoc: {} }, "cosmos:cosmoshub-4"),
    request(5, "accounts"),
    request(6, "describe", [], ""),
    request(7, "disconnect"),
    request(8, "eth_accounts"),
    request(9, "connect", { family: "eip155" }),
  ]);
  await heading(shown, "Connect a site");
  assert.equal(await shown.locator(".site strong").innerText(), new URL(other.url()).origin);
  await until(() => other.evaluate("answers.length === 8"));
  const codes = await other.evaluate("Object.fromEntries(answers.map(({ id, error, ...rest }) => [id, [error.code, Object.keys(rest).length]]))");
  assert.deepEqual(codes, { 1: [4100, 0], 2: [4100, 0], 3: [4100, 0], 4: [4100, 0], 5: [4200, 0], 6: [4200, 0], 7: [4100, 0], 8: [4100, 0] });
  assert.deepEqual(await other.evaluate("data"), { obverse: "ready", ask: "1" });

  // Messages from a window that is not the opener are ignored, so the site cannot approve its own
  // request.
  await page.evaluate("globalThis.window_ = null");
  await own.evaluate(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => document.body.append("heard");
    postMessage({ obverse: "connect", version: 1 }, "*", [port2]);
    port1.postMessage({ id: 1, method: "eth_blockNumber", params: "[]", chain: "eip155:1" });
  });
  await heading(own, "Nothing to confirm");
  assert.match((await begin(page, 'ethereum.request({ method: "eth_blockNumber" })').end()).result, /^0x/, "the opener is heard still");
  assert.equal(await own.getByText("heard").count(), 0);

  // The approval for one site does not apply to another.
  await button(shown, "Reject").click();
  await until(() => other.evaluate("answers.length === 9"));
  assert.equal(await other.evaluate("answers.at(-1).error.code"), 4001);
  await visit(home, "settings", "Settings");
  assert.deepEqual(await home.locator(".sites strong").allTextContents(), [site]);
});

withSite("a page without an origin, and the wallet in a frame", async (t, { context, page, url }) => {
  await page.evaluate(() => {
    const frame = document.createElement("iframe");
    frame.sandbox.add("allow-scripts", "allow-popups", "allow-popups-to-escape-sandbox");
    frame.srcdoc = `<script>
      addEventListener("message", ({ data }) => {
        if (data.open) { globalThis.popup = open(data.open, "", "popup"); return; }
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = ({ data }) => parent.postMessage(data, "*");
        popup.postMessage({ obverse: "connect", version: 1 }, "*", [port2]);
        port1.postMessage({ id: 7, method: "connect", params: '{"family":"eip155"}', chain: "" });
      });
    </script>`;
    globalThis.refused = new Promise((resolve) => addEventListener("message", ({ data }) => data.error && resolve(data)));
    return new Promise((resolve) => {
      frame.onload = resolve;
      document.body.append(frame);
    });
  });
  const [shown] = await Promise.all([context.waitForEvent("page"), page.evaluate((wallet) => frames[0].postMessage({ open: `${wallet}#/connect?ask=1` }, "*"), url)]);
  await shown.getByText("No site is asking.").waitFor();
  assert.deepEqual(await page.evaluate("refused.then(({ id, error }) => [id, error.code])"), [7, 4100]);
  await shown.getByText("No site is asking.").waitFor();

  const refused = page.waitForEvent("console", { predicate: (message) => /frame-ancestors/.test(message.text()) });
  await page.evaluate((wallet) => {
    const frame = document.createElement("iframe");
    frame.src = `${wallet}#/connect?ask=1`;
    document.body.append(frame);
  }, url);
  await refused;
});

withSite("a flood, and nonsense", async (t, { page, url, address }) => {
  const shown = await openRaw(page, url);
  const large = { ...request(1000, "connect", { family: "eip155" }), params: JSON.stringify("x".repeat(300_000)) };
  const nonsense = [null, 7, "text", {}, { id: "1" }, { id: 1.5, method: "connect" }, { id: 1001 }, { id: 1002, method: {}, params: "[]", chain: "" }, { id: 1003, method: "connect", params: "{", chain: "" }];
  const wrong = [null, [], { family: "bitcoin" }, { family: "eip155", chains: "eip155:1" }, { family: "eip155", chains: ["cosmos:x"] }, { family: "eip155", chains: Array(21).fill("eip155:1") }];
  await sendRaw(page, [large, ...nonsense, ...wrong.map((params, n) => request(1100 + n, "connect", params))]);
  await until(() => page.evaluate("answers.length === 12"));
  assert.deepEqual(await page.evaluate("[...new Set(answers.map(({ error }) => error.code))]"), [-32602]);

  await page.evaluate("answers.length = 0; for (let id = 1; id <= 50; id++) port1.postMessage({ id, method: 'connect', params: '{\"family\":\"eip155\"}', chain: '' })");
  await shown.getByText("19 more requests wait.").waitFor();
  await until(() => page.evaluate("answers.length === 30"));
  assert.deepEqual(await page.evaluate("[...new Set(answers.map(({ error }) => error.code))]"), [-32005]);
  assert.equal(await shown.getByRole("heading", { level: 1 }).count(), 1, "one is shown at a time");
  // The other requests are for the same accounts, so one approval answers them too.
  await button(shown, "Connect").click();
  await heading(shown, "Nothing to confirm");
  await until(() => page.evaluate("answers.length === 50"));
  assert.deepEqual(await page.evaluate("[...new Set(answers.flatMap(({ result = [] }) => result.map(({ address }) => address)))]"), [address]);
});

withSite("a locked wallet: who asks is shown, and the password comes first", async (t, { page, home, site, address }) => {
  const { shown } = await connected(page);
  await button(home, "Lock").click();
  await button(shown, "Unlock").waitFor();
  await until(() => page.evaluate("events.some(([name, value]) => name === 'accountsChanged' && value.length === 0)"));
  assert.equal((await begin(page, "ethereum.request({ method: 'personal_sign', params: ['0x00'] })").end()).code, 4100);
  const asked = await begin(page, 'ethereum.request({ method: "eth_requestAccounts" })');
  await shown.getByText("asks this wallet for something").waitFor();
  await shown.reload(); // pending requests are displayed again
  await shown.getByText("asks this wallet for something").waitFor();
  assert.equal(await shown.locator("main strong").first().innerText(), site);
  await look(shown, "dapps-locked");

  await shown.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
  await button(shown, "Unlock").click();
  await heading(shown, "Connect a site"); // locking has removed the site's permission
  await until(async () => !(await button(shown, "Connect").isDisabled()));
  await button(shown, "Connect").click();
  assert.deepEqual(await asked.end(), { result: [address] });
  await isOpen(home);
});

/** Returns the displayed facts of a request by name. */
const facts = async (shown) => {
  const [names, values] = [await shown.locator(".asked dt").allInnerTexts(), await shown.locator(".asked dd").allInnerTexts()];
  return Object.fromEntries(names.map((name, n) => [name, values[n]]));
};
/** Reports whether a signature of an amino document is valid, according to CosmJS. */
function verifies(doc, { pub_key: { value }, signature }) {
  return Secp256k1.verifySignature(Secp256k1Signature.fromFixedLength(fromBase64(signature)), sha256(serializeSignDoc(doc)), fromBase64(value));
}

const plain = (text) => text.replaceAll(/\s/g, "");

/** Returns another wallet page. A site trusts only the origin that it names. @param {string} does the code that uses the port */
const fake = (does) => `<!doctype html><script>
  addEventListener("message", ({ data, ports: [port] }) => { (globalThis.got ??= []).push(data); ${does} });
  opener.postMessage({ obverse: "ready", ask: new URLSearchParams(location.hash.split("?")[1]).get("ask") }, "*");
</script>`;

withSite("the site's end: another origin in the wallet's window, and one that goes in the middle", async (t, { context, site }) => {
  const html = (body) => ({ contentType: "text/html", body });
  await context.route("https://moved.example/", (route) => route.fulfill(html('<script>location.replace("https://evil.example/" + location.hash)</script>')));
  await context.route("https://evil.example/", (route) => route.fulfill(html(fake(""))));
  await context.route("https://gone.example/", (route) => route.fulfill(html(fake("port.onmessage = ({ data: { id } }) => { port.postMessage({ confirmed: id }); setTimeout(close, 100); };"))));
  t.after(() => context.unrouteAll());
  const connect = 'ethereum.request({ method: "eth_requestAccounts" })';

  const moved = await visitSite(context, site, "https://moved.example/");
  await moved.evaluate("void (globalThis.heard = new Promise((resolve) => addEventListener('message', ({ origin }) => resolve(origin))))");
  const { shown, asked } = await popup(moved, connect);
  assert.equal(await moved.evaluate("heard"), "https://evil.example");
  await shown.evaluate("new Promise((resolve) => setTimeout(resolve))");
  assert.equal(await shown.evaluate("globalThis.got"), undefined, "it gets no port");
  await shown.close();
  assert.equal((await asked.end()).code, 4001);

  const gone = await visitSite(context, site, "https://gone.example/");
  const { asked: confirmed } = await popup(gone, connect);
  const { code, message } = await confirmed.end();
  assert.equal(code, -32603);
  assert.match(message, /may have been carried out/);

  const blocked = await visitSite(context, site, "https://gone.example/");
  await blocked.evaluate("globalThis.open = () => null");
  assert.deepEqual(await begin(blocked, connect).end(), { code: 4900, message: "the browser blocked the wallet's window: call this in the handler of a click" });
});

withSite("viem, as it is, sends coins through the announced provider", async (t, { page, home, site, evm, address }) => {
  const { shown } = await connected(page);
  const before = await evm.has(OTHER);
  await page.evaluate((to) => Object.assign(globalThis, { to }), OTHER);
  const send = "(async () => { const c = client(); const [account] = await c.getAddresses(); return c.sendTransaction({ account, to, value: viem.parseEther('1.5') }) })()";
  const refused = await begin(page, send);
  await heading(shown, "Send coins?");
  await button(shown, "Reject").click();
  assert.match((await refused.end()).message, /User rejected the request/);
  assert.equal(await evm.has(OTHER), before);

  // Another tab disconnects the site while it waits for a response.
  const late = await begin(page, send);
  await heading(shown, "Send coins?");
  await button(home, `Disconnect ${site}`).click();
  await home.getByText("No site is connected.").waitFor();
  await button(shown, "Confirm and send").click();
  assert.match((await late.end()).message, /not been authorized/);
  await shown.locator(".fault strong", { hasText: "This site is not connected to that account" }).waitFor();
  await button(shown, "Close").click();
  const again = await begin(page, 'ethereum.request({ method: "eth_requestAccounts" })');
  await button(shown, "Connect").click();
  await again.end();
  assert.equal(await evm.has(OTHER), before);

  const sent = await begin(page, send);
  await heading(shown, "Send coins?");
  const { Amount, To, Network, "Fee, at most": fee, "Your account": own } = await facts(shown);
  assert.deepEqual([Amount, To, Network, plain(own)], ["1.5 ETH", OTHER, "ETH (eip155:1)", address]);
  assert.match(fee, /^0\.0\d+ ETH$/);
  await look(shown, "dapps-send");
  await button(shown, "Confirm and send").click();
  const { result: hash } = await sent.end();
  assert.match(hash, /^0x[0-9a-f]{64}$/);
  await shown.getByText("Sent.").waitFor();
  const receipt = await page.evaluate(`client().waitForTransactionReceipt({ hash: "${hash}", pollingInterval: 100 }).then(({ status, from }) => ({ status, from }))`);
  assert.deepEqual(receipt, { status: "success", from: address.toLowerCase() });
  assert.equal((await evm.has(OTHER)) - before, (3n * COIN) / 2n);
});

withSite("viem: contracts, tokens, texts and typed data", async (t, { page, evm, address }) => {
  const { shown } = await connected(page);
  await evm.place(USDC, "Token20", 6);
  await evm.send(USDC, "mint(address,uint256)", address, 5_000_000);
  await page.evaluate((given) => Object.assign(globalThis, given), { to: OTHER, account: address, usdc: USDC });

  const approval = await begin(page, "client().writeContract({ account, address: usdc, abi: viem.erc20Abi, functionName: 'approve', args: [to, viem.maxUint256] })");
  await heading(shown, "Allow spending?");
  assert.match(await shown.locator("main").innerText(), /unlimited|all/i);
  await look(shown, "dapps-approve");
  await button(shown, "Reject").click();
  assert.match((await approval.end()).message, /rejected/);

  const paid = await begin(page, "client().writeContract({ account, address: usdc, abi: viem.erc20Abi, functionName: 'transfer', args: [to, 1_250_000n] })");
  await heading(shown, "Send tokens?");
  await button(shown, "Confirm and send").click();
  await page.evaluate(`client().waitForTransactionReceipt({ hash: "${(await paid.end()).result}", pollingInterval: 100 }).then(() => {})`);
  assert.equal(await page.evaluate("client().readContract({ address: usdc, abi: viem.erc20Abi, functionName: 'balanceOf', args: [to] }).then(String)"), "1250000");

  const unknown = await begin(page, "client().sendTransaction({ account, to: usdc, data: '0xdeadbeef00000000000000000000000000000000000000000000000000000000000000ff', gas: 100000n })");
  await heading(shown, "Call a contract?");
  assert.equal((await facts(shown)).Function, "0xdeadbeef");
  assert(await shown.locator(".warn").count());
  await look(shown, "dapps-call");
  await button(shown, "Reject").click();
  await unknown.end();

  for (const [text, reads] of [["Log in to the shop\nNonce: 7", /Log in to the shop\nNonce: 7/], ["Log in to \u202eknab", /0x4c6f6720696e20746f20e280ae6b6e6162/]]) {
    const signed = await begin(page, `client().signMessage({ account, message: ${JSON.stringify(text)} })`);
    await heading(shown, "Sign a message?");
    assert.match(await shown.locator(".asked").innerText(), reads);
    await look(shown, "dapps-message");
    await button(shown, "Sign").click();
    const { result: signature } = await signed.end();
    assert.equal(await page.evaluate(`viem.verifyMessage({ address: account, message: ${JSON.stringify(text)}, signature: "${signature}" })`), true);
    await heading(shown, "Nothing to confirm");
  }

  const typed = `{
    domain: { name: "Shop", version: "1", chainId: 1, verifyingContract: usdc },
    types: { Order: [{ name: "item", type: "string" }, { name: "price", type: "uint256" }] },
    primaryType: "Order", message: { item: "tea", price: 12n },
  }`;
  const ordered = await begin(page, `client().signTypedData({ account, ...${typed} })`);
  await heading(shown, "Sign data?");
  assert.match(await shown.locator(".asked").innerText(), /tea/);
  await button(shown, "Sign").click();
  assert.equal(await page.evaluate(`viem.verifyTypedData({ address: account, ...${typed}, signature: "${(await ordered.end()).result}" })`), true);
});

withSite("CosmJS, as it is, sends coins and signs texts through the Keplr-shaped object", async (t, { page, cosmos, site }) => {
  const { shown, asked } = await popup(page, `keplr.enable("cosmoshub-4")`);
  await heading(shown, "Connect a site");
  assert.equal(plain(await shown.locator(".groups").innerText()), accounts.user.address);
  await button(shown, "Connect").click();
  assert.deepEqual(await asked.end(), { result: undefined });
  const key = await page.evaluate("keplr.getKey('cosmoshub-4').then(({ address, pubKey, ...rest }) => ({ ...rest, sizes: [address.length, pubKey.length] }))");
  assert.deepEqual(key, { name: "Obverse", algo: "secp256k1", bech32Address: accounts.user.address, isNanoLedger: false, isKeystone: false, sizes: [20, 33] });
  await page.evaluate((given) => Object.assign(globalThis, given), { url: cosmos.url, from: accounts.user.address, to: accounts.other.address });

  for (const amino of [false, true]) {
    const [before, count] = [cosmos.has(accounts.other.address, "uatom"), cosmos.transactions.length];
    const send = `stargate(url, "cosmoshub-4", ${amino}).then((c) => c.sendTokens(from, to, [{ denom: "uatom", amount: "1250000" }], "auto", "for tea")).then(({ code, transactionHash }) => ({ code, transactionHash }))`;
    const sent = await begin(page, send);
    await heading(shown, "Send coins?");
    const { Amount, To, Memo, Network } = await facts(shown);
    assert.deepEqual([Amount, plain(To), Memo, Network], ["1.25 ATOM", accounts.other.address, "for tea", "ATOM (cosmos:cosmoshub-4)"]);
    await look(shown, `dapps-cosmos-${amino ? "amino" : "direct"}`);
    await button(shown, "Sign").click();
    const { result } = await sent.end();
    assert.equal(result?.code, 0);
    assert.equal(cosmos.transactions.length, count + 1);
    assert.equal(cosmos.has(accounts.other.address, "uatom") - before, 1250000n);
  }

  const text = await begin(page, `keplr.signArbitrary("cosmoshub-4", from, "Log in to ${site}")`);
  await heading(shown, "Sign a message?");
  await button(shown, "Sign").click();
  const { result: signature } = await text.end();
  const data = Buffer.from(`Log in to ${site}`).toString("base64");
  const doc = { account_number: "0", chain_id: "", fee: { amount: [], gas: "0" }, memo: "", msgs: [{ type: "sign/MsgSignData", value: { data, signer: accounts.user.address } }], sequence: "0" };
  assert(await verifies(doc, signature));
  const order = { ...doc, account_number: "7", chain_id: "cosmoshub-4", fee: { amount: [{ denom: "uatom", amount: "2500" }], gas: "100000" }, memo: "<&>", msgs: [{ type: "cosmos-sdk/MsgSend", value: { from_address: accounts.user.address, to_address: accounts.other.address, amount: [{ denom: "uatom", amount: "1" }] } }], sequence: "3" };
  const amino = await begin(page, `keplr.signAmino("cosmoshub-4", from, ${JSON.stringify(order)})`);
  await heading(shown, "Send coins?");
  await button(shown, "Sign").click();
  const { result } = await amino.end();
  assert.deepEqual(result.signed, order);
  assert(await verifies(order, result.signature));

  const foreign = await begin(page, `keplr.signArbitrary("cosmoshub-4", to, "not mine")`);
  assert.equal((await foreign.end()).code, 4100);
});
