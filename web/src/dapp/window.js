/**
 * The window of the wallet page and the channel to it. When the page is ready, it notifies its opener and
 * receives a port. All further messages are sent over the port. The page's side is in app/src/dapps/link.ts.
 *
 *   to the page    {id, method, params (JSON), chain}   {bye}
 *   from the page  {id, result}  {id, error: {code, message, data}}  {confirmed: id}  {accounts}
 */

import { DISCONNECTED, INTERNAL, ProviderError, REJECTED } from "./error.js";

/**
 * @typedef {object} Account an account that the user has permitted the page to see
 * @property {string} chain the CAIP-2 id: "eip155:1", "cosmos:cosmoshub-4"
 * @property {string} address
 * @property {string} [pubkey] hexadecimal, compressed
 * @property {string} policy the location of its key, such as "HardwareWallet"
 *
 * @typedef {object} Waiting a pending request
 * @property {{id: number, method: string, params: string, chain: string}} message
 * @property {boolean} confirmed whether the user has confirmed the request, so that it is being executed
 * @property {(result: any) => void} resolve
 * @property {(error: ProviderError) => void} reject
 */

const FEATURES = "popup,width=440,height=720";
const NAME = "obverse.wallet";
const LOOK = 300; // ms between checks whether the window was closed

/** Returns the name of the window. It stays the same when this page is reloaded, so that the open window is found again. */
function windowName() {
  try {
    const name = sessionStorage.getItem(NAME) ?? `${NAME}.${crypto.getRandomValues(new Uint32Array(2)).join("")}`;
    sessionStorage.setItem(NAME, name);
    return name;
  } catch {
    return NAME; // the page has no session storage
  }
}

export class WalletWindow extends EventTarget {
  /** The accounts that the user has permitted the page to see, as far as known. @type {Account[]} */
  accounts = [];
  /** @type {Window | null} */
  #window = null;
  /** @type {MessagePort | null} */
  #port = null;
  /** Distinguishes the current window from previous ones. */
  #nonce = "";
  #last = 0;
  /** @type {Map<number, Waiting>} */
  #waiting = new Map();
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #looking;

  /** @param {URL} url */
  constructor(url) {
    super();
    this.url = url;
    globalThis.addEventListener?.("message", (event) => this.#greet(event));
    globalThis.addEventListener?.("pagehide", () => this.#leave());
  }

  /**
   * Sends a request to the wallet page, and opens the page if necessary.
   * @param {string} method
   * @param {unknown} params JSON
   * @param {string} [chain] the CAIP-2 id of the chain
   * @param {boolean} [person] whether the user has to respond; if so, the window is focused
   * @returns {Promise<any>}
   */
  request(method, params, chain = "", person = true) {
    return new Promise((resolve, reject) => {
      const message = { id: ++this.#last, method, params: JSON.stringify(params ?? []), chain };
      this.#show(person);
      this.#waiting.set(message.id, { message, confirmed: false, resolve, reject });
      this.#port?.postMessage(message);
      this.#looking ??= setInterval(() => this.#look(), LOOK);
    });
  }

  /** @param {boolean} person */
  #show(person) {
    if (this.#window && !this.#window.closed) {
      person && this.#window.focus();
      return;
    }
    this.#drop();
    this.#nonce = crypto.getRandomValues(new Uint32Array(2)).join("");
    this.#window = globalThis.open(new URL(`#/connect?ask=${this.#nonce}`, this.url), windowName(), FEATURES);
    if (!this.#window) {
      throw new ProviderError(DISCONNECTED, "the browser blocked the wallet's window: call this in the handler of a click");
    }
  }

  /**
   * Handles the message that the window is ready, for the first time or after it was reloaded.
   * @param {MessageEvent} event
   */
  #greet({ source, origin, data }) {
    if (source !== this.#window || origin !== this.url.origin || data?.obverse !== "ready" || data.ask !== this.#nonce) {
      return;
    }
    this.#drop();
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = (message) => this.#take(message.data);
    this.#port = port1;
    /** @type {Window} */ (this.#window).postMessage({ obverse: "connect", version: 1 }, origin, [port2]);
    this.#waiting.forEach(({ message }) => port1.postMessage(message));
  }

  /** Closes the channel. Confirmed requests may have been executed. All others can be repeated. */
  #drop() {
    this.#port?.close();
    this.#port = null;
    for (const [id, { confirmed, reject }] of this.#waiting) {
      if (confirmed) {
        this.#waiting.delete(id);
        reject(new ProviderError(INTERNAL, "the wallet's window was closed after the person had confirmed: the request may have been carried out"));
      }
    }
  }

  #look() {
    if (this.#window?.closed) {
      this.#drop();
      this.#waiting.forEach(({ reject }) => reject(new ProviderError(REJECTED, "the wallet's window was closed")));
      this.#waiting.clear();
    }
    if (this.#waiting.size === 0) {
      clearInterval(this.#looking);
      this.#looking = undefined;
    }
  }

  /** Handles the unloading of this page. */
  #leave() {
    this.#port?.postMessage({ bye: true });
    this.#drop();
    this.#window = null;
  }

  /** @param {any} message */
  #take({ id, result, error, confirmed, accounts }) {
    if (accounts) {
      this.update(accounts);
      return;
    }
    const waiting = this.#waiting.get(confirmed ?? id);
    if (!waiting) {
      return;
    }
    if (confirmed !== undefined) {
      waiting.confirmed = true;
      return;
    }
    this.#waiting.delete(id);
    error ? waiting.reject(new ProviderError(error.code, error.message, error.data)) : waiting.resolve(result);
  }

  /**
   * Sets the accounts that the user permits the page to see.
   * @param {Account[]} accounts
   */
  update(accounts) {
    this.accounts = accounts;
    this.dispatchEvent(new Event("accounts"));
  }

  /**
   * Requests the user's permission to reveal accounts.
   * @param {{family: "eip155" | "cosmos", chains?: string[]}} wanted
   */
  async connect(wanted) {
    this.update(await this.request("connect", wanted));
  }

  /** Revokes all permissions of this page. */
  async disconnect() {
    await this.request("disconnect", []);
    this.update([]);
  }
}
