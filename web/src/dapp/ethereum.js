/**
 * An EIP-1193 provider that is backed by the wallet page. It answers requests for the permitted accounts and the current network itself.
 * All other requests are forwarded to the wallet page, which asks the user or, for read-only methods, the coin's nodes.
 *
 * Sources: EIP-1193, EIP-1102, EIP-2255, EIP-3085, EIP-3326.
 */

import { DISCONNECTED, INVALID, ProviderError, UNKNOWN_CHAIN, UNSUPPORTED } from "./error.js";

/**
 * @typedef {import("./window.js").WalletWindow} WalletWindow
 * @typedef {{method: string, params?: any}} Request
 * @typedef {"connect" | "disconnect" | "accountsChanged" | "chainChanged" | "message"} EventName
 */

const NAMESPACE = "eip155:";

/** Methods that require the user's confirmation. */
const SIGNING = ["eth_sendTransaction", "personal_sign", "eth_signTypedData_v4"];

/** @param {string} chain */
const hex = (chain) => `0x${BigInt(chain.slice(NAMESPACE.length)).toString(16)}`;

/** Returns the chain ID in the parameters of a request. @param {any} params */
function chainOf(params) {
  const id = params?.[0]?.chainId;
  if (typeof id !== "string" || !/^0x[0-9a-f]{1,16}$/i.test(id)) {
    throw new ProviderError(INVALID, "chainId is missing or invalid, want a number in hexadecimal such as 0x1");
  }
  return NAMESPACE + BigInt(id);
}

export class Ethereum {
  isObverse = true;
  #link;
  /** The current network as a CAIP-2 id. */
  #chain;
  /** The accounts that were last reported to listeners, as JSON. */
  #shown = "[]";
  /** @type {Map<string, Set<(value: any) => void>>} */
  #listeners = new Map();
  /** @type {Promise<void> | null} */
  #connecting = null;

  /** @param {WalletWindow} link @param {number} chainId the chain ID until the user selects a network */
  constructor(link, chainId) {
    this.#link = link;
    this.#chain = `${NAMESPACE}${chainId}`;
    link.addEventListener("accounts", () => this.#update());
  }

  /**
   * @param {Request} request
   * @returns {Promise<any>}
   */
  async request({ method, params }) {
    switch (method) {
      case "eth_accounts":
        return this.#accounts();
      case "eth_requestAccounts":
        return this.#connect();
      case "eth_coinbase":
        return this.#accounts()[0] ?? null;
      case "eth_chainId":
        return hex(this.#chain);
      case "net_version":
        return this.#chain.slice(NAMESPACE.length);
      case "wallet_switchEthereumChain":
      case "wallet_addEthereumChain":
        return this.#goTo(chainOf(params));
      case "wallet_getPermissions":
        return this.#permissions();
      case "wallet_requestPermissions":
        await this.#connect();
        return this.#permissions();
      case "wallet_revokePermissions":
        await this.#link.disconnect();
        return null;
    }
    const signs = SIGNING.includes(method);
    if (!signs && !/^eth_/.test(method)) {
      throw new ProviderError(UNSUPPORTED, `the method ${method} is not supported`);
    }
    return this.#link.request(method, params, this.#chain, signs);
  }

  /**
   * @param {EventName} event
   * @param {(value: any) => void} listener
   */
  on(event, listener) {
    this.#listeners.set(event, (this.#listeners.get(event) ?? new Set()).add(listener));
    return this;
  }

  /**
   * @param {EventName} event
   * @param {(value: any) => void} listener
   */
  removeListener(event, listener) {
    this.#listeners.get(event)?.delete(listener);
    return this;
  }

  /** @param {EventName} event @param {unknown} value */
  #emit(event, value) {
    for (const listener of this.#listeners.get(event) ?? []) {
      try {
        listener(value);
      } catch (error) {
        console.error(error); // an error in a listener does not affect the other listeners
      }
    }
  }

  #granted() {
    return this.#link.accounts.filter(({ chain }) => chain.startsWith(NAMESPACE));
  }

  #accounts() {
    return [...new Set(this.#granted().filter(({ chain }) => chain === this.#chain).map(({ address }) => address))];
  }

  /** Requests access to accounts. Concurrent calls share one request. */
  async #connect() {
    if (this.#accounts().length === 0) {
      this.#connecting ??= this.#link.connect({ family: "eip155" }).finally(() => (this.#connecting = null));
      await this.#connecting;
    }
    return this.#accounts();
  }

  /** @param {string} chain */
  async #goTo(chain) {
    if (!this.#granted().some((account) => account.chain === chain)) {
      await this.#link.connect({ family: "eip155", chains: [chain] });
    }
    if (!this.#granted().some((account) => account.chain === chain)) {
      throw new ProviderError(UNKNOWN_CHAIN, `the wallet has no active coin of the network ${chain.slice(NAMESPACE.length)}`);
    }
    if (chain !== this.#chain) {
      this.#chain = chain;
      this.#emit("chainChanged", hex(chain));
      this.#update();
    }
    return null;
  }

  #permissions() {
    const accounts = this.#accounts();
    return accounts.length === 0 ? [] : [{ invoker: location.origin, parentCapability: "eth_accounts", caveats: [{ type: "restrictReturnedAccounts", value: accounts }] }];
  }

  /** Handles a change of the permitted accounts. */
  #update() {
    const [first] = this.#granted();
    if (first && !this.#granted().some(({ chain }) => chain === this.#chain)) {
      this.#chain = first.chain;
      this.#emit("chainChanged", hex(first.chain));
    }
    const [before, accounts] = [this.#shown, this.#accounts()];
    this.#shown = JSON.stringify(accounts);
    if (this.#shown === before) {
      return;
    }
    before === "[]" && this.#emit("connect", { chainId: hex(this.#chain) });
    this.#emit("accountsChanged", accounts);
    accounts.length === 0 && this.#emit("disconnect", new ProviderError(DISCONNECTED, "the wallet has disconnected this page"));
  }
}
