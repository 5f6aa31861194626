import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { test as plain } from "node:test";
import { evmChain } from "../../test/evmchain.js";
import { sharing } from "../../test/sharing.js";
import { activate, amount, row, withoutCoins } from "./money.js";
import { connectTo, nativeNode } from "./native.js";
import { browser, checkAccess, checkWidth, FAST, folder, isOpen, picture, sizes, until, visit, wallet } from "./support.js";
import { owner } from "../../test/support.js";

const test = (name, does) => plain(name, { timeout: 400000 }, does);
const inWallet = withoutCoins(sharing("an open wallet without networks", (t) => wallet(t, { passphrase: owner.passphrase, speed: FAST })));

/** The account of the wallet's passphrase, and an account without funds. */
const OWN = "0xf5c3bf03cBA4E343484588932e423A7C8BFf102d";
const OTHER = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const USDC = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const DAI = "0x6B175474E89094C44Da98b954EedeAC495271d0F";

/** Starts an Ethereum network on which the wallet has coins and two tokens. */
async function ethereum(t) {
  const chain = await evmChain(t);
  await chain.place(USDC, "Token20", 6);
  await chain.place(DAI, "Token20", 18);
  await chain.send(USDC, "mint(address,uint256)", OWN, 12345678);
  await chain.send(DAI, "mint(address,uint256)", OWN, 7);
  await chain.give(OWN, 2500000000000000001n);
  return chain;
}

const words = (page) => page.locator("main").innerText();
const fact = (page, name) => page.locator(".transfer dt", { hasText: new RegExp(`^${name}$`) }).locator("xpath=following-sibling::dd[1]");

/** Checks a view in light, dark and on a phone. */
async function look(page, name) {
  await checkAccess(page);
  await picture(page, name);
  await page.setViewportSize(sizes.phone);
  await checkWidth(page);
  await page.setViewportSize(sizes.desktop);
}

inWallet("an EVM network in the page: activation, portfolio, address, tokens, a restart", async (t, { page, said }) => {
  const [chain, polygon] = [await ethereum(t), await evmChain(t, { id: 137 })];
  await visit(page, "activate", "Activate a coin");
  await page.getByRole("radio", { name: /^ETH / }).check();
  await page.getByRole("textbox", { name: "Server 1" }).fill(polygon.url);
  assert.equal(await page.getByText("Keplr").count(), 0);
  assert.equal(await page.getByRole("checkbox", { name: /^Keep the history/ }).count(), 0);
  await page.getByRole("button", { name: "Activate ETH" }).click();
  await page.getByText("It is a server of the chain 137, not of 1.").waitFor();
  await look(page, "evm-activate");
  await page.getByRole("button", { name: "Add a server" }).click();
  await page.getByRole("textbox", { name: "Server 2" }).fill(chain.url);
  await page.getByRole("textbox", { name: "Other ERC-20 tokens" }).fill("NOTHING-ERC20");
  await page.getByRole("button", { name: "Activate ETH" }).click();
  await page.getByText("The node does not know the token NOTHING-ERC20.").waitFor();
  await page.getByRole("textbox", { name: "Other ERC-20 tokens" }).fill("");
  await page.getByRole("checkbox", { name: /^USDC-ERC20/ }).check();
  await page.getByRole("button", { name: "Activate ETH" }).click();
  await page.getByRole("heading", { level: 1, name: "ETH is active" }).waitFor();
  await page.getByText("With USDC-ERC20. They share this address:").waitFor();
  await page.getByText("One of its servers is not used.").waitFor();
  await page.getByText("It is a server of the chain 137, not of 1.").waitFor();
  assert.equal((await page.locator("main .groups").innerText()).replaceAll(/\s/g, ""), OWN);

  await visit(page, "", "Home");
  await amount(page, "2.500000000000000001").waitFor();
  await amount(page, "12.345678").waitFor();
  assert.match(await row(page, "ETH").innerText(), /^Ethereum\s+ETH\s/);
  await look(page, "evm-portfolio");
  const loaded = await page.evaluate(() => performance.getEntriesByType("resource").flatMap(({ name }) => /\/(obverse(\.\w+)?)-[^/]+\.wasm$/.exec(name)?.[1] ?? []));
  assert.deepEqual(loaded, ["obverse"], "no part of the node is loaded");

  await page.locator('.coin[data-coin="ETH"] a').click();
  await page.getByRole("link", { name: "Receive ETH" }).click();
  await page.getByRole("heading", { level: 1, name: "Receive" }).waitFor();
  await page.getByRole("img", { name: "QR code of your ETH address" }).waitFor();
  assert.equal((await page.locator("main .groups").innerText()).replaceAll(/\s/g, ""), OWN, "with its checksum");
  assert(!(await words(page)).includes("IBC"));
  await page.getByText("It is the same on all EVM networks").waitFor();
  await look(page, "evm-receive");

  await visit(page, "history/USDC-ERC20", "History");
  await page.getByText("The history of USDC-ERC20 is not kept: ETH was activated without it.").waitFor();
  await look(page, "evm-history");
  await page.getByRole("button", { name: "Load the history" }).click();
  await page.getByRole("button", { name: "Disable USDC-ERC20" }).waitFor();
  await visit(page, "history/USDC-ERC20", "History");
  await page.locator("ul.history").waitFor();
  await look(page, "evm-history-loaded");

  await visit(page, "activate/ETH", "Activate a coin");
  await page.getByText("ETH is active. The node activates its tokens with its servers.").waitFor();
  await page.getByRole("checkbox", { name: /^DAI-ERC20/ }).check();
  await page.getByRole("button", { name: "Activate DAI-ERC20" }).click();
  await page.getByRole("button", { name: "Disable DAI-ERC20" }).waitFor();
  await page.getByRole("textbox", { name: "Other ERC-20 tokens" }).fill("WBTC-ERC20");
  await page.getByRole("button", { name: "Activate WBTC-ERC20" }).click();
  await page.getByRole("alert").waitFor(); // the contract does not exist on this chain
  await page.reload();
  await isOpen(page);
  await visit(page, "", "Home");
  await amount(page, "0.000000000000000007").waitFor();
  await amount(page, "12.345678").waitFor();
  assert.deepEqual(said.filter((line) => !/Failed to load resource/.test(line)), []);
});

inWallet("an empty wallet, and what it receives while Home is open, also of tokens that are activated later", async (t, { page, said }) => {
  const [chain, polygon] = [await evmChain(t), await evmChain(t, { id: 137 })];
  for (const contract of [USDC, DAI]) {
    await chain.place(contract, "Token20", 6);
  }
  await activate(page, [polygon], { coin: "MATIC", history: null });
  await page.getByRole("button", { name: "Activate another coin" }).click();
  await activate(page, [chain], { coin: "ETH", tokens: ["USDC-ERC20"], history: null });
  await visit(page, "", "Home");
  const order = () => page.locator(".coin[data-coin]").evaluateAll((all) => all.map((one) => one.getAttribute("data-coin")));
  const acts = page.locator(".summary .act");
  await until(async () => (await page.locator('.coin data[value="0"]').count()) === 3);
  assert.deepEqual(await order(), ["ETH", "MATIC", "USDC-ERC20"], "as in the directory, whatever was activated first");
  await page.getByText("Nothing here yet.").waitFor();
  assert.deepEqual(await acts.allInnerTexts(), ["Receive", "Send"]);
  assert.match(await row(page, "MATIC").innerText(), /^POL\s+Polygon\s/, "each name once");
  await look(page, "home-empty");

  await polygon.give(OWN, 5n);
  await amount(page, "0.000000000000000005").waitFor();
  await until(async () => (await order())[0] === "MATIC");
  await acts.filter({ hasText: "Send" }).click();
  await page.getByRole("heading", { level: 1, name: "Send" }).waitFor();
  assert.equal(await page.getByRole("combobox", { name: "Coin" }).inputValue(), "MATIC", "the first of Home, which holds something");
  await visit(page, "", "Home");

  await chain.give(OWN, 3n);
  await amount(page, "0.000000000000000003").waitFor();
  await until(async () => (await acts.first().innerText()) === "Send");
  await chain.send(USDC, "mint(address,uint256)", OWN, 500000000);
  await amount(page, "500").waitFor();
  await visit(page, "activate/ETH", "Activate a coin");
  await page.getByRole("checkbox", { name: /^DAI-ERC20/ }).check();
  await page.getByRole("button", { name: "Activate DAI-ERC20" }).click();
  await page.getByRole("button", { name: "Disable DAI-ERC20" }).waitFor();
  await visit(page, "", "Home");
  await until(async () => (await row(page, "DAI-ERC20").locator('data[value="0"]').count()) === 1);
  await chain.send(DAI, "mint(address,uint256)", OWN, 7000000);
  await until(async () => (await row(page, "DAI-ERC20").locator("data").first().getAttribute("value")) !== "0", "what a token received that was activated later");
  await page.reload();
  await isOpen(page);
  await visit(page, "", "Home");
  await amount(page, "500").waitFor();
  await chain.send(USDC, "mint(address,uint256)", OWN, 1000000);
  await amount(page, "501").waitFor();
  assert.deepEqual(said.filter((line) => !/Failed to load resource/.test(line)), []);
});

inWallet("sending on an EVM network: its fee in gas, its way into a block, what is wrong in words", async (t, { page, said }) => {
  const chain = await ethereum(t);
  await activate(page, [chain], { coin: "ETH", tokens: ["USDC-ERC20"], history: null });
  await visit(page, "send/ETH", "Send");
  const [to, sum] = [page.getByRole("textbox", { name: "To", exact: true }), page.getByRole("textbox", { name: /^Amount in/ })];
  const next = page.getByRole("button", { name: "Continue" });
  await to.waitFor();
  assert.equal(await page.getByText("Memo").count(), 0);
  for (const [address, value, says] of [
    [OTHER.replace("A", "a"), "1", "The address has a mistake in it: its checksum is wrong."],
    ["cosmos1jrkmdcwgq94uaamx6zax2luewlhf7u4kucx3kz", "1", "40 hexadecimal digits"],
    [OTHER, "2.6", "You only have 2.500000000000000001 ETH, and this needs 2.6"],
    [OTHER, "0.0000000000000000001", "ETH has 18 decimals at most."],
  ]) {
    await to.fill(address);
    await sum.fill(value);
    await next.click();
    await page.getByRole("alert").filter({ hasText: says }).first().waitFor();
    assert(!(await words(page)).includes("IBC"));
  }
  await sum.fill("0.3");
  await look(page, "evm-send");
  await chain.automine(false);
  await next.click();
  await page.getByRole("heading", { level: 1, name: "Check and send" }).waitFor();
  assert.equal((await fact(page, "To").innerText()).replaceAll(/\s/g, ""), OTHER);
  assert.equal((await fact(page, "Network").innerText()).trim(), "Ethereum");
  assert.match(await fact(page, "Fee, at most").innerText(), /^−0\.0\d+ ETH\s+21000 units of gas, for at most \d+(\.\d+)? gwei each$/);
  await look(page, "evm-send-check");
  assert.equal(await chain.has(OTHER), 0n, "nothing is sent yet");
  await page.getByRole("button", { name: "Send 0.3 ETH" }).click();
  await page.getByText("A block takes about 15 seconds.").waitFor();
  await chain.mine();
  await page.getByText(/^In block \d+\. Recent blocks can still be dropped/).waitFor();
  assert.equal(await chain.has(OTHER), 300000000000000000n);
  await look(page, "evm-send-done");
  await page.getByRole("link", { name: "Done" }).click();
  const held = page.locator('.coin[data-coin="ETH"] data');
  await until(async () => /^2\.19/.test(await held.getAttribute("value")), "the balance is asked for at once");

  await chain.automine(true);
  await visit(page, "send/USDC-ERC20", "Send");
  await page.getByText("The fee is paid in ETH.").waitFor();
  await to.fill(OTHER);
  await page.getByRole("button", { name: "Max: send all of it" }).click();
  await next.click();
  await page.getByText("You have sent to this address before.").waitFor();
  await page.getByRole("button", { name: "Back" }).click();
  await to.fill("0x5aaEb6153f3e94C9b9A09f33669435E7Ef1BeAed".toLowerCase());
  await next.click();
  await page.getByText("This address is not the one that you know.").waitFor();
  await look(page, "evm-send-token");
  await page.getByRole("button", { name: "Back" }).click();
  await to.fill(OTHER);
  await next.click();
  await page.getByRole("button", { name: "Send 12.345678 USDC" }).click();
  await page.getByText(/^(In|Confirmed in) block/).waitFor();
  assert.deepEqual(said, []);
});

test("a pending transaction does not block further ones, and survives a reload", async (t) => {
  const chain = await ethereum(t);
  const { page, said } = await wallet(t, { passphrase: owner.passphrase, speed: FAST });
  await activate(page, [chain], { coin: "ETH", tokens: ["USDC-ERC20"], history: null });
  await chain.automine(false);
  await visit(page, "send/ETH", "Send");
  await page.getByRole("textbox", { name: "To", exact: true }).fill(OTHER);
  await page.getByRole("textbox", { name: /^Amount in/ }).fill("0.25");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Send 0.25 ETH" }).click();
  await page.getByRole("heading", { level: 1, name: "Sent, waiting for a block" }).waitFor();
  await page.getByRole("link", { name: "Done" }).click();
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
  await visit(page, "send/ETH", "Send");
  assert.equal(await page.getByRole("textbox", { name: "To", exact: true }).inputValue(), "", "who is done with one begins another");
  await visit(page, "send/USDC-ERC20", "Send");
  await page.getByText("The fee is paid in ETH.").waitFor();
  assert.equal(await page.getByText("Sent from here").count(), 0, "of another coin");
  await visit(page, "send/ETH", "Send");
  await page.locator(".sentfrom").getByText("waits for a block").waitFor();
  await look(page, "evm-send-waiting");

  await page.reload();
  await isOpen(page);
  await visit(page, "send/ETH", "Send");
  const sent = page.locator(".sentfrom li");
  await sent.getByText("waits for a block").waitFor();
  assert.match((await sent.innerText()).replaceAll(/\s/g, ""), new RegExp(`0\\.25ETH.*${OTHER.slice(0, 9)}….*0x[0-9a-f]{7}…[0-9a-f]{5}`));
  await chain.mine();
  await sent.getByText(/in block \d+/).waitFor();
  assert.equal(await chain.has(OTHER), 250000000000000000n);
  assert.deepEqual(said, []);
});

test("a native node: tokens of its coins file, and a network that the page does not know", async (t) => {
  const [chain, own] = [await ethereum(t), await evmChain(t, { id: 31337 })];
  const token = await chain.deploy("Token20", 6);
  await chain.send(token, "mint(address,uint256)", OWN, 4000000);
  const many = await chain.deploy("Token20", 255);
  await chain.send(many, "mint(address,uint256)", OWN, 5000000000);
  await own.give(OWN, 9000000000000000000n);
  const opened = await browser(t);
  const home = folder(t);
  const coins = path.join(home, "coins");
  writeFileSync(coins, JSON.stringify([
    { coin: "SIX-ERC20", mm2: 1, protocol: { type: "ERC20", protocol_data: { platform: "ETH", contract_address: token } } },
    { coin: "LATE-ERC20", mm2: 1, protocol: { type: "ERC20", protocol_data: { platform: "ETH", contract_address: "0x00000000000000000000000000000000000000bb" } } },
    { coin: "ZED-ERC20", mm2: 1, protocol: { type: "ERC20", protocol_data: { platform: "ETH", contract_address: many } } },
    { coin: "MINE", fname: "Mine", mm2: 1, avg_blocktime: 30, protocol: { type: "ETH", protocol_data: { chain_id: 31337 } } },
  ]));
  const node = await nativeNode(t, new URL(opened.url).origin, [`coins=${coins}`]);
  const page = await opened.context.newPage();
  await page.goto(opened.url);
  await connectTo(page, node, false);
  await isOpen(page);
  await visit(page, "activate", "Activate a coin");
  await page.getByRole("radio", { name: /^ETH / }).check();
  await page.getByRole("textbox", { name: "Server 1" }).fill(chain.url);
  await page.getByRole("textbox", { name: "Other ERC-20 tokens" }).fill("SIX-ERC20, LATE-ERC20, USDC-ERC20, ZED-ERC20");
  await page.getByRole("button", { name: "Activate ETH" }).click();
  await page.getByRole("heading", { level: 1, name: "ETH is active" }).waitFor();
  // A token with an unresponsive contract is named with the reason, and becomes active once it does.
  const failed = page.getByRole("alert").filter({ hasText: "These tokens are not active: LATE-ERC20" });
  await failed.getByText(/^LATE-ERC20: \S/).waitFor();
  assert.doesNotMatch(await page.locator(".narrowform .note").innerText(), /LATE/, "it is not among the coins that are active");
  await chain.place("0x00000000000000000000000000000000000000bb", "Token20", 6);
  await failed.getByRole("button", { name: "Try again" }).click();
  await failed.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Activate another coin" }).click();
  await page.getByRole("radio", { name: /^Another/ }).check();
  await page.getByRole("textbox", { name: "Ticker" }).fill("MINE");
  await page.getByRole("radio", { name: /^EVM/ }).check();
  await page.getByRole("textbox", { name: "Server 1" }).fill(own.url);
  await look(page, "evm-other");
  await page.getByRole("button", { name: "Activate MINE" }).click();
  await page.getByRole("heading", { level: 1, name: "MINE is active" }).waitFor();
  await visit(page, "", "Home");
  for (const value of ["2.500000000000000001", "4", "12.345678", "9"]) {
    await amount(page, value).waitFor();
  }
  const tiny = page.locator('.coin[data-coin="ZED-ERC20"] data');
  assert.deepEqual([await tiny.innerText(), await tiny.getAttribute("title")], ["< 0.000001", `0.${"0".repeat(245)}5`]);
  // Refresh twice, since the node polls only every 30 seconds, which is longer than the timeout.
  for (const coins of ["8.5", "7.25"]) {
    await own.give(OWN, BigInt(Number(coins) * 100) * 10n ** 16n);
    const balance = page.locator(`.spendable data[value="${coins}"]`);
    await until(async () => {
      await visit(page, "", "Home");
      await visit(page, "send/MINE", "Send");
      return (await balance.count()) > 0;
    }, `the balance of ${coins} is asked for`);
  }
  await visit(page, "receive/MINE", "Receive");
  await page.getByText("It is the same on all EVM networks").waitFor();
  await visit(page, "activate/MINE", "Activate a coin");
  await page.getByRole("button", { name: "Disable ETH" }).click();
  await page.getByRole("dialog").getByText("Its tokens too: SIX-ERC20, USDC-ERC20").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
  await page.getByRole("button", { name: "Disable ETH" }).waitFor({ state: "hidden" });
  // Disabled coins are requested a last time.
  assert.deepEqual(opened.said.filter((line) => !/Failed to load resource/.test(line)), []);
});
