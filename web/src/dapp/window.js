/**
 * The wallet page in a window of its own, and the channel to it. The page says that it is
 * ready to its opener; it gets a port then, over which everything else goes. Its half is
 * app/src/dapps/link.ts.
 *
 *   to the page    {id, method, params (JSON), chain}   {bye}
 *   from the page  {id, result}  {id, error: {code, message, data}}  {confirmed: id}  {accounts}
 */

import { DISCONNECTED, INTERNAL, ProviderError, REJECTED } from "./error.js";

/**
 * @typedef {object} Account that the person has agreed to show
 * @property {string} chain by CAIP-2: "eip155:1", "cosmos:cosmoshub-4"
 * @property {string} address
 * @property {string} [pubkey] hexadecimal, compressed
 * @property {string} policy where its key is, such as "HardwareWallet"
 *
 * @typedef {object} Waiting a request without an answer
 * @property {{id: number, method: string, params: string, chain: string}} message
 * @property {boolean} confirmed the person has said yes, and it is being carried out
 * @property {(result: any) => void} resolve
 * @property {(error: ProviderError) => void} reject
 */

const FEATURES = "popup,width=440,height=720";
const NAME = "obverse.wallet";
const LOOK = 300; // ms between looks whether the window was closed

/** The window's name: the same after this page is reloaded, so that the wallet's window is found again. */
function windowName() {
  try {
    const name = sessionStorage.getItem(NAME) ?? `${NAME}.${crypto.getRandomValues(new Uint32Array(2)).join("")}`;
    sessionStorage.setItem(NAME, name);
    return name;
  } catch {
    return NAME; // a page without storage
  }
}

export class WalletWindow extends EventTarget {
  /** What the person has agreed to show, as far as this page knows. @type {Account[]} */
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
   * Asks the wallet page, which is opened if it is not.
   * @param {string} method
   * @param {unknown} params JSON
   * @param {string} [chain] by CAIP-2
   * @param {boolean} [person] whether a person has to answer: the window comes to the front
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
   * The window is ready, for the first time or after it was reloaded.
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

  /** Closes the channel. Confirmed requests may have been executed; the others can be repeated. */
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

  /** This page goes. */
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
   * Notes what the person has agreed to show from now on.
   * @param {Account[]} accounts
   */
  update(accounts) {
    this.accounts = accounts;
    this.dispatchEvent(new Event("accounts"));
  }

  /**
   * Has the person agree to show accounts.
   * @param {{family: "eip155" | "cosmos", chains?: string[]}} wanted
   */
  async connect(wanted) {
    this.update(await this.request("connect", wanted));
  }

  /** Has the wallet forget this page. */
  async disconnect() {
    await this.request("disconnect", []);
    this.update([]);
  }
}
