import assert from "node:assert/strict";
import { after, before, test as plain } from "node:test";
import { build } from "esbuild";
import path from "node:path";
import { evmChain } from "./evmchain.js";
import { newContext } from "./contexts.js";
import { sharing } from "./sharing.js";
import { config, serve, stopClock, until, web } from "./support.js";

/** A test with a timeout, since waiting for a wallet that is gone would never end. */
const test = (name, does) => plain(name, { timeout: 400000 }, does);

/** Accounts of anvil with 10,000 coins each. */
const own = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const other = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const poor = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
const recipient = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const ETH = 1;
const MATIC = 137;

/** @type {Awaited<ReturnType<typeof serve>>} */
let site;
/** @type {Record<number, Awaited<ReturnType<typeof evmChain>>>} */
let networks;
/** Functions that stop the networks. @type {(() => unknown)[]} */
const ends = [];
/** The wallet as a script for pages. */
let script;
before(async () => {
  const all = { after: (end) => void ends.push(end) };
  const started = await Promise.all([serve(), evmChain(all, { id: ETH }), evmChain(all, { id: MATIC })]);
  site = started[0];
  networks = { [ETH]: started[1], [MATIC]: started[2] };
  const { outputFiles } = await build({ entryPoints: [path.join(web, "test/wallet/ethereum.js")], bundle: true, write: false, format: "iife", globalName: "testEthereum", platform: "browser", logLevel: "warning" });
  script = outputFiles[0].text;
});
after(() => Promise.all([site.close(), ...ends.map((end) => end())]));

const keyless = (more = {}) => config({ passphrase: undefined, ...more });
const refused = (promise) => promise.then((value) => assert.fail(JSON.stringify(value)), (error) => error);

/**
 * Opens a browser with wallets in its pages: globalThis.fox and, with install, others.
 * @param {import("node:test").TestContext} t
 * @param {string} [install] a script that pages run after fox is defined
 */
async function browser(t, install = "fox.install()") {
  const context = await newContext(t);
  const of = (name, rdns, list) => `testEthereum.makeEthereum(${JSON.stringify({ name, rdns, icon: "data:image/svg+xml,<svg/>", chain: ETH, chains: { [ETH]: networks[ETH].url }, accounts: list })})`;
  await context.addInitScript({ content: `${script}; { const fox = ${of("Fox", "test.fox", [own, other])}, owl = ${of("Owl", "test.owl", [poor])}; Object.assign(globalThis, { fox, owl }); ${install} }` });
  return context;
}

/** Opens a tab and starts a node in it. */
async function tab(context, options = {}) {
  const page = await context.newPage();
  await page.goto(site.url);
  await page.evaluate(
    async ({ chooses, ...o }) => {
      globalThis.events = [];
      globalThis.shown = [];
      const choose = async (wallets) => {
        globalThis.shown.push(wallets);
        return chooses === null ? null : (wallets.find(({ name }) => name === globalThis.chosen)?.uuid ?? "none");
      };
      globalThis.chosen = chooses;
      globalThis.node = await globalThis.obverse.init({ ...o, log: () => {}, wallets: { ...o.wallets, ...(chooses === undefined ? {} : { choose }) } });
      globalThis.node.subscribe("*", (event) => globalThis.events.push(event));
    },
    { config: keyless(), ...options },
  );
  /** Calls a method. An error is returned with its kind, status, data and message. */
  const rpc = async (...call) => {
    const answer = await page.evaluate((c) => globalThis.node.rpc(...c).then((result) => ({ result }), ({ kind, status, data, message }) => ({ kind, status, data, message })), call);
    if (answer.kind) {
      throw Object.assign(new Error(answer.message), answer);
    }
    return answer.result;
  };
  /**
   * Runs a function with the wallets.
   * @param {(fox: ReturnType<typeof import("./wallet/ethereum.js").makeEthereum>, given: any) => unknown} change
   */
  const fox = (change, given = null) => page.evaluate(`(${change})(globalThis.fox, ${JSON.stringify(given)})`);
  const asked = () => fox(({ user }) => user.asked.splice(0).map(([method]) => method));
  return { page, rpc, fox, asked };
}

const swaps = "0x24ABE4c71FC658C91313b6552cd40cD808b3Ea80";
const enable = (ticker = "ETH", more = {}) => [
  "enable_eth_with_tokens",
  { ticker, nodes: [{ url: networks[ticker === "ETH" ? ETH : MATIC].url }], swap_contract_address: swaps, erc20_tokens_requests: [], priv_key_policy: { type: "Metamask" }, rpc_mode: "Metamask", ...more },
];
const send = (coin = "ETH", more = {}) => ["withdraw", { coin, to: recipient, amount: "0.5", broadcast: true, ...more }];
const addressOf = ({ eth_addresses_infos }) => Object.keys(eth_addresses_infos)[0];
/** Waits until all transactions are in blocks, since anvil responds a moment before it makes them. */
const mined = (chain) => until(async () => Number((await networks[chain].ask("txpool_status")).pending) === 0, "blocks with all that was sent");
const balance = (chain, address) => mined(chain).then(() => networks[chain].has(address));
const half = 5n * 10n ** 17n;

const inTab = sharing("a node with the fox", async (t) => tab(await browser(t)));

/** Defines a test that starts with an unused fox and a node without coins. */
const withFox = (name, does) =>
  inTab(name, async (t, opened) => {
    for (const { ticker } of (await opened.rpc("get_enabled_coins")).coins) {
      await opened.rpc("disable_coin", { coin: ticker });
    }
    await opened.fox(
      ({ user, provider }, first) => {
        globalThis.original ??= provider.request;
        Object.assign(provider, { request: globalThis.original });
        Object.assign(user, { asked: [], refuses: {}, ignores: [], connected: false, edits: undefined }, first);
        globalThis.events.length = 0;
      },
      { accounts: [own, other], chain: ETH, chains: { [ETH]: networks[ETH].url } },
    );
    await does(t, opened);
  });

withFox("a node without a passphrase lives on a wallet alone, and what it sends arrives", async (t, { rpc, fox, asked, page }) => {
  const enabled = await rpc(...enable());
  assert.equal(addressOf(enabled), own);
  assert.equal(enabled.eth_addresses_infos[own].pubkey, "");
  assert.deepEqual(await asked(), ["eth_requestAccounts", "eth_chainId"]);
  assert.deepEqual(await rpc("get_enabled_coins"), { coins: [{ ticker: "ETH" }] });
  const before = await balance(ETH, recipient);

  const unasked = await refused(rpc(...send("ETH", { broadcast: false })));
  assert.deepEqual([unasked.kind, unasked.status], ["BroadcastExpected", 400]);
  await asked();
  const sent = await rpc(...send());
  assert.deepEqual(await asked(), ["eth_requestAccounts", "eth_chainId", "eth_accounts", "eth_chainId", "eth_sendTransaction"]);
  assert.equal(await balance(ETH, recipient), before + half);
  const onChain = await networks[ETH].ask("eth_getTransactionByHash", `0x${sent.tx_hash}`);
  assert.deepEqual([onChain.from, onChain.to, BigInt(onChain.value)], [own.toLowerCase(), recipient.toLowerCase(), half]);
  assert.equal(`0x${sent.tx_hex}`, await networks[ETH].ask("eth_getRawTransactionByHash", `0x${sent.tx_hash}`));
  assert.equal(sent.fee_details.gas_limit, Number(onChain.gas));
  const followed = await rpc("send_raw_transaction", { coin: "ETH", tx_hex: sent.tx_hex, required_confirmations: 1 });
  assert.deepEqual([followed.tx_hash, followed.block_height], [sent.tx_hash, Number(onChain.blockNumber)]);

  for (const message of ["hello", '<text> & "more"', "\ufeffsnow ☃ 🚀"]) {
    const { signature } = await rpc("sign_message", { coin: "ETH", message });
    assert.deepEqual(await rpc("verify_message", { coin: "ETH", message, signature, address: own }), { is_valid: true });
  }
  const fee = { type: "EthGasEip1559", max_fee_per_gas: "7", max_priority_fee_per_gas: "3", gas: 30000 };
  await rpc(...send("ETH", { fee }));
  const tx = await fox(({ user }) => user.asked.at(-1)[1]);
  assert.deepEqual([tx.maxFeePerGas, tx.maxPriorityFeePerGas, tx.gas, tx.chainId, tx.nonce], ["0x1a13b8600", "0xb2d05e00", "0x7530", "0x1", undefined]);
  await rpc(...send("ETH", { fee: { type: "EthGas", gas_price: "7", gas: 30000 } }));
  const { gasPrice, maxFeePerGas } = await fox(({ user }) => user.asked.at(-1)[1]);
  assert.deepEqual([gasPrice, maxFeePerGas], ["0x1a13b8600", undefined]);
  assert.deepEqual(await page.evaluate(() => globalThis.violations), []);
});

withFox("a token's transfer goes to its contract", async (t, { rpc, fox }) => {
  const USDC = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
  await networks[ETH].place(USDC, "Token20", 6);
  await networks[ETH].send(USDC, "mint(address,uint256)", own, 12345678);
  await rpc(...enable("ETH", { erc20_tokens_requests: [{ ticker: "USDC-ERC20" }] }));
  const sent = await rpc(...send("USDC-ERC20", { amount: undefined, max: true }));
  assert.deepEqual([sent.total_amount, sent.to, sent.fee_details.coin], ["12.345678", [recipient], "ETH"]);
  const tx = await fox(({ user }) => user.asked.at(-1)[1]);
  await mined(ETH);
  assert.deepEqual([tx.to, tx.value, tx.data.slice(0, 10)], [USDC, "0x0", "0xa9059cbb"]);
  const held = await networks[ETH].ask("eth_call", { to: USDC, data: `0x70a08231${recipient.slice(2).toLowerCase().padStart(64, "0")}` }, "latest");
  assert.equal(BigInt(held), 12345678n);
  assert.equal((await rpc("my_balance", { coin: "USDC-ERC20" })).balance, "0");
});

withFox("what its user says no to", async (t, { rpc, fox }) => {
  await fox((it) => void (it.user.refuses.eth_requestAccounts = it.refused));
  const { kind, status, message } = await refused(rpc(...enable()));
  assert.deepEqual([kind, status, message], ["WalletRefused", 400, "Fox: User rejected the request."]);
  assert.deepEqual(await rpc("get_enabled_coins"), { coins: [] });
  await fox((it) => void (it.user.refuses = {}));
  await rpc(...enable());
  const before = await balance(ETH, recipient);
  await fox((it) => void Object.assign(it.user.refuses, { eth_sendTransaction: it.refused, personal_sign: it.refused }));
  assert.equal((await refused(rpc(...send()))).kind, "WalletRefused");
  assert.equal((await refused(rpc("sign_message", { coin: "ETH", message: "hello" }))).kind, "WalletRefused");
  assert.equal(await balance(ETH, recipient), before);
  await fox((it) => void (it.user.refuses = {}));
  await rpc(...send());
  assert.equal(await balance(ETH, recipient), before + half);
});

withFox("every error of EIP-1193, by its kind", async (t, { rpc, fox }) => {
  await rpc(...enable());
  for (const [error, want] of [
    [{ code: 4001, message: "no" }, "WalletRefused"],
    [{ code: -32603, message: "inside", data: { originalError: { code: 4001 } } }, "WalletRefused"],
    [{ message: "User denied transaction signature" }, "WalletRefused"],
    [{ code: 4100, message: "not authorised" }, "WalletRefused"],
    [{ code: 4200, message: "unsupported" }, "WalletFailed"],
    [{ code: 4900, message: "disconnected" }, "WalletFailed"],
    [{ code: 4901, message: "disconnected from the chain" }, "WalletWrongChain"],
    [{ code: -32002, message: "already pending" }, "WalletTimeout"],
    [{ code: -32000, message: "insufficient funds" }, "WalletFailed"],
    [{ message: "x".repeat(5000) }, "WalletFailed"],
  ]) {
    await fox((it, refusal) => void (it.user.refuses.eth_sendTransaction = refusal), error);
    const { kind, message } = await refused(rpc(...send()));
    assert.equal(kind, want, JSON.stringify(error).slice(0, 100));
    assert.ok(message.startsWith("Fox: ") && message.length < 700, message.slice(0, 100));
  }
});

test("what its user does not answer", async (t) => {
  const context = await browser(t);
  await stopClock(context);
  const { rpc, fox, page } = await tab(context, { wallets: { timeout: 300 } });
  /** Calls a method until the user is asked for approval, and lets the time for the answer pass. */
  const ignored = async (name, call) => {
    const answer = refused(rpc(...call));
    await until(() => fox(({ user }, wanted) => user.asked.at(-1)?.[0] === wanted, name), `the user to be asked for ${name}`);
    await page.clock.runFor(300);
    return answer;
  };
  await fox((it) => void it.user.ignores.push("eth_requestAccounts"));
  const { kind, status, message } = await ignored("eth_requestAccounts", enable());
  assert.deepEqual([kind, status, message], ["WalletTimeout", 408, "eip1193: no answer within 0.3 s"]);
  await fox((it) => void (it.user.ignores = []));
  await rpc(...enable());
  await fox((it) => void it.user.ignores.push("eth_sendTransaction"));
  const late = await ignored("eth_sendTransaction", send());
  assert.equal(late.kind, "WalletTimeout");
  assert.match(late.message, /may have been sent, or will be when the wallet's user agrees/);
});

test("several wallets: the user chooses", async (t) => {
  const context = await browser(t, "fox.install(); owl.install()");
  const { rpc, page, asked } = await tab(context, { chooses: "Owl" });
  assert.equal(addressOf(await rpc(...enable())), poor);
  const [shown] = await page.evaluate(() => globalThis.shown);
  assert.deepEqual(shown.map(({ name, rdns, icon }) => [name, rdns, icon]), [["Fox", "test.fox", "data:image/svg+xml,<svg/>"], ["Owl", "test.owl", "data:image/svg+xml,<svg/>"]]);
  await rpc(...send());
  assert.equal(await page.evaluate(() => globalThis.shown.length), 1, "the choice lasts");
  assert.deepEqual(await asked(), [], "the other one is not asked");

  // A user who rejects the request can choose another wallet the next time.
  await rpc("disable_coin", { coin: "ETH" });
  await page.evaluate(() => void Object.assign(globalThis, { chosen: "Fox" }));
  await page.evaluate(() => void (globalThis.owl.user.refuses.eth_requestAccounts = globalThis.owl.refused));
  assert.equal((await refused(rpc(...enable()))).kind, "WalletRefused");
  assert.equal(addressOf(await rpc(...enable())), own);
});

test("several wallets, and nothing chosen", async (t) => {
  const context = await browser(t, "fox.install(); owl.install(); globalThis.ethereum = owl.provider");
  const none = await tab(context);
  const { kind, message } = await refused(none.rpc(...enable()));
  assert.equal(kind, "WalletNotFound");
  assert.match(message, /several wallets, Fox, Owl/);
  await none.page.close();
  const cancelled = await tab(context, { chooses: null });
  assert.deepEqual([(await refused(cancelled.rpc(...enable()))).kind, await cancelled.asked()], ["WalletRefused", []]);
  await cancelled.page.close();
  const gone = await tab(context, { chooses: "Cat" });
  assert.equal((await refused(gone.rpc(...enable()))).kind, "WalletNotFound");
});

test("what is announced and is no wallet", async (t) => {
  const announce = (detail) => `window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: ${detail} }))`;
  const install = `window.addEventListener("eip6963:requestProvider", () => {
    for (const detail of [null, 7, {}, { info: {} }, { info: { uuid: "1", name: "No provider" } }, { info: { uuid: "2" }, provider: {} }, { info: { uuid: 7 }, provider: fox.provider }]) ${announce("detail")};
    ${announce(`{ info: { uuid: "3", name: "  ", rdns: "test.names", icon: "https://elsewhere.example/pixel.png" }, provider: fox.provider }`)};
    ${announce(`{ info: { uuid: "3", name: "twice", rdns: "", icon: "" }, provider: owl.provider }`)};
    ${announce(`{ info: { uuid: "4", name: "long".repeat(1000), rdns: 7, icon: "data:text/html,<script>" }, provider: owl.provider }`)};
  })`;
  const { rpc, page } = await tab(await browser(t, install), { chooses: "test.names" });
  assert.equal(addressOf(await rpc(...enable())), own);
  const [shown] = await page.evaluate(() => globalThis.shown);
  assert.deepEqual(shown, [{ uuid: "3", name: "test.names", rdns: "test.names", icon: "" }, { uuid: "4", name: "long".repeat(15), rdns: "", icon: "" }]);
});

test("window.ethereum alone, a wallet that comes late, one that is given, and none", async (t) => {
  const alone = await tab(await browser(t, "globalThis.ethereum = fox.provider"));
  assert.equal(addressOf(await alone.rpc(...enable())), own);
  await alone.fox((it) => void (it.user.refuses.personal_sign = it.refused));
  assert.match((await refused(alone.rpc("sign_message", { coin: "ETH", message: "x" }))).message, /^the browser's wallet: User rejected/);

  const late = await tab(await browser(t, "setTimeout(fox.install, 700)"));
  assert.equal(addressOf(await late.rpc(...enable())), own);

  const none = await tab(await browser(t, ""));
  const { kind, status, message } = await refused(none.rpc(...enable()));
  assert.deepEqual([kind, status], ["WalletNotFound", 404]);
  assert.match(message, /no wallet for EVM networks: install or enable one/);
  const given = await none.page.evaluate(
    async ([conf, call]) => {
      const node = await globalThis.obverse.init({ config: { ...conf, dbdir: "given" }, log: () => {}, wallets: { ethereum: () => globalThis.owl.provider } });
      return node.rpc(...call);
    },
    [keyless(), enable()],
  );
  assert.equal(addressOf(given), poor);
});

withFox("a user who chooses another account", async (t, { rpc, fox, page }) => {
  await rpc(...enable());
  await fox((it) => it.choose(1));
  await until(() => page.evaluate(() => globalThis.events.length > 0), "the page receives the event");
  assert.deepEqual(await page.evaluate(() => globalThis.events), [{ _type: "WALLET_SWITCHED", message: { wallet: "eip1193" } }]);
  const { kind, status, message } = await refused(rpc(...send()));
  assert.deepEqual([kind, status], ["WalletSwitched", 409]);
  assert.match(message, new RegExp(`switched to account ${other}, and the coin was activated with ${own}`));
  assert.equal((await refused(rpc("sign_message", { coin: "ETH", message: "hello" }))).kind, "WalletSwitched");
  await rpc("disable_coin", { coin: "ETH" });
  assert.equal(addressOf(await rpc(...enable())), other);
  assert.deepEqual((await rpc(...send())).from, [other]);

  // The user switches the account between two requests of a withdrawal.
  await page.evaluate(() => {
    const { request } = globalThis.fox.provider;
    globalThis.fox.provider.request = (asked) => {
      if (asked.method === "eth_accounts") {
        globalThis.fox.choose(1);
      }
      return request(asked);
    };
  });
  const before = await balance(ETH, recipient);
  assert.equal((await refused(rpc(...send()))).kind, "WalletSwitched");
  assert.equal(await balance(ETH, recipient), before);
});

withFox("a network that nothing is known of, and a wallet that stays where it is", async (t, { rpc, fox, page }) => {
  const hidden = await refused(rpc(...enable("MATIC", { nodes: [{ url: `${networks[MATIC].url}/?key=secret` }] })));
  assert.equal(hidden.kind, "WalletWrongChain");
  assert.match(hidden.message, /does not know the network .* no server URL to add it with/);
  await page.evaluate(() => {
    const { request } = globalThis.fox.provider;
    globalThis.fox.provider.request = (asked) => (asked.method === "wallet_switchEthereumChain" ? null : request(asked));
  });
  const stays = await refused(rpc(...enable("MATIC")));
  assert.equal(stays.kind, "WalletWrongChain");
  assert.match(stays.message, /did not go to the network/);
  const added = await fox(({ user }) => user.asked.filter(([method]) => method === "wallet_addEthereumChain"));
  assert.deepEqual(added, []);
});

withFox("the network data that a wallet receives", async (t, { rpc, fox }) => {
  await rpc(...enable("MATIC"));
  const [[, added]] = await fox(({ user }) => user.asked.filter(([method]) => method === "wallet_addEthereumChain"));
  assert.deepEqual(added, { chainId: "0x89", chainName: added.chainName, nativeCurrency: { name: "MATIC", symbol: "MATIC", decimals: 18 }, rpcUrls: [networks[MATIC].url] });
  assert.match(added.chainName, /Polygon|Matic/);
});

withFox("what a user changes in the wallet, and one that sends something else", async (t, { rpc, fox, page }) => {
  await rpc(...enable());
  await fox(({ user }) => void (user.edits = ({ maxFeePerGas, maxPriorityFeePerGas, ...tx }) => ({ ...tx, gas: "0xc350", gasPrice: "0x77359400" })));
  const sent = await rpc(...send());
  assert.deepEqual([sent.fee_details.gas_limit, sent.fee_details.gas_price, sent.fee_details.amount], [50000, "0.000000002", "0.0001"]);
  await fox(({ user }) => void (user.edits = (tx) => ({ ...tx, value: "0x1" })));
  const changed = await refused(rpc(...send()));
  assert.equal(changed.kind, "SigningError");
  assert.match(changed.message, /sent a different transaction, [0-9a-f]{64}/);
  for (const answer of [null, 7, {}, "0x12", `0x${"z".repeat(64)}`]) {
    await page.evaluate((hash) => {
      const { request } = globalThis.fox.provider;
      globalThis.request ??= request;
      globalThis.fox.provider.request = async (asked) => (asked.method === "eth_sendTransaction" ? hash : globalThis.request(asked));
    }, answer);
    assert.equal((await refused(rpc(...send()))).kind, "WalletFailed");
  }
  for (const accounts of [null, {}, [], [7], ["0x12"]]) {
    await page.evaluate((list) => void (globalThis.fox.provider.request = async (asked) => (asked.method === "eth_requestAccounts" ? list : globalThis.request(asked))), accounts);
    assert.match((await refused(rpc(...send()))).kind, /^Wallet(Failed|Refused)$/);
  }
});

withFox("a wallet on another network is asked to go there", async (t, { rpc, fox, asked }) => {
  await rpc(...enable());
  await asked();
  // The wallet does not know MATIC, so the network is added to it.
  const refuses = (method) => fox((it, name) => void (it.user.refuses = name ? { [name]: it.refused } : {}), method);
  await refuses("wallet_addEthereumChain");
  assert.equal((await refused(rpc(...enable("MATIC")))).kind, "WalletRefused");
  await refuses(null);
  await asked();
  assert.equal(addressOf(await rpc(...enable("MATIC"))), own);
  assert.deepEqual(await asked(), ["eth_requestAccounts", "eth_chainId", "wallet_switchEthereumChain", "wallet_addEthereumChain", "eth_chainId", "wallet_switchEthereumChain", "eth_chainId"]);

  // Send on one network and then on the other.
  for (const [coin, chain] of [["ETH", ETH], ["MATIC", MATIC], ["ETH", ETH]]) {
    const before = await balance(chain, recipient);
    await rpc(...send(coin));
    assert.equal(await balance(chain, recipient), before + half);
    assert.equal(await fox((it) => it.user.chain), chain);
  }
  // The user switches the network in the wallet. The next use switches back if the user agrees.
  await fox((it) => it.goTo(137));
  await refuses("wallet_switchEthereumChain");
  assert.equal((await refused(rpc(...send()))).kind, "WalletRefused");
  await fox((it) => void (it.user.refuses = { wallet_switchEthereumChain: { code: 4200, message: "unsupported" } }));
  const stuck = await refused(rpc(...send()));
  assert.equal(stuck.kind, "WalletWrongChain");
  assert.match(stuck.message, /choose Ethereum \(1\) there/);
  await refuses(null);
  await rpc(...send());
  assert.equal(await fox((it) => it.user.chain), ETH);
});

withFox("a user who takes the leave away, and a wallet that loses its networks", async (t, { rpc, fox, page, asked }) => {
  await rpc(...enable());
  assert.equal(await fox((it) => it.listening()), 2);
  await fox((it) => it.leave());
  await until(() => page.evaluate(() => globalThis.events.length === 1));
  await asked();
  await rpc(...send());
  assert.equal((await asked())[0], "eth_requestAccounts", "leave is asked for again");
  await fox((it) => it.lose());
  assert.equal(await fox((it) => it.listening()), 0);
  await rpc(...send());
  assert.equal(await fox((it) => it.listening()), 2);
  await page.evaluate(() => globalThis.node.stop()); // without a restart, since this is the last of these tests
  assert.equal(await fox((it) => it.listening()), 0, "no listeners are left");
});

test("a reloaded page has its coin without a request to the wallet, and each tab uses its own wallet", async (t) => {
  const context = await browser(t, "fox.install(); owl.install()");
  const first = await tab(context, { chooses: "Fox" });
  await first.rpc(...enable());
  await first.page.close();
  const owner = await tab(context, { chooses: "Fox" });
  await until(async () => (await owner.rpc("get_enabled_coins")).coins.length === 1);
  assert.equal((await owner.rpc("my_balance", { coin: "ETH" })).address, own);
  assert.deepEqual([await owner.asked(), await owner.page.evaluate(() => globalThis.shown)], [[], []]);
  assert.equal((await owner.rpc(...send())).from[0], own);

  const client = await tab(context, { chooses: "Owl" });
  await owner.asked();
  const { kind, message } = await refused(client.rpc(...send()));
  assert.equal(kind, "WalletSwitched");
  assert.match(message, new RegExp(`switched to account ${poor}`));
  assert.deepEqual(await owner.asked(), []);
});
