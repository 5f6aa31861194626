import assert from "node:assert/strict";
import { before, test as plain } from "node:test";
import path from "node:path";
import { build } from "esbuild";
import { evmChain } from "../../test/evmchain.js";
import { sharing } from "../../test/sharing.js";
import { activate, withoutCoins } from "./money.js";
import { browser, checkAccess, checkWidth, FAST, isOpen, picture, sizes, until, visit, wallet } from "./support.js";
import { owner, web } from "../../test/support.js";

const test = (name, does) => plain(name, { timeout: 400000 }, does);

/** Accounts of anvil with 10,000 coins each, and an account without funds. */
const OWN = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const SECOND = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const THIRD = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
const OTHER = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

/** Wallets as a script for pages. */
let script = "";
before(async () => {
  const { outputFiles } = await build({ entryPoints: [path.join(web, "test/wallet/ethereum.js")], bundle: true, write: false, format: "iife", globalName: "testEthereum", platform: "browser", logLevel: "warning" });
  script = outputFiles[0].text;
});

const icon = (colour) => `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle cx="4" cy="4" r="4" fill="${colour}"/></svg>`)}`;

/** The storage key of the wallets that the page can use. */
const WALLETS = "test.wallets";

/** Returns an expression that creates the wallets of a chain: fox, and owl if two are requested. */
function makers(chain, two) {
  const make = (name, rdns, accounts, image) => ({ name, rdns, icon: image, chain: chain.id, chains: { [chain.id]: chain.url }, accounts });
  return JSON.stringify({ fox: make("Fox Wallet", "example.fox", [OWN, SECOND], icon("orange")), owl: make("Owl", "example.owl", [THIRD], ""), two });
}

/** Injects wallets into pages that are opened later: globalThis.fox, and owl if there are two. */
async function install(context, wanted) {
  await context.addInitScript({
    content: `${script}; {
      const wanted = ${wanted};
      if (wanted) {
        globalThis.fox = testEthereum.makeEthereum(wanted.fox);
        globalThis.owl = testEthereum.makeEthereum(wanted.owl);
        fox.install();
        wanted.two && owl.install();
      }
    }`,
  });
}

const inWallet = withoutCoins(
  sharing("an open wallet with a key of its own", async (t) => {
    const opened = await wallet(t, { passphrase: owner.passphrase, speed: FAST });
    await install(opened.context, `JSON.parse(localStorage.getItem("${WALLETS}"))`);
    return opened;
  }),
);

/** Reloads the wallet page with wallets installed. */
async function withWallets(page, chain, { two = false } = {}) {
  await page.evaluate(([name, wallets]) => localStorage.setItem(name, wallets), [WALLETS, makers(chain, two)]);
  await page.reload();
  await isOpen(page);
}

/** Runs a function with the wallet. */
const fox = (page, change) => page.evaluate(`(${change})(globalThis.fox)`);

/** Fills in the form for ETH with the browser's wallet. */
async function fill(page, chain) {
  await visit(page, "activate", "Activate a coin");
  await page.getByRole("radio", { name: /^ETH / }).check();
  await page.getByRole("radio", { name: /^A wallet such as MetaMask/ }).check();
  await page.getByRole("textbox", { name: "Server 1" }).fill(chain.url);
}

const button = (page, name) => page.getByRole("button", { name, exact: true });

/** Fills in the send form and continues to the review. */
async function review(page, sum = "1.5") {
  await visit(page, "send/ETH", "Send");
  await page.getByRole("textbox", { name: "To", exact: true }).fill(OTHER);
  await page.getByRole("textbox", { name: "Amount in ETH" }).fill(sum);
  await button(page, "Continue").click();
}

/** Checks a view in light, dark and on a phone. */
async function look(page, name) {
  await checkAccess(page);
  await picture(page, name);
  await page.setViewportSize(sizes.phone);
  await checkWidth(page);
  await page.setViewportSize(sizes.desktop);
}

const quiet = (said) => said.filter((line) => !/Failed to load resource/.test(line));

inWallet("a page without such a wallet says so", async (t, { page }) => {
  const chain = await evmChain(t);
  await fill(page, chain);
  await button(page, "Activate ETH").click();
  await page.getByText("This wallet was not found in this browser.").waitFor();
});

inWallet("a wallet of the browser has the key: it says no, then yes, sends, and switches to another account", async (t, { page, said }) => {
  const chain = await evmChain(t);
  await withWallets(page, chain);
  await fox(page, (it) => void (it.user.refuses.eth_requestAccounts = it.refused));
  await fill(page, chain);
  await button(page, "Activate ETH").click();
  await page.getByText("You rejected this in the wallet.").waitFor();
  await look(page, "evmwallet-refused");
  await fox(page, (it) => void (it.user.refuses = {}));
  await button(page, "Activate ETH").click();
  await page.getByRole("heading", { level: 1, name: "ETH is active" }).waitFor();
  assert.equal((await page.locator("main .groups").innerText()).replaceAll(/\s/g, ""), OWN);

  await review(page, "20000");
  await page.getByText("You only have 10000 ETH").waitFor();
  await review(page);
  await page.getByText("Your wallet shows it, in ETH").waitFor();
  await look(page, "evmwallet-review");
  assert.equal(await chain.has(OTHER), 0n, "nothing is sent before it was looked at");
  await fox(page, (it) => void (it.user.refuses.eth_sendTransaction = it.refused));
  await button(page, "Send 1.5 ETH").click();
  await page.getByText("You rejected this in the wallet.").waitFor();
  assert.equal(await page.getByRole("textbox", { name: "Amount in ETH" }).inputValue(), "1.5");
  await fox(page, (it) => void (it.user.refuses = {}));
  await button(page, "Continue").click();
  await button(page, "Send 1.5 ETH").click();
  await page.getByText("In block 1.").waitFor();
  await page.getByText("units of gas").waitFor();
  await look(page, "evmwallet-sent");
  assert.equal(await chain.has(OTHER), 1500000000000000000n);

  await fox(page, (it) => it.choose(1));
  await visit(page, "", "Home");
  await page.getByText("Your wallet for EVM networks has switched to another account. ETH belongs to the previous one").waitFor();
  await look(page, "evmwallet-switched");
  await button(page, "Understood").click();
  await review(page);
  await page.getByText("The wallet now uses a different account than this coin.").waitFor();
  await fox(page, (it) => it.choose(1));
  await button(page, "Continue").click();
  await button(page, "Send 1.5 ETH").waitFor();
  assert.deepEqual(quiet(said), []);
});

inWallet("several wallets: the user chooses one, or none", async (t, { page, said }) => {
  const chain = await evmChain(t);
  await withWallets(page, chain, { two: true });
  await fill(page, chain);
  await button(page, "Activate ETH").click();
  const dialog = page.getByRole("dialog", { name: "Choose a wallet" });
  await dialog.getByText("example.fox").waitFor();
  assert.deepEqual(await dialog.getByRole("listitem").allInnerTexts().then((all) => all.map((text) => text.replaceAll(/\s+/g, " "))), ["Fox Wallet example.fox", "Owl example.owl"]);
  await until(() => dialog.locator("img").evaluate((image) => image.naturalWidth > 0), "its picture is shown");
  await look(page, "evmwallet-choice");
  await page.keyboard.press("Escape");
  await page.getByText("You rejected this in the wallet.").waitFor();
  await button(page, "Activate ETH").click();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("You rejected this in the wallet.").waitFor();
  assert.deepEqual(await fox(page, ({ user }) => user.asked), []);

  await button(page, "Activate ETH").click();
  await dialog.getByRole("button", { name: /^Owl/ }).click();
  await page.getByRole("heading", { level: 1, name: "ETH is active" }).waitFor();
  assert.equal((await page.locator("main .groups").innerText()).replaceAll(/\s/g, ""), THIRD);
  await review(page);
  await button(page, "Send 1.5 ETH").click();
  await page.getByText("In block 1.").waitFor();
  assert.equal(await dialog.count(), 0, "the choice lasts");
  assert.deepEqual(await fox(page, ({ user }) => user.asked), []);

  // After a restart the coin is listed, and the wallet is chosen when it is needed.
  await page.reload();
  await isOpen(page);
  await visit(page, "", "Home");
  await page.locator('main data[value^="9998.4"]').first().waitFor();
  await review(page);
  await dialog.getByRole("button", { name: /^Fox/ }).click();
  await page.getByText("The wallet now uses a different account than this coin.").waitFor();
  assert.deepEqual(quiet(said), []);
});

inWallet("all of it, and a wallet that sends something else", async (t, { page }) => {
  const chain = await evmChain(t);
  await withWallets(page, chain);
  await fill(page, chain);
  await button(page, "Activate ETH").click();
  await page.getByRole("heading", { level: 1, name: "ETH is active" }).waitFor();
  await fox(page, ({ user }) => void (user.edits = (tx) => ({ ...tx, value: "0x7" })));
  await review(page);
  await button(page, "Send 1.5 ETH").click();
  await page.getByText("The wallet sent a different transaction than requested.").waitFor();
  await page.getByText("Check it in the wallet before you send again.").waitFor();
  await fox(page, ({ user }) => {
    user.edits = undefined;
    user.refuses.eth_sendTransaction = { code: -32603, message: "Internal JSON-RPC error." };
  });
  await button(page, "Continue").click();
  await button(page, "Send 1.5 ETH").click();
  await page.getByText("The wallet may or may not have sent it: its answer was invalid.").waitFor();
  await page.getByText("Check there before you send again.").waitFor();
  await fox(page, ({ user }) => void delete user.refuses.eth_sendTransaction);
  await page.getByRole("button", { name: "Max: send all of it" }).click();
  await button(page, "Continue").click();
  await page.getByText("Everything except the fee").waitFor();
  await button(page, "Send all of it").click();
  await page.getByText("In block 2.").waitFor();
  assert((await chain.has(OTHER)) > 9999n * 10n ** 18n);
});

inWallet("an NFT is sent by the wallet that has the key", async (t, { page, said }) => {
  const chain = await evmChain(t);
  const boats = await chain.deploy("Token1155");
  await chain.send(boats, "mint(address,uint256,uint256,string)", OWN, 7, 5, `data:application/json;base64,${btoa('{"name":"Boat"}')}`);
  const held = async () => BigInt(`0x${await chain.read(boats, "balanceOf(address,uint256)", OTHER, 7)}`);
  await withWallets(page, chain);
  await fill(page, chain);
  await button(page, "Activate ETH").click();
  await page.getByRole("heading", { level: 1, name: "ETH is active" }).waitFor();
  await visit(page, "nfts/ETH", "NFTs");
  await page.locator(".tiles a").filter({ hasText: "Boat" }).click();
  await page.getByRole("main").getByRole("link", { name: "Send", exact: true }).click();
  await page.getByRole("textbox", { name: "To", exact: true }).fill(OTHER);
  await page.getByRole("textbox", { name: "How many" }).fill("2");
  assert.equal(await page.getByRole("radio").count(), 0, "the wallet has its own fees");
  await button(page, "Continue").click();
  await page.getByText("Your wallet shows it, in ETH").waitFor();
  await page.getByText("2 × Boat", { exact: true }).waitFor();
  assert.equal(await page.getByText("The network simulated this transaction").count(), 0);
  await look(page, "evmwallet-nft");
  assert.equal(await held(), 0n, "nothing is sent before it was looked at");
  await fox(page, (it) => void (it.user.refuses.eth_sendTransaction = it.refused));
  await button(page, "Send 2 × Boat").click();
  await page.getByText("You rejected this in the wallet.").waitFor();
  await fox(page, (it) => void (it.user.refuses = {}));
  await button(page, "Continue").click();
  await button(page, "Send 2 × Boat").click();
  await page.getByText(/^In block \d+/).waitFor();
  assert.equal(await held(), 2n);
  assert.deepEqual(quiet(said), []);
});

inWallet("a wallet that sends where the coin's servers do not look", async (t, { page }) => {
  const [chain, elsewhere] = [await evmChain(t), await evmChain(t)];
  await withWallets(page, elsewhere);
  await fill(page, chain);
  await button(page, "Activate ETH").click();
  await page.getByRole("heading", { level: 1, name: "ETH is active" }).waitFor();
  await review(page);
  await button(page, "Send 1.5 ETH").click();
  await page.getByText("Your wallet sent it. The coin's servers do not have it yet").waitFor();
  assert.match(await page.locator("main .shortaddress span").last().getAttribute("title"), /^0x[0-9a-f]{64}$/);
  await look(page, "evmwallet-unseen");
  assert.deepEqual([await elsewhere.has(OTHER), await chain.has(OTHER)], [1500000000000000000n, 0n]);
});

inWallet("a choice that is open when the wallet page is locked goes with it", async (t, { page }) => {
  // This is the last of these tests, since it locks the page.
  const chain = await evmChain(t);
  await withWallets(page, chain, { two: true });
  await fill(page, chain);
  await button(page, "Activate ETH").click();
  const dialog = page.getByRole("dialog", { name: "Choose a wallet" });
  await dialog.waitFor();
  await page.evaluate(() => document.querySelector("header button.quiet")?.click());
  await page.getByRole("heading", { level: 1, name: "Unlock" }).or(page.getByLabel("Password")).first().waitFor();
  await dialog.waitFor({ state: "detached" });
});

test("a wallet whose keys are all in the browser's wallet, on two networks", async (t) => {
  const [chain, polygon] = [await evmChain(t), await evmChain(t, { id: 137 })];
  const { context, url, said } = await browser(t);
  await install(context, makers(chain, false));
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole("button", { name: /^Use an external wallet/ }).click();
  await page.getByText("those of EVM networks with MetaMask").waitFor();
  await look(page, "evmwallet-firstrun");
  await button(page, "Continue").click();
  await isOpen(page);
  await visit(page, "activate", "Activate a coin");
  await page.getByRole("radio", { name: /^ETH / }).check();
  assert.equal(await page.getByRole("radio", { name: /^This wallet/ }).count(), 0, "it has no key of its own");
  await activate(page, [chain], { coin: "ETH", history: null });
  await button(page, "Activate another coin").click();
  await activate(page, [polygon], { coin: "MATIC", history: null });
  assert.equal(await fox(page, ({ user }) => user.chain), 137, "the network was added to the wallet, and selected");

  // The user stays on the other network. Sending switches back if the user allows it.
  await fox(page, (it) => void (it.user.refuses.wallet_switchEthereumChain = { code: 4200, message: "unsupported" }));
  await review(page);
  await page.getByText("The wallet does not support this chain.").waitFor();
  await fox(page, (it) => void (it.user.refuses = {}));
  await button(page, "Continue").click();
  await button(page, "Send 1.5 ETH").waitFor();
  await page.evaluate("fox.goTo(137); fox.user.ignores = ['eth_sendTransaction']");
  await button(page, "Send 1.5 ETH").click();
  await page.getByText("Confirm it in your wallet, which sends it then").waitFor();
  await look(page, "evmwallet-confirm");
  await until(() => fox(page, ({ user }) => user.asked.at(-1)[0] === "eth_sendTransaction"));
  assert.equal(await fox(page, ({ user }) => user.chain), 1);
  assert.deepEqual(quiet(said), []);
});
