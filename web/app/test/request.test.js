/** Payment requests that are pasted, scanned or in a link: a request is used completely, or it is rejected with the reason. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./module.js";

const { requestIn, requestOf, isRequest, BadRequest } = await load("coins/request.ts");

const SHOP = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const USDC = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const OTHER = "0xdAC17F958D2ee523a2206206994597C13D831ec7";
const ATOMS = "cosmos1jrkmdcwgq94uaamx6zax2luewlhf7u4kucx3kz";

const ether = { family: "evm", symbol: "ETH", schemes: ["ethereum"], chain: "1", network: "Ethereum", contract: null, decimals: 18, isNft: false, called: (contract) => (contract === null ? "ETH · Ethereum" : contract.toLowerCase() === USDC.toLowerCase() ? "USDC · Ethereum" : null) };
const usdc = { ...ether, symbol: "USDC", contract: USDC, decimals: 6 };
const atom = { ...ether, family: "cosmos", symbol: "ATOM", schemes: ["cosmos", "atom"], chain: "cosmoshub-4", network: "Cosmos Hub", decimals: 6 };

const asked = (to, amount = "", memo = "", unused = "") => ({ to, amount, memo, unused });

test("a request says the receiver, the amount and the memo", () => {
  for (const [text, coin, found] of [
    [`ethereum:${SHOP}`, ether, asked(SHOP)],
    [`Ethereum:pay-${SHOP}@1`, ether, asked(SHOP)],
    [`ethereum:${SHOP}@0x1?value=250000000000000000`, ether, asked(SHOP, "0.25")],
    [` ethereum:${SHOP}?value=2.014e18\n`, ether, asked(SHOP, "2.014")],
    [`ethereum:${SHOP}?value=0`, ether, asked(SHOP, "0")],
    ["ethereum:alice.eth?value=1", ether, asked("alice.eth", "0.000000000000000001")],
    [`ethereum:${SHOP}`, usdc, asked(SHOP)],
    [`ethereum:${SHOP}?gasPrice=5e9&label=A%20shop`, ether, asked(SHOP, "", "", "gasPrice=5e9, label=A shop")],
    [`ethereum:${USDC}@1/transfer?address=${SHOP}&uint256=1000000`, usdc, asked(SHOP, "1")],
    [`ethereum:${USDC.toLowerCase()}/transfer?uint256=1.5e6&address=alice.eth&value=0`, usdc, asked("alice.eth", "1.5")],
    [`ethereum:${USDC}/transfer?address=${SHOP}`, usdc, asked(SHOP)],
    [`cosmos:${ATOMS}`, atom, asked(ATOMS)],
    [`cosmos:${ATOMS}?amount=1.5&memo=104%20532`, atom, asked(ATOMS, "1.5", "104 532")],
    [`atom:${ATOMS}?memo=a+b`, atom, asked(ATOMS, "", "a+b")],
    [`cosmos:%E2%80%AE${ATOMS}?memo=12%E2%80%AE3%004%C2%A05`, atom, asked(ATOMS, "", "1234 5")],
    [`cosmos:${ATOMS}?label=A%0Ashop`, atom, asked(ATOMS, "", "", "label=A\nshop")],
  ]) {
    assert.deepEqual(requestIn(text, coin), found, text);
  }
});

test("what cannot be met is refused, and the reason names it", () => {
  for (const [text, coin, why] of [
    [`bitcoin:${SHOP}`, ether, /kind “bitcoin:” are not for ETH/],
    [`ethereum:${SHOP}`, atom, /kind “ethereum:” are not for ATOM/],
    ["https://shop.example/pay", ether, /kind “https:”/],
    ["ethereum:", ether, /cannot be read/],
    [`ethereum://${SHOP}`, ether, /cannot be read/],
    [`ethereum:${SHOP}?value=%E0%A4%A`, ether, /cannot be read/],
    [`ethereum:${SHOP}?label=${"x".repeat(5000)}`, ether, /cannot be read/],
    [`ethereum:${SHOP}@137`, ether, /the network 137, and the coin is on Ethereum/],
    [`ethereum:${SHOP}@0x89?value=1`, ether, /the network 137,/],
    [`ethereum:${SHOP}@mainnet`, ether, /“mainnet” cannot be its chain/],
    [`ethereum:${SHOP}@`, ether, /“” cannot be its chain/],
    [`ethereum:${SHOP}/approve?address=${SHOP}&uint256=1`, usdc, /calls “approve” of a contract/],
    [`ethereum:${SHOP}/`, ether, /calls “” of a contract/],
    [`ethereum:${USDC}/transferFrom?address=${SHOP}&uint256=1`, usdc, /calls “transferFrom”/],
    [`ethereum:${SHOP}?req-lock=1`, ether, /the part “req-lock”, which is not supported/],
    [`ethereum:${SHOP}?amount=1`, ether, /the part “amount”/],
    [`ethereum:${SHOP}?uint256=1`, ether, /the part “uint256”/],
    [`ethereum:${SHOP}?value=1&value=2`, ether, /“value” twice/],
    [`ethereum:${SHOP}?value=1.5`, ether, /“1.5” cannot be its value/],
    [`ethereum:${SHOP}?value=-1`, ether, /“-1” cannot be its value/],
    [`ethereum:${SHOP}?value=1e78`, ether, /“1e78” cannot be its value/],
    [`ethereum:${SHOP}?value=0x10`, ether, /“0x10” cannot be its value/],
    [`ethereum:${SHOP}?value=1`, usdc, /is for ETH · Ethereum, and you chose USDC/],
    [`ethereum:${USDC}/transfer?address=${SHOP}&uint256=1`, ether, /is for USDC · Ethereum, and you chose ETH/],
    [`ethereum:${OTHER}/transfer?address=${SHOP}&uint256=1`, usdc, /the token of the contract 0xdAC17F958D2ee523a2206206994597C13D831ec7 on Ethereum, which is not one of your coins/],
    [`ethereum:${USDC}@137/transfer?address=${SHOP}&uint256=1`, usdc, /the network 137,/],
    [`ethereum:${USDC}/transfer?uint256=1`, usdc, /“” cannot be its address/],
    [`ethereum:${USDC}/transfer?address=${SHOP.slice(0, 20)}&uint256=1`, usdc, /cannot be its address/],
    [`ethereum:usdc.eth/transfer?address=${SHOP}&uint256=1`, usdc, /“usdc.eth” cannot be its contract/],
    [`ethereum:${USDC}/transfer?address=${SHOP}&uint256=1&value=1`, usdc, /“1” cannot be its value/],
    [`ethereum:${USDC}/transfer?address=${SHOP}&uint256=1`, { ...usdc, decimals: undefined }, /decimals of USDC are not known/],
    [`ethereum:${SHOP}?value=1`, { ...ether, isNft: true }, /this form sends an NFT/],
    [`cosmos:${ATOMS}?amount=1uatom`, atom, /“1uatom” cannot be its amount/],
    [`cosmos:${ATOMS}?amount=1&req-memo=1`, atom, /the part “req-memo”/],
    [`cosmos:${ATOMS}?memo=12%0A34`, atom, /cannot be its memo/],
  ]) {
    assert.throws(() => requestIn(text, coin), (error) => error instanceof BadRequest && why.test(error.message), text);
  }
});

test("a link of the page is a request too", () => {
  const link = (query, coin) => requestOf(new URLSearchParams(query), coin);
  assert.deepEqual(link(`to=${ATOMS}&amount=2.25&memo=42`, atom), asked(ATOMS, "2.25", "42"));
  assert.deepEqual(link(`to=%E2%80%8B${ATOMS}&memo=a%E2%80%AEb%00c`, atom), asked(ATOMS, "", "abc"), "the memo has what is shown of it");
  assert.deepEqual(link("", ether), asked(""));
  for (const [query, coin, why] of [
    [`to=${SHOP}&memo=42`, ether, /the part “memo”/],
    [`to=${SHOP}&amount=ten`, ether, /“ten” cannot be its amount/],
    [`to=${SHOP}&amount=1&amount=2`, ether, /“amount” twice/],
    [`to=${SHOP}&all=1`, ether, /the part “all”/],
    [`to=${ATOMS}&memo=12%0D34`, atom, /cannot be its memo/],
  ]) {
    assert.throws(() => link(query, coin), why, query);
  }
});

test("an address or a name is no request", () => {
  for (const text of [SHOP, ` ${ATOMS}\n`, "alice.eth", "Ann", "Ann: work", ""]) {
    assert(!isRequest(text), text);
  }
});
