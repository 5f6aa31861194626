/** A running node, as programs hold it. */

import { Channel } from "./channel.js";
import { ProviderError } from "./dapp/error.js";
import { NodeError } from "./errors.js";
import { checkParams, checkMethod, daemonBody, daemonResult, Listeners, rpcResult } from "./surface.js";
import { walletError } from "./wallet/provider.js";

/**
 * @typedef {import("./surface.js").Reply} Reply
 *
 * @typedef {object} Thread a thread in which serve runs
 * @property {import("./channel.js").Port} port
 * @property {() => void} end
 *
 * @typedef {object} Status
 * @property {boolean} running
 * @property {"owner" | "client" | ""} role whether this program runs the node, or another tab does
 * @property {string} storage "opfs", "indexeddb", "files" or "memory"; "" where another tab has it
 * @property {boolean | null} persisted whether the browser has promised not to delete the data; null: it was not asked
 *
 * @typedef {object} SignRequest see core/wallet/dapp
 * @property {"accounts" | "describe" | "execute" | "read"} do
 * @property {string} [chain] by CAIP-2: "eip155:1", "cosmos:cosmoshub-4"
 * @property {string} [method]
 * @property {unknown} [params]
 *
 * @typedef {(level: "error" | "warn" | "info" | "debug", line: string) => void} Log
 */

const STOP_TIME = 10_000; // ms until a thread is ended that has not stopped its node

/**
 * Opens the node of a thread.
 *
 * @param {Thread} thread
 * @param {object} options
 * @param {() => Promise<WebAssembly.Module>} options.module
 * @param {(name: string) => Promise<WebAssembly.Module>} options.part
 * @param {Log} options.log
 * @param {(wallet: string) => void} [options.opening]
 * @param {import("./thread.js").OpenOptions} options.open
 * @param {() => void} options.closed called once it has ended
 * @param {import("./wallet/provider.js").Wallets | null} options.wallets of this page
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
  /** Has the thread stop the node, and does not wait for ever: it may hang if the browser has deleted its files. */
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
    /** Calls a method of the node API; its error is an RpcError. */
    rpc,
    /** Calls a method of the daemon API; its error is a DaemonError. */
    daemon,
    /**
     * Listens to the events of a streamer, or with "*" to all. It enables no stream:
     * rpc("stream::heartbeat::enable") and its like do.
     * It gives a function that ends it.
     * @type {import("./surface.js").Subscribe}
     */
    subscribe: (streamer, listener) => listeners.add(streamer, listener),
    /**
     * All data of the node as bytes, secret keys among them.
     * @returns {Promise<Uint8Array>}
     */
    export: () => channel.call("export"),
    /**
     * Replaces all data by an export and restarts the node. An invalid export changes nothing. From an export of another key only the chain
     * is imported unless all is set: otherwise its coins and their servers would become active here.
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
    /** Ends the node, or leaves it to the other tabs that use it. */
    stop: async () => {
      stopping ??= status.running ? stop() : undefined;
      await stopping;
    },
    /**
     * Whole request bodies, as over HTTP; a body of the node API has its userpass. call
     * needs none: it takes a method of the node API with its parameters as JSON, whose
     * numbers keep their digits, and gives the whole answer.
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
     * Answers a request of a program of others, for the wallet page: who calls it shows a person what `describe` says
     * and has only what the person agrees to executed. The wallet's keys are behind it, so no program of others may reach it.
     * @param {SignRequest} request
     * @returns {Promise<any>} the result; its error is a ProviderError
     */
    sign: async (request) => {
      const { result, error } = JSON.parse(await channel.call("sign", JSON.stringify(request) ?? ""));
      if (error) {
        throw new ProviderError(error.code, error.message, error.data);
      }
      return result;
    },
    /** The id of this program's event stream: client_id of the stream methods, which is filled in. */
    client,
    /** How it is going. */
    status: () => ({ ...status }),
    /** @param {boolean} persisted */
    set persisted(persisted) {
      status.persisted = persisted;
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof openHandle>>} Handle */
