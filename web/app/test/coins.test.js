/** The page's modules for coins, without a page. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { web } from "../../test/support.js";
import { load } from "./module.js";

const { chains, tokens, coinOf, platformOf, chainOf, lightningNetwork, nameOf, isNftNetwork } = await load("coins/catalog.ts");
const { networkName, fullName } = await load("coins/names.ts");
const { prefixOf, looksLike, mistakeIn } = await load("coins/addresses.ts");
const { meaningOf, remarkOf } = await load("coins/meaning.ts");
const { faultsOf, faultsIn, withLikely, RpcError } = await load("../test/coinwords.ts");
const { traitsOf } = await load("nfts/traits.ts");
const { serverFaults, serviceFault, creationFault } = await load("../test/coinwords.ts");

test("the catalog lists the node's built-in coins", () => {
  const entries = JSON.parse(readFileSync(path.join(web, "../core/wallet/coin/builtin.json"), "utf8"));
  const of = (...types) => entries.filter(({ protocol }) => types.includes(protocol.type)).map(({ coin }) => coin);
  assert.deepEqual(chains.map(({ ticker }) => ticker), of("TENDERMINT", "ETH"));
  assert.deepEqual(tokens.map(({ ticker }) => ticker), of("TENDERMINTTOKEN", "ERC20"));
  for (const chain of chains) {
    const cosmos = chain.family === "cosmos";
    assert(chain.id && chain.blockTime > 0 && chain.decimals === (cosmos ? 6 : 18), chain.ticker);
    assert.equal(Boolean(chain.prefix && chain.registry), cosmos, chain.ticker);
    assert(cosmos ? chain.confirmations === 1 : chain.confirmations >= 1, chain.ticker);
  }
  for (const token of tokens) {
    assert(chains.some(({ ticker }) => ticker === token.platform), token.ticker);
  }
  assert.deepEqual([platformOf("ATOM"), platformOf("ATOM-IBC_IRIS"), platformOf("X-IBC_JUNO")], [null, "IRIS", "JUNO"]);
  assert.deepEqual([chainOf("ATOM-IBC_IRIS").prefix, chainOf("X-IBC_JUNO"), coinOf("ATOM").decimals], ["iaa", undefined, 6]);
  assert.deepEqual(["USDC-ERC20", "X-PLG20", "X-BEP20", "X-OTHER", "NFT_MATIC"].map(platformOf), ["ETH", "MATIC", "BNB", null, "MATIC"]);
  assert.deepEqual([coinOf("USDC-ERC20").decimals, coinOf("USDC-PLG20").decimals, coinOf("ETH").decimals], [6, 6, 18]);
  assert.deepEqual([networkName("ETH"), networkName("USDC-PLG20"), nameOf("NFT_MATIC"), isNftNetwork("NFT_MATIC"), isNftNetwork("ETH")], ["Ethereum", "Polygon", "NFTs on Polygon", true, false]);
  assert.deepEqual([networkName("IRIS-IBC_ATOM"), networkName("X-IBC_JUNO"), networkName("JUNO"), nameOf("JUNO")], ["Cosmos", "JUNO", "JUNO", "JUNO"]);
  assert.deepEqual(["ETH", "USDC-PLG20", "JUNO"].map(fullName), ["ETH · Ethereum", "USDC · Polygon", "JUNO"]);
  assert.deepEqual([lightningNetwork("tBTC-lightning"), lightningNetwork("X-lightning")], ["Lightning, testnet", "Lightning"]);
});

test("an address that looks like another one", () => {
  const known = "cosmos1jrkmdcwgq94uaamx6zax2luewlhf7u4kucx3kz";
  for (const [address, like] of [
    ["cosmos1jrkmdcwgq9d46qqq6zax2luewlhf7u4kk7x3kz", true],
    [known, false],
    ["cosmos1jrkmxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx3kz", true],
    ["cosmos1jrkxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx3kz", false],
    ["cosmos1jrkmxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxkz", false],
    ["osmo1jrkmdcwgq94uaamx6zax2luewlhf7u4kucx3kz", false],
    ["", false],
  ]) {
    assert.equal(looksLike(address, [known]), like ? known : null, address);
  }
  const hex = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
  for (const [address, like] of [
    ["0x5aaeb6153f3e94c9b9a09f33669435e7ef1beaed", true],
    [hex.toLowerCase(), false],
    ["0x5aaa000000000000000000000000000000000aed", false],
  ]) {
    assert.equal(looksLike(address, [hex]), like ? hex : null, address);
  }
  assert.equal(prefixOf(hex), null);
  assert.deepEqual(["cosmos1abc", "a1b1c", "cosmos1", "1abc", "abc", ""].map(prefixOf), ["cosmos", "a1b", null, null, null, null]);
});

test("what each server did", () => {
  const error = (data, kind = "Transport") => new RpcError(502, { error_type: kind, error: data, error_data: data });
  const faults = serverFaults(error('All the current rpc nodes are unavailable. (http://a:1: chain id is "x; y", want "cosmoshub-4"; https://b/rpc: timed out after 15s; https://c: unreachable: no connection, or the server does not allow web pages (CORS); https://d: HTTP status 401; http://e: responds with an HTML page; http://f: invalid response: no total_count; http://g: connection refused)'));
  assert.deepEqual(faults.map(({ url, what }) => [url, what]), [
    ["http://a:1", "It is a server of the chain x; y, not of cosmoshub-4."],
    ["https://b/rpc", "It timed out."],
    ["https://c", "It is unreachable, or it does not allow web pages (CORS)."],
    ["https://d", "It denied access."],
    ["http://e", "It is a web page, not a server of a chain."],
    ["http://f", "It gave an invalid answer."],
    ["http://g", "It is unreachable."],
  ]);
  assert.equal(serverFaults(error('Failed to get client version for all nodes (http://a: chain id is "137", want "1"; https://b: connection refused)')).length, 2);
  assert.equal(faults[5].reason, "invalid response: no total_count");
  for (const other of [error("it was sent, but has not enough confirmations yet"), error("x", "InternalError"), new Error("x"), null]) {
    assert.equal(serverFaults(other), null);
  }
  assert.equal(creationFault(new RpcError(500, { error_type: "PlatformCoinCreationError", error_data: { ticker: "ATOM", error: "why" } })), "why");
  assert.equal(creationFault(error("x")), null);
});

test("what is certainly no address", () => {
  const right = "cosmos1jrkmdcwgq94uaamx6zax2luewlhf7u4kucx3kz";
  for (const [address, mistake] of [
    [right, ""],
    [right.toUpperCase(), ""],
    ["juno1jrkmdcwgq94uaamx6zax2luewlhf7u4k229237", ""],
    ["A12UEL5L", ""], // from BIP 173
    ["split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w", ""],
    ["split1cheo2y9e2w", "form"],
    ["li1dgmt3", "form"],
    ["cosmos1jrkmdcwgq94uaamx6zax2luewlhf7u4kucx3kq", "checksum"],
    ["cosmos1jrkmdcwgq94uaamx6zax2luewlhf7u4kucx3zk", "checksum"],
    ["juno1jrkmdcwgq94uaamx6zax2luewlhf7u4kucx3kz", "checksum"],
    [right.replace("j", "J"), "form"],
    [right.replace("4", "b"), "form"],
    ["cosmos1x", "form"],
    ["cosmos", "form"],
    ["0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "form"],
  ]) {
    assert.equal(mistakeIn(address, false), mistake, address);
  }
  for (const [address, mistake] of [
    ["0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", ""],
    ["0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED", ""],
    ["0X5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED", "form"],
    ["0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe", "form"],
    ["0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeg", "form"],
    ["5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "form"],
    [right, "form"],
  ]) {
    assert.equal(mistakeIn(address, true), mistake, address);
  }
});

const draft = (more) => ({ coin: "ATOM", to: "cosmos1jrkmdcwgq94uaamx6zax2luewlhf7u4kucx3kz", amount: "1", all: false, memo: "", channel: "", ...more });

test("what is wrong before the node is asked", () => {
  for (const [more, field, words] of [
    [{}, "amount", /^$/],
    [{ to: " " }, "to", /Enter an address/],
    [{}, "to", /^$/],
    [{ to: " cosmos1jrkmdcwgq94uaamx6zax2luewlhf7u4kucx3kz " }, "to", /^$/],
    [{ to: "cosmos1x" }, "to", /Invalid address for a Cosmos chain/],
    [{ to: "cosmos1jrkmdcwgq94uaamx6zax2luewlhf7u4kucx3kq" }, "to", /checksum is wrong/],
    [{ amount: "" }, "amount", /Enter an amount/],
    [{ amount: "", all: true }, "amount", /^$/],
    [{ amount: " 1.500000 " }, "amount", /^$/],
    [{ amount: "1.5000001" }, "amount", /6 decimals/],
    [{ amount: "1.50000000000" }, "amount", /^$/],
    [{ amount: "1.5000001", coin: "JUNO" }, "amount", /^$/],
    [{ amount: "1'000.5" }, "amount", /thousands/],
    [{ amount: "1,000.5" }, "amount", /thousands/],
    [{ amount: "1.000.5" }, "amount", /thousands/],
    [{ amount: "1 000" }, "amount", /thousands/],
    [{ amount: "1,000" }, "amount", /thousands/],
    [{ amount: "1.000" }, "amount", /^$/],
    [{ amount: "1,5" }, "amount", /^$/],
    [{ amount: "." }, "amount", /thousands/],
    [{ amount: "1e3" }, "amount", /Enter a number/],
    [{ amount: ".5" }, "amount", /^$/],
    [{ to: "alice.cosmos" }, "to", /^$/],
    [{ to: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed" }, "to", /address of EVM networks/],
    [{ amount: "-0" }, "amount", /above zero/],
    [{ channel: "channel-12" }, "channel", /^$/],
    [{ channel: "12a" }, "channel", /number/],
  ]) {
    assert.match(faultsOf(draft(more), false)[field] ?? "", words, JSON.stringify(more));
  }
  assert.match(faultsOf(draft(), true).to, /address of a Cosmos chain.*40 hexadecimal digits/);
});

test("other likely errors are reported with the certain ones", () => {
  const likely = (found, more, spendable) => withLikely(found, draft(more), spendable).amount ?? "";
  assert.equal(likely({ to: "x" }, { amount: " 2.5 " }, "2.4"), "You only have 2.4 ATOM, and this needs 2.5.");
  assert.equal(likely({ to: "x" }, { amount: "2.5" }, "2.50"), "");
  assert.equal(likely({ to: "" }, { amount: "2.5" }, "2.4"), "", "an insufficient balance alone does not block the request to the node");
  assert.equal(likely({ to: "x", amount: "y" }, { amount: "2.5" }, "2.4"), "y");
  assert.equal(likely({ to: "x" }, { amount: "2.5", all: true }, "2.4"), "");
  assert.equal(likely({ to: "x" }, { amount: "much" }, "2.4"), "");
  assert.equal(likely({ to: "x" }, { amount: "2.5" }, undefined), "");
});

test("what the node says is wrong, by field", () => {
  const said = (error_type, error_data) => faultsIn(new RpcError(400, { error_type, error_data }), draft());
  assert.deepEqual(said("InvalidAddress", "not a bech32 address"), { to: "Not a bech32 address." });
  assert.deepEqual(said("InvalidMemo", "too long"), { memo: "Too long." });
  assert.deepEqual(said("AmountTooLow", { amount: "0", threshold: "0.000001" }), { amount: "The minimum is 0.000001." });
  assert.deepEqual(said("NotSufficientBalance", { coin: "ATOM", available: "1", required: "1" }), { amount: "You only have 1 ATOM, and this needs 1." });
  assert.deepEqual(said("NotSufficientBalance", { coin: "ATOM", available: "1", required: "1.02" }), { amount: "You only have 1 ATOM, and this needs 1.02 with its fee." });
  assert.deepEqual(said("ZeroBalanceToWithdrawMax"), { amount: "Nothing to send." });
  assert.match(said("IBCError", { IBCChannelCouldNotBeFound: { address_prefix: "juno" } }).channel, /juno1/);
  assert.match(said("IBCError", { IBCChannelMissingOnNode: { channel_id: 9 } }).channel, /channel-9/);
  assert.match(said("IBCError", { IBCChannelNotHealthy: { channel_id: 1, reason: "it has expired" } }).channel, /channel-1 .*it has expired/);
  assert.equal(said("InternalError", "x"), null);
  assert.equal(faultsIn(new Error("x"), draft()), null);
});

test("what a transaction was", () => {
  const entry = (more) => ({ fee_details: { type: "Tendermint" }, transaction_type: "StandardTransfer", my_balance_change: "-1", spent_by_me: "1", received_by_me: "0", from: ["a"], to: ["b"], ...more });
  for (const [more, words] of [
    [{}, "Sent"],
    [{ my_balance_change: "1", spent_by_me: "0", received_by_me: "1" }, "Received"],
    [{ to: ["a"], received_by_me: "0.9" }, "Sent to yourself"],
    [{ transaction_type: { TokenTransfer: "id" } }, "Sent"],
    [{ transaction_type: { TendermintIBCTransfer: { token_id: null } } }, "Sent over IBC"],
    [{ transaction_type: { TendermintIBCTransfer: { token_id: null } }, my_balance_change: "1" }, "Received over IBC"],
    [{ transaction_type: "FeeForTokenTx", to: [] }, "Fee"],
    [{ transaction_type: "StakingDelegation" }, "Staked"],
    [{ transaction_type: "RemoveDelegation" }, "Unstaked"],
    [{ transaction_type: "ClaimDelegationRewards" }, "Rewards"],
    [{ transaction_type: { CustomTendermintMsg: { msg_type: "SendHtlcAmount", token_id: "" } } }, "Locked in a contract"],
    [{ transaction_type: { CustomTendermintMsg: { msg_type: "Another", token_id: "" } } }, "Another"],
  ]) {
    assert.equal(meaningOf(entry(more)), words);
  }
  const [fee_details, to] = [{ type: "Eth" }, ["0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"]];
  const paid = (more) => meaningOf(entry({ transaction_type: "FeeForTokenTx", fee_details, coin: "ETH", from: ["0xAb"], to, tx_hex: "", ...more }));
  const approve = (amount) => ({ tx_hex: `02f8b094a0b880b844095ea7b3${"0".repeat(24)}${"11".repeat(20)}${amount.padStart(64, "0")}c001` });
  assert.deepEqual([paid({ to: ["0xaB"] }), paid(approve("f4240")), paid(approve("0"))], ["Canceled", "Approval for a token", "Approval for a token removed"]);
  assert.deepEqual([paid({ tx_hex: "02f8b0b844a9059cbb00" }), paid({}), paid({ tx_hex: "02f8b08412345678" })], ["Fee", "Fee", "Contract call"]);
  assert.equal(meaningOf(entry({ transaction_type: "FeeForTokenTx", to: ["a"], from: ["a"] })), "Fee", "of a Cosmos chain");
  assert.match(remarkOf(entry({ transaction_type: "FeeForTokenTx" })), /failed/);
  assert.equal(remarkOf(entry({})), "");
});

test("what a service that looks up NFTs did", () => {
  const fault = (data, kind = "Transport") => serviceFault(new RpcError(502, { error_type: kind, error: "x", error_data: data }));
  for (const [data, url, what] of [
    ["http://a:1/api/v2/…/nft: unreachable: no connection, or the server does not allow web pages (CORS)", "http://a:1/api/v2/…/nft", "The server a:1 is unreachable, or it does not allow web pages (CORS)."],
    ["Status code not in 2xx range from https://b/api: 503, connection refused by HTTP status 401", "https://b/api", "The server b failed with the status 503."],
    ["ETH: https://c/x: responds with a redirect, which is not followed", "https://c/x", "The server c points to another address."],
    ["https://d/x: timed out", "https://d/x", "The server d timed out."],
    ["the services did not answer all within 10m0s", "", "The server gave an invalid answer."],
  ]) {
    const { url: of, what: words } = fault(data);
    assert.deepEqual([of, words], [url, what], data);
  }
  assert.equal(fault({ error_type: "Transport", error_data: "https://e/y: HTTP status 404" }, "UpdateSpamPhishingError").what, "The server e has nothing at this address.");
  for (const other of [fault("x", "InternalError"), fault({}, "Transport"), fault("All the current rpc nodes are unavailable. (http://a: x)"), serviceFault(new Error("x")), serviceFault(null)]) {
    assert.equal(other, null);
  }
});

test("traits, whatever their author wrote", () => {
  assert.deepEqual(traitsOf([{ trait_type: "Height", value: "40 m" }, { trait_type: "Lamps", value: "3" }, { value: { deep: ["1"] } }, "plain", null, {}, { trait_type: "Empty" }]), [
    { name: "Height", value: "40 m" },
    { name: "Lamps", value: "3" },
    { name: "", value: '{"deep":["1"]}' },
    { name: "", value: "plain" },
    { name: "Empty", value: "" },
  ]);
  assert.deepEqual(traitsOf({ Height: "40 m" }), [{ name: "Height", value: "40 m" }]);
  for (const none of [null, undefined, "text", 5, [], {}]) {
    assert.deepEqual(traitsOf(none), []);
  }
  assert.equal(traitsOf(Array.from({ length: 5000 }, () => "x")).length, 100);
});
