/**
 * The Durable Object of a node: one program, started once, that serves all its requests.
 */

import { DurableObject } from "cloudflare:workers";
import { connect } from "cloudflare:sockets";
import module from "./node.wasm";
import { Bodies } from "./bodies.js";
import { start } from "./program.js";
import { nameOf, settingsOf } from "./settings.js";

const WAKE = 10000; // ms until an object that has work is woken again

/** Where the credential is in a header. The program receives the body when it has checked it. */
const CREDENTIAL_FIRST = ["/daemon", "/backup"];

/** What the program reads of a request. Each costs it some microseconds. */
const HEADERS = ["authorization", "origin", "sec-fetch-site", "host", "last-event-id", "access-control-request-method", "cf-connecting-ip"];

/** What the library reads of a request. @param {Request} request @param {import("./bodies.js").Body | null} body */
const formOf = (request, body) => {
  const given = HEADERS.map((name) => /** @type {const} */ ([name, request.headers.get(name)])).filter(([, value]) => value !== null);
  return { url: request.url, method: request.method, headers: new Map([...given, ["content-length", body ? "-1" : "0"]]), body };
};

const notStarted = () => Response.json({ error: "the node did not start, see the log of the Worker" }, { status: 503, headers: { "Retry-After": "2" } });

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
      return notStarted();
    }
    const answer = await (request.body === null ? program.handle(formOf(request, null)) : this.#withBody(program, request, request.body));
    await this.#wake(program);
    return answer;
  }

  /**
   * @param {import("./program.js").Program} program
   * @param {Request} request
   * @param {ReadableStream<Uint8Array>} stream
   */
  async #withBody(program, request, stream) {
    const declared = Number(request.headers.get("content-length") ?? 0);
    const body = this.#bodies.of(stream, declared, program.origin(request.headers.get("cf-connecting-ip") ?? ""));
    try {
      if (!CREDENTIAL_FIRST.includes(new URL(request.url).pathname)) {
        // A request that is still on its way costs the program more than here.
        await body.receive(program.limit, program.time).catch(() => {}); // the program says why
      }
      return await program.handle(formOf(request, body));
    } finally {
      body.release();
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
