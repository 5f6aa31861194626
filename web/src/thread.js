/**
 * The code that runs in the worker, or in a thread without one: a member of the cluster, and the
 * engine while this member is the owner. The page calls the functions that serve provides.
 */

import glue from "./wasm_exec.js";
import { canonical } from "./canonical.js";
import { Channel } from "./channel.js";
import { Member } from "./cluster.js";
import { Engine } from "./engine.js";
import { NodeError } from "./errors.js";
import { Disk } from "./storage/disk.js";
import { MemoryDrive } from "./storage/memory.js";

/**
 * @typedef {object} Store the storage of the node's data
 * @property {string} kind "opfs", "indexeddb", "files", "memory"
 * @property {object} fs
 * @property {string} path
 * @property {import("./storage/walletfiles.js").WalletFiles} walletFiles
 * @property {() => void} close
 *
 * @typedef {object} Platform the differences between browsers and Node
 * @property {(name: string, wanted: string, print: (line: string) => void) => Promise<Store>} openStore
 * @property {() => import("./handle.js").Thread} [helper] starts another thread that runs serve
 * @property {(store: string) => import("./cluster.js").Meeting | null} meeting returns null if no other thread can open the store
 *
 * @typedef {object} OpenOptions
 * @property {string} name the name of the store
 * @property {string} wanted "auto" or the kind of a store
 * @property {string} config the unmodified JSON, since responses quote coin entries from it
 * @property {boolean} wallets whether the page provides wallets
 *
 * @typedef {{client: number, role: string, storage: string, version: string}} Opened
 */

/**
 * Provides the functions that run a node to the other side of the port.
 * @param {import("./channel.js").Port} port
 * @param {Platform} platform
 */
export function serve(port, platform) {
  /** @type {Member | null} */
  let member = null;
  const running = () => {
    if (!member) {
      throw new NodeError("NotRunning", "the node is not running");
    }
    return member;
  };
  const page = new Channel(port, {
    open: async (/** @type {OpenOptions} */ options) => {
      if (member) {
        throw new NodeError("AlreadyRunning", "the node was started before");
      }
      member = newMember(page, platform, options);
      try {
        await member.open();
      } catch (error) {
        const failed = member;
        member = null;
        await failed.close();
        throw error;
      }
      return { client: member.client };
    },
    call: (method, params) => running().call(method, params),
    rpc: (body) => running().do("rpc", body, running().client),
    daemon: (body) => running().do("daemon", body),
    sign: (request) => running().do("sign", request, running().client),
    export: () => running().do("export"),
    import: (bytes, options) => running().do("import", bytes, options),
    derive: async (/** @type {WebAssembly.Module} */ module, /** @type {any[]} */ args) => {
      const fs = new Disk(new MemoryDrive(), () => {}).fs();
      const nothing = () => {};
      const host = { log: nothing, event: nothing, disconnected: nothing, stop: nothing, failed: nothing };
      const program = await Engine.load({ glue, module, part: (name) => page.call("part", name), fs, host });
      return program.do("derive", ...args);
    },
    stop: async () => {
      const leaving = member;
      member = null;
      await leaving?.close();
    },
  });
}

/**
 * Derives keys in a separate thread and terminates it afterwards to free its memory.
 * @param {import("./handle.js").Thread} helper
 * @param {(name: string) => Promise<WebAssembly.Module>} part
 * @param {WebAssembly.Module} module
 * @param {any[]} args
 * @returns {Promise<Uint8Array>}
 */
async function derive(helper, part, module, args) {
  const channel = new Channel(helper.port, { part });
  helper.port.onerror = (/** @type {any} */ event) => channel.close(new NodeError("WorkerFailed", String(event?.message ?? "the worker cannot be started")));
  try {
    return await channel.call("derive", module, args);
  } finally {
    helper.end();
  }
}

/**
 * @param {Channel} page
 * @param {Platform} platform
 * @param {OpenOptions} options
 */
function newMember(page, platform, { name, wanted, config, wallets }) {
  const log = (/** @type {string} */ level, /** @type {string} */ line) => page.post("log", level, line);
  const print = (/** @type {string} */ line) => log("error", line);
  /** @type {Member} */
  const member = new Member({
    name,
    config: canonical(JSON.parse(config)),
    meeting: wanted === "memory" ? null : platform.meeting(name),
    events: {
      event: (text) => page.post("event", text),
      role: (role) => page.post("role", role),
      failed: (message) => page.post("stopped", message),
      wallet: (request) => page.call("wallet", request),
    },
    start: async () => {
      const { helper } = platform;
      const part = (/** @type {string} */ name) => page.call("part", name);
      const [module, store] = await Promise.all([page.call("module"), platform.openStore(name, wanted, print)]);
      try {
        const engine = await Engine.start({
          glue,
          module,
          part,
          config,
          fs: store.fs,
          path: store.path,
          host: {
            walletFiles: store.walletFiles,
            opening: (wallet) => page.post("opening", wallet),
            transactions: store.kind === "indexeddb",
            log,
            event: (client, text) => member.deliver(client, text),
            disconnected: (client) => member.interrupted(client),
            stop: () => page.post("stopped", ""),
            failed: (message) => page.post("stopped", message),
            ...(helper && { derive: (...args) => derive(helper(), part, module, args) }),
            ...(wallets && { wallet: (client, request) => member.wallet(client, request) }),
          },
        });
        page.post("storage", store.kind);
        return {
          do: (method, ...args) => engine.do(method, ...args),
          close: async () => {
            await engine.stop().finally(store.close);
          },
        };
      } catch (error) {
        store.close();
        throw error;
      }
    },
  });
  return member;
}
