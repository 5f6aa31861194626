/**
 * The calls of a node's APIs over any transport for request bodies: a node in a worker, or a native
 * node over HTTP.
 */

import { DaemonError, NodeError, RpcError } from "./errors.js";

/**
 * @typedef {import("../mmrpc.d.ts").Methods} Methods
 * @typedef {import("../daemon.d.ts").DaemonMethods} DaemonMethods
 * @typedef {{_type: "WALLET_SWITCHED", message: {wallet: string}}} WalletEvent the user has switched to another account in the page's
 *   wallet; signing for coins of the previous account fails with WalletSwitched
 * @typedef {{_type: "ERROR:STREAM", message: string}} StreamEvent the event stream of a native node was invalid and will be reopened later
 * @typedef {import("../mmrpc.d.ts").NodeEvent | WalletEvent | StreamEvent} NodeEvent
 * @typedef {import("./engine.js").Reply} Reply
 * @typedef {(event: any) => void} Listener
 */

/**
 * @template {keyof Methods} M
 * @typedef {{} extends Methods[M]["params"] ? [params?: Methods[M]["params"]] : [params: Methods[M]["params"]]} ParamsOf
 */

/**
 * @typedef {<M extends keyof Methods>(method: M, ...params: ParamsOf<M>) => Promise<Methods[M]["result"]>} Rpc
 * @typedef {<M extends keyof DaemonMethods>(method: M, ...params: DaemonMethods[M]["params"]) => Promise<DaemonMethods[M]["result"]>} Daemon
 */

/** @typedef {Exclude<NodeEvent["_type"], `ERROR:${string}`>} Streamer the id of a streamer, such as HEARTBEAT */

/**
 * The events that a listener of a streamer receives: the streamer's events and its errors.
 * @template {string} S
 * @typedef {string extends S ? NodeEvent : S extends "*" ? NodeEvent : EventIn<NodeEvent, S>} EventOf
 */

/**
 * @template E
 * @template {string} S
 * @typedef {E extends {_type: infer T} ? (S extends T ? E : `ERROR:${S}` extends T ? E : never) : never} EventIn
 */

/**
 * @typedef {<S extends string>(streamer: string extends S ? S : S extends Streamer | "*" ? S : never, listener: (event: EventOf<S>) => void) => () => void} Subscribe
 */

/**
 * @param {string} text
 * @returns {any}
 */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new NodeError("BadAnswer", "the answer is no JSON");
  }
}

/**
 * Returns the result in a response of the node API, or throws its error.
 * @param {Reply} reply
 */
export function rpcResult({ status, body }) {
  const answer = parse(body);
  if (status !== 200 || answer === null || typeof answer !== "object" || "error" in answer) {
    throw new RpcError(status, answer ?? {});
  }
  return answer.mmrpc === undefined ? answer : answer.result;
}

/**
 * Returns the result in a response of the daemon API, or throws its error. Methods for tokens
 * report some errors in the result, `{"result":"error",…}`; they are thrown too.
 * @param {Reply} reply
 */
export function daemonResult({ status, body }) {
  if (body === "") {
    throw new DaemonError(status, null);
  }
  const { result, error } = parse(body);
  if (error) {
    throw new DaemonError(status, error);
  }
  if (result !== null && typeof result === "object" && result.result === "error" && typeof result.error === "string") {
    throw new DaemonError(status, { code: 0, message: result.error });
  }
  return result;
}

/**
 * Returns the request body of a call of the daemon API.
 * @param {string} method
 * @param {unknown[]} params
 */
export const daemonBody = (method, params) => JSON.stringify({ jsonrpc: "1.0", id: 1, method, params });

/**
 * Returns the text, or throws an error unless it is valid JSON.
 * @param {string} text
 */
export function checkParams(text) {
  try {
    JSON.parse(text);
  } catch {
    throw new NodeError("BadOptions", "the parameters are invalid JSON");
  }
  return text;
}

/**
 * Returns the method, or throws an error unless it is a string.
 * @param {string} method
 */
export function checkMethod(method) {
  if (typeof method !== "string") {
    throw new NodeError("BadOptions", "the method must be a string");
  }
  return method;
}

/** The listeners for events. */
export class Listeners {
  /** @type {Map<Listener, Set<string>>} */
  #all = new Map();

  /**
   * @param {string} streamer the id of a streamer, or "*" for all
   * @param {Listener} listener
   * @returns {() => void} removes the listener
   */
  add(streamer, listener) {
    if (typeof streamer !== "string" || typeof listener !== "function") {
      throw new NodeError("BadOptions", 'subscribe takes the id of a streamer, or "*" for all, and a function');
    }
    const streamers = this.#all.get(listener) ?? new Set();
    this.#all.set(listener, streamers.add(streamer));
    return () => {
      streamers.delete(streamer);
      if (streamers.size === 0) {
        this.#all.delete(listener);
      }
    };
  }

  /**
   * Passes an event to its listeners. The error of a streamer is passed to the streamer's listeners. A listener that throws does not
   * affect the others.
   * @param {string} text
   */
  emit(text) {
    const event = /** @type {NodeEvent} */ (parse(text));
    if (typeof event?._type !== "string") {
      throw new NodeError("BadAnswer", "the event has no _type");
    }
    const streamer = event._type.replace(/^ERROR:/, "");
    for (const [listener, streamers] of this.#all) {
      if (streamers.has("*") || streamers.has(streamer)) {
        try {
          listener(event);
        } catch (error) {
          queueMicrotask(() => {
            throw error;
          });
        }
      }
    }
  }
}
