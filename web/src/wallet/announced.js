/**
 * The wallets that a browser's extensions bring into a page for EVM networks: those that
 * announce themselves (EIP-6963), or else the one that is window.ethereum.
 */

import { walletError } from "./provider.js";

/**
 * @typedef {object} Ethereum what is used of a provider of EIP-1193
 * @property {(request: {method: string, params?: any}) => Promise<any>} request
 * @property {(event: string, listener: (...values: any[]) => void) => unknown} [on]
 * @property {(event: string, listener: (...values: any[]) => void) => unknown} [removeListener]
 *
 * @typedef {object} WalletInfo what a wallet says of itself
 * @property {string} uuid identifies the wallet until the page is reloaded
 * @property {string} name for people, at most 60 letters
 * @property {string} rdns its maker's name for it, such as io.metamask, at most 100 letters
 * @property {string} icon a data: URL of an image; "" if missing
 *
 * @typedef {{info: WalletInfo | null, provider: Ethereum}} Found info null: the wallet announced nothing
 *
 * @typedef {(wallets: WalletInfo[]) => Promise<string | null> | string | null} Choose has the user choose among several: the uuid,
 *   or null if the user wants none
 */

const ANNOUNCE = "eip6963:announceProvider";
const REQUEST = "eip6963:requestProvider";

const TIMEOUT = 2000; // ms for an extension to come into the page
const POLL_INTERVAL = 50;

/** Limits on what extensions announce. */
const MAX_WALLETS = 30;
const MAX_NAME = 60;
const MAX_RDNS = 100;
const MAX_UUID = 100;
const MAX_ICON = 200_000;

/** @param {unknown} value @param {number} length */
const text = (value, length) => (typeof value === "string" ? value.slice(0, length) : "");

/** Only as the source of an image: an SVG runs no scripts there. @param {unknown} icon */
const iconOf = (icon) => (typeof icon === "string" && icon.length <= MAX_ICON && /^data:image\/[a-z0-9.+-]+[;,]/i.test(icon) ? icon : "");

/** @param {unknown} provider @returns {provider is Ethereum} */
const isProvider = (provider) => typeof (/** @type {any} */ (provider)?.request) === "function";

/**
 * Reads an announcement; undefined if it is not a wallet.
 * @param {any} detail
 * @returns {(Found & {info: WalletInfo}) | undefined}
 */
function read(detail) {
  const { uuid, name, rdns, icon } = detail?.info ?? {};
  if (!isProvider(detail?.provider) || typeof uuid !== "string" || uuid === "" || uuid.length > MAX_UUID) {
    return undefined;
  }
  const info = { uuid, name: text(name, MAX_NAME).trim() || text(rdns, MAX_NAME) || "A wallet without a name", rdns: text(rdns, MAX_RDNS), icon: iconOf(icon) };
  return { info, provider: detail.provider };
}

/** @returns {Ethereum | undefined} */
function inWindow() {
  const found = /** @type {any} */ (globalThis.window)?.ethereum;
  return isProvider(found) ? found : undefined;
}

/**
 * Returns all wallets in the page. Installed wallets answer at once. If none does, waits for one.
 */
async function announced() {
  /** @type {Map<string, Found & {info: WalletInfo}>} */
  const wallets = new Map();
  /** @param {Event} event */
  const onAnnounce = (event) => {
    const wallet = read(/** @type {CustomEvent} */ (event).detail);
    if (wallet && wallets.size < MAX_WALLETS && !wallets.has(wallet.info.uuid)) {
      wallets.set(wallet.info.uuid, wallet);
    }
  };
  const { window } = globalThis;
  window.addEventListener(ANNOUNCE, onAnnounce);
  try {
    window.dispatchEvent(new Event(REQUEST));
    for (let waited = 0; wallets.size === 0 && !inWindow() && waited < TIMEOUT; waited += POLL_INTERVAL) {
      await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL));
    }
  } finally {
    window.removeEventListener(ANNOUNCE, onAnnounce);
  }
  return wallets;
}

/**
 * The wallet to use.
 * @param {Choose} [choose]
 * @returns {Promise<Found>}
 */
export async function findWallet(choose) {
  const wallets = globalThis.window ? await announced() : new Map();
  const all = [...wallets.values()];
  if (all.length === 1) {
    return all[0];
  }
  if (all.length === 0) {
    const provider = inWindow();
    if (!provider) {
      throw walletError("WalletNotFound", "this page has no wallet for EVM networks: install or enable one, then reload the page");
    }
    return { info: null, provider };
  }
  const infos = all.map(({ info }) => info);
  if (!choose) {
    throw walletError("WalletNotFound", `this page has several wallets, ${infos.map(({ name }) => name).join(", ")}, and nothing that lets the user choose: wallets.choose of init`);
  }
  const uuid = await choose(infos.map((info) => ({ ...info })));
  if (uuid === null || uuid === undefined) {
    throw walletError("WalletRefused", "no wallet was chosen");
  }
  const chosen = wallets.get(uuid);
  if (!chosen) {
    throw walletError("WalletNotFound", "this page does not have the chosen wallet");
  }
  return chosen;
}
