/**
 * Obverse for Node: the node runs in a worker thread. Its data is in memory, or in the folder that
 * is set as dbdir in the config.
 */

import { readFile } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import { makeInit } from "./init.js";
import { partFile } from "./partfiles.js";
import { nodejs } from "./nodejs.js";

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

export const init = makeInit({
  defaultStore: "",
  program: async () => new Uint8Array(await readFile(new URL("./obverse.wasm", import.meta.url))),
  part: async (name) => new Uint8Array(await readFile(partFile(name))),
  startWorker: (given) => {
    const worker = /** @type {Worker} */ (given ?? new Worker(new URL("./worker-node.js", import.meta.url), { name: "obverse" }));
    return {
      port: {
        postMessage: (message) => worker.postMessage(message),
        set onmessage(/** @type {any} */ take) {
          worker.removeAllListeners("message");
          if (take) {
            worker.on("message", (data) => take({ data }));
          }
        },
        set onerror(/** @type {any} */ take) {
          worker.on("error", take);
        },
      },
      end: () => void worker.terminate(),
    };
  },
  isPage: false,
  here: nodejs,
});
