/**
 * The Go program of the edge, wasm/worker, which stays in its object. It sees a world of its
 * own as in a page, so that the objects of one isolate do not see each other, and so that
 * fetch is bound: through the proxy that comes with the library, workerd refuses it.
 */

import glue from "../src/wasm_exec.js";
import { quietAtEnd, world } from "../src/engine.js";
import { Disk } from "../src/storage/disk.js";
import { built, commit, version } from "../src/version.js";
import { SqlDrive } from "./drive.js";

/**
 * @typedef {object} Program
 * @property {(request: object) => Promise<Response>} handle answers a request
 * @property {() => string} failure why the object must be restarted; empty if it need not
 * @property {() => boolean} busy reports work that goes on between requests
 * @property {number} limit bytes of a request body
 * @property {number} time ms to send one
 * @property {(address: string) => string} origin what is counted together, of an address
 * @property {() => number} memory bytes that the program has taken
 *
 * @typedef {object} Callbacks that the program calls
 * @property {(level: string, line: string) => void} log
 * @property {(message: string) => void} failed the node cannot go on
 */

/**
 * Starts the program on the storage of an object.
 * @param {object} options
 * @param {WebAssembly.Module} options.module
 * @param {import("./drive.js").Storage} options.storage
 * @param {Record<string, string>} options.env CONFIG and the secrets
 * @param {Function} options.connect of cloudflare:sockets
 * @param {Callbacks} options.callbacks
 * @returns {Promise<Program>}
 */
export async function start({ module, storage, env, connect, callbacks }) {
  const disk = new Disk(new SqlDrive(storage), (line) => callbacks.log("error", line));
  /** @type {any} */
  const binding = {};
  /** @type {any} */
  const obverse = { log: callbacks.log, events, build: { version, commit, built } };
  const context = { env, binding, connect: connecting(connect), obverse, outbound };
  const scope = world(globalThis, { fs: disk.fs(), context, tryCatch, Request, Response, Headers, ReadableStream, Uint8ClampedArray });
  const go = quietAtEnd(new (glue(scope))());
  return new Promise((resolve, reject) => {
    const failed = (/** @type {unknown} */ reason) => {
      go._scheduledTimeouts.forEach(clearTimeout);
      reject(reason);
      callbacks.failed(String(reason));
    };
    obverse.failed = (/** @type {string} */ message) => failed(new Error(message));
    go.exit = (/** @type {number} */ code) => failed(new Error(`the program ended with code ${code}`));
    const ready = () => {
      const { failure, busy, limit, time, origin } = obverse.offered;
      resolve({ handle: (request) => binding.handleRequest(request).catch(badRequest), failure, busy, limit, time, origin, memory: () => go.mem.buffer.byteLength });
    };
    const resume = go._resume;
    go._resume = () => {
      try {
        resume();
      } catch (error) {
        failed(error); // a trap: no call of the program ends any more
      }
    };
    WebAssembly.instantiate(module, { ...go.importObject, workers: { ready } })
      .then((instance) => go.run(instance))
      .then(() => failed(new Error("the program has ended")), failed);
  });
}

/** The library fails only on a URL that Go cannot parse. */
function badRequest() {
  return Response.json({ error: "invalid request URL" }, { status: 400 });
}

/**
 * The library catches what JavaScript throws with this.
 * @param {() => unknown} does
 */
function tryCatch(does) {
  try {
    return { result: does() };
  } catch (error) {
    return { error: String(error) };
  }
}

/**
 * Sockets whose writes wait for the connection, even one of nothing: the library shows
 * nothing else of how it stands.
 * @param {Function} connect of cloudflare:sockets
 */
const connecting = (connect) => (/** @type {string} */ address, /** @type {object} */ options) => {
  const socket = connect(address, options);
  socket.opened.catch(() => {}); // the first write fails too
  return {
    readable: socket.readable,
    close: () => socket.close(),
    writable: {
      getWriter() {
        const writer = socket.writable.getWriter();
        return {
          write: (/** @type {Uint8Array} */ bytes) => socket.opened.then(() => writer.write(bytes)),
          close: () => writer.close(),
        };
      },
    },
  };
};

/** Requests to others. Workers know no credentials, referrers and caches to leave out. */
const outbound = {
  AbortController,
  WebSocket,
  /**
   * @param {string} url
   * @param {{method: string, headers: Record<string, string>, body?: BodyInit, signal: AbortSignal}} options
   */
  fetch: (url, { method, headers, body, signal }) => fetch(url, { method, headers, body, signal, redirect: "manual" }),
};

const MAX_WAITING = 1024; // writes that may wait in a stream
const WRITE_TIMEOUT = 30000; // ms in which a client must read one

/**
 * The body of an event stream. A disconnected client ends it at the next write: workerd
 * reports that reliably for streams of the runtime, not always for JavaScript sources. A
 * client that does not read ends it when too many writes wait, or one waits too long.
 * @param {() => void} gone
 */
function events(gone) {
  const encoder = new TextEncoder();
  const { readable, writable } = new IdentityTransformStream();
  const writer = writable.getWriter();
  let waiting = 0;
  let taken = Date.now(); // time of the last completed write
  let stuck = false;
  let over = false;
  const end = () => over || gone(); // which must not be called any more once it is closed
  writer.closed.then(end, end);
  return {
    body: readable,
    write(/** @type {string} */ text) {
      if (waiting++ === 0) {
        taken = Date.now();
      }
      stuck = waiting > MAX_WAITING || Date.now() - taken > WRITE_TIMEOUT;
      writer.write(encoder.encode(text)).then(() => {
        waiting--;
        taken = Date.now();
      }, end);
      return !stuck;
    },
    close() {
      over = true;
      (stuck ? writer.abort() : writer.close()).catch(() => {}); // it may be gone
    },
  };
}
