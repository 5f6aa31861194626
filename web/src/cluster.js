/**
 * The tabs of a browser that share a store. One tab, the owner, holds a Web Lock, opens the store
 * and runs the node. The other tabs are its clients. They make the same calls and wait for the
 * lock: when the owner closes, crashes or is killed, one of them becomes the owner.
 *
 * All members share one BroadcastChannel, and each client has its own channel to the owner. Each
 * client also holds a lock. When the lock is released, the owner knows that the client is gone.
 *
 * The owner acknowledges each call before it executes it. When the owner is gone, unacknowledged
 * calls are sent to the next owner. Acknowledged calls may have been executed and fail with the
 * kind OwnerGone. Calls made while there is no owner wait for the next one.
 */

import { Channel } from "./channel.js";
import { NodeError } from "./errors.js";

/**
 * @typedef {object} Node the engine of this thread, or the channel to the owner
 * @property {(name: string, ...args: any[]) => Promise<any>} do
 *
 * @typedef {object} Events callbacks of a member
 * @property {(text: string) => void} event
 * @property {(role: Role) => void} role
 * @property {(message: string) => void} failed called when the member cannot take over the store
 * @property {(request: string) => Promise<string>} wallet sends a request to the wallet of this member's page
 *
 * @typedef {"owner" | "client"} Role
 * @typedef {{locks: LockManager, Board: typeof BroadcastChannel, digest: (text: string) => Promise<string>}} Meeting
 *   the means by which members find each other; browsers have all of them on secure origins
 * @typedef {import("./engine.js").Reply} Reply
 */

const ownerGone = () => new NodeError("OwnerGone", "the tab that ran the node is gone and its answer is lost: the call may have been carried out");
const notDelivered = () => new NodeError("Unheard", "the tab that ran the node was gone before the call");
const noPage = () => new NodeError("WalletGone", "the tab that made the call is gone, and its wallet with it");
const stopped = () => new NodeError("NotRunning", "the node has stopped");

/** Returns a random client id that both Go and JavaScript represent exactly. */
export const newClient = () => {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return (high & 0xfffff) * 2 ** 32 + low + 1;
};

export class Member {
  client = newClient();
  /** @type {Role | ""} */
  role = "";
  /** The node that executes calls; pending while there is no owner. @type {Promise<Node>} */
  #node;
  /** @type {(node: Node) => void} */
  #found = () => {};
  /** @type {(error: unknown) => void} */
  #lost = () => {};
  /** The enabled streams, by streamer id. @type {Map<string, {method: string, params: string}>} */
  #streams = new Map();
  /** Releases the lock. @type {() => void} */
  #release = () => {};
  #over = new AbortController();
  /** @type {Engine | null} */
  #engine = null;
  /** The clients of this owner. @type {Map<number, Channel>} */
  #clients = new Map();
  /** @type {Channel | null} */
  #link = null;
  /** The id of the current owner as known to this client. */
  #owner = 0;

  /**
   * @param {object} options
   * @param {string} options.name the name of the store
   * @param {string} options.config the config as canonical JSON, by which the configs of two tabs are compared
   * @param {Meeting | null} options.meeting null if this is the only member
   * @param {() => Promise<Engine>} options.start starts the node, which reports events to deliver and interrupted
   * @param {Events} options.events
   *
   * @typedef {Node & {close(): Promise<void>}} Engine
   */
  constructor({ name, config, meeting, start, events }) {
    this.name = `obverse/${name}`;
    this.config = config;
    this.meeting = meeting;
    this.start = start;
    this.events = events;
    this.board = meeting && new meeting.Board(this.name);
    this.#node = this.#waitForOwner();
  }

  #waitForOwner() {
    const node = new Promise((resolve, reject) => {
      this.#found = resolve;
      this.#lost = reject;
    });
    node.catch(() => {}); // callers handle the rejection
    return /** @type {Promise<Node>} */ (node);
  }

  /** Becomes the owner of the store, or a client of its owner. */
  async open() {
    if (!this.meeting || !this.board) {
      await this.#own();
      return;
    }
    await this.#hold(this.#presence(this.client));
    this.board.onmessage = ({ data }) => void this.#hear(data);
    const free = await this.#hold(this.name, { ifAvailable: true });
    if (free) {
      await this.#own();
      return;
    }
    void this.#inherit();
    await this.#seek();
    await this.#node;
  }

  /**
   * Calls a function of the node, in this thread or through the owner.
   * @param {string} name
   * @param {...any} args
   */
  async do(name, ...args) {
    for (;;) {
      const node = await this.#node;
      try {
        return await node.do(name, ...args);
      } catch (error) {
        if (/** @type {NodeError} */ (error).kind !== "Unheard") {
          throw error;
        }
      }
    }
  }

  /**
   * Calls a method of the node API. Enabled streams are recorded, so that they can be enabled again
   * at the next owner.
   * @param {string} method
   * @param {string} params JSON
   * @returns {Promise<Reply>}
   */
  async call(method, params) {
    const streams = method.startsWith("stream::");
    if (streams) {
      params = JSON.stringify({ client_id: this.client, ...JSON.parse(params) });
    }
    const reply = await this.do("call", method, params, this.client);
    if (streams && reply.status === 200) {
      const { streamer_id } = JSON.parse(reply.body).result ?? {};
      if (method.endsWith("::enable") && typeof streamer_id === "string") {
        this.#streams.set(streamer_id, { method, params });
      } else if (method === "stream::disable") {
        this.#streams.delete(JSON.parse(params).streamer_id);
      }
    }
    return reply;
  }

  /**
   * Handles an event from the engine of this thread.
   * @param {number} client
   * @param {string} text
   */
  deliver(client, text) {
    if (client === this.client) {
      this.events.event(text);
    } else {
      this.#clients.get(client)?.post("event", text);
    }
  }

  /**
   * Handles the end of a client's event stream, which occurs when the engine of this thread
   * restarts.
   * @param {number} client
   */
  interrupted(client) {
    if (client === this.client) {
      void this.#listen();
    } else {
      this.#clients.get(client)?.post("listen");
    }
  }

  /**
   * Forwards a request from the engine of this thread to the wallet of the page that made the
   * current call.
   * @param {number} client
   * @param {string} request
   * @returns {Promise<string>}
   */
  wallet(client, request) {
    if (client === this.client) {
      return this.events.wallet(request);
    }
    return this.#clients.get(client)?.call("wallet", request) ?? Promise.reject(noPage());
  }

  /** Leaves the cluster. Another member takes over the store. */
  async close() {
    this.#over.abort();
    this.#lost(stopped());
    this.#node = Promise.reject(stopped());
    this.#node.catch(() => {});
    this.#link?.close(stopped());
    const engine = this.#engine;
    this.#engine = null;
    try {
      await engine?.close();
    } finally {
      for (const client of this.#clients.values()) {
        client.post("leaving");
        /** @type {BroadcastChannel} */ (client.port).close();
      }
      this.#release();
      this.board?.close();
    }
  }

  /** @param {number} client */
  #presence(client) {
    return `${this.name}#${client}`;
  }

  /**
   * Takes a lock and holds it until the member is closed. Returns whether the lock was granted.
   * @param {string} name
   * @param {LockOptions} [options]
   * @returns {Promise<boolean>}
   */
  #hold(name, options = { signal: this.#over.signal }) {
    return new Promise((resolve, reject) => {
      /** @type {Meeting} */ (this.meeting).locks
        .request(name, options, (lock) => {
          resolve(lock !== null);
          const before = this.#release;
          return lock && new Promise((release) => (this.#release = () => (before(), release(undefined))));
        })
        .catch(reject);
    });
  }

  /** Waits for the lock and becomes the owner. */
  async #inherit() {
    try {
      await this.#hold(this.name);
    } catch {
      return; // the member was closed
    }
    this.#drop();
    try {
      await this.#own();
    } catch (error) {
      this.#lost(error);
      this.#release(); // another tab may be able to open the store
      this.events.failed(/** @type {Error} */ (error).message);
    }
  }

  async #own() {
    this.#engine = await this.start();
    if (this.#over.signal.aborted) {
      await this.#engine.close();
      throw stopped();
    }
    this.#enter("owner", this.#engine);
    await this.#listen();
    this.board?.postMessage({ owner: this.client });
  }

  /**
   * @param {Role} role
   * @param {Node} node
   */
  #enter(role, node) {
    this.role = role;
    this.#found(node);
    this.events.role(role);
  }

  /**
   * Subscribes to events and enables the streams at the current owner. Events since the previous owner left are lost, and a stream of a
   * coin that is not active yet cannot be enabled, so listeners are notified that their streams ended.
   */
  async #listen() {
    try {
      await this.do("connect", this.client);
      for (const { method, params } of this.#streams.values()) {
        await this.do("call", method, params);
      }
      if (this.#streams.size > 0) {
        this.events.event(JSON.stringify({ _type: "ERROR:FORGOTTEN", message: {} }));
      }
    } catch {
      // The owner is already gone. #listen runs again with the next one.
    }
  }

  /** Asks all members which of them is the owner. */
  async #seek() {
    const nonce = crypto.randomUUID();
    const proof = await this.#proof(nonce);
    if (!this.#over.signal.aborted) {
      this.board?.postMessage({ hello: this.client, nonce, proof });
    }
  }

  /**
   * Returns a hash that proves to another tab that the configs are equal, without revealing the
   * config.
   * @param {string} nonce
   */
  #proof(nonce) {
    return /** @type {Meeting} */ (this.meeting).digest(`${nonce}\n${this.config}`);
  }

  /** @param {any} message */
  async #hear(message) {
    if (message.hello !== undefined && this.#engine) {
      await this.#admit(message);
    } else if (message.owner !== undefined && message.owner !== this.#owner && !this.#engine) {
      this.#drop();
      await this.#seek();
    } else if (message.refused === this.client) {
      this.#lost(new NodeError("ConfigMismatch", "another tab runs a node on the same store with another config"));
    } else if (message.welcome === this.client && this.#owner !== message.from) {
      await this.#follow(message.from);
    }
  }

  /**
   * Accepts a client.
   * @param {{hello: number, nonce: string, proof: string}} message
   */
  async #admit({ hello, nonce, proof }) {
    if ((await this.#proof(nonce)) !== proof) {
      this.board?.postMessage({ refused: hello });
      return;
    }
    if (!this.#clients.has(hello)) {
      const meeting = /** @type {Meeting} */ (this.meeting);
      const port = new meeting.Board(this.#presence(hello));
      /** @param {string} name */
      const serve = (name) => (/** @type {any[]} */ ...args) => (this.#engine ? this.#engine.do(name, ...args) : Promise.reject(notDelivered()));
      this.#clients.set(hello, new Channel(port, Object.fromEntries(operations.map((name) => [name, serve(name)])), { receipts: true }));
      // The lock is granted once the client is gone.
      meeting.locks
        .request(this.#presence(hello), { signal: this.#over.signal }, () => {
          this.#clients.get(hello)?.close(noPage());
          port.close();
          this.#clients.delete(hello);
          this.#engine?.do("disconnect", hello).catch(() => {});
        })
        .catch(() => {});
    }
    this.board?.postMessage({ welcome: hello, from: this.client });
  }

  /**
   * Becomes a client of the owner.
   * @param {number} owner
   */
  async #follow(owner) {
    this.#drop();
    this.#owner = owner;
    const meeting = /** @type {Meeting} */ (this.meeting);
    const link = new Channel(new meeting.Board(this.#presence(this.client)), {
      event: (text) => this.events.event(text),
      wallet: (request) => this.events.wallet(request),
      listen: () => void this.#listen(),
      leaving: () => this.#drop(),
    });
    this.#link = link;
    this.#enter("client", { do: (name, ...args) => link.call(name, ...args) });
    await this.#listen();
  }

  /** Disconnects from the owner. */
  #drop() {
    this.#owner = 0;
    if (this.#link) {
      const link = this.#link;
      this.#link = null;
      this.#node = this.#waitForOwner(); // set this first: the calls below are retried with the next owner
      link.close(ownerGone(), notDelivered());
      /** @type {BroadcastChannel} */ (link.port).close();
    }
  }
}

/** The functions of the engine that clients may call. */
const operations = ["rpc", "call", "daemon", "sign", "connect", "disconnect", "export", "import"];
