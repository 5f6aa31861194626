/** Starts nodes. This module is shared by the entries for browsers, workers and Node. */

import { canonical } from "./canonical.js";
import { NodeError } from "./errors.js";
import { openHandle } from "./handle.js";
import { devices } from "./wallet/devices.js";
import { eip1193 } from "./wallet/eip1193.js";
import { keplr } from "./wallet/keplr.js";
import { Wallets } from "./wallet/provider.js";

/**
 * @typedef {string | URL | Response | ArrayBuffer | Uint8Array} WasmSource
 *
 * @typedef {object} InitOptions
 * @property {Record<string, unknown>} config the keys of MM2.json, with `daemon` and `chain`; without a passphrase and a wallet_name the
 *   node has no keys; passwords that are missing are generated, since calls through the handle do not need them
 * @property {WasmSource | Promise<Response>} [wasmUrl] the node's program; default obverse.wasm in the folder of this package
 * @property {WebAssembly.Module | Promise<WebAssembly.Module>} [module] the program as a compiled module
 * @property {(part: string) => WasmSource | Promise<Response>} [partUrl] returns the source of a part of the program, which is loaded when
 *   it is first needed; default `obverse.PART.wasm` next to `obverse.wasm`
 * @property {boolean | object | (() => object)} [worker] false to run in this thread, which is blocked while the node computes; or a Worker
 *   with this package's worker script, or a function that returns one
 * @property {"auto" | "opfs" | "indexeddb" | "files" | "memory"} [storage]
 * @property {boolean} [persist] false to not ask the browser to make the storage persistent
 * @property {import("./wallet/provider.js").WalletOptions} [wallets] wallets to use instead of those that browser extensions provide
 * @property {(wallet: string) => void} [opening] called when the wallet of the config's wallet_name begins to open, which takes about a
 *   second
 * @property {import("./handle.js").Log} [log] called with each log line of the node; by default errors and warnings go to the console
 *
 * @typedef {object} Entry the differences between the entries
 * @property {string} defaultStore
 * @property {() => WasmSource | Promise<Uint8Array>} program
 * @property {(name: string) => WasmSource | Promise<Uint8Array>} part
 * @property {(given: object | undefined) => import("./handle.js").Thread} startWorker given: the worker option
 * @property {boolean} isPage whether this is a page, in which browser extensions may provide wallets
 * @property {import("./thread.js").Platform | null} here the platform of this thread; null if nodes should not run in it
 */

/**
 * Compiles a module from any source.
 * @param {WasmSource | Uint8Array | Promise<WasmSource | Uint8Array>} given
 * @param {string} what the name of the module in errors
 * @returns {Promise<WebAssembly.Module>}
 */
async function compile(given, what) {
  const source = await given;
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) {
    return WebAssembly.compile(/** @type {BufferSource} */ (source));
  }
  if (source instanceof Response) {
    return compileResponse(source, what);
  }
  const failed = (/** @type {unknown} */ error) => new NodeError("WasmError", `${what} cannot be loaded: ${/** @type {Error} */ (error).message}`);
  const load = (/** @type {RequestInit} */ how) => fetch(source, how).then((response) => compileResponse(response, what));
  const final = (/** @type {unknown} */ error) => error instanceof NodeError || error instanceof WebAssembly.CompileError;
  try {
    return await load({});
  } catch (error) {
    if (final(error)) {
      throw error;
    }
    // The connection may have been closed, or the cache may be full: Chromium fails a download that it
    // cannot store.
    return load({ cache: "no-store" }).catch((again) => Promise.reject(final(again) ? again : failed(again)));
  }
}

/** @param {Response} response @param {string} what */
async function compileResponse(response, what) {
  if (!response.ok) {
    throw new NodeError("WasmError", `${what} cannot be loaded: status ${response.status}`);
  }
  const type = response.headers.get("Content-Type") ?? "";
  if (type.startsWith("application/wasm") && typeof WebAssembly.compileStreaming === "function") {
    return WebAssembly.compileStreaming(response);
  }
  return WebAssembly.compile(await response.arrayBuffer());
}

/**
 * Returns the source of a part of the program. The default is a file next to the program, if wasmUrl is a URL that ends with the usual
 * name.
 * @param {InitOptions} options
 * @param {Entry} entry
 * @param {string} name
 */
function partSource({ wasmUrl, partUrl }, entry, name) {
  const whole = typeof wasmUrl === "string" || wasmUrl instanceof URL ? String(wasmUrl) : "";
  const wasmName = /obverse\.wasm(?=$|\?)/;
  return partUrl?.(name) ?? (wasmName.test(whole) ? whole.replace(wasmName, `obverse.${name}.wasm`) : entry.part(name));
}

/**
 * Runs serve in this thread, with the same messages as in a worker.
 * @param {import("./thread.js").Platform | null} platform
 * @returns {Promise<import("./handle.js").Thread>}
 */
async function local(platform) {
  if (!platform) {
    throw new NodeError("BadOptions", "this entry runs the node in a worker only");
  }
  const { serve } = await import("./thread.js");
  const { port1, port2 } = new MessageChannel();
  serve(port2, platform);
  return { port: port1, end: () => port1.close() };
}

/** Reports whether another tab of this browser runs the node. @param {string} name */
async function isRunning(name) {
  try {
    const { held = [] } = await navigator.locks.query();
    return held.some((lock) => lock.name === `obverse/${name}`);
  } catch {
    return false;
  }
}

/** Requests persistent storage. */
async function persist() {
  try {
    return await navigator.storage.persist();
  } catch {
    return null; // Workers, Node and some browsers do not support the request.
  }
}

/** @param {import("./wallet/provider.js").WalletOptions} [options] */
const walletsOf = ({ keplr: given, ethereum, choose, hid, timeout } = {}) => new Wallets([keplr(given), eip1193(ethereum, choose), devices(hid)], timeout);

const storages = ["auto", "opfs", "indexeddb", "files", "memory"];

/** @type {import("./handle.js").Log} */
const toConsole = (level, line) => {
  if (level === "error" || level === "warn") {
    console[level](line);
  }
};

/**
 * @param {InitOptions} options
 * @param {Entry} entry
 * @param {string} name
 * @param {() => void} closed
 */
async function start(options, entry, name, closed) {
  const { config, worker = true, storage = "auto", log = toConsole, opening } = options;
  /** @type {Promise<WebAssembly.Module> | undefined} */
  let module;
  const program = () => (module ??= options.module ? Promise.resolve(options.module) : compile(options.wasmUrl ?? entry.program(), "the node's program"));
  const part = async (/** @type {string} */ name) => {
    const what = `the node's part ${name}`;
    try {
      return await compile(partSource(options, entry, name), what);
    } catch (error) {
      throw error instanceof NodeError ? error : new NodeError("WasmError", `${what} cannot be loaded: ${/** @type {Error} */ (error).message}`);
    }
  };
  const thread = worker === false ? await local(entry.here) : entry.startWorker(worker === true ? undefined : typeof worker === "function" ? worker() : worker);
  // Load the program while the worker starts. The worker receives load errors when it requests the program. The result is not awaited: a
  // worker that cannot be loaded reports its error only once, to the listeners at that time.
  void isRunning(name).then((running) => running || program().catch(() => {}));
  const wallets = options.wallets || entry.isPage ? walletsOf(options.wallets) : null;
  const open = { name, wanted: storage, config: JSON.stringify(config), wallets: wallets !== null };
  const handle = await openHandle(thread, { module: program, part, log, opening, closed, wallets, open });
  if (options.persist !== false) {
    void persist().then((persisted) => persisted !== null && (handle.persisted = persisted));
  }
  return handle;
}

/**
 * Returns the init function of an entry.
 * @param {Entry} entry
 */
export function makeInit(entry) {
  /** @type {Map<string, {key: string, handle: Promise<import("./handle.js").Handle>, opened?: import("./handle.js").Handle}>} */
  const running = new Map();

  /**
   * Starts a node. A second call with an equal config returns the same handle. A call while the node of the same store
   * stops waits until it has stopped and starts another one.
   * @param {InitOptions} options
   * @returns {Promise<import("./handle.js").Handle>}
   */
  return async function init(options) {
    const config = options?.config;
    if (config === null || typeof config !== "object" || Array.isArray(config)) {
      throw new NodeError("BadOptions", "init takes {config: {…}}");
    }
    if (!storages.includes(options.storage ?? "auto")) {
      throw new NodeError("BadOptions", `storage is one of ${storages.join(", ")}`);
    }
    const { dbdir } = config;
    const name = typeof dbdir === "string" && dbdir !== "" ? dbdir : entry.defaultStore;
    const key = canonical([config, options.storage ?? "auto"]);
    const known = running.get(name);
    if (known?.opened && !known.opened.status().running) {
      await known.opened.stop().catch(() => {}); // the caller of stop receives the error
      return init(options);
    }
    if (known) {
      if (known.key !== key) {
        throw new NodeError("ConfigMismatch", "a node runs on the same store with another config: stop it first, or give this one a dbdir of its own");
      }
      return known.handle;
    }
    const closed = () => {
      if (running.get(name)?.handle === handle) {
        running.delete(name);
      }
    };
    const handle = start(options, entry, name, closed);
    const node = { key, handle };
    running.set(name, node);
    handle.then((opened) => Object.assign(node, { opened }), closed);
    return handle;
  };
}
