/**
 * Keplr, the wallet for Cosmos chains; see core/wallet/signer/keplr.
 *
 * Source: Keplr's documentation and @keplr-wallet/types.
 */

import { fromBase64, toBase64, walletError } from "./provider.js";

/**
 * @typedef {{pub_key: {value: string}, signature: string}} StdSignature
 * @typedef {{bodyBytes: Uint8Array, authInfoBytes: Uint8Array, chainId: string, accountNumber: {toString(): string}}} SignDoc
 *
 * @typedef {object} Keplr the part of window.keplr that is used
 * @property {(chainId: string) => Promise<void>} enable
 * @property {(chainId: string) => Promise<{algo: string, pubKey: Uint8Array, bech32Address: string, isNanoLedger?: boolean, isKeystone?: boolean}>} getKey
 * @property {(chainId: string, signer: string, doc: any, options?: object) => Promise<{signed: SignDoc, signature: StdSignature}>} signDirect
 * @property {(chainId: string, signer: string, doc: any, options?: object) => Promise<{signed: object, signature: StdSignature}>} signAmino
 * @property {(chainId: string, signer: string, text: string) => Promise<StdSignature>} [signArbitrary]
 * @property {(chain: object) => Promise<void>} [experimentalSuggestChain]
 *
 * @typedef {object} Network the metadata of a chain, from the node
 * @property {string} chain_id
 * @property {string} name
 * @property {string} prefix
 * @property {number} [coin_type]
 * @property {string} ticker
 * @property {string} denom
 * @property {number} decimals
 * @property {string} gas_price
 * @property {string} [rpc]
 * @property {string} [rest]
 *
 * @typedef {{chain_id: string, signer: string, doc: any}} Order a document to sign
 */

const TIMEOUT = 2000; // ms to wait for the extension to provide its object
const POLL_INTERVAL = 50;

/** Prevents Keplr from replacing the fee, since the user has already confirmed it. */
const options = { preferNoSetFee: true };

/** @returns {Keplr | undefined} */
const inWindow = () => /** @type {any} */ (globalThis.window)?.keplr;

/**
 * Waits for the wallet, since extensions are injected after the page starts.
 * @param {() => Keplr | undefined} look
 * @returns {Promise<Keplr>}
 */
async function find(look) {
  for (let waited = 0; ; waited += POLL_INTERVAL) {
    const wallet = look();
    if (wallet) {
      return wallet;
    }
    if (waited >= TIMEOUT) {
      throw walletError("WalletNotFound", "this page has no Keplr: install or enable it, then reload the page");
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL));
  }
}

/**
 * Converts an error of the wallet to an error of the node.
 * @param {unknown} error
 */
function refusal(error) {
  const { kind, code, message } = /** @type {any} */ (error ?? {});
  if (kind) {
    return error;
  }
  const text = `Keplr: ${message ?? error}`;
  if (code === 4001 || /reject|denied|declined|cancel/i.test(text)) {
    return walletError("WalletRefused", text);
  }
  if (isUnknown(error)) {
    return walletError("WalletWrongChain", text);
  }
  return walletError(/signer mismatch|unmatched signer/i.test(text) ? "WalletSwitched" : "WalletFailed", text);
}

/** @param {any} error */
const isUnknown = (error) => /no (modular )?chain info/i.test(String(error?.message ?? error));

/**
 * Returns the chain in the format of experimentalSuggestChain.
 * @param {Network} n
 */
function chainInfo({ chain_id, name, prefix, coin_type, ticker, denom, decimals, gas_price, rpc, rest }) {
  const missing = Object.entries({ derivation_path: coin_type, "api_url of a node": rest && rpc })
    .filter(([, value]) => !value)
    .map(([key]) => key);
  if (missing.length > 0) {
    throw walletError("WalletWrongChain", `Keplr does not know the chain ${chain_id}, and adding it requires ${missing.join(", ")}`);
  }
  const currency = { coinDenom: ticker, coinMinimalDenom: denom, coinDecimals: decimals };
  const price = Number(gas_price); // for display in Keplr only; it does not determine the fee
  return {
    chainId: chain_id,
    chainName: name,
    rpc,
    rest,
    bip44: { coinType: coin_type },
    bech32Config: {
      bech32PrefixAccAddr: prefix,
      bech32PrefixAccPub: `${prefix}pub`,
      bech32PrefixValAddr: `${prefix}valoper`,
      bech32PrefixValPub: `${prefix}valoperpub`,
      bech32PrefixConsAddr: `${prefix}valcons`,
      bech32PrefixConsPub: `${prefix}valconspub`,
    },
    currencies: [currency],
    feeCurrencies: [{ ...currency, gasPriceStep: { low: price, average: price, high: 2 * price } }],
    stakeCurrency: currency,
    features: [],
  };
}

/**
 * Asks the user to let this page use the wallet on a chain, and suggests the chain to the wallet
 * first if necessary.
 * @param {Keplr} wallet
 * @param {Network} network
 */
async function enable(wallet, network) {
  try {
    await wallet.enable(network.chain_id);
  } catch (error) {
    if (!isUnknown(error) || !wallet.experimentalSuggestChain) {
      throw error;
    }
    await wallet.experimentalSuggestChain(chainInfo(network));
    await wallet.enable(network.chain_id);
  }
}

/** @param {StdSignature} signature */
const proof = ({ pub_key, signature }) => ({ public_key: pub_key.value, signature });

/**
 * Returns the text in a document of ADR-036, since Keplr displays the text better than the
 * document. Returns undefined for other documents.
 * @param {any} doc
 */
function textOf({ msgs }) {
  if (msgs.length !== 1 || msgs[0].type !== "sign/MsgSignData") {
    return undefined;
  }
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(fromBase64(msgs[0].value.data));
}

/** @param {Keplr} wallet @param {Network} network */
async function showKey(wallet, network) {
  await enable(wallet, network);
  const { algo, pubKey, bech32Address, isNanoLedger, isKeystone } = await wallet.getKey(network.chain_id);
  return { algo, public_key: toBase64(pubKey), address: bech32Address, amino: Boolean(isNanoLedger || isKeystone) };
}

/** @param {Keplr} wallet @param {Order} order */
async function signDirect(wallet, { chain_id, signer, doc }) {
  const wanted = {
    bodyBytes: fromBase64(doc.body),
    authInfoBytes: fromBase64(doc.auth_info),
    chainId: doc.chain_id,
    accountNumber: BigInt(doc.account_number),
  };
  const { signed, signature } = await wallet.signDirect(chain_id, signer, wanted, options);
  return {
    doc: {
      body: toBase64(signed.bodyBytes),
      auth_info: toBase64(signed.authInfoBytes),
      chain_id: signed.chainId,
      account_number: String(signed.accountNumber),
    },
    ...proof(signature),
  };
}

/** @param {Keplr} wallet @param {Order} order */
async function signAmino(wallet, { chain_id, signer, doc }) {
  const text = textOf(doc);
  if (text !== undefined && wallet.signArbitrary) {
    return { doc, ...proof(await wallet.signArbitrary(chain_id, signer, text)) };
  }
  const { signed, signature } = await wallet.signAmino(chain_id, signer, doc, options);
  return { doc: signed, ...proof(signature) };
}

/**
 * @param {import("./provider.js").WalletOptions["keplr"]} [given]
 * @returns {import("./provider.js").Provider}
 */
export function keplr(given = inWindow) {
  const look = typeof given === "function" ? given : () => given;
  /** @template P @param {(wallet: Keplr, params: P) => Promise<object>} act */
  const withWallet = (act) => async (/** @type {P} */ params) => {
    try {
      return await act(await find(look), params);
    } catch (error) {
      throw refusal(error);
    }
  };
  return {
    kind: "keplr",
    functions: { key: withWallet(showKey), sign_direct: withWallet(signDirect), sign_amino: withWallet(signAmino) },
    watch: (switched) => {
      const { window } = globalThis;
      window?.addEventListener("keplr_keystorechange", switched);
      return () => window?.removeEventListener("keplr_keystorechange", switched);
    },
  };
}
