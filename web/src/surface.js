/**
 * The calls that programs make, over anything that answers request bodies: a node in a
 * worker, or one behind HTTP.
 */

import { DaemonError, NodeError, RpcError } from "./errors.js";

/**
 * @typedef {import("../mmrpc.d.ts").Methods} Methods
 * @typedef {import("../daemon.d.ts").DaemonMethods} DaemonMethods
 * @typedef {{_type: "WALLET_SWITCHED", message: {wallet: string}}} WalletEvent the user of the page's wallet has switched to another
 *   account: what is to be signed for coins of the one before fails with WalletSwitched
 * @typedef {{_type: "ERROR:STREAM", message: string}} StreamEvent the event stream of a native node was invalid, and is opened again later
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

/** @typedef {Exclude<NodeEvent["_type"], `ERROR:${string}`>} Streamer id of a streamer, such as HEARTBEAT */

/**
 * What those hear who listen to a streamer: its events, and the errors about it.
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
 * The result in an answer of the node API.
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
 * The result in an answer of the daemon API. What tokens methods report in a result of
 * their own, `{"result":"error",…}`, is an error too.
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
 * A request body of the daemon API.
 * @param {string} method
 * @param {unknown[]} params
 */
export const daemonBody = (method, params) => JSON.stringify({ jsonrpc: "1.0", id: 1, method, params });

/**
 * Parameters as JSON, as they are.
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
 * The name of a method, as it is.
 * @param {string} method
 */
export function checkMethod(method) {
  if (typeof method !== "string") {
    throw new NodeError("BadOptions", "the method must be a string");
  }
  return method;
}

/** Who listens to which events. */
export class Listeners {
  /** @type {Map<Listener, Set<string>>} */
  #all = new Map();

  /**
   * @param {string} streamer id of a streamer, or "*" for all
   * @param {Listener} listener
   * @returns {() => void} ends it
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
   * Reports an event to its listeners. An error of a streamer goes to the streamer's listeners. A listener that throws does not affect the
   * others.
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
