/**
 * Finds the EVM wallets that browser extensions provide to a page: those that are announced by
 * EIP-6963, or otherwise window.ethereum.
 */

import { walletError } from "./provider.js";

/**
 * @typedef {object} Ethereum the part of an EIP-1193 provider that is used
 * @property {(request: {method: string, params?: any}) => Promise<any>} request
 * @property {(event: string, listener: (...values: any[]) => void) => unknown} [on]
 * @property {(event: string, listener: (...values: any[]) => void) => unknown} [removeListener]
 *
 * @typedef {object} WalletInfo the metadata that a wallet announces
 * @property {string} uuid identifies the wallet until the page is reloaded
 * @property {string} name the display name, at most 60 characters
 * @property {string} rdns the reverse domain name, such as io.metamask, at most 100 characters
 * @property {string} icon a data: URL of an image; "" if missing
 *
 * @typedef {{info: WalletInfo | null, provider: Ethereum}} Found info: null if the wallet was not announced
 *
 * @typedef {(wallets: WalletInfo[]) => Promise<string | null> | string | null} Choose asks the user to choose one of several wallets;
 *   returns its uuid, or null for none
 */

const ANNOUNCE = "eip6963:announceProvider";
const REQUEST = "eip6963:requestProvider";

const TIMEOUT = 2000; // ms to wait for an extension to provide its wallet
const POLL_INTERVAL = 50;

/** Limits for announcements. */
const MAX_WALLETS = 30;
const MAX_NAME = 60;
const MAX_RDNS = 100;
const MAX_UUID = 100;
const MAX_ICON = 200_000;

/** @param {unknown} value @param {number} length */
const text = (value, length) => (typeof value === "string" ? value.slice(0, length) : "");

/**
 * Returns the icon if it is a valid image URL. It must be used only as the source of an image,
 * where an SVG cannot run scripts.
 * @param {unknown} icon
 */
const iconOf = (icon) => (typeof icon === "string" && icon.length <= MAX_ICON && /^data:image\/[a-z0-9.+-]+[;,]/i.test(icon) ? icon : "");

/** @param {unknown} provider @returns {provider is Ethereum} */
const isProvider = (provider) => typeof (/** @type {any} */ (provider)?.request) === "function";

/**
 * Parses an announcement. Returns undefined if it is not of a wallet.
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
 * Returns all wallets in the page. Installed wallets respond at once. If none does, the function
 * waits for one.
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
 * Returns the wallet to use.
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
