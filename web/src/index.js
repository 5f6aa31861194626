/**
 * Obverse for web pages: the node runs in a dedicated worker.
 *
 *   import { init } from "obverse";
 *   const node = await init({ config: { passphrase: "…" } });
 *   const { public_key } = await node.rpc("get_public_key");
 */

import { makeInit } from "./init.js";
import { partFile } from "./partfiles.js";

/**
 * @typedef {import("./surface.js").Methods} Methods every method of the node API: its parameters and its result
 * @typedef {import("./surface.js").DaemonMethods} DaemonMethods every method of the daemon API: a tuple of parameters, and its result
 * @typedef {import("./surface.js").NodeEvent} NodeEvent every event that listeners receive
 * @typedef {import("./handle.js").Handle} Handle a running node
 * @typedef {import("./http.js").Client} Client a client of a native node
 * @typedef {import("./init.js").InitOptions} InitOptions
 * @typedef {import("./wallet/announced.js").WalletInfo} WalletInfo a wallet in the page that a user may choose
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
export { chooseDevice } from "./wallet/devices.js";
export { ProviderError } from "./dapp/error.js";
export { DaemonError, NodeError, RpcError } from "./errors.js";

export const init = makeInit({
  defaultStore: "obverse",
  program: () => new URL("./obverse.wasm", import.meta.url),
  part: partFile,
  startWorker: (given) => {
    const worker = /** @type {Worker} */ (given ?? new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: "obverse" }));
    return { port: worker, end: () => worker.terminate() };
  },
  isPage: true,
  here: null,
});
