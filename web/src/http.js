/**
 * A client of a native node with the same calls as a node in a page, so that programs can switch
 * between them. It requires fetch and no other browser API.
 */

import { NodeError } from "./errors.js";
import { checkParams, checkMethod, daemonBody, daemonResult, Listeners, rpcResult } from "./surface.js";

/**
 * @typedef {import("./engine.js").Reply} Reply
 *
 * @typedef {object} ConnectOptions
 * @property {string | URL} url the URL of the node API, such as http://127.0.0.1:7783
 * @property {string} [userpass] the rpc_password; it can be omitted for methods that do not require it
 * @property {{url: string | URL, user: string, password: string}} [daemon] the URL and the credentials of the daemon API
 * @property {number} [timeout] ms to wait for a response; default 60000, or 660000 for methods that list all NFTs of an address; 0 for no
 *   limit
 * @property {typeof fetch} [fetch] the function that sends requests
 */

const DEFAULT_TIMEOUT = 60000; // ms

/** Methods that may list thousands of NFTs. The node stops them after 10 minutes. */
const LISTING = ["enable_nft", "update_nft", "enable_eth_with_tokens"];
const LISTING_TIMEOUT = 660000; // ms

const MAX_BODY = 16 << 20; // characters of a response
const MAX_EVENT = 1 << 20; // characters of an event
const TURN = 8; // ms for which events are reported before the program's other tasks can run

const RETRY_DELAYS = [250, 1000, 5000, 15000]; // ms between attempts to reopen the event stream

/** @param {string} text */
function basic(text) {
  const bytes = new TextEncoder().encode(text);
  return `Basic ${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))}`;
}

/** @param {unknown} error */
const unreachable = (error) => new NodeError(/** @type {Error} */ (error)?.name === "TimeoutError" ? "Timeout" : "Unreachable", "the node is unreachable");

/**
 * Waits for a turn of the event loop, so that a page can render and handle input. It does not use a timer, since browsers delay
 * the timers of hidden pages by up to a minute.
 */
const pause = () =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve(undefined);
    };
    port2.postMessage(0);
  });

/**
 * Returns the text of a response. Reading stops at MAX_BODY.
 * @param {Response} answer
 */
async function bodyOf(answer) {
  const reader = answer.body?.getReader();
  if (!reader) {
    return answer.text();
  }
  const decoder = new TextDecoder();
  const pieces = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    const piece = decoder.decode(value, { stream: !done });
    pieces.push(piece);
    size += piece.length;
    if (done) {
      return pieces.join("");
    }
    if (size > MAX_BODY) {
      void reader.cancel().catch(() => {});
      throw new NodeError("BadAnswer", `the answer is longer than ${MAX_BODY} characters`);
    }
  }
}

/**
 * Returns a client. No request is sent before the first call.
 * @param {ConnectOptions} options
 */
export function connect({ url, userpass, daemon: a, timeout, fetch: send = globalThis.fetch.bind(globalThis) }) {
  const over = new AbortController();
  /**
   * @param {string | URL} target
   * @param {string} body
   * @param {Record<string, string>} [headers]
   * @param {number} [limit] ms
   * @returns {Promise<Reply>}
   */
  const post = async (target, body, headers = {}, limit = timeout ?? DEFAULT_TIMEOUT) => {
    if (over.signal.aborted) {
      throw new NodeError("NotRunning", "the client was stopped");
    }
    try {
      const signal = limit > 0 ? AbortSignal.any([over.signal, AbortSignal.timeout(limit)]) : over.signal;
      const answer = await send(target, { method: "POST", body, headers: { "Content-Type": "application/json", ...headers }, signal, credentials: "omit", redirect: "error" });
      return { status: answer.status, body: await bodyOf(answer) };
    } catch (error) {
      throw error instanceof NodeError ? error : unreachable(error);
    }
  };
  const postA = (/** @type {string} */ body) => {
    if (!a) {
      throw new NodeError("BadOptions", "daemon is missing in the options of connect, want {daemon: {url, user, password}}");
    }
    return post(a.url, body, { Authorization: basic(`${a.user}:${a.password}`) });
  };
  const client = crypto.getRandomValues(new Uint32Array(1))[0] + 1;
  const password = userpass === undefined ? "" : `"userpass":${JSON.stringify(userpass)},`;
  /**
   * @param {string} method
   * @param {string} params JSON
   */
  const ask = (method, params) => post(url, `{${password}"mmrpc":"2.0","method":${JSON.stringify(method)},"params":${params},"id":null}`, {}, timeout ?? (LISTING.includes(method) ? LISTING_TIMEOUT : DEFAULT_TIMEOUT));
  /**
   * @param {string} method
   * @param {object} params
   */
  const call = async (method, params) => rpcResult(await ask(method, JSON.stringify(params)));
  const stream = new Stream(client, url, call, send, over.signal);

  /** @type {import("./surface.js").Rpc} */
  const rpc = async (method, ...given) => {
    const params = given[0] ?? {};
    return isStream(checkMethod(method)) ? stream.call(method, params) : call(method, params);
  };
  /** @type {import("./surface.js").Daemon} */
  const daemon = async (method, ...params) => daemonResult(await postA(daemonBody(method, params)));
  return {
    rpc,
    daemon,
    /** @type {import("./surface.js").Subscribe} */
    subscribe: (streamer, listener) => {
      const end = stream.listeners.add(streamer, listener);
      stream.open().catch(() => {}); // opening the stream is retried later
      return end;
    },
    /** Stops this client, not the node. */
    stop: async () => over.abort(),
    raw: {
      /** @param {string} method @param {string} params @returns {Promise<Reply>} */
      call: async (method, params) => {
        checkParams(params);
        if (!isStream(checkMethod(method))) {
          return ask(method, params);
        }
        const filled = await stream.fill(JSON.parse(params));
        const reply = await ask(method, JSON.stringify(filled));
        if (reply.status === 200) {
          stream.note(method, filled, rpcResult(reply));
        }
        return reply;
      },
      /** @param {string} body @returns {Promise<Reply>} */
      rpc: (body) => post(url, body),
      /** @param {string} body @returns {Promise<Reply>} */
      daemon: async (body) => postA(body),
    },
    client,
  };
}

/** @param {string} method */
const isStream = (method) => method.startsWith("stream::") && method !== "stream::ticket";

/** Matches the end of an event. */
const END = /\r?\n\r?\n/;

/** The event stream of a client. It is opened when it is first needed and reopened when it breaks. */
class Stream {
  listeners = new Listeners();
  /** @type {Promise<void> | null} */
  #opening = null;
  /** @type {string | null} */
  #last = null;
  /** @type {Map<string, {method: string, params: object}>} */
  #enabled = new Map();
  /** Whether the streams are being enabled again. */
  #renewing = false;

  /**
   * @param {number} client
   * @param {string | URL} url
   * @param {(method: string, params: object) => Promise<any>} ask
   * @param {typeof fetch} send
   * @param {AbortSignal} over
   */
  constructor(client, url, ask, send, over) {
    this.client = client;
    this.url = url;
    this.ask = ask;
    this.send = send;
    this.over = over;
  }

  /**
   * Calls a stream method.
   * @param {string} method
   * @param {any} params
   */
  async call(method, params) {
    const filled = await this.fill(params);
    const result = await this.ask(method, filled);
    this.note(method, filled, result);
    return result;
  }

  /**
   * Returns the parameters of a stream method with the client's id. The stream is open when it
   * returns.
   * @param {any} params
   */
  async fill(params) {
    await this.open();
    return { client_id: this.client, ...params };
  }

  /**
   * Records the effect of a stream method.
   * @param {string} method
   * @param {any} params
   * @param {any} result
   */
  note(method, params, result) {
    if (method === "stream::disable") {
      this.#enabled.delete(params.streamer_id);
    } else {
      this.#enabled.set(result.streamer_id, { method, params });
    }
  }

  /** @returns {Promise<void>} */
  open() {
    this.#opening ??= this.#connect().then(
      (body) => void this.#follow(body),
      (error) => {
        this.#opening = null;
        throw error;
      },
    );
    return this.#opening;
  }

  async #connect() {
    const { ticket } = await this.ask("stream::ticket", { client_id: this.client });
    const target = new URL("/event-stream", this.url);
    target.search = String(new URLSearchParams({ id: String(this.client), ticket, ...(this.#last === null ? {} : { lastEventId: this.#last }) }));
    /** @type {Response} */
    let answer;
    try {
      answer = await this.send(target, { signal: this.over, credentials: "omit", redirect: "error", cache: "no-store" });
    } catch (error) {
      throw unreachable(error);
    }
    if (!answer.ok || !answer.body) {
      throw new NodeError("Unreachable", `the node refuses the event stream: status ${answer.status}`);
    }
    return answer.body;
  }

  /**
   * Reads events and reopens the stream whenever it ends. A stream with an event that is too long
   * is invalid: an error is reported and the stream is reopened after the longest delay.
   * @param {ReadableStream<Uint8Array>} body
   */
  async #follow(body) {
    for (let tries = 0; !this.over.aborted; ) {
      try {
        await this.#read(body);
        tries = 0;
      } catch (error) {
        if (error instanceof NodeError) {
          tries = RETRY_DELAYS.length;
          this.listeners.emit(JSON.stringify({ _type: "ERROR:STREAM", message: error.message }));
        }
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_DELAYS[Math.min(tries++, RETRY_DELAYS.length - 1)]));
      try {
        body = await this.#connect();
        tries = 0;
      } catch {
        continue;
      }
    }
  }

  /** @param {ReadableStream<Uint8Array>} body */
  async #read(body) {
    const reader = body.getReader();
    try {
      await this.#events(reader);
    } catch (error) {
      void reader.cancel().catch(() => {});
      throw error;
    }
  }

  /** @param {ReadableStreamDefaultReader<Uint8Array>} reader */
  async #events(reader) {
    const decoder = new TextDecoder();
    /** The pieces of an event that has not been received completely. @type {string[]} */
    let pieces = [];
    let [size, tail, began] = [0, "", performance.now()];
    const check = (/** @type {number} */ length) => {
      if (length > MAX_EVENT) {
        throw new NodeError("BadAnswer", `the event stream has an event longer than ${MAX_EVENT} characters`);
      }
    };
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        return;
      }
      const piece = decoder.decode(value, { stream: true });
      const end = tail + piece; // an empty line may be split across two pieces
      pieces.push(piece);
      size += piece.length;
      tail = end.slice(-3);
      const events = END.test(end) ? pieces.join("").split(END) : [];
      if (events.length > 0) {
        pieces = [events.pop() ?? ""];
        size = pieces[0].length;
      }
      for (const event of events) {
        check(event.length);
        this.#take(event);
        if (performance.now() - began > TURN) {
          await pause();
          began = performance.now();
        }
      }
      check(size);
    }
  }

  /** @param {string} event the lines of one server-sent event */
  #take(event) {
    const data = [];
    for (const line of event.split(/\r?\n/)) {
      const [, field, value] = /^([^:]*): ?(.*)$/.exec(line) ?? [];
      if (field === "data") {
        data.push(value);
      } else if (field === "id") {
        this.#last = value;
      }
    }
    if (data.length === 0) {
      return;
    }
    const text = data.join("\n");
    if (text.includes('"ERROR:FORGOTTEN"')) {
      if (this.#renewing) {
        return;
      }
      void this.#again();
    }
    this.listeners.emit(text);
  }

  /** Enables the streams again after the node has lost the state of this client. */
  async #again() {
    this.#renewing = true;
    for (const { method, params } of this.#enabled.values()) {
      await this.ask(method, params).catch(() => {});
    }
    this.#renewing = false;
  }
}

/** @typedef {ReturnType<typeof connect>} Client */
