import assert from "node:assert/strict";
import { after, before, test as plain } from "node:test";
import { decodeTxRaw, Registry } from "@cosmjs/proto-signing";
import { build } from "esbuild";
import path from "node:path";
import { init } from "obverse";
import { realChain, startChain } from "./chain.js";
import { newContext } from "./contexts.js";
import { sharing } from "./sharing.js";
import { config, serve, stopClock, until, web } from "./support.js";
import { makeKeplr } from "./wallet/keplr.js";

/** A test with a timeout, since waiting for a wallet that is gone would never end. */
const test = (name, does) => plain(name, { timeout: 400000 }, does);

/** @type {Awaited<ReturnType<typeof serve>>} */
let site;
/** @type {Awaited<ReturnType<typeof startChain>>} */
let chain;
/** The wallet as a script for pages. */
let script;
before(async () => {
  [site, chain] = await Promise.all([serve(), realChain() ?? startChain()]);
  const { outputFiles } = await build({
    entryPoints: [path.join(web, "test/wallet/keplr.js")],
    bundle: true,
    write: false,
    format: "iife",
    globalName: "testKeplr",
    platform: "browser",
    logLevel: "warning",
  });
  script = outputFiles[0].text;
});
after(() => Promise.all([site.close(), chain.close()]));

/** Returns a config without a key. */
const keyless = (more = {}) => config({ passphrase: undefined, ...more });
const refused = (promise) => promise.then((value) => assert.fail(JSON.stringify(value)), (error) => error);

/**
 * Opens a browser with Keplr in its pages.
 * @param {import("node:test").TestContext} t
 * @param {string} [install] an additional script for the pages
 */
async function browser(t, install = "window.keplr = keplr") {
  const context = await newContext(t);
  await context.addInitScript({ content: `${script}; { const { keplr, user } = testKeplr.makeKeplr(); Object.assign(globalThis, { user, choose: testKeplr.choose, makeKeplr: testKeplr.makeKeplr }); ${install} }` });
  return context;
}

/** Opens a tab and starts a node in it. */
async function tab(context, options = {}) {
  const page = await context.newPage();
  await page.goto(site.url);
  await page.evaluate(async (o) => {
    globalThis.events = [];
    globalThis.node = await globalThis.obverse.init({ ...o, log: () => {} });
    globalThis.node.subscribe("*", (event) => globalThis.events.push(event));
  }, { config: keyless(), ...options });
  /** Calls a method. An error is returned with its kind, status, data and message. */
  const rpc = async (...call) => {
    const answer = await page.evaluate(
      (c) => globalThis.node.rpc(...c).then((result) => ({ result }), ({ kind, status, data, message }) => ({ kind, status, data, message })),
      call,
    );
    if (answer.kind) {
      throw Object.assign(new Error(answer.message), answer);
    }
    return answer.result;
  };
  /** @param {(user: import("./wallet/keplr.js").User) => unknown} change */
  const user = (change) => page.evaluate(`(${change})(globalThis.user)`);
  return { page, rpc, user };
}

const enable = (more = {}) => ["enable_tendermint_with_assets", { ticker: "ATOM", tokens_params: [], nodes: [{ url: chain.url }], priv_key_policy: "BrowserWallet", ...more }];
const send = (more = {}) => ["withdraw", { coin: "ATOM", to: chain.accounts.other, amount: "0.5", ...more }];

/** Decodes a transaction as a chain does. */
function unpack(raw) {
  const { body, authInfo, signatures } = decodeTxRaw(raw);
  return { signatures, memo: body.memo, fee: authInfo.fee, mode: authInfo.signerInfos[0].modeInfo.single.mode, message: new Registry().decode(body.messages[0]) };
}
const DIRECT = 1;
const AMINO = 127;

const inTab = sharing("a node with a Keplr", async (t) => tab(await browser(t)));

/** Defines a test that starts with an unused Keplr and a node without coins. */
const withKeplr = (name, does) =>
  inTab(name, async (t, opened) => {
    for (const { ticker } of (await opened.rpc("get_enabled_coins")).coins) {
      await opened.rpc("disable_coin", { coin: ticker });
    }
    await opened.page.evaluate(() => {
      Object.assign(globalThis, globalThis.makeKeplr()); // sets window.keplr and globalThis.user
      globalThis.events.length = 0;
    });
    await does(t, opened);
  });

withKeplr("a node without a passphrase lives on a wallet alone", async (t, { rpc, user, page }) => {
  const enabled = await rpc(...enable());
  assert.equal(enabled.address, chain.accounts.user);
  assert.equal(enabled.balance.spendable, chain.balance);
  assert.deepEqual(await rpc("get_enabled_coins"), { coins: [{ ticker: "ATOM" }] });
  const { balance, address } = await rpc("my_balance", { coin: "ATOM" });
  assert.deepEqual([balance, address], [chain.balance, chain.accounts.user]);
  for (const [device, mode] of [[false, DIRECT], [true, AMINO]]) {
    await user(`(user) => void (user.device = ${device})`);
    const { tx_hex, tx_hash, fee_details } = await rpc(...send({ memo: "by Keplr" }));
    const sent = await rpc("send_raw_transaction", { coin: "ATOM", tx_hex, required_confirmations: chain.confirmations });
    assert.equal(sent.tx_hash, tx_hash);
    assert.equal(chain.sent?.at(-1).toString("hex") ?? tx_hex, tx_hex);
    const tx = unpack(Buffer.from(tx_hex, "hex"));
    assert.deepEqual([tx.mode, tx.memo, tx.signatures.length], [mode, "by Keplr", 1]);
    assert.deepEqual(tx.message, { fromAddress: chain.accounts.user, toAddress: chain.accounts.other, amount: [{ denom: "uatom", amount: "500000" }] });
    assert.equal(Number(tx.fee.amount[0].amount), Math.round(Number(fee_details.amount) * 1e6));
  }
  const asked = await user((user) => user.asked.map(([name]) => name));
  assert.deepEqual(asked, ["enable", "getKey", "enable", "getKey", "signDirect", "enable", "getKey", "signAmino"]);
  assert.deepEqual(await user((user) => user.asked[4][4]), { preferNoSetFee: true });
  await assert.rejects(rpc("get_public_key"), /not available/, "the node has no key of its own");
  assert.deepEqual(await page.evaluate(() => globalThis.violations), []);
});

withKeplr("texts", async (t, { rpc, user, page }) => {
  await rpc(...enable());
  for (const message of ["hello", '<text> & "more"', "\ufeffsnow ☃ 🚀"]) {
    for (const own of [true, false]) {
      await page.evaluate((keep) => void (globalThis.window.keplr.signArbitrary = keep ? (globalThis.own ??= globalThis.window.keplr.signArbitrary) : undefined), own);
      const { signature } = await rpc("sign_message", { coin: "ATOM", message });
      assert.deepEqual(await rpc("verify_message", { coin: "ATOM", message, signature, address: chain.accounts.user }), { is_valid: true });
      assert.equal(await user((user) => user.asked.at(-1)[0]), own ? "signArbitrary" : "signAmino");
    }
  }
});

withKeplr("what its user says no to", async (t, { rpc, user }) => {
  for (const step of ["enable", "getKey"]) {
    await user(`(user) => void (user.refuses = ["${step}"])`);
    const { kind, status, message } = await refused(rpc(...enable()));
    assert.deepEqual([kind, status, message], ["WalletRefused", 400, "Keplr: Request rejected"]);
  }
  assert.deepEqual(await rpc("get_enabled_coins"), { coins: [] });
  await user((user) => void (user.refuses = []));
  await rpc(...enable());
  await user((user) => void (user.refuses = ["signDirect", "signArbitrary"]));
  assert.equal((await refused(rpc(...send()))).kind, "WalletRefused");
  assert.equal((await refused(rpc("sign_message", { coin: "ATOM", message: "hello" }))).kind, "WalletRefused");
  await user((user) => void (user.refuses = []));
  await rpc(...send());
});

test("what its user does not answer", async (t) => {
  const context = await browser(t);
  await stopClock(context);
  const { rpc, user, page } = await tab(context, { wallets: { timeout: 300 } });
  /** Calls a method until the user is asked for approval, and lets the time for the answer pass. */
  const ignored = async (name, call) => {
    const answer = refused(rpc(...call));
    await until(() => page.evaluate((wanted) => globalThis.user.asked.at(-1)?.[0] === wanted, name), `the user to be asked for ${name}`);
    await page.clock.runFor(300);
    return answer;
  };
  await user((user) => void (user.ignores = ["enable"]));
  const { kind, status, message } = await ignored("enable", enable());
  assert.deepEqual([kind, status, message], ["WalletTimeout", 408, "keplr: no answer within 0.3 s"]);
  await user((user) => void (user.ignores = []));
  await rpc(...enable());
  await user((user) => void (user.ignores = ["signDirect"]));
  assert.equal((await ignored("signDirect", send())).kind, "WalletTimeout");
});

withKeplr("chains that it does not know", async (t, { rpc, user }) => {
  await user((user) => void (user.chains = {}));
  const unknown = await refused(rpc(...enable()));
  assert.deepEqual([unknown.kind, unknown.status], ["WalletWrongChain", 400]);
  assert.match(unknown.message, /does not know the chain cosmoshub-4, and adding it requires api_url of a node/);
  const taught = enable({ nodes: [{ url: chain.url, api_url: "http://127.0.0.1:1317" }] });
  await user((user) => void (user.refuses = ["experimentalSuggestChain"]));
  assert.equal((await refused(rpc(...taught))).kind, "WalletRefused");
  await user((user) => void (user.refuses = []));
  assert.equal((await rpc(...taught)).address, chain.accounts.user);
  const [info] = (await user((user) => user.asked.filter(([name]) => name === "experimentalSuggestChain").at(-1))).slice(1);
  assert.deepEqual(
    [info.chainId, info.chainName, info.rpc, info.rest, info.bip44, info.bech32Config.bech32PrefixValPub, info.currencies, info.feeCurrencies[0].coinMinimalDenom],
    ["cosmoshub-4", "Cosmos", chain.url, "http://127.0.0.1:1317", { coinType: 118 }, "cosmosvaloperpub", [{ coinDenom: "ATOM", coinMinimalDenom: "uatom", coinDecimals: 6 }], "uatom"],
  );
});

withKeplr("a wallet that has another chain by that name", async (t, { rpc, user }) => {
  await user((user) => void (user.chains["cosmoshub-4"] = "osmo"));
  const { kind, message } = await refused(rpc(...enable()));
  assert.equal(kind, "WalletWrongChain");
  assert.match(message, /begin with osmo, those of the coin with cosmos/);
});

withKeplr("a user who chooses another account", async (t, { rpc, user, page }) => {
  await rpc(...enable());
  await user((user) => globalThis.choose(user, 1));
  await until(() => page.evaluate(() => globalThis.events.length > 0), "the page receives the event");
  assert.deepEqual(await page.evaluate(() => globalThis.events), [{ _type: "WALLET_SWITCHED", message: { wallet: "keplr" } }]);
  const { kind, status, message } = await refused(rpc(...send()));
  assert.deepEqual([kind, status], ["WalletSwitched", 409]);
  assert.match(message, new RegExp(`switched to account ${chain.accounts.other}, and the coin was activated with ${chain.accounts.user}`));
  assert.equal((await refused(rpc("sign_message", { coin: "ATOM", message: "hello" }))).kind, "WalletSwitched");
  await rpc("disable_coin", { coin: "ATOM" });
  assert.equal((await rpc(...enable())).address, chain.accounts.other);
  const { tx_hex } = await rpc(...send());
  assert.equal(unpack(Buffer.from(tx_hex, "hex")).message.fromAddress, chain.accounts.other);
});

withKeplr("a user who chooses another account while a transaction is shown", async (t, { rpc, page }) => {
  await rpc(...enable());
  await page.evaluate(() => {
    const { signDirect } = globalThis.window.keplr;
    globalThis.window.keplr.signDirect = async (...args) => {
      globalThis.user.account = 1;
      return signDirect(...args);
    };
  });
  assert.equal((await refused(rpc(...send()))).kind, "WalletSwitched");
});

withKeplr("what a user changes in the wallet", async (t, { rpc, user, page }) => {
  await rpc(...enable());
  await user((user) => {
    user.device = true;
    user.edits = (doc) => ({ ...doc, memo: "mine", fee: { gas: "77777", amount: [{ denom: "uatom", amount: "4321" }] } });
  });
  const { tx_hex, fee_details, memo } = await rpc(...send());
  const tx = unpack(Buffer.from(tx_hex, "hex"));
  assert.deepEqual([tx.memo, tx.fee.gasLimit, tx.fee.amount], ["mine", 77777n, [{ denom: "uatom", amount: "4321" }]]);
  assert.deepEqual([fee_details.amount, fee_details.gas_limit, memo], ["0.004321", 77777, "mine"]);
  await user((user) => {
    user.edits = (doc) => ({ ...doc, msgs: [{ ...doc.msgs[0], value: { ...doc.msgs[0].value, to_address: doc.msgs[0].value.from_address } }] });
  });
  const changed = await refused(rpc(...send()));
  assert.equal(changed.kind, "SigningError");
  assert.match(changed.message, /but another transaction/);
  const answers = [null, {}, { signed: {}, signature: { pub_key: { value: "" }, signature: "" } }, { signed: null, signature: { pub_key: {}, signature: 7 } }];
  for (const answer of answers) {
    await page.evaluate((a) => void (globalThis.window.keplr.signAmino = async () => a), answer);
    assert.match((await refused(rpc(...send()))).kind, /^(WalletFailed|SigningError)$/);
  }
});

test("a wallet that comes late, and none", async (t) => {
  const late = await tab(await browser(t, "setTimeout(() => (window.keplr = keplr), 700)"));
  assert.equal((await late.rpc(...enable())).address, chain.accounts.user);
  const none = await tab(await browser(t, ""));
  const { kind, status, message } = await refused(none.rpc(...enable()));
  assert.deepEqual([kind, status], ["WalletNotFound", 404]);
  assert.match(message, /no Keplr: install or enable it/);
});

test("a reloaded page has its coin without a request to the wallet", async (t) => {
  const context = await browser(t);
  const { page, rpc } = await tab(context);
  await rpc(...enable());
  await page.close();
  const again = await tab(context);
  await until(async () => (await again.rpc("get_enabled_coins")).coins.length === 1);
  assert.equal((await again.rpc("my_balance", { coin: "ATOM" })).address, chain.accounts.user);
  assert.deepEqual(await again.user((user) => user.asked), []);
  assert.match((await again.rpc(...send())).tx_hex, /^0a/);
});

test("each tab has its wallet asked", async (t) => {
  const context = await browser(t);
  const owner = await tab(context);
  const client = await tab(context);
  const third = await tab(context);
  assert.deepEqual([await owner.page.evaluate(() => globalThis.node.status().role), await client.page.evaluate(() => globalThis.node.status().role)], ["owner", "client"]);
  await client.rpc(...enable());
  assert.deepEqual(await owner.user((user) => user.asked), []);
  await client.rpc(...send());
  await owner.rpc(...send());
  assert.deepEqual((await owner.user((user) => user.asked.map(([name]) => name))).at(-1), "signDirect");
  assert.deepEqual(await third.user((user) => user.asked), []);
  await client.user((user) => void (user.refuses = ["signDirect"]));
  assert.equal((await refused(client.rpc(...send()))).kind, "WalletRefused");
  await owner.rpc(...send());

  // A tab that is closed during a request to its wallet does not block the others.
  await owner.rpc("disable_coin", { coin: "ATOM" });
  await client.user((user) => void (user.ignores = ["enable"]));
  await client.page.evaluate((call) => void globalThis.node.rpc(...call).catch(() => {}), enable());
  await until(() => client.user((user) => user.asked.at(-1)[0] === "enable"));
  const waiting = owner.rpc(...enable());
  await client.page.close();
  assert.equal((await waiting).address, chain.accounts.user);
});

test("the upstream names", async (t) => {
  const page = await (await browser(t)).newPage();
  await page.goto(site.url);
  const answers = await page.evaluate(
    async ([conf, [method, params]]) => {
      const { default: init, mm2_main, mm2_rpc, mm2_stop } = globalThis.obverse.upstream;
      await init("/dist/obverse.wasm");
      await mm2_main({ conf, log_level: 1 }, () => {});
      const call = (m, p) => mm2_rpc({ userpass: conf.rpc_password, mmrpc: "2.0", method: m, params: p });
      const [enabled] = await mm2_rpc([{ userpass: conf.rpc_password, mmrpc: "2.0", method, params }]);
      const signed = await call("sign_message", { coin: "ATOM", message: "hello" });
      globalThis.user.refuses = ["signArbitrary"];
      const no = await call("sign_message", { coin: "ATOM", message: "hello" });
      await mm2_stop();
      return [enabled.result.address, signed.result.signature.length, no.error_type];
    },
    [keyless({ rpc_password: "Upstr3am-word" }), enable()],
  );
  assert.deepEqual(answers, [chain.accounts.user, 88, "WalletRefused"]);
});

test("a wallet of the program's own", async () => {
  const bare = await init({ config: keyless(), log: () => {} });
  try {
    const { kind, message } = await refused(bare.rpc(...enable()));
    assert.equal(kind, "PrivKeyNotAllowed", "Node has no pages");
    assert.match(message, /BrowserWallet is not available on this node, which has: ContextPrivKey, WithPubkey/);
  } finally {
    await bare.stop();
  }
  const { keplr, user } = makeKeplr();
  let given;
  const node = await init({ config: keyless(), wallets: { keplr: () => given }, log: () => {} });
  try {
    const enabling = node.rpc(...enable());
    setTimeout(() => (given = keplr), 100);
    assert.equal((await enabling).address, chain.accounts.user);
    user.device = true;
    assert.equal(unpack(Buffer.from((await node.rpc(...send())).tx_hex, "hex")).mode, AMINO);
  } finally {
    await node.stop();
  }
});
