/** The receiver and the amount in the send form: contacts, names, QR codes and the clipboard; amounts in the coin or a currency. */

import assert from "node:assert/strict";
import { sharing } from "../../test/sharing.js";
import { evmChain } from "../../test/evmchain.js";
import { accounts, activate, amount, nativeWallet } from "./money.js";
import { browser, checkAccess, checkWidth, picture, restore, sizes, until, visit } from "./support.js";
import { EVM as OWN, usualWorld } from "./usual.js";

const { other } = accounts;
const BOB = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const USDC = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const EVE = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359";

/** The address of the ENS registry. */
const REGISTRY = "0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e";
/** A contract that returns itself as the resolver of every name, and the address in slot 0 of its storage as the address of every name. */
const EVERY_NAME = "0x60003560e01c630178b8bf14601a5760005460005260206000f35b3060005260206000f3";

const inWorld = sharing("a restored wallet with prices, a camera and contacts", async (t) => {
  const opened = await browser(t, { usual: true, args: ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"] });
  await opened.context.grantPermissions(["clipboard-read", "clipboard-write", "camera"]);
  await opened.context.addInitScript(() => {
    globalThis.BarcodeDetector = class {
      detect = async () => (globalThis.code ? [{ rawValue: globalThis.code }] : []);
    };
  });
  const world = await usualWorld(t, opened.context, { dead: [] });
  await world.ethereum.ask("anvil_setCode", REGISTRY, EVERY_NAME);
  const page = await opened.context.newPage();
  await page.goto(opened.url);
  await restore(page, { passphrase: world.passphrase });
  for (const value of ["993.4998", "1.234567890123456789", "42"]) {
    await amount(page, value).waitFor();
  }
  return { ...opened, page, world };
});

const to = (page) => page.getByRole("textbox", { name: "To", exact: true });
const sum = (page) => page.getByRole("textbox", { name: /^Amount in/ });
const next = (page) => page.getByRole("button", { name: "Continue" });
const fact = (page, name) => page.locator(".transfer dt", { hasText: new RegExp(`^${name}$`) }).locator("xpath=following-sibling::dd[1]");
const plain = async (locator) => (await locator.innerText()).replaceAll(/\s/g, "");

/** Opens an empty form. */
async function form(page, coin) {
  await visit(page, "", "Home");
  await visit(page, `send/${coin}?to=`, /./);
  const back = page.getByRole("button", { name: "Back", exact: true });
  const another = page.getByRole("button", { name: "Send another" });
  await to(page).or(back).or(another).first().waitFor();
  for (const button of [back, another]) {
    (await button.isVisible()) && (await button.click());
  }
  await to(page).waitFor();
}

/** Makes the name alice.eth resolve to an address. */
const point = (world, address) => world.ethereum.ask("anvil_setStorageAt", REGISTRY, `0x${"0".repeat(64)}`, `0x${"0".repeat(24)}${address.slice(2)}`);

inWorld("contacts and recent receivers are offered, and what is chosen is the receiver", async (t, { page, said }) => {
  await visit(page, "settings", "Settings");
  for (const [name, address] of [["Ann", other.address], ["Bob", BOB]]) {
    await page.getByRole("button", { name: "Add contact", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Name" }).fill(name);
    await dialog.getByRole("textbox", { name: "Address" }).fill(address);
    await dialog.getByRole("button", { name: "Save" }).click();
  }
  await form(page, "ETH");
  const list = page.getByRole("list", { name: "Contacts and recent receivers" });
  assert.equal((await list.innerText()).trim(), "Bob", "those of Cosmos chains are of no use here");
  await form(page, "ATOM");
  await list.getByRole("button", { name: "Ann" }).waitFor();
  await checkAccess(page);
  await picture(page, "receiver-suggested");
  await page.setViewportSize(sizes.phone);
  await checkWidth(page);
  await page.setViewportSize(sizes.desktop);
  await to(page).fill("invalid");
  await list.waitFor({ state: "hidden" });
  await to(page).fill("an");
  await list.getByRole("button", { name: "Ann" }).click();
  assert.equal(await to(page).inputValue(), other.address);
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("name")), "amount");
  await page.locator(".suggested").getByText("Ann").waitFor();
  await sum(page).fill("1");
  await next(page).click();
  assert.equal(await plain(fact(page, "To")), `Ann${other.address}`);
  await page.getByRole("button", { name: "Back" }).click();
  await to(page).fill(" ann ");
  await next(page).click();
  assert.equal(await plain(fact(page, "To")), `Ann${other.address}`, "a whole name stands for the address");
  await page.getByRole("button", { name: "Back" }).click();
  assert.deepEqual(said, []);
});

inWorld("an address is pasted, and scanned", async (t, { page, said }) => {
  await form(page, "ETH");
  const paste = async (text) => {
    await page.evaluate((given) => navigator.clipboard.writeText(given), text);
    await page.getByRole("button", { name: "Paste", exact: true }).click();
  };
  await paste(` \u200bethereum:${BOB}@1?value=250000000000000000&gas=21000\n`);
  await until(async () => (await to(page).inputValue()) === BOB);
  assert.equal(await sum(page).inputValue(), "0.25");
  await page.getByText("Not used from the payment request: gas=21000").waitFor();
  await form(page, "ETH");
  await to(page).fill(`\u202a\u00a0${BOB}\u200b\ufeff`);
  assert.equal(await to(page).inputValue(), ` ${BOB}`, "what cannot be seen is not there");
  await sum(page).fill("0.01");
  await next(page).click();
  assert.equal(await plain(fact(page, "To")), `Bob${BOB}`);
  const request = `ethereum:${USDC}@1/transfer?address=${BOB}&uint256=1500000`;
  await form(page, "ETH");
  for (const [text, why] of [
    [request, "This payment request is for USDC · Ethereum, and you chose ETH."],
    [`ethereum:${USDC}/approve?address=${BOB}&uint256=1500000`, "calls “approve” of a contract"],
    [`bitcoin:${BOB}`, "Payment requests of the kind “bitcoin:” are not for ETH."],
    [`ethereum:${BOB}?req-until=5`, "the part “req-until”, which is not supported"],
  ]) {
    await paste(text);
    await page.getByRole("alert").getByText(why).waitFor();
    assert.equal(await to(page).inputValue(), text, "nothing of it is taken");
    await sum(page).fill("0.01");
    await next(page).click();
    assert.equal(await page.getByRole("heading", { level: 1, name: "Send" }).count(), 1);
  }
  await checkAccess(page);
  await picture(page, "receiver-request");
  await form(page, "USDC-ERC20");
  await to(page).fill(request);
  await until(async () => (await to(page).inputValue()) === BOB);
  assert.equal(await sum(page).inputValue(), "1.5");
  await next(page).click();
  assert.equal(await plain(fact(page, "To")), `Bob${BOB}`);
  assert.match(await plain(fact(page, "Amount")), /^−1\.5USDC/);
  await form(page, "ATOM");
  await paste(`cosmos:${other.address}?amount=1.5&memo=104532`);
  await until(async () => (await to(page).inputValue()) === other.address);
  assert.deepEqual([await sum(page).inputValue(), await page.getByRole("textbox", { name: /^Memo/ }).inputValue()], ["1.5", "104532"]);
  await form(page, "ETH");
  await page.getByRole("button", { name: "Scan a QR code" }).click();
  const dialog = page.getByRole("dialog", { name: "Scan a QR code" });
  await dialog.locator("video").waitFor();
  await checkAccess(page);
  await page.evaluate((code) => (globalThis.code = code), `ethereum:${EVE}@137`);
  await dialog.waitFor({ state: "hidden" });
  assert.equal(await to(page).inputValue(), `ethereum:${EVE}@137`);
  await page.getByRole("alert").getByText("This code asks for the network 137, and the coin is on Ethereum.").waitFor();
  await page.evaluate(() => {
    delete globalThis.code;
    navigator.mediaDevices.getUserMedia = () => Promise.reject(new Error("no"));
    navigator.clipboard.readText = () => Promise.reject(new Error("no"));
  });
  await page.getByRole("button", { name: "Scan a QR code" }).click();
  await dialog.getByText("The camera is not available.").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Paste", exact: true }).click();
  await page.getByText("The browser did not allow this page to read the clipboard.").waitFor();
  assert.deepEqual(said, []);
});

inWorld("a name is resolved, shown in full, and asked for again before anything is sent", async (t, { page, world }) => {
  await point(world, BOB);
  await form(page, "ETH");
  await to(page).fill("Alice.eth");
  await page.getByText(`Alice.eth is ${BOB.slice(0, 9)}…${BOB.slice(-5)}`).waitFor();
  await sum(page).fill("0.25");
  await next(page).click();
  assert.equal(await plain(fact(page, "To")), `alice.ethENSBob${BOB}`);
  await checkAccess(page);
  await picture(page, "receiver-name");
  await point(world, EVE);
  const before = await world.ethereum.has(BOB);
  await page.getByRole("button", { name: "Send 0.25 ETH" }).click();
  await page.getByText(`alice.eth now stands for another address: ${EVE}. You reviewed ${BOB}.`).waitFor();
  assert.deepEqual([await world.ethereum.has(BOB), await world.ethereum.has(EVE)], [before, 0n], "nothing is sent");
  await next(page).click();
  assert.equal(await plain(fact(page, "To")), `alice.ethENS${EVE}`);
  await page.getByRole("button", { name: "Send 0.25 ETH" }).click();
  await page.getByText(/^In block/).waitFor();
  assert.equal(await world.ethereum.has(EVE), 250000000000000000n);
  await point(world, `0x${"0".repeat(40)}`);
  await form(page, "ETH");
  await page.getByRole("list", { name: "Contacts and recent receivers" }).getByRole("button", { name: /^0xfB691609…5d359|0xfB69160…5d359/ }).waitFor();
  await to(page).fill("alice.eth");
  await sum(page).fill("0.1");
  await next(page).click();
  await page.getByRole("alert").getByText("No address is registered under this name for this network.").waitFor();
  await form(page, "ATOM");
  await to(page).fill("alice.cosmos");
  await sum(page).fill("1");
  await next(page).click();
  await page.getByRole("alert").getByText("Add OSMOSIS to use such names: its servers know them.").waitFor();
});

inWorld("the amount is entered in the currency of prices, and rounded down", async (t, { page, said }) => {
  await form(page, "ATOM");
  await page.getByRole("button", { name: "Enter the amount in USD" }).waitFor();
  await sum(page).fill("2,4");
  await page.getByText("≈ $10.82").waitFor(); // the exact value is 10.824
  await sum(page).fill("-2");
  await page.getByRole("alert").getByText("Enter an amount above zero.").waitFor();
  assert.equal(await page.locator(".counterpart").innerText(), "", "it has no value");
  await sum(page).fill("2,4");
  await page.getByText("≈ $10.82").waitFor();
  assert.equal(await page.getByRole("alert").filter({ hasText: "above zero" }).count(), 0);
  await page.getByRole("button", { name: "Enter the amount in USD" }).click();
  assert.equal(await page.getByRole("textbox", { name: "Amount in USD" }).inputValue(), "10.82");
  await sum(page).fill("10");
  await amount(page, "2.217294").waitFor(); // the exact value is 2.21729490…
  await checkAccess(page);
  await picture(page, "receiver-fiat");
  await page.setViewportSize(sizes.phone);
  await checkWidth(page);
  await page.setViewportSize(sizes.desktop);
  await to(page).fill(other.address);
  await next(page).click();
  assert.equal((await fact(page, "Amount").innerText()).trim(), "−2.217294 ATOM ≈ $10.00");
  assert.match((await fact(page, "Balance afterwards").innerText()).trim(), /^991\.279191 ATOM ≈ \$4,470\.67$/);
  await checkAccess(page);
  await picture(page, "receiver-review");
  await page.getByRole("button", { name: "Back" }).click();
  assert.equal(await page.getByRole("textbox", { name: "Amount in USD" }).inputValue(), "10", "the form is as it was");
  await sum(page).fill("ten");
  await next(page).click();
  await page.getByRole("alert").getByText("Enter a number, such as 1.5.").waitFor();
  await sum(page).fill("0.000001");
  await next(page).click();
  await page.getByRole("alert").getByText("Enter an amount above zero.").waitFor();
  await page.getByRole("button", { name: "Enter the amount in ATOM" }).click();
  const max = page.getByRole("button", { name: "Max: send all of it" });
  await max.click();
  assert.equal(await max.getAttribute("aria-pressed"), "true");
  await page.getByText("≈ $4,480.68").waitFor();
  await sum(page).fill("3");
  assert.equal(await max.getAttribute("aria-pressed"), "false", "who types an amount does not mean all");
  await max.click();
  await next(page).click();
  await page.getByRole("button", { name: "Send 993.496485 ATOM" }).waitFor();
  await page.getByRole("button", { name: "Back" }).click();
  assert.deepEqual(said, []);
});

/** Returns the maximum gas price in the review, in gwei. */
const price = async (page) => Number(/at most ([\d.]+) gwei/.exec(await fact(page, "Fee, at most").innerText())?.[1]);

inWorld("short news on a phone cover no part of a form", async (t, { page }) => {
  await page.setViewportSize({ width: 390, height: 740 });
  await form(page, "ETH");
  await page.locator(".speeds label").nth(2).getByText("gwei").waitFor();
  const { top, shown, controls } = await page.evaluate(() => {
    const toasts = document.querySelector(".shell > .toasts");
    for (const text of ["Contact saved", "A text that is much longer than what a phone shows in one line, and even than what it shows in two of them, so that it has to end before it does"]) {
      toasts?.append(Object.assign(document.createElement("p"), { textContent: text }));
    }
    scrollTo(0, document.documentElement.scrollHeight);
    const rects = (selector) => [...document.querySelectorAll(selector)].map((one) => one.getBoundingClientRect()).filter(({ height }) => height > 0);
    return { top: Math.min(...rects(".toasts p").map((rect) => rect.top)), shown: rects(".toasts p").length, controls: rects("main :is(input, button, label, a)").map(({ bottom }) => bottom) };
  });
  assert.equal(shown, 1, "the newest alone");
  assert(controls.length > 5 && controls.every((bottom) => bottom <= top), `${top}: ${controls}`);
  await page.getByRole("link", { name: "Home", exact: true }).click(); // by way of Home
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
  await page.evaluate(() => document.querySelectorAll(".shell > .toasts p").forEach((one) => one.remove()));
  await page.setViewportSize(sizes.desktop);
});

inWorld("a transaction is slow, normal or fast, and the review says what it may cost", async (t, { page, said }) => {
  await form(page, "ETH");
  await to(page).fill(BOB);
  await sum(page).fill("0.01");
  const radio = (name) => page.getByRole("radio", { name: new RegExp(`^${name}`) });
  assert(await radio("Normal").isChecked());
  await page.getByText(/^at most [\d.]+ gwei$/).nth(2).waitFor();
  await page.locator(".speeds label").nth(2).getByText(/^≈ \$[\d.]+, 0\.0000\d+ ETH$/).waitFor();
  await checkAccess(page);
  await picture(page, "receiver-speeds");
  const prices = [];
  for (const name of ["Slow", "Normal", "Fast"]) {
    await radio(name).check();
    await next(page).click();
    prices.push(await price(page));
    await page.getByRole("button", { name: "Back" }).click();
    assert(await radio(name).isChecked(), "it stays chosen");
  }
  assert(prices[0] > 0 && prices[0] < prices[1] && prices[1] < prices[2], prices.join());
  await form(page, "ATOM");
  await to(page).fill("cosmos1jrkmdcwgq94uaamx6zax2luewlhf7u4kucx3kz");
  await sum(page).fill("0.01");
  await page.locator(".speeds label").nth(1).getByText("≈ $0.01, 0.003 ATOM").waitFor();
  for (const [name, fee] of [["Slow", "−0.002763 ATOM"], ["Normal", "−0.003315 ATOM"], ["Fast", "−0.027625 ATOM"]]) {
    await radio(name).check();
    await next(page).click();
    assert((await fact(page, "Fee").innerText()).trim().startsWith(fee), name);
    await page.getByRole("button", { name: "Back" }).click();
  }
  assert.deepEqual(said, []);
});

inWorld("the result leads to an explorer, to a contact and home", async (t, { page, world, said }) => {
  const anyone = "0x52908400098527886E0F7030069857D2E4169EE7";
  await form(page, "ETH");
  await to(page).fill(anyone);
  await sum(page).fill("0.01");
  await next(page).click();
  await page.getByText("You have not sent to this address before").waitFor();
  await page.getByRole("button", { name: "Send 0.01 ETH" }).click();
  await page.getByText(/^In block/).waitFor();
  assert.equal(await world.ethereum.has(anyone), 10000000000000000n);
  assert.match(await page.getByRole("link", { name: /^View in explorer/ }).getAttribute("href"), /^https:\/\/etherscan\.io\/tx\/0x[0-9a-f]{64}$/);
  await page.getByRole("button", { name: /^Add contact for 0x5290/ }).click();
  await page.getByRole("dialog").getByRole("textbox", { name: "Name" }).fill("Carol");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.locator(".who").getByText("Carol").waitFor();
  await checkAccess(page);
  await picture(page, "receiver-done");
  await page.setViewportSize(sizes.phone);
  await checkWidth(page);
  await page.setViewportSize(sizes.desktop);
  await page.getByRole("link", { name: "Done" }).click();
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
  await form(page, "ETH");
  await page.getByRole("list", { name: "Contacts and recent receivers" }).getByRole("button", { name: "Carol" }).click();
  assert.equal(await to(page).inputValue(), anyone);
  await to(page).fill(anyone.replace("0x5290", "0x5291").toLowerCase().replace("0x5291", "0x5290").replace("098527", "098528"));
  await sum(page).fill("0.01");
  await next(page).click();
  const warning = page.getByRole("alert").filter({ hasText: "This address is not the one that you know." });
  await warning.waitFor();
  assert.match(await warning.innerText(), /Carol/);
  assert.deepEqual(said, []);
});

/** Returns the value of a detail in a sheet. */
const detail = (sheet, name) => sheet.locator("dt", { hasText: new RegExp(`^${name}$`) }).locator("xpath=following-sibling::dd[1]");

/** Sends to Bob without confirming the transaction. Returns its row in the activity. */
async function wait(page, value) {
  await form(page, "ETH");
  await to(page).fill(BOB);
  await sum(page).fill(value);
  await next(page).click();
  await page.getByRole("button", { name: `Send ${value} ETH` }).click();
  await page.getByRole("heading", { level: 1, name: "Sent, waiting for a block" }).waitFor();
  await visit(page, "activity", "Activity");
  await page.locator(".activity button.row").filter({ hasText: "Waiting for confirmation" }).first().click();
}

inWorld("a contract as the receiver is pointed out", async (t, { page, said }) => {
  await form(page, "ETH");
  await to(page).fill("0xdAC17F958D2ee523a2206206994597C13D831ec7");
  await sum(page).fill("0.01");
  await next(page).click();
  await page.getByRole("alert").getByText("The network says that this transaction would fail.").waitFor();
  await checkAccess(page);
  await picture(page, "receiver-fails");
  await form(page, "ETH");
  await to(page).fill(REGISTRY);
  await sum(page).fill("0.01");
  await next(page).click();
  await page.getByRole("alert").filter({ hasText: "The receiver is a contract." }).waitFor();
  await checkAccess(page);
  await picture(page, "receiver-contract");
  await page.getByRole("button", { name: "Back" }).click();
  await to(page).fill(EVE);
  await next(page).click();
  await page.getByRole("button", { name: "Send 0.01 ETH" }).waitFor();
  await page.getByText("You have sent to this address before.").waitFor();
  assert.equal(await page.getByText("The receiver is a contract.").count(), 0);
  assert.deepEqual(said, []);
});

inWorld("a transaction that waits is sped up, and another one is canceled", async (t, { page, world, said }) => {
  const chain = world.ethereum;
  await chain.automine(false);
  const before = await chain.has(BOB);
  const sheet = page.getByRole("dialog");
  await wait(page, "0.05");
  assert.match(await detail(sheet, "Time").innerText(), /\d:\d\d/, "when it was sent from here");
  await checkAccess(page);
  await picture(page, "activity-waiting");
  await sheet.getByRole("button", { name: "Speed up" }).click();
  await page.getByText("This takes the place of your transaction that waits").waitFor();
  await page.getByText("0.05 ETH").first().waitFor();
  await checkAccess(page);
  await picture(page, "receiver-speedup");
  await page.getByRole("button", { name: "Back" }).click();
  await page.getByRole("heading", { level: 1, name: "Activity" }).waitFor();
  await page.locator(".activity button.row").filter({ hasText: "Waiting for confirmation" }).first().click();
  await sheet.getByRole("button", { name: "Speed up" }).click();
  await page.getByRole("heading", { level: 1, name: "Speed up" }).waitFor();
  await page.getByRole("button", { name: "Speed up" }).click();
  await page.getByRole("heading", { level: 1, name: "Sent, waiting for a block" }).waitFor();
  assert.equal(Number(await chain.ask("eth_getBlockTransactionCountByNumber", "pending")), 1, "one is in the place of the other");
  await chain.mine();
  await page.getByText(/^In block/).waitFor();
  assert.equal((await chain.has(BOB)) - before, 50000000000000000n, "it is sent once");

  await wait(page, "0.07");
  await sheet.getByRole("button", { name: "Cancel transaction" }).click();
  await page.getByText("This sends nothing in the place of your transaction that waits.").waitFor();
  await page.getByRole("button", { name: "Cancel transaction" }).click();
  await page.getByRole("heading", { level: 1, name: "Canceling" }).waitFor();
  await visit(page, "activity", "Activity");
  const pending = page.locator("section").filter({ has: page.getByRole("heading", { name: "Pending" }) });
  await pending.getByText("Canceling").click();
  assert.match(await detail(sheet, "Time").innerText(), /\d:\d\d/);
  await sheet.getByRole("button", { name: "Close" }).last().click();
  await chain.mine();
  const canceled = page.locator(".activity li").filter({ hasText: "Canceled" });
  await canceled.waitFor();
  assert.equal(await page.getByRole("heading", { name: "Earlier" }).count(), 0, "it has its day");
  await canceled.locator("time").waitFor();
  await visit(page, "send/ETH", "Canceled");
  await page.getByText(/^In block/).waitFor();
  assert.equal((await chain.has(BOB)) - before, 50000000000000000n, "nothing more is sent");
  await chain.automine(true);
  assert.deepEqual(said, []);
});

inWorld("recent receivers are others, on networks of the same kind; coins have the symbols that people write", async (t, { page, said }) => {
  for (const address of [EVE, OWN]) {
    await form(page, "ETH");
    await to(page).fill(address);
    await sum(page).fill("0.001");
    await next(page).click();
    await page.getByRole("button", { name: "Send 0.001 ETH" }).click();
    await page.getByText(/^In block/).waitFor();
  }
  const shown = (address) => page.locator(`ul.suggested [title="${address}" i]`);
  await form(page, "MATIC");
  await shown(EVE).waitFor();
  assert.equal(await shown(OWN).count(), 0);
  assert.deepEqual((await page.getByLabel("Coin").locator("option").allInnerTexts()).filter((text) => /POL|USDC|ATOM/.test(text)).sort(), ["ATOM · Cosmos Hub", "POL · Polygon", "USDC · Ethereum"]);
  await page.getByRole("textbox", { name: "Amount in POL" }).waitFor();
  await form(page, "ATOM");
  await shown(other.address).waitFor(); // a contact or a receiver from the history
  assert.equal(await shown(EVE).count(), 0, "an address of an EVM network takes no ATOM");
  assert.deepEqual(said, []);
});

inWorld("the address of another coin is not said to be copied", async (t, { page, said }) => {
  await visit(page, "receive/ETH", "Receive");
  await page.getByRole("button", { name: "Copy your ETH address" }).click();
  await page.getByRole("button", { name: "Copied your ETH address" }).waitFor();
  await page.getByLabel("Coin").selectOption("ATOM");
  await page.getByRole("button", { name: "Copy your ATOM address" }).waitFor();
  assert.deepEqual(said, []);
});

sharing("a native node", (t) => nativeWallet(t))("a time that the node gives for a fee is shown", async (t, { page, node }) => {
  const chain = await evmChain(t);
  await page.route(`${node}/**`, async (route) => {
    if (!route.request().postData()?.includes('"get_eth_estimated_fee_per_gas"')) {
      return route.continue();
    }
    const response = await route.fetch({ maxRetries: 3 });
    return route.fulfill({ response, body: (await response.text()).replace('"max_wait_time":null', '"max_wait_time":25500') });
  });
  await activate(page, [chain], { coin: "ETH", history: null });
  await form(page, "ETH");
  await page.getByText(/^≈ 0\.0000\d+ ETH, up to 26 s$/).waitFor();
});
