/**
 * Wallets in a page, such as browser extensions, from which the node requests addresses and signatures by messages. Each kind of wallet
 * is implemented by one file in this folder, which returns a Provider. Only those files access window.
 */

import { NodeError } from "../errors.js";

/**
 * @typedef {object} Provider a kind of wallet
 * @property {string} kind the name of this kind in the node
 * @property {Record<string, (params: any) => Promise<object>>} functions the functions that the node may call; parameters and results are
 *   JSON values
 * @property {(switched: () => void) => () => void} watch calls the function whenever the user switches to another account in the wallet;
 *   returns a function that stops this
 *
 * @typedef {"WalletNotFound" | "WalletRefused" | "WalletTimeout" | "WalletWrongChain" | "WalletSwitched" | "WalletGone" | "WalletFailed"} Fault
 *
 * @typedef {object} WalletOptions
 * @property {import("./keplr.js").Keplr | (() => import("./keplr.js").Keplr | undefined)} [keplr] Keplr or a wallet with the same
 *   interface; default window.keplr
 * @property {import("./announced.js").Ethereum | (() => import("./announced.js").Ethereum | undefined)} [ethereum] an EIP-1193 provider for
 *   EVM networks; by default one that is announced by EIP-6963, or otherwise window.ethereum
 * @property {import("./announced.js").Choose} [choose] asks the user to choose if several wallets are announced; without it, none is chosen
 *   in that case
 * @property {import("./hid.js").HID} [hid] the interface to hardware wallets; default navigator.hid
 * @property {number} [timeout] the time that the user has to respond in the wallet, in ms; default five minutes
 */

const TIMEOUT = 5 * 60 * 1000;

/**
 * Returns an error that the node recognizes.
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
   * Executes a request of the node.
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
   * @returns {() => void} a function that stops this
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
