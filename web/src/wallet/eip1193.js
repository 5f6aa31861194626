/**
 * Wallets with the interface of EIP-1193, such as MetaMask, for accounts on EVM networks; see
 * core/wallet/signer/eip1193. They sign and send a transaction in one step, with
 * eth_sendTransaction.
 *
 * Sources: EIP-1193, EIP-1102, EIP-3326, EIP-3085 and EIP-191; MetaMask's documentation for
 * everything else.
 */

import { findWallet } from "./announced.js";
import { walletError } from "./provider.js";

/**
 * @typedef {import("./announced.js").Ethereum} Ethereum
 * @typedef {import("./announced.js").Found} Found
 *
 * @typedef {object} Network the metadata of a network, from the node
 * @property {number} chain_id
 * @property {string} name
 * @property {string} ticker
 * @property {string} [rpc]
 *
 * @typedef {object} Order a transaction to send; numbers and bytes are encoded as in JSON-RPC
 * @property {Network} network
 * @property {string} from
 * @property {string} to
 * @property {string} value
 * @property {string} [data]
 * @property {string} gas
 * @property {string} [gas_price]
 * @property {string} [max_fee]
 * @property {string} [tip]
 */

/** @param {any} error */
const codesOf = (error) => [error?.code, error?.data?.originalError?.code, error?.data?.cause?.code, error?.cause?.code];

/** @param {unknown} error */
const isUnknownChain = (error) => codesOf(error).includes(4902) || /unrecognized chain|try adding the chain/i.test(String(/** @type {any} */ (error)?.message));

const MOST = 400; // maximum length of a wallet's error message

/**
 * Converts an error of the wallet to an error of the node.
 * @param {unknown} error
 * @param {string} name the name of the wallet
 */
function refusal(error, name) {
  const { kind, message } = /** @type {any} */ (error ?? {});
  if (kind) {
    return error;
  }
  const text = `${name}: ${String(message ?? error).slice(0, MOST)}`;
  const codes = codesOf(error);
  /** @param {...number} wanted */
  const is = (...wanted) => wanted.some((code) => codes.includes(code));
  if (is(4001, 4100) || /user (rejected|denied|cancel)/i.test(String(message))) {
    return walletError("WalletRefused", text);
  }
  if (is(-32002)) {
    return walletError("WalletTimeout", `${text} (it waits for its user to answer something that was asked before)`);
  }
  return walletError(is(4901) || isUnknownChain(error) ? "WalletWrongChain" : "WalletFailed", text);
}

/** A wallet and the requests to it. */
class Wallet {
  /** @param {Found} found @param {() => void} lost */
  constructor({ info, provider }, lost) {
    this.name = info?.name ?? "the browser's wallet";
    this.provider = provider;
    /** The account that the node uses, in lower case. @type {string | undefined} */
    this.account = undefined;
    this.lost = lost;
  }

  /** @param {string} method @param {any[]} [params] */
  ask(method, params = []) {
    return this.provider.request({ method, params });
  }

  /**
   * Returns the account that the user has selected in the wallet for this page.
   * @param {"eth_requestAccounts" | "eth_accounts"} method eth_requestAccounts asks the user for permission
   */
  async chosen(method) {
    const [own] = (await this.ask(method)) ?? [];
    if (typeof own !== "string") {
      throw walletError("WalletRefused", `${this.name} shows this page no account`);
    }
    return own.toLowerCase();
  }

  /** Returns the chain ID of the network that is selected in the wallet. */
  async chain() {
    return Number(await this.ask("eth_chainId"));
  }

  /**
   * Selects a network in the wallet, and adds it first if the wallet does not know it.
   * @param {Network} network
   */
  async goTo(network) {
    const { chain_id: id, name } = network;
    if ((await this.chain()) === id) {
      return;
    }
    const chainId = `0x${id.toString(16)}`;
    const go = () => this.ask("wallet_switchEthereumChain", [{ chainId }]);
    try {
      await go();
    } catch (error) {
      if (codesOf(error).includes(4200)) {
        throw walletError("WalletWrongChain", `${this.name} is on another network, and pages cannot change that: choose ${name} (${id}) there`);
      }
      if (!isUnknownChain(error)) {
        throw error;
      }
      await this.ask("wallet_addEthereumChain", [this.#description(network, chainId)]);
      if ((await this.chain()) !== id) {
        await go();
      }
    }
    if ((await this.chain()) !== id) {
      throw walletError("WalletWrongChain", `${this.name} did not go to the network ${name} (${id})`);
    }
  }

  /** @param {Network} network @param {string} chainId */
  #description({ chain_id, name, ticker, rpc }, chainId) {
    if (!rpc) {
      throw walletError("WalletWrongChain", `${this.name} does not know the network ${name} (${chain_id}), and the node has no server URL to add it with`);
    }
    return { chainId, chainName: name, nativeCurrency: { name: ticker, symbol: ticker, decimals: 18 }, rpcUrls: [rpc] };
  }

  /** Throws an error unless the account is still selected. @param {string} account */
  async stillHas(account) {
    const now = await this.chosen("eth_accounts");
    if (now !== account.toLowerCase()) {
      throw walletError("WalletSwitched", `${this.name} switched to account ${now}`);
    }
  }
}

/** @param {Wallet} wallet @param {Network} network */
async function showAccount(wallet, network) {
  if (!Number.isSafeInteger(network.chain_id)) {
    throw walletError("WalletWrongChain", `${wallet.name}: no wallet has networks with so large an id`);
  }
  try {
    wallet.account = await wallet.chosen("eth_requestAccounts");
  } catch (error) {
    wallet.lost(); // so that the user can choose another wallet
    throw error;
  }
  await wallet.goTo(network);
  return { address: wallet.account };
}

/** @param {Wallet} wallet @param {Order} order */
async function send(wallet, { network, from, to, value, data, gas, gas_price, max_fee, tip }) {
  await wallet.stillHas(from);
  await wallet.goTo(network);
  const price = gas_price ? { gasPrice: gas_price } : { maxFeePerGas: max_fee, maxPriorityFeePerGas: tip };
  const hash = await wallet.ask("eth_sendTransaction", [
    { from, to, value, ...(data ? { data } : {}), gas, ...price, chainId: `0x${network.chain_id.toString(16)}` },
  ]);
  return { hash };
}

/** @param {Wallet} wallet @param {{from: string, text: string}} order */
async function sign(wallet, { from, text }) {
  await wallet.stillHas(from);
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return { signature: await wallet.ask("personal_sign", [`0x${bytes}`, from]) };
}

/** The wallet that is chosen for a page. */
class Chosen {
  /** @type {Promise<Wallet> | null} */
  #wallet = null;
  /** Removes the event listeners of the wallet. */
  #end = () => {};
  /** @type {Set<() => void>} */
  listeners = new Set();

  /** @param {() => Promise<Found>} find */
  constructor(find) {
    this.find = find;
  }

  /** @returns {Promise<Wallet>} */
  get() {
    this.#wallet ??= this.find().then(
      (found) => this.#hold(found),
      (error) => {
        this.#wallet = null;
        throw error;
      },
    );
    return this.#wallet;
  }

  /** @param {Found} found */
  #hold(found) {
    const wallet = new Wallet(found, () => this.forget());
    // chainChanged needs no handler: each request selects its network.
    const events = {
      /** @param {unknown[]} accounts */
      accountsChanged: (accounts) => this.#changed(wallet, accounts),
      disconnect: () => this.forget(),
    };
    for (const [name, does] of Object.entries(events)) {
      found.provider.on?.(name, does);
    }
    this.#end = () => {
      for (const [name, does] of Object.entries(events)) {
        found.provider.removeListener?.(name, does);
      }
    };
    return wallet;
  }

  /** @param {Wallet} wallet @param {unknown[]} accounts the selected account first; empty if the user revokes the permission */
  #changed(wallet, accounts) {
    const now = typeof accounts?.[0] === "string" ? accounts[0].toLowerCase() : undefined;
    if (wallet.account !== undefined && now !== wallet.account) {
      wallet.account = now ?? "";
      this.listeners.forEach((listener) => listener());
    }
    if (now === undefined) {
      this.forget();
    }
  }

  /** Drops the wallet, so that the next use looks for one again. */
  forget() {
    this.#end();
    this.#end = () => {};
    this.#wallet = null;
  }
}

/**
 * @param {import("./provider.js").WalletOptions["ethereum"]} [given]
 * @param {import("./announced.js").Choose} [choose]
 * @returns {import("./provider.js").Provider}
 */
export function eip1193(given, choose) {
  const chosen = new Chosen(async () => {
    const provider = typeof given === "function" ? given() : given;
    return provider ? { info: null, provider } : findWallet(choose);
  });
  /** @template P @param {(wallet: Wallet, params: P) => Promise<object>} act */
  const withWallet = (act) => async (/** @type {P} */ params) => {
    let name = "the choice of a wallet";
    try {
      const wallet = await chosen.get();
      ({ name } = wallet);
      return await act(wallet, params);
    } catch (error) {
      throw refusal(error, name);
    }
  };
  return {
    kind: "eip1193",
    functions: { account: withWallet(showAccount), send: withWallet(send), sign: withWallet(sign) },
    watch: (switched) => {
      chosen.listeners.add(switched);
      return () => {
        chosen.listeners.delete(switched);
        if (chosen.listeners.size === 0) {
          chosen.forget();
        }
      };
    },
  };
}
