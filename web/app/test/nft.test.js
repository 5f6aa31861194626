import assert from "node:assert/strict";
import { test as plain } from "node:test";
import { evmChain, nftServices } from "../../test/evmchain.js";
import { owner } from "../../test/support.js";
import { sharing } from "../../test/sharing.js";
import { activate, amount, withoutCoins } from "./money.js";
import { connectTo, nativeNode } from "./native.js";
import { landscape, png, sprite } from "./pixels.js";
import { browser, checkAccess, checkWidth, isOpen, picture, sizes, until, visit, wallet } from "./support.js";

const test = (name, does) => plain(name, { timeout: 400000 }, does);
const inWallet = withoutCoins(sharing("an open wallet without networks", (t) => wallet(t, { passphrase: owner.passphrase, routed: true })));

const OWN = "0xf5c3bf03cBA4E343484588932e423A7C8BFf102d";
const MOST = 2n ** 256n - 1n;
const MANY = 2n ** 70n;

const tiles = (page) => page.locator(".tiles > li");
const shown = (page) => page.locator(".tiles img");
const tile = (page, name) => tiles(page).filter({ hasText: name });
const fact = (page, name) => page.locator("dt", { hasText: new RegExp(`^${name}$`) }).locator("xpath=following-sibling::dd[1]");
const whole = async (locator) => (await locator.locator(".groups").innerText()).replaceAll(/\s/g, "");
const refresh = (page) => page.getByRole("button", { name: "Refresh" });

/** Checks a view in light, dark and on a phone. */
async function look(page, name) {
  await checkAccess(page);
  await fits(page, name);
}

/** Checks the layout of a view whose other states are checked for accessibility. */
async function fits(page, name) {
  await picture(page, name);
  await page.setViewportSize(sizes.phone);
  await checkWidth(page);
  await page.setViewportSize(sizes.desktop);
}

const about = (n, more = {}) => JSON.stringify({ name: `Lighthouse ${n}`, description: "Seen from the sea.\nPainted by hand.", image: `https://pictures.example/${n}.png`, external_url: "https://lighthouse.example/", attributes: [{ trait_type: "Height", value: "40 m" }, { trait_type: "Lamps", value: 12345678901234567890 }], ...more }).replace("12345678901234567000", "12345678901234567890");

let collections = 0;

/**
 * Starts a network on which the wallet has NFTs: 13 with pictures, one with the greatest possible
 * number, and two of a contract that sends spam. elsewhere: the addresses of some pictures.
 */
async function collection(t, { here = false, elsewhere = {} } = {}) {
  const chain = await evmChain(t);
  for (let n = 0; n < 3 * collections; n++) {
    await chain.deploy("Token721"); // so that a shared page does not confuse the NFTs with those of another collection at the same addresses
  }
  collections++;
  const [pictures, things, spam] = [await chain.deploy("Token721"), await chain.deploy("Token1155"), await chain.deploy("Token721")];
  const documents = {};
  for (let n = 1; n <= 13; n++) {
    documents[`https://meta.example/${n}`] = about(n, here ? { image: `HERE/picture/${n}` } : elsewhere[n] ? { image: elsewhere[n] } : {});
    await chain.send(pictures, "mint(address,uint256,string)", OWN, n, `https://meta.example/${n}`);
  }
  documents["https://meta.example/prize"] = JSON.stringify({ name: "You have won", image: "https://spam.example/prize.png", description: "Claim it" });
  await chain.send(spam, "mint(address,uint256,string)", OWN, 1, "https://meta.example/prize");
  await chain.send(spam, "mint(address,uint256,string)", OWN, 2, "https://meta.example/prize");
  await chain.send(things, "mint(address,uint256,uint256,string)", OWN, MOST, MANY, "");
  const services = await nftServices(t, chain, { documents, spam: [spam], pictures: Object.fromEntries(Array.from({ length: 13 }, (_, n) => [n + 1, { type: "image/png", body: landscape(n + 1) }])) });
  return { chain, services, pictures, things, spam };
}

/** Simulates image hosts on the public internet. hold: responses are delayed until it is called. */
async function internet(t, context) {
  const asked = [];
  const state = { wait: Promise.resolve(), asked, answer: (_n) => undefined };
  const there = /^https:\/\/(pictures|spam)\.example\//;
  t.after(() => context.unroute(there));
  await context.route(there, async (route) => {
    const { pathname, hostname } = new URL(route.request().url());
    const n = Number(/\d+/.exec(pathname)?.[0] ?? 0);
    asked.push(`${hostname}${pathname}`);
    await state.wait;
    const other = state.answer(n);
    if (typeof other === "string") {
      await (other === "gone" && route.abort());
      return;
    }
    await route.fulfill({ status: 200, headers: { "Access-Control-Allow-Origin": "*" }, contentType: "image/png", body: n === 13 ? sprite(n) : landscape(n), ...other });
  });
  return state;
}

/** Activates a network with its NFTs. */
async function activateWith(page, chain, services, coin = "ETH") {
  await visit(page, `activate/${coin}`, "Activate a coin");
  await page.getByRole("radio", { name: new RegExp(`^${coin} `) }).check();
  await page.getByRole("textbox", { name: "Server 1" }).fill(chain.url);
  await page.getByRole("checkbox", { name: /^Its NFTs too/ }).check();
  await page.getByRole("textbox", { name: "Indexer" }).fill(services.url);
  await page.getByRole("textbox", { name: "Anti-spam service" }).fill(services.url);
  await page.getByRole("button", { name: `Activate ${coin}` }).click();
  await page.getByRole("heading", { level: 1, name: `${coin} is active` }).waitFor();
}

inWallet("an indexer that does not allow web pages, and one that fails an activation", async (t, { page }) => {
  const chain = await evmChain(t);
  const closed = await nftServices(t, chain, { cors: false });
  await visit(page, "activate/ETH", "Activate a coin");
  await page.getByRole("textbox", { name: "Server 1" }).fill(chain.url);
  await page.getByRole("checkbox", { name: /^Its NFTs too/ }).check();
  await page.getByRole("button", { name: "Activate ETH" }).click();
  await page.getByText("The node needs it to list NFTs.").waitFor();
  await fits(page, "nfts-activate");
  await page.getByRole("textbox", { name: "Indexer" }).fill(closed.url);
  await page.getByRole("button", { name: "Activate ETH" }).click();
  await page.getByRole("alert").filter({ hasText: /does not allow web pages.*Nothing was activated/s }).waitFor();
  await look(page, "nfts-activate-fault");
  await page.getByRole("checkbox", { name: /^Its NFTs too/ }).uncheck();
  await page.getByRole("button", { name: "Activate ETH" }).click();
  await page.getByRole("heading", { level: 1, name: "ETH is active" }).waitFor();
});

inWallet("a gallery in the page: pictures when they are near, pages, spam behind a switch", async (t, { page, context, said }) => {
  const { chain, services } = await collection(t);
  const net = await internet(t, context);
  await visit(page, "nfts", "NFTs");
  await page.getByText("NFTs are on EVM networks, and none is active.").waitFor();
  await activateWith(page, chain, services);
  await page.getByText("With its NFTs. They share this address:").waitFor();

  let go = () => {};
  net.wait = new Promise((resolve) => (go = resolve));
  await page.setViewportSize(sizes.phone);
  await visit(page, "nfts", "NFTs");
  await page.getByText("16 NFTs").waitFor();
  assert.equal(await tiles(page).count(), 12);
  await until(() => net.asked.length === 3, "three pictures are asked for at once");
  const place = async () => JSON.stringify(await tiles(page).evaluateAll((all) => all.map((li) => li.getBoundingClientRect().toJSON())));
  const before = await place();
  go();
  await until(async () => (await shown(page).count()) >= 6, "the first pictures are there");
  assert.equal(await place(), before, "nothing moves when pictures come");
  assert((await shown(page).count()) < 12, "those far below wait");
  await tiles(page).last().scrollIntoViewIfNeeded();
  await until(async () => (await shown(page).count()) >= 11);
  await checkWidth(page);
  await page.setViewportSize(sizes.desktop);
  await fits(page, "nfts");

  await page.getByRole("button", { name: "Older" }).click();
  await page.getByText("Page 2 of 2").waitFor();
  await until(async () => (await tiles(page).count()) === 4);
  assert.match(page.url(), /page=2$/);
  await page.reload();
  await isOpen(page);
  await page.getByText("Page 2 of 2").waitFor();
  await page.getByRole("button", { name: "Newer" }).click();
  await page.getByText("Page 1 of 2").waitFor();

  await until(async () => (await tile(page, "You have won").locator("img").count()) === 2, "no picture is loading any more");
  await refresh(page).click();
  await page.getByText("2 hidden").waitFor();
  const known = net.asked.length;
  assert.equal(await tile(page, "You have won").count(), 0);
  await page.getByRole("checkbox", { name: /^Show hidden/ }).check();
  await tile(page, "You have won").first().waitFor();
  await tile(page, "You have won").first().locator(".picture", { hasText: "Possible spam" }).waitFor();
  await look(page, "nfts-spam");
  assert(!net.asked.slice(known).some((path) => path.startsWith("spam.example")), "a known spam picture is not loaded");
  await page.getByRole("checkbox", { name: /^Load pictures/ }).uncheck();
  await page.reload();
  await isOpen(page);
  await page.locator(".picture", { hasText: "Not loaded" }).first().waitFor();
  assert.equal(await shown(page).count(), 0);
  await tile(page, "Lighthouse 12").getByRole("link").click();
  await page.getByRole("button", { name: "Load it" }).click();
  await page.getByRole("img", { name: "Picture of Lighthouse 12" }).waitFor();
  assert.deepEqual(said, []);
  await visit(page, "nfts", "NFTs");
  await page.getByRole("checkbox", { name: /^Load pictures/ }).check();
  await page.getByRole("checkbox", { name: /^Show hidden/ }).setChecked(false);
});

inWallet("invalid and oversized pictures are not shown", async (t, { page, context, said }) => {
  const { chain, services, pictures } = await collection(t, { elsewhere: { 10: "http://127.0.0.1:37517/10.png", 11: "ftp://pictures.example/11.png" } });
  const net = await internet(t, context);
  const flat = png(9000, 6000, null);
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="document.title=1"><script>document.title=1</script></svg>';
  net.answer = (n) => ({ 1: { contentType: "image/svg+xml", body: svg }, 2: { contentType: "image/png", body: svg }, 3: { contentType: "text/html", body: "<html>" }, 4: { body: Buffer.concat([landscape(4), Buffer.alloc(5 << 20)]) }, 5: { body: flat }, 6: { body: Buffer.concat([landscape(6).subarray(0, 8), Buffer.alloc(99, 7)]) }, 7: { status: 404 }, 8: "never", 9: "gone" })[n];
  await activateWith(page, chain, services);
  for (const [n, words] of [
    [10, "Its address is in a private network, which is not allowed."],
    [11, "Its address type is not supported."],
  ]) {
    await visit(page, `nfts/ETH/${pictures}/${n}`, `Lighthouse ${n}`);
    await page.locator(".picture", { hasText: "Not loaded" }).getByRole("status").filter({ hasText: words }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Try again" }).count(), 0);
  }
  for (const [n, words] of [
    [1, /gave an invalid answer/],
    [2, /gave an invalid answer/],
    [3, /gave an invalid answer/],
    [4, /too large/], // more than 4 MiB
    [5, /format is not supported/],
    [6, /format is not supported/],
    [7, /has nothing at this address/],
    [8, /timed out/],
    [9, /does not allow web pages/],
  ]) {
    await visit(page, `nfts/ETH/${pictures}/${n}`, `Lighthouse ${n}`);
    await page.locator(".picture", { hasText: "Not loaded" }).getByRole("status").filter({ hasText: words }).waitFor();
    assert.equal(await page.getByRole("alert").count(), 0);
    assert.equal(await page.locator("main :is(img, svg, iframe, object, embed)").count(), 0);
  }
  await look(page, "nft-nopicture");
  net.answer = () => undefined;
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("img", { name: "Picture of Lighthouse 9" }).waitFor();
  assert.deepEqual(said.filter((line) => !/CORS|Failed to load resource/.test(line)), []);
});

inWallet("one NFT: its details, a refresh and its transfers, by keyboard", async (t, { page, context, said }) => {
  const { chain, services, pictures, things, spam } = await collection(t);
  const net = await internet(t, context);
  await activateWith(page, chain, services);
  await visit(page, "nfts", "NFTs");
  await refresh(page).click();
  await page.getByText("2 hidden").waitFor();
  const link = tile(page, "Lighthouse 13").getByRole("link");
  await link.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Lighthouse 13" }).waitFor();
  await until(() => page.getByRole("heading", { level: 1 }).evaluate((heading) => heading === document.activeElement), "the heading has the focus");
  assert.equal(await whole(fact(page, "Contract")), pictures);
  assert.equal(await whole(fact(page, "Token id")), "13");
  assert.equal((await fact(page, "Network").innerText()).trim(), "Ethereum");
  assert.equal(await fact(page, "Lamps").innerText(), "12345678901234567890", "all its digits");
  const drawn = page.getByRole("img", { name: "Picture of Lighthouse 13" });
  await drawn.waitFor();
  assert.match(await drawn.getAttribute("src"), /^blob:/);
  await page.getByText("Minted for you").waitFor();
  await page.getByText("Addresses in it").click();
  await page.getByText("https://lighthouse.example/").waitFor();
  assert.equal(await page.getByRole("link", { name: /example/ }).count(), 0, "no links to where its author wants one to go");
  await fits(page, "nft");

  const [button, asking] = [page.getByRole("button", { name: "Refresh" }), page.getByRole("button", { name: "Asking the services" })];
  let go = () => {};
  const wait = new Promise((resolve) => (go = resolve));
  services.documents["https://meta.example/13"] = about(13, { name: "Lighthouse at night", image: "https://pictures.example/7.png" });
  services.behave(async ({ path }) => (path.includes("/api/v2/nft/") ? void (await wait) : undefined)); // the node's longest timeout is for this request
  const mark = net.asked.length;
  await button.focus();
  await page.keyboard.press("Enter");
  await asking.waitFor();
  go();
  await page.getByRole("heading", { level: 1, name: "Lighthouse at night" }).waitFor();
  await until(() => net.asked.slice(mark).includes("pictures.example/7.png"));
  await button.waitFor();

  for (const [behave, words] of [
    [({ path }) => (path.includes("/api/v2/nft/") ? { status: 500, type: "text/plain", body: "out of order" } : undefined), /The server 127\.0\.0\.1:\d+ failed with the status 500\..*Nothing was changed\./s],
    [({ path }) => (path.includes("/domain/scan") ? { status: 401, type: "text/plain", body: "no" } : undefined), /denied access.*Nothing was changed\./s],
    [({ path }) => (path.includes("/contract/scan") ? { status: 200, type: "application/json", body: "[]" } : undefined), /gave an invalid answer.*Nothing was changed\./s],
  ]) {
    services.behave(behave);
    await button.click();
    await page.getByRole("alert").filter({ hasText: words }).waitFor();
    await page.getByRole("heading", { level: 1, name: "Lighthouse at night" }).waitFor();
  }
  await look(page, "nft-fault");
  services.behave(() => undefined);

  await visit(page, `nfts/ETH/${things}/${MOST}`, /^NFT #/);
  assert.equal(await whole(fact(page, "Token id")), String(MOST));
  assert.equal(await fact(page, "You hold").locator("data").getAttribute("value"), String(MANY));
  await page.locator(".picture", { hasText: "No picture" }).waitFor();
  await look(page, "nft-large");

  await visit(page, `nfts/ETH/${spam}/1`, "You have won");
  await page.getByText("It may be spam.").waitFor();
  await look(page, "nft-spam");
  const before = net.asked.length;
  await page.getByRole("button", { name: "Load it anyway" }).click();
  await page.getByRole("img", { name: "Picture of You have won" }).waitFor();
  assert.deepEqual(net.asked.slice(before), ["spam.example/prize.png"]);
  await page.getByRole("link", { name: "‹ NFTs on Ethereum" }).click();
  await page.getByRole("heading", { level: 1, name: "NFTs" }).waitFor();

  await visit(page, `nfts/ETH/${pictures}/99`, "NFT");
  await page.getByText("This NFT is not in the wallet.").waitFor();
  assert.deepEqual(said.filter((line) => !/Failed to load resource/.test(line)), []);
});

inWallet("several networks, one of which comes back without its servers", async (t, { page, context }) => {
  const [chain, polygon] = [await evmChain(t), await evmChain(t, { id: 137 })];
  const contract = await polygon.deploy("Token1155");
  await polygon.send(contract, "mint(address,uint256,uint256,string)", OWN, 7, 3, "https://meta.example/7");
  const services = await nftServices(t, polygon, { name: "POLYGON", documents: { "https://meta.example/7": about(7) } });
  await internet(t, context);
  await activate(page, [chain], { coin: "ETH", history: null });
  await page.getByRole("button", { name: "Activate another coin" }).click();
  await activateWith(page, polygon, services, "MATIC");
  await visit(page, "nfts", "NFTs");
  await tile(page, "Lighthouse 7").getByText("ERC-1155 × 3").waitFor();
  assert.equal(await page.getByLabel("Network").inputValue(), "MATIC");
  await look(page, "nfts-networks");
  await page.getByLabel("Network").selectOption("Ethereum");
  await page.getByRole("button", { name: "Find my NFTs" }).click(); // an indexer is stored from before
  await page.getByText("Your address holds no NFTs on Ethereum, as far as is known.").waitFor();
  await page.getByText(/^Searched all blocks up to \d+\.$/).waitFor();
  await visit(page, "activate/MATIC", "Activate a coin");
  await page.getByRole("button", { name: "Disable MATIC" }).click();
  await page.getByRole("dialog").getByText("Its NFTs too").waitFor();
  await page.keyboard.press("Escape");

  await polygon.stop();
  await page.reload();
  await isOpen(page);
  await visit(page, "nfts/MATIC", "NFTs");
  await tile(page, "Lighthouse 7").locator("img").waitFor();
  await page.getByText("1 NFT, as listed last: the node is restoring the network").waitFor();
  assert(await refresh(page).isDisabled());
  await tile(page, "Lighthouse 7").getByRole("link").click();
  await page.getByRole("heading", { level: 1, name: "Lighthouse 7" }).waitFor();
});

test("listing NFTs in a native node: what is wrong with an indexer, new ones, the end", async (t) => {
  const { chain, services, pictures } = await collection(t, { here: true });
  const opened = await browser(t);
  const node = await nativeNode(t, new URL(opened.url).origin, ['nft.private_hosts=["127.0.0.1"]']);
  const page = await opened.context.newPage();
  await page.goto(opened.url);
  await connectTo(page, node, false);
  await isOpen(page);
  await activate(page, [chain], { coin: "ETH", history: null });
  await visit(page, "", "Home");
  await page.locator('.coin[data-coin="ETH"] a').click();
  await page.getByRole("link", { name: "NFTs ETH" }).click();
  await page.getByRole("heading", { level: 1, name: "NFTs" }).waitFor();
  await page.getByText("16 NFTs").waitFor();
  await page.getByText(/^Searched all blocks up to \d+\.$/).waitFor();
  await look(page, "nfts-chain");
  await page.getByText("Use an indexer instead").click();
  const use = page.getByRole("button", { name: "Use these" });
  await use.click();
  await page.getByText("The node needs it to list NFTs.").waitFor();
  await page.getByText("NFTs cannot be refreshed without it.").waitFor();
  await page.getByRole("textbox", { name: "Indexer" }).fill("http://127.0.0.1:9");
  await page.getByRole("textbox", { name: "Anti-spam service" }).fill(services.url);
  await use.click(); // the list is refreshed automatically
  await page.getByRole("alert").filter({ hasText: /The server 127\.0\.0\.1:9 is unreachable\..*The list did not change\./s }).waitFor();
  await page.getByText("Services", { exact: true }).click();
  await page.getByRole("textbox", { name: "Indexer" }).fill(services.url);
  await use.click();
  await page.getByText("2 hidden").waitFor();
  await until(async () => (await shown(page).count()) >= 8, "pictures of this machine, which the node's owner allows");
  await chain.send(pictures, "mint(address,uint256,string)", OWN, 44, "");
  await refresh(page).click();
  await page.getByText("17 NFTs").waitFor();
  await page.getByText("2 hidden").waitFor();
  services.behave(({ path }) => (path.includes("/contract/scan") ? { status: 500, type: "text/plain", body: "" } : undefined));
  await refresh(page).click();
  await page.getByRole("alert").filter({ hasText: /failed with the status 500.*The list did not change\./s }).waitFor();
  await look(page, "nfts-fault");

  await visit(page, "activate", "Activate a coin");
  await page.getByRole("button", { name: "Disable NFT_ETH" }).click();
  await page.getByRole("dialog").getByText("The node stops using their indexer.").waitFor();
  await look(page, "nfts-disable");
  await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
  await page.getByRole("button", { name: "Disable NFT_ETH" }).waitFor({ state: "hidden" });
  await visit(page, "nfts", "NFTs");
  assert.equal(await page.getByRole("textbox", { name: "Indexer" }).inputValue(), services.url, "it is known from the last time");
  services.behave(() => undefined);
  await page.getByRole("button", { name: "List the NFTs" }).click();
  await page.getByText("17 NFTs").waitFor();
});

inWallet("NFTs are found without set-up; some are hidden, or reported", async (t, { page, context }) => {
  const { chain, pictures, things } = await collection(t);
  const net = await internet(t, context);
  const meta = /^https:\/\/meta\.example\//;
  t.after(() => context.unroute(meta));
  const documents = [];
  await context.route(meta, async (route) => {
    documents.push(route.request().url());
    await route.fulfill({ status: 200, headers: { "Access-Control-Allow-Origin": "*" }, contentType: "application/json", body: about(Number(/\d+$/.exec(route.request().url())?.[0] ?? 0)) });
  });
  await activate(page, [chain], { coin: "ETH", history: null });
  await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("coins.")).forEach((key) => localStorage.removeItem(key))); // an indexer is stored from before
  await visit(page, "nfts", "NFTs");
  await page.getByText("16 NFTs").waitFor();
  await page.getByText(/^Searched all blocks up to \d+\.$/).waitFor();
  await tile(page, "Lighthouse 5").waitFor();
  await until(async () => (await shown(page).count()) > 0);
  await page.getByRole("button", { name: "Refresh" }).waitFor();
  assert(documents.includes("https://meta.example/5"));
  await look(page, "nfts-found");

  await visit(page, `nfts/ETH/${things}/${MOST}`, /^NFT #/);
  const standin = page.locator(".picture .standin");
  await standin.waitFor();
  assert.equal((await standin.innerText()).replaceAll(/\s/g, ""), "N#1157…9935");
  await visit(page, `nfts/ETH/${pictures}/5`, "Lighthouse 5");
  await page.getByRole("button", { name: "Hide" }).click();
  await page.getByText("You hid it").waitFor();
  await visit(page, `nfts/ETH/${pictures}/6`, "Lighthouse 6");
  await page.getByRole("button", { name: "Report as spam" }).click();
  await page.getByText("You reported it as spam").waitFor();
  assert.equal(await page.getByRole("img", { name: "Picture of Lighthouse 6" }).count(), 0, "its picture is not shown");
  await look(page, "nft-reported");
  await page.addInitScript(() => new MutationObserver(() => document.querySelector('[data-coin^="NFT_"]') && (globalThis.isListed = true)).observe(document, { subtree: true, childList: true }));
  await visit(page, "", "Home");
  await page.reload();
  await isOpen(page);
  await amount(page, "0").first().waitFor();
  assert.equal(await page.evaluate(() => globalThis.isListed), undefined, "a list of NFTs that comes back is no coin of Home");
  await visit(page, "nfts/ETH", "NFTs");
  await page.getByText("2 hidden").waitFor();
  assert.equal(await tile(page, /^Lighthouse [56]/).count(), 0);
  await page.getByRole("checkbox", { name: /^Show hidden/ }).check();
  await tile(page, "Lighthouse 6").getByText("You reported it as spam").waitFor();
  await tile(page, "Lighthouse 5").getByRole("link").click();
  await page.getByRole("button", { name: "Show again" }).click();
  await page.getByRole("button", { name: "Hide" }).waitFor();
  await page.getByRole("link", { name: "‹ NFTs on Ethereum" }).click();
  await page.getByRole("checkbox", { name: /^Show hidden/ }).setChecked(false);
  await page.getByText("1 hidden").waitFor();
  await tile(page, "Lighthouse 5").waitFor();

  await page.getByText("Add a collection").click();
  const [contract, add] = [page.getByRole("textbox", { name: "Contract" }), page.getByRole("button", { name: "Add", exact: true })];
  await contract.fill("0x5");
  await add.click();
  await page.getByText("A contract is 0x and 40 digits or letters from a to f.").waitFor();
  await contract.fill(pictures);
  await add.click();
  await page.getByRole("alert").filter({ hasText: /enumeration/ }).waitFor();

  const asked = net.asked.length + documents.length;
  await page.getByRole("checkbox", { name: /^Load pictures/ }).uncheck();
  await chain.send(pictures, "mint(address,uint256,string)", OWN, 99, "https://meta.example/99");
  await until(async () => {
    if (await refresh(page).isVisible()) {
      await refresh(page).click(); // the newest block that the node knows may be a second old
    }
    return (await page.getByText("17 NFTs").count()) > 0;
  }, "the new one is listed");
  assert.equal(net.asked.length + documents.length, asked, "with the switch off, the author's hosts are not asked");
  await page.getByRole("checkbox", { name: /^Load pictures/ }).check();
});
