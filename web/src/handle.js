/** The object by which programs use a running node. */

import { Channel } from "./channel.js";
import { ProviderError } from "./dapp/error.js";
import { NodeError } from "./errors.js";
import { checkParams, checkMethod, daemonBody, daemonResult, Listeners, rpcResult } from "./surface.js";
import { walletError } from "./wallet/provider.js";

/**
 * @typedef {import("./surface.js").Reply} Reply
 *
 * @typedef {object} Thread a thread that runs serve
 * @property {import("./channel.js").Port} port
 * @property {() => void} end
 *
 * @typedef {object} Status
 * @property {boolean} running
 * @property {"owner" | "client" | ""} role whether the node runs in this program or in another tab
 * @property {string} storage "opfs", "indexeddb", "files" or "memory"; "" if another tab runs the node
 * @property {boolean | null} persisted whether the browser has agreed not to delete the data; null if it was not asked
 *
 * @typedef {object} SignRequest see core/wallet/dapp
 * @property {"accounts" | "describe" | "execute" | "read"} do
 * @property {string} [chain] the CAIP-2 id: "eip155:1", "cosmos:cosmoshub-4"
 * @property {string} [method]
 * @property {unknown} [params]
 *
 * @typedef {(level: "error" | "warn" | "info" | "debug", line: string) => void} Log
 */

const STOP_TIME = 10_000; // ms to wait for a thread to stop its node before it is terminated

/**
 * Opens a node in a thread.
 *
 * @param {Thread} thread
 * @param {object} options
 * @param {() => Promise<WebAssembly.Module>} options.module
 * @param {(name: string) => Promise<WebAssembly.Module>} options.part
 * @param {Log} options.log
 * @param {(wallet: string) => void} [options.opening]
 * @param {import("./thread.js").OpenOptions} options.open
 * @param {() => void} options.closed called when the node has stopped
 * @param {import("./wallet/provider.js").Wallets | null} options.wallets the wallets of this page
 */
export async function openHandle(thread, { module, part, log, opening, open, closed, wallets }) {
  const listeners = new Listeners();
  /** @type {Status} */
  const status = { running: false, role: "", storage: "", persisted: null };
  const end = (/** @type {NodeError} */ reason) => {
    status.running = false;
    channel.close(reason);
    thread.end();
    unwatch?.();
    closed();
  };
  const unwatch = wallets?.watch((wallet) => listeners.emit(JSON.stringify({ _type: "WALLET_SWITCHED", message: { wallet } })));
  const channel = new Channel(thread.port, {
    module,
    part,
    log,
    opening: (wallet) => opening?.(wallet),
    event: (text) => listeners.emit(text),
    role: (role) => void (status.role = role),
    storage: (kind) => void (status.storage = kind),
    wallet: (request) => wallets?.ask(request) ?? Promise.reject(walletError("WalletNotFound", "this page has no wallets")),
    stopped: (message) => {
      const reason = message === "" ? new NodeError("NotRunning", "the node was stopped by a request") : new NodeError("Crashed", message);
      void stopThread().finally(() => end(reason));
    },
  });
  /**
   * Stops the node of the thread. The thread is terminated after STOP_TIME, since the node may hang if the browser
   * has deleted its files.
   */
  const stopThread = () => {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const over = new Promise((resolve) => (timer = setTimeout(resolve, STOP_TIME)));
    return Promise.race([channel.call("stop"), over]).finally(() => clearTimeout(timer));
  };
  thread.port.onerror = (/** @type {any} */ event) => end(new NodeError("WorkerFailed", String(event?.message ?? "the worker cannot be started")));
  /** @type {number} */
  let client;
  try {
    ({ client } = await channel.call("open", open));
  } catch (error) {
    end(new NodeError("NotRunning", "the node did not start"));
    throw error;
  }
  status.running = true;

  /** @type {Promise<void> | undefined} */
  let stopping;
  const stop = async () => {
    status.running = false;
    try {
      await stopThread();
    } finally {
      end(new NodeError("NotRunning", "the node has stopped"));
    }
  };

  /** @type {import("./surface.js").Rpc} */
  const rpc = async (method, ...params) => rpcResult(await channel.call("call", checkMethod(method), JSON.stringify(params[0] ?? {})));
  /** @type {import("./surface.js").Daemon} */
  const daemon = async (method, ...params) => daemonResult(await channel.call("daemon", daemonBody(method, params)));
  return {
    /** Calls a method of the node API. Rejects with an RpcError. */
    rpc,
    /** Calls a method of the daemon API. Rejects with a DaemonError. */
    daemon,
    /**
     * Listens to the events of a streamer, or of all streamers with "*". It does not enable
     * streams; for that, call a method such as rpc("stream::heartbeat::enable"). Returns a function
     * that removes the listener.
     * @type {import("./surface.js").Subscribe}
     */
    subscribe: (streamer, listener) => listeners.add(streamer, listener),
    /**
     * Exports all data of the node, including secret keys.
     * @returns {Promise<Uint8Array>}
     */
    export: () => channel.call("export"),
    /**
     * Replaces all data by an export and restarts the node. An invalid export changes nothing. From an export with another key only the
     * chain is imported unless all is set, since otherwise the coins of the export and their servers would become active.
     * @param {Uint8Array} bytes
     * @param {{all?: boolean}} [options]
     * @returns {Promise<void>}
     */
    import: async (bytes, options) => {
      if (!(bytes instanceof Uint8Array)) {
        throw new NodeError("ImportError", "import takes the Uint8Array that export gave");
      }
      await channel.call("import", bytes, { all: options?.all === true });
    },
    /** Stops the node. If other tabs use it, one of them continues to run it. */
    stop: async () => {
      stopping ??= status.running ? stop() : undefined;
      await stopping;
    },
    /**
     * Sends whole request bodies, as over HTTP. A body of the node API contains its userpass. The
     * method call does not need one: it takes a method of the node API and its parameters as JSON,
     * so that numbers keep their digits, and returns the whole response.
     */
    raw: {
      /** @param {string} method @param {string} params @returns {Promise<Reply>} */
      call: async (method, params) => channel.call("call", checkMethod(method), checkParams(params)),
      /** @param {string} body @returns {Promise<Reply>} */
      rpc: (body) => channel.call("rpc", body),
      /** @param {string} body @returns {Promise<Reply>} */
      daemon: (body) => channel.call("daemon", body),
    },
    /**
     * Executes a request of another website for the wallet page. The caller shows the user the result of `describe` and
     * executes only what the user approves. Requests can use the wallet's keys, so other websites must never have access to
     * this function.
     * @param {SignRequest} request
     * @returns {Promise<any>} the result; rejects with a ProviderError
     */
    sign: async (request) => {
      const { result, error } = JSON.parse(await channel.call("sign", JSON.stringify(request) ?? ""));
      if (error) {
        throw new ProviderError(error.code, error.message, error.data);
      }
      return result;
    },
    /** The id of this program's event stream, the client_id of stream methods, which is added automatically. */
    client,
    /** Returns the status of the node. */
    status: () => ({ ...status }),
    /** @param {boolean} persisted */
    set persisted(persisted) {
      status.persisted = persisted;
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof openHandle>>} Handle */
