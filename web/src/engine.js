/**
 * Runs the Go program, wasm/page: creates its environment, starts it and calls its functions. The
 * program is given its own global object, so that it can access only the members of that object,
 * and several programs can run in one thread.
 */

import { NodeError, packError, unpackError } from "./errors.js";
import { Parts } from "./parts.js";
import { built, commit, version } from "./version.js";

/**
 * @typedef {object} Host callbacks of the program; see wasm/page/host_js.go
 * @property {(level: string, line: string) => void} log
 * @property {(client: number, text: string) => void} event
 * @property {(client: number) => void} disconnected
 * @property {() => void} stop called when a client of the node API requests the node to stop
 * @property {(message: string) => void} failed
 * @property {boolean} [transactions] whether syncing a file of the store is atomic: either all previous writes survive a crash or none
 * @property {(wallet: string) => void} [opening] called when the wallet of this name is being opened
 * @property {import("./storage/walletfiles.js").WalletFiles} [walletFiles] if absent, configs that name a wallet are rejected
 * @property {(...args: any[]) => Promise<Uint8Array>} [derive] derives keys in another thread; see wasm/page/host_js.go
 * @property {(client: number, request: string) => Promise<string>} [wallet] sends a request to the wallet in a client's page; absent if no
 *   page has a wallet
 *
 * @typedef {{status: number, body: string}} Reply a response of the node API or the daemon API
 */

/**
 * @param {typeof globalThis} real
 * @param {object} globals
 */
export const world = (real, globals) => ({
  Object: real.Object,
  Array: real.Array,
  Uint8Array: real.Uint8Array,
  Promise: real.Promise,
  Error: real.Error,
  String: real.String,
  Date: real.Date,
  TextEncoder: real.TextEncoder,
  TextDecoder: real.TextDecoder,
  performance: real.performance,
  crypto: real.crypto,
  AbortController: real.AbortController,
  WebSocket: real.WebSocket,
  fetch: real.fetch?.bind(real),
  ...globals,
});

/**
 * Suppresses the error of callbacks that run after the program has ended. Pending timers and promises call into the program, and Go's
 * glue code throws an error that no caller can catch.
 * @param {any} go
 */
export function quietAtEnd(go) {
  const resume = go._resume;
  go._resume = () => {
    if (!go.exited) {
      resume.call(go);
    }
  };
  return go;
}

export class Engine {
  /** @type {Record<string, (...args: any[]) => any>} */
  #functions;
  /** @type {Set<(error: NodeError) => void>} */
  #waiting = new Set();
  /** @type {NodeError | null} */
  #over = null;

  /** @param {Record<string, (...args: any[]) => any>} functions */
  constructor(functions) {
    this.#functions = functions;
  }

  /**
   * Starts the program and a node in it.
   * @param {Program & {config: string, path: string}} options config: the config as JSON; path: the path of the store in fs
   * @returns {Promise<Engine>}
   */
  static async start({ config, path, ...program }) {
    const engine = await Engine.load(program);
    try {
      await engine.do("start", config, path);
    } catch (error) {
      await engine.stop();
      throw error;
    }
    return engine;
  }

  /**
   * Starts the program.
   *
   * @typedef {object} Program
   * @property {(scope: object) => any} glue Go's wasm_exec.js as a function of a global object
   * @property {WebAssembly.Module} module
   * @property {object} fs an implementation of the callback functions of node:fs
   * @property {Host} host
   * @property {(name: string) => Promise<WebAssembly.Module>} [part] loads a part of the program; required if the program is split
   *
   * @param {Program} program
   * @returns {Promise<Engine>}
   */
  static async load({ glue, module, fs, host, part }) {
    /** @type {Engine | null} */
    let engine = null;
    const parts = new Parts(module, part);
    const ready = new Promise((resolve, reject) => {
      const scope = world(globalThis, { fs, obverse: { ...host, part: parts.load, ready: resolve, build: { version, commit, built } } });
      const go = quietAtEnd(new (glue(scope))());
      go.exit = (/** @type {number} */ code) => {
        go._scheduledTimeouts.forEach(clearTimeout);
        if (code !== 0) {
          host.failed(`the program ended with code ${code}`);
        }
      };
      const over = (/** @type {NodeError} */ reason) => {
        engine?.end(reason);
        reject(reason); // has no effect once the program is ready
      };
      WebAssembly.instantiate(module, go.importObject)
        .then((instance) => {
          parts.first = instance;
          return go.run(instance);
        })
        .then(
          () => over(new NodeError("NotRunning", "the node has stopped")),
          (error) => over(new NodeError("Crashed", String(error))),
        );
    });
    return (engine = new Engine(await ready));
  }

  /**
   * Calls a function of the program; see wasm/page/bridge_js.go.
   * @param {string} name
   * @param {...any} args
   * @returns {Promise<any>}
   */
  do(name, ...args) {
    if (this.#over) {
      return Promise.reject(this.#over);
    }
    return new Promise((resolve, reject) => {
      this.#waiting.add(reject);
      this.#functions[name](...args)
        .then(resolve, (/** @type {unknown} */ error) => reject(unpackError(packError(error))))
        .finally(() => this.#waiting.delete(reject));
    });
  }

  /** Stops the node and ends the program. */
  async stop() {
    try {
      await this.do("stop");
    } finally {
      if (!this.#over) {
        this.#functions.exit();
      }
    }
  }

  /** @param {NodeError} reason */
  end(reason) {
    this.#over = reason;
    for (const reject of this.#waiting) {
      reject(reason);
    }
    this.#waiting.clear();
  }
}
