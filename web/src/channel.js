/**
 * Calls between two threads, in both directions, over any object that posts messages. Each side
 * provides the functions that the other may call.
 */

import { NodeError, packError, unpackError } from "./errors.js";

/**
 * @typedef {{postMessage(message: any, transfer?: any): void, onmessage?: any, onerror?: any}} Port
 *   an object that posts messages: a Worker, a worker's global object, a MessagePort or a BroadcastChannel
 * @typedef {Record<string, (...args: any[]) => any>} Handlers
 */

export class Channel {
  /** @type {Map<number, {resolve: (value: any) => void, reject: (error: unknown) => void, taken: boolean}>} */
  #waiting = new Map();
  #last = 0;
  /** @type {NodeError | null} */
  #closed = null;

  /**
   * @param {Port} port
   * @param {Handlers} handlers
   * @param {{receipts?: boolean}} [options] receipts: acknowledge each call before it is executed
   */
  constructor(port, handlers, { receipts = false } = {}) {
    this.port = port;
    this.handlers = handlers;
    this.receipts = receipts;
    port.onmessage = (/** @type {{data: any}} */ event) => this.#take(event.data);
  }

  /**
   * Calls a function of the other side.
   * @param {string} name
   * @param {...any} args
   * @returns {Promise<any>}
   */
  call(name, ...args) {
    if (this.#closed) {
      return Promise.reject(this.#closed);
    }
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, taken: false });
      this.port.postMessage({ call: id, name, args });
    });
  }

  /**
   * Calls a function of the other side without waiting for a result.
   * @param {string} name
   * @param {...any} args
   */
  post(name, ...args) {
    if (!this.#closed) {
      this.port.postMessage({ name, args });
    }
  }

  /**
   * Closes the channel. Pending calls are rejected, and messages from the other side are ignored.
   * @param {NodeError} reason
   * @param {NodeError} [unheard] the error of calls that were not acknowledged; by default reason
   */
  close(reason, unheard = reason) {
    this.#closed ??= unheard;
    this.port.onmessage = null;
    for (const { reject, taken } of this.#waiting.values()) {
      reject(taken ? reason : unheard);
    }
    this.#waiting.clear();
  }

  /** @param {any} message */
  #take(message) {
    if (message === null || typeof message !== "object") {
      return;
    }
    if (message.name !== undefined) {
      void this.#serve(message);
    } else if (message.answer !== undefined) {
      this.#settle(message);
    } else if (message.taken !== undefined) {
      const waiting = this.#waiting.get(message.taken);
      if (waiting) {
        waiting.taken = true;
      }
    }
  }

  /** @param {{call?: number, name: string, args: any[]}} message */
  async #serve({ call, name, args }) {
    if (this.receipts && call !== undefined) {
      this.port.postMessage({ taken: call });
    }
    try {
      const handler = Object.hasOwn(this.handlers, name) ? this.handlers[name] : undefined;
      if (!handler) {
        throw new NodeError("Internal", `there is no ${name} on this side`);
      }
      const value = await handler(...args);
      if (call !== undefined && !this.#closed) {
        this.port.postMessage({ answer: call, value });
      }
    } catch (error) {
      if (call !== undefined && !this.#closed) {
        this.port.postMessage({ answer: call, error: packError(error) });
      }
    }
  }

  /** @param {{answer: number, value?: any, error?: import("./errors.js").SentError}} message */
  #settle({ answer, value, error }) {
    const waiting = this.#waiting.get(answer);
    this.#waiting.delete(answer);
    if (error) {
      waiting?.reject(unpackError(error));
    } else {
      waiting?.resolve(value);
    }
  }
}
