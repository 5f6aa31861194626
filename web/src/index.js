/**
 * Obverse in a page: the node runs in a dedicated worker.
 *
 *   import { init } from "obverse";
 *   const node = await init({ config: { passphrase: "…" } });
 *   const { public_key } = await node.rpc("get_public_key");
 */

import { makeInit } from "./init.js";

/**
 * @typedef {import("./surface.js").Methods} Methods every method of interface B: its parameters and its result
 * @typedef {import("./surface.js").NodeEvent} NodeEvent
 * @typedef {import("./handle.js").Handle} Handle a running node
 * @typedef {import("./http.js").Client} Client of a native node
 * @typedef {import("./init.js").InitOptions} InitOptions
 */

export { connect } from "./http.js";
export { DaemonError, NodeError, RpcError } from "./errors.js";

export const init = makeInit({
  defaultStore: "obverse",
  program: () => new URL("./obverse.wasm", import.meta.url),
  startWorker: (given) => {
    const worker = /** @type {Worker} */ (given ?? new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: "obverse" }));
    return { port: worker, end: () => worker.terminate() };
  },
  here: null,
});
