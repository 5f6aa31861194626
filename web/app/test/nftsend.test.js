/** Transfers of NFTs on a real network: the confirmations, the rejections and the messages afterwards. */

import assert from "node:assert/strict";
import { evmChain } from "../../test/evmchain.js";
import { sharing } from "../../test/sharing.js";
import { owner } from "../../test/support.js";
import { activate } from "./money.js";
import { button, look, text } from "./steps.js";
import { FAST, until, visit, wallet } from "./support.js";

const OWN = "0xf5c3bf03cBA4E343484588932e423A7C8BFf102d";
const BOB = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const EVE = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359";
/** An address with the same beginning and end as Eve's. */
const TWIN = EVE.toLowerCase().replace("ca1df", "ca1de");

const fact = (page, name) => page.locator("dt", { hasText: new RegExp(`^${name}$`) }).locator("xpath=following-sibling::dd[1]");
const plain = async (locator) => (await locator.innerText()).replaceAll(/\s/g, "");
const tile = (page, name) => page.locator(".tiles > li").filter({ hasText: name });
const to = (page) => text(page, /^To$/);
const howMany = (page) => text(page, "How many");
const review = (page) => page.getByRole("heading", { level: 1, name: "Check and send" }).waitFor();
const refusal = (page, words) => page.getByRole("alert").filter({ hasText: words }).first().waitFor();

const ownerOf = async (chain, contract, id) => `0x${(await chain.read(contract, "ownerOf(uint256)", id)).slice(-40)}`;
const held = async (chain, contract, who, id) => BigInt(`0x${await chain.read(contract, "balanceOf(address,uint256)", who, id)}`);

/** Returns metadata as a data: URL, as used by contracts that do not depend on a server. */
const about = (name) => `data:application/json;base64,${Buffer.from(JSON.stringify({ name })).toString("base64")}`;

/** Starts a network on which the wallet has three buildings, 5 boats and 5 rafts. */
async function collection(t, options = {}) {
  const chain = await evmChain(t, options);
  const [houses, boats] = [await chain.deploy("Token721"), await chain.deploy("Token1155")];
  await chain.give(OWN, 10n ** 18n);
  for (const [id, name] of [[3, "Lighthouse"], [4, "Tower"], [5, "Windmill"]]) {
    await chain.send(houses, "mint(address,uint256,string)", OWN, id, about(name));
  }
  for (const [id, name] of [[7, "Boat"], [8, "Raft"]]) {
    await chain.send(boats, "mint(address,uint256,uint256,string)", OWN, id, 5, about(name));
  }
  return { chain, houses, boats };
}

const inWallet = sharing("an open wallet with NFTs on Ethereum", async (t) => {
  const [opened, made] = await Promise.all([wallet(t, { passphrase: owner.passphrase, speed: FAST }), collection(t)]);
  await activate(opened.page, [made.chain], { coin: "ETH", history: null });
  return { ...opened, ...made };
});

/** Opens the send form for an NFT of the gallery. */
async function form(page, name) {
  await visit(page, "nfts/ETH", "NFTs");
  await tile(page, name).getByRole("link").click();
  await page.getByRole("heading", { level: 1, name }).waitFor();
  await page.getByRole("main").getByRole("link", { name: "Send", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Send" }).waitFor();
  await to(page).waitFor();
}

inWallet("one of a kind: wrong receivers are refused, then it changes hands, and is in the activity", async (t, { page, said, chain, houses, boats }) => {
  await form(page, "Lighthouse");
  assert.equal((await fact(page, "NFT").innerText()).trim(), "Lighthouse");
  assert.deepEqual([await plain(fact(page, "Contract")), await plain(fact(page, "Token id"))], [houses, "3"]);
  assert.equal(await howMany(page).count(), 0, "there is one of it");
  for (const [address, words] of [
    ["", "Enter an address"],
    [BOB.replace("A", "a"), "its checksum is wrong"],
    ["cosmos1jrkmdcwgq94uaamx6zax2luewlhf7u4kucx3kz", "40 hexadecimal digits"],
    [houses, "Receiver is the token's own contract: anything sent there is lost."],
    [boats, "The network says that this transaction would fail."], // the contract does not accept NFTs
  ]) {
    await to(page).fill(address);
    await button(page, "Continue").click();
    await refusal(page, words);
  }
  await look(page, "nft-send-fault");
  await to(page).fill(BOB);
  await page.getByText(/^at most [\d.]+ gwei$/).nth(2).waitFor();
  await look(page, "nft-send");
  await button(page, "Continue").click();
  await review(page);
  assert.equal(await plain(fact(page, "To")), BOB);
  assert.equal((await fact(page, "Network").innerText()).trim(), "Ethereum");
  assert.equal((await fact(page, "NFT").innerText()).trim(), "Lighthouse");
  assert.deepEqual([await plain(fact(page, "Contract")), await plain(fact(page, "Token id"))], [houses, "3"]);
  assert.match(await fact(page, "Fee, at most").innerText(), /^−0\.0\d+ ETH\s+\d+ units of gas, for at most \d+(\.\d+)? gwei each$/);
  assert.equal(await fact(page, "Amount").count(), 0, "no coins go");
  await page.getByText("an NFT that is sent does not come back").waitFor();
  await look(page, "nft-send-check");
  await button(page, "Back").click();
  assert.equal(await to(page).inputValue(), BOB, "the form is as it was");
  assert.equal(await ownerOf(chain, houses, 3), OWN.toLowerCase(), "nothing is sent before it was looked at");
  await button(page, "Continue").click();
  await button(page, "Send Lighthouse").click();
  await page.getByText(/^In block \d+/).waitFor();
  assert.equal(await ownerOf(chain, houses, 3), BOB.toLowerCase());
  assert.equal(await chain.has(BOB), 0n, "no coins go with it");
  assert.equal(await button(page, "Send another").count(), 0);
  await look(page, "nft-send-done");

  await page.getByRole("link", { name: "Done" }).click();
  await page.getByRole("heading", { level: 1, name: "NFTs" }).waitFor();
  await tile(page, "Lighthouse").waitFor({ state: "hidden" });
  await tile(page, "Boat").waitFor();
  await visit(page, "activity", "Activity");
  const row = page.locator(".activity button.row").filter({ hasText: "Sent: Lighthouse" });
  await row.click();
  const sheet = page.getByRole("dialog");
  await sheet.getByText("Sent: Lighthouse").first().waitFor();
  assert.match(await sheet.innerText(), new RegExp(BOB.slice(0, 6)));
  await look(page, "nft-send-activity");
  await page.keyboard.press("Escape");
  await page.reload();
  await row.waitFor();

  for (const where of [`${houses}/3`, `${houses}/44`, "nonsense/x"]) {
    await visit(page, `send/ETH/${where}`, "Send");
    await page.getByRole("alert").waitFor();
    assert.equal(await to(page).count(), 0);
  }
  await visit(page, `send/ETH/${houses}/3`, "Send");
  await refusal(page, "This NFT is not in the wallet.");
  assert.deepEqual(said, []);
});

inWallet("several of a kind: how many go, and the rest stays", async (t, { page, said, chain, boats }) => {
  await form(page, "Boat");
  await page.getByText("You hold 5").waitFor();
  await to(page).fill(EVE);
  for (const [count, words] of [
    ["", "Enter a whole number from 1."],
    ["0", "Enter a whole number from 1."],
    ["1.5", "Enter a whole number from 1."],
    ["6", "You hold only 5."],
  ]) {
    await howMany(page).fill(count);
    await button(page, "Continue").click();
    await refusal(page, words);
  }
  await look(page, "nft-send-many");
  await howMany(page).fill("2");
  await button(page, "Continue").click();
  await review(page);
  assert.equal((await fact(page, "NFT").innerText()).trim(), "2 × Boat");
  await button(page, "Send 2 × Boat").click();
  await page.getByText(/^In block \d+/).waitFor();
  assert.deepEqual([await held(chain, boats, EVE, 7), await held(chain, boats, OWN, 7)], [2n, 3n]);

  await button(page, "Send another").click();
  await page.getByText("You hold 3").waitFor();
  await to(page).fill(TWIN);
  await button(page, "Continue").click();
  await refusal(page, "This address is not the one that you know.");
  assert.match(await plain(page.getByRole("alert")), new RegExp(EVE, "i"));
  await button(page, "Back").click();
  await to(page).fill(EVE);
  await button(page, "Continue").click();
  await page.getByText("You have sent to this address before.").waitFor();
  await button(page, "Send Boat").click();
  await page.getByText(/^In block \d+/).waitFor();
  assert.deepEqual([await held(chain, boats, EVE, 7), await held(chain, boats, OWN, 7)], [3n, 2n]);
  await visit(page, "activity", "Activity");
  for (const what of ["Sent: 2 × Boat", "Sent: Boat"]) {
    await page.locator(".activity button.row").filter({ hasText: what }).waitFor();
  }
  await visit(page, "nfts/ETH", "NFTs");
  await tile(page, "Boat").getByText("× 2").waitFor();
  assert.deepEqual(said, []);
});

inWallet("one that waits is sped up, and stays the same NFT", async (t, { page, said, chain, houses }) => {
  await form(page, "Windmill");
  await to(page).fill(BOB);
  await button(page, "Continue").click();
  await chain.automine(false);
  await button(page, "Send Windmill").click();
  await page.getByRole("heading", { level: 1, name: "Sent, waiting for a block" }).waitFor();
  await visit(page, "activity", "Activity");
  await page.locator(".activity button.row").filter({ hasText: "Windmill" }).filter({ hasText: "Waiting for confirmation" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Speed up" }).click();
  await page.getByText("This takes the place of your transaction that waits").waitFor();
  assert.equal(await plain(fact(page, "To")), BOB);
  assert.equal((await fact(page, "NFT").innerText()).trim(), "Windmill");
  await look(page, "nft-send-speedup");
  await button(page, "Speed up").click();
  await page.getByRole("heading", { level: 1, name: "Sent, waiting for a block" }).waitFor();
  await until(async () => Number(await chain.ask("eth_getBlockTransactionCountByNumber", "pending")) === 1, "one is in the place of the other");
  await chain.automine(true);
  await chain.mine();
  await page.getByText(/^In block \d+/).waitFor();
  assert.equal(await ownerOf(chain, houses, 5), BOB.toLowerCase());
  await visit(page, "activity", "Activity");
  await page.locator(".activity button.row").filter({ hasText: "Sent: Windmill" }).first().waitFor();
  assert.deepEqual(said, []);
});

inWallet("what has left the wallet meanwhile is not sent, and one on another network is another one", async (t, { page, chain, houses, boats }) => {
  const { chain: polygon, houses: same } = await collection(t, { id: 137 });
  assert.equal(same, houses, "contracts have one address on both");
  await form(page, "Tower");
  await to(page).fill(BOB);
  await chain.sendAs(OWN, houses, "safeTransferFrom(address,address,uint256)", OWN, EVE, 4);
  await button(page, "Continue").click();
  await refusal(page, "This NFT is not in the wallet.");
  await look(page, "nft-send-gone");
  await form(page, "Raft");
  await to(page).fill(BOB);
  await howMany(page).fill("4");
  await chain.sendAs(OWN, boats, "safeTransferFrom(address,address,uint256,uint256,bytes)", OWN, EVE, 8, 2, "");
  await button(page, "Continue").click();
  await refusal(page, "You hold only 3.");
  assert.deepEqual([await ownerOf(chain, houses, 4), await held(chain, boats, BOB, 8)], [EVE.toLowerCase(), 0n]);

  // Leave a form for one network and open that of the same contract and number on another network.
  await activate(page, [polygon], { coin: "MATIC", history: null });
  await visit(page, "nfts/MATIC", "NFTs");
  await page.locator(`.tiles a[href*="MATIC/${boats}/8"]`).waitFor();
  await form(page, "Raft");
  await to(page).fill(BOB);
  await visit(page, `send/MATIC/${boats}/8`, "Send");
  await page.getByText("You hold 5").waitFor();
  assert.equal(await to(page).inputValue(), "");
  await to(page).fill(BOB);
  await howMany(page).fill("4");
  await button(page, "Continue").click();
  await review(page);
  assert.equal((await fact(page, "Network").innerText()).trim(), "Polygon");
  await button(page, "Send 4 × Raft").click();
  await page.getByText(/^In block \d+/).waitFor();
  assert.deepEqual([await held(polygon, boats, BOB, 8), await held(chain, boats, BOB, 8)], [4n, 0n]);
});
