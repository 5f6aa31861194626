/**
 * Wallets of a page, such as extensions of the browser: the node asks them, by messages,
 * for addresses and for signatures. Each kind of wallet is one file in this folder that makes a Provider. Only those files access window.
 */

import { NodeError } from "../errors.js";

/**
 * @typedef {object} Provider a kind of wallet
 * @property {string} kind as the node names it
 * @property {Record<string, (params: any) => Promise<object>>} functions what the node may ask: parameters and results are JSON
 * @property {(switched: () => void) => () => void} watch calls back whenever the wallet's user has switched to another account;
 *   gives what ends that
 *
 * @typedef {"WalletNotFound" | "WalletRefused" | "WalletTimeout" | "WalletWrongChain" | "WalletSwitched" | "WalletGone" | "WalletFailed"} Fault
 *
 * @typedef {object} WalletOptions
 * @property {import("./keplr.js").Keplr | (() => import("./keplr.js").Keplr | undefined)} [keplr] Keplr, or a wallet in place of it;
 *   the default is window.keplr
 * @property {import("./announced.js").Ethereum | (() => import("./announced.js").Ethereum | undefined)} [ethereum] a provider of EIP-1193
 *   for EVM networks; the default is one that is announced in the page (EIP-6963), or else window.ethereum
 * @property {import("./announced.js").Choose} [choose] has the user choose when several are announced; without it nothing is chosen then
 * @property {import("./hid.js").HID} [hid] what reaches hardware wallets; the default is navigator.hid
 * @property {number} [timeout] ms that the user has to answer the wallet, default five minutes
 */

const TIMEOUT = 5 * 60 * 1000;

/**
 * An error that the node understands.
 * @param {Fault} fault
 * @param {string} message
 */
export const walletError = (fault, message) => new NodeError(fault, message);

/** The wallets of one page. */
export class Wallets {
  /**
   * @param {Provider[]} providers
   * @param {number} [timeout]
   */
  constructor(providers, timeout = TIMEOUT) {
    this.providers = providers;
    this.timeout = timeout;
  }

  /**
   * Does what the node asks.
   * @param {string} request JSON: {wallet, do, with}
   * @returns {Promise<string>} JSON
   */
  async ask(request) {
    const { wallet, do: name, with: params } = JSON.parse(request);
    const provider = this.providers.find(({ kind }) => kind === wallet);
    if (!provider || !Object.hasOwn(provider.functions, name)) {
      throw walletError("WalletNotFound", `this page has no wallet ${wallet} that can ${name}`);
    }
    return JSON.stringify(await this.#inTime(provider.functions[name](params), wallet));
  }

  /**
   * @param {Promise<object>} answer
   * @param {string} wallet
   * @returns {Promise<object>}
   */
  #inTime(answer, wallet) {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(walletError("WalletTimeout", `${wallet}: no answer within ${this.timeout / 1000} s`)), this.timeout);
      answer.then(resolve, reject).finally(() => clearTimeout(late));
    });
  }

  /**
   * @param {(wallet: string) => void} switched
   * @returns {() => void} ends it
   */
  watch(switched) {
    const ends = this.providers.map(({ kind, watch }) => watch(() => switched(kind)));
    return () => ends.forEach((end) => end());
  }
}

/** @param {Uint8Array} bytes */
export const toBase64 = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));

/** @param {string} text */
export const fromBase64 = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
