/**
 * The Durable Object of a node: one program, started once, that serves all its requests.
 */

import { DurableObject } from "cloudflare:workers";
import { connect } from "cloudflare:sockets";
import module from "./node.wasm";
import { start } from "./program.js";
import { settingsOf } from "./settings.js";

const WAKE = 10000; // ms until an object that has work is woken again
const BACKUP = 64 << 20; // bytes of a store that is restored

/** What the program reads of a request. Each costs it some microseconds. */
const HEADERS = ["authorization", "origin", "sec-fetch-site", "host", "last-event-id", "access-control-request-method", "cf-connecting-ip"];

/** @param {number} status @param {string} error */
const refusal = (status, error) => Response.json({ error }, { status, headers: status === 503 ? { "Retry-After": "2" } : {} });

export class Node extends DurableObject {
  /** @type {Promise<import("./program.js").Program> | null} */
  #program = null;
  #alarmed = false;

  /**
   * @param {any} ctx
   * @param {any} env
   */
  constructor(ctx, env) {
    super(ctx, env);
    this.ctx = ctx;
    this.env = env;
  }

  #running() {
    this.#program ??= start({
      module,
      storage: this.ctx.storage,
      env: this.settings(),
      connect,
      tells: {
        log: (level, line) => console.log(`${level}: ${line}`),
        failed: (message) => {
          console.error(`the node has failed: ${message}`);
          this.#program = null; // the next request tries again
        },
      },
    });
    return this.#program;
  }

  /** The config and the secrets of this object. @returns {Record<string, string>} */
  settings() {
    return settingsOf(this.env, this.ctx.id.name);
  }

  /** Bytes that the program has taken. */
  async memory() {
    return (await this.#running()).memory();
  }

  /** @param {Request} request */
  async fetch(request) {
    let program;
    try {
      program = await this.#running();
    } catch {
      return refusal(503, "the node did not start, see the log of the Worker");
    }
    const answer = await program.handle(await received(request, program.limit));
    await this.#wake(program);
    return answer;
  }

  /** Nothing runs in an object that is not asked: an alarm does. */
  async alarm() {
    this.#alarmed = false;
    await this.#wake(await this.#running());
  }

  /** @param {import("./program.js").Program} program */
  async #wake(program) {
    if (!this.#alarmed && program.busy()) {
      this.#alarmed = true;
      await this.ctx.storage.setAlarm(Date.now() + WAKE);
    }
  }
}

/**
 * A request as the library reads it, with its body received. One that is too large is left
 * out: its length tells.
 * @param {Request} request
 * @param {number} limit
 */
async function received(request, limit) {
  const headers = new Map();
  for (const name of HEADERS) {
    const value = request.headers.get(name);
    if (value !== null) {
      headers.set(name, value);
    }
  }
  if (request.body === null) {
    headers.set("content-length", "0");
    return { url: request.url, method: request.method, headers, body: null };
  }
  const { bytes, length } = await readWithin(request.body, Number(request.headers.get("content-length") ?? 0), request.method === "PUT" ? BACKUP : limit);
  headers.set("content-length", String(length));
  return { url: request.url, method: request.method, headers, body: bytes.length > 0 ? oneChunk(bytes) : null };
}

/**
 * @param {ReadableStream<Uint8Array>} body
 * @param {number} declared
 * @param {number} limit
 */
async function readWithin(body, declared, limit) {
  const none = new Uint8Array(0);
  if (declared > limit) {
    await body.cancel();
    return { bytes: none, length: declared };
  }
  const parts = [];
  let length = 0;
  for await (const part of body) {
    parts.push(part);
    length += part.length;
    if (length > limit) {
      return { bytes: none, length };
    }
  }
  if (parts.length === 1) {
    return { bytes: parts[0], length };
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return { bytes, length };
}

/** What the library reads as a stream. @param {Uint8Array} bytes */
const oneChunk = (bytes) => ({
  getReader: () => ({
    read: async () => ({ done: false, value: bytes }),
    cancel: async () => {},
  }),
});
