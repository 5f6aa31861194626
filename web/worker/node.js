/**
 * The Durable Object of a node: one program, started once, that serves all its requests.
 */

import { DurableObject } from "cloudflare:workers";
import { connect } from "cloudflare:sockets";
import module from "./node.wasm";
import { Bodies, NotReceived } from "./bodies.js";
import { start } from "./program.js";
import { nameOf, settingsOf } from "./settings.js";

const WAKE = 10000; // ms until an object that has work is woken again
const BACKUP = 44 << 20; // bytes of a store that is restored: what one may have, and some room
const BACKUP_TIME = 600000; // ms to send one

/** What the program reads of a request. Each costs it some microseconds. */
const HEADERS = ["authorization", "origin", "sec-fetch-site", "host", "last-event-id", "access-control-request-method", "cf-connecting-ip"];

/** What the library reads of a request. @param {Request} request @param {string} [method] */
const formOf = (request, method = request.method) => {
  const given = HEADERS.map((name) => /** @type {const} */ ([name, request.headers.get(name)])).filter(([, value]) => value !== null);
  return { url: request.url, method, headers: new Map([...given, ["content-length", "0"]]), body: /** @type {object | null} */ (null) };
};

/** @param {number} status @param {string} error */
const refusal = (status, error) => Response.json({ error }, { status, headers: status === 503 ? { "Retry-After": "2" } : {} });

export class Node extends DurableObject {
  /** @type {Promise<import("./program.js").Program> | null} */
  #program = null;
  #alarmed = false;
  #bodies = new Bodies();

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
      callbacks: {
        log: (level, line) => console.log(`${level}: ${line}`),
        failed: (message) => this.#end(message),
      },
    });
    return this.#program;
  }

  /** Ends the object, so that no two programs work on one store. The next request starts it again. @param {string} reason */
  #end(reason) {
    console.error(`the node has failed: ${reason}`);
    this.ctx.abort(`the node has failed: ${reason}`);
  }

  /** The config and the secrets of this object. @returns {Record<string, string>} */
  settings() {
    return settingsOf(this.env, nameOf(this.env, this.ctx.id));
  }

  /** Whether the program was started. */
  get isRunning() {
    return this.#program !== null;
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
    } catch (error) {
      console.error(`the node did not start: ${error}`);
      this.#program = null; // the next request tries again
      return refusal(503, "the node did not start, see the log of the Worker");
    }
    const answer = await this.#answer(program, request);
    await this.#wake(program);
    return answer;
  }

  /**
   * @param {import("./program.js").Program} program
   * @param {Request} request
   */
  async #answer(program, request) {
    try {
      return await (request.body === null ? program.handle(formOf(request)) : this.#withBody(program, request, request.body));
    } catch (error) {
      if (error instanceof NotReceived) {
        return refusal(error.status, error.message);
      }
      throw error;
    }
  }

  /**
   * @param {import("./program.js").Program} program
   * @param {Request} request
   * @param {ReadableStream<Uint8Array>} body
   */
  async #withBody(program, request, body) {
    const restores = request.method === "PUT" && new URL(request.url).pathname === "/backup";
    if (restores) {
      // It is large, so the credential comes first.
      const allowed = await program.handle(formOf(request, "HEAD"));
      if (!allowed.ok) {
        await body.cancel();
        return allowed;
      }
    }
    const declared = Number(request.headers.get("content-length") ?? 0);
    const received = await (restores ? this.#bodies.receive(body, declared, BACKUP, BACKUP_TIME) : this.#bodies.receive(body, declared, program.limit));
    try {
      if (restores && received.length > BACKUP) {
        throw new NotReceived(413, `request body too large: the limit is ${BACKUP} bytes`);
      }
      const form = formOf(request);
      form.headers.set("content-length", String(received.length));
      form.body = received.bytes;
      return await program.handle(form);
    } finally {
      received.release();
    }
  }

  /** An object without requests is stopped; an alarm wakes it. */
  async alarm() {
    this.#alarmed = false;
    await this.#wake(await this.#running());
  }

  /** @param {import("./program.js").Program} program */
  async #wake(program) {
    const failure = program.failure();
    if (failure) {
      this.#end(failure);
    }
    if (!this.#alarmed && program.busy()) {
      await this.ctx.storage.setAlarm(Date.now() + WAKE);
      this.#alarmed = true;
    }
  }
}
