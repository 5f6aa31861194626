/**
 * Obverse for existing workers: by default the node runs in the current thread. A dedicated worker
 * supports all kinds of storage; other workers support IndexedDB.
 */

import { browser } from "./browser.js";
import { makeInit } from "./init.js";
import { partFile } from "./partfiles.js";
import { NodeError } from "./errors.js";

/**
 * @typedef {import("./surface.js").Methods} Methods every method of the node API: its parameters and its result
 * @typedef {import("./surface.js").DaemonMethods} DaemonMethods every method of the daemon API: a tuple of parameters, and its result
 * @typedef {import("./surface.js").NodeEvent} NodeEvent every event that listeners receive
 * @typedef {import("./handle.js").Handle} Handle a running node
 * @typedef {import("./http.js").Client} Client a client of a native node
 * @typedef {import("./init.js").InitOptions} InitOptions
 */

/**
 * @template {string} S
 * @typedef {import("./surface.js").EventOf<S>} EventOf the events of a streamer
 */

/**
 * @template {import("./errors.js").KindName} K
 * @typedef {import("./errors.js").ErrorData<K>} ErrorData the data of an error of a kind
 */

export { connect } from "./http.js";
export { ProviderError } from "./dapp/error.js";
export { DaemonError, NodeError, RpcError } from "./errors.js";

const start = makeInit({
  defaultStore: "obverse",
  program: () => new URL("./obverse.wasm", import.meta.url),
  part: partFile,
  startWorker: (given) => {
    if (!given) {
      throw new NodeError("BadOptions", "this entry runs the node in this thread, or in the worker that it is given");
    }
    const worker = /** @type {Worker} */ (given);
    return { port: worker, end: () => worker.terminate() };
  },
  isPage: true,
  here: browser,
});

/**
 * Starts a node. A second call with an equal config returns the same handle.
 * @param {import("./init.js").InitOptions} options
 * @returns {Promise<import("./handle.js").Handle>}
 */
export const init = (options) => start({ worker: false, ...options });
