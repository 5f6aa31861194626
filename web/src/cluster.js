/**
 * Tabs of one browser that share a store. One has it open and runs the node: the owner,
 * who holds a Web Lock. The others are its clients, through the same calls, and wait for
 * the lock: when the owner closes, crashes or is killed, one of them becomes the owner.
 *
 * All members share one BroadcastChannel, and each client has a channel of its own to the
 * owner. Each client also holds a lock, whose release shows the owner that the client is
 * gone.
 *
 * The owner acknowledges each call before it executes it. When the owner is gone,
 * unacknowledged calls go to the next owner; acknowledged ones may have been executed, and
 * fail with the kind OwnerGone. Calls without an owner wait for one.
 */

import { Channel } from "./channel.js";
import { NodeError } from "./errors.js";

/**
 * @typedef {object} Node what answers calls: an engine of this thread, or the owner's
 * @property {(name: string, ...args: any[]) => Promise<any>} do
 *
 * @typedef {object} Events callbacks of a member
 * @property {(text: string) => void} event
 * @property {(role: Role) => void} role
 * @property {(message: string) => void} failed taking over failed
 * @property {(request: string) => Promise<string>} wallet asks the wallet of this member's page
 *
 * @typedef {"owner" | "client"} Role
 * @typedef {{locks: LockManager, Board: typeof BroadcastChannel, digest: (text: string) => Promise<string>}} Meeting
 *   where members meet; a browser has all of it on secure origins
 * @typedef {import("./engine.js").Reply} Reply
 */

const ownerGone = () => new NodeError("OwnerGone", "the tab that ran the node is gone and its answer is lost: the call may have been carried out");
const notDelivered = () => new NodeError("Unheard", "the tab that ran the node was gone before the call");
const noPage = () => new NodeError("WalletGone", "the tab that made the call is gone, and its wallet with it");
const stopped = () => new NodeError("NotRunning", "the node has stopped");

/** A random client id, exact in Go and JavaScript. */
export const newClient = () => {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return (high & 0xfffff) * 2 ** 32 + low + 1;
};

export class Member {
  client = newClient();
  /** @type {Role | ""} */
  role = "";
  /** The node that answers calls; a promise while there is no owner. @type {Promise<Node>} */
  #node;
  /** @type {(node: Node) => void} */
  #found = () => {};
  /** @type {(error: unknown) => void} */
  #lost = () => {};
  /** Streams that were enabled, by streamer id. @type {Map<string, {method: string, params: string}>} */
  #streams = new Map();
  /** Ends the lock. @type {() => void} */
  #release = () => {};
  #over = new AbortController();
  /** @type {Engine | null} */
  #engine = null;
  /** Clients of this owner. @type {Map<number, Channel>} */
  #clients = new Map();
  /** @type {Channel | null} */
  #link = null;
  /** Who owns the store, as far as a client knows. */
  #owner = 0;

  /**
   * @param {object} options
   * @param {string} options.name of the store
   * @param {string} options.config canonical, to compare the configs of two tabs
   * @param {Meeting | null} options.meeting null: this is the only member
   * @param {() => Promise<Engine>} options.start runs the node; its events go to deliver and interrupted
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

  /** Becomes the owner, or the client of one. */
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
   * Calls the node, here or at the owner's.
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
   * Calls a method of the node API, and remembers streams, so that they go on with
   * another owner.
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
   * The engine of this thread has an event.
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
   * The engine of this thread has ended a client's events, as it does when it restarts.
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
   * The engine of this thread asks the wallet in the page whose call it carries out.
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

  /** Leaves; another member takes over. */
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
   * Takes a lock until the member is closed. Gives whether it got it.
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

  /** Waits for the lock, and becomes the owner. */
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
      this.#release(); // another tab may fare better
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
      // The owner is gone already: there will be another one.
    }
  }

  /** Asks who the owner is. */
  async #seek() {
    const nonce = crypto.randomUUID();
    const proof = await this.#proof(nonce);
    if (!this.#over.signal.aborted) {
      this.board?.postMessage({ hello: this.client, nonce, proof });
    }
  }

  /**
   * Shows that two tabs have the same config, without telling it.
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
   * Takes a client in.
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
      // The lock is granted when the client is gone.
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
   * Becomes the client of an owner.
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
      this.#node = this.#waitForOwner(); // set first: the calls below retry with the next owner
      link.close(ownerGone(), notDelivered());
      /** @type {BroadcastChannel} */ (link.port).close();
    }
  }
}

/** What a client may ask of the engine. */
const operations = ["rpc", "call", "daemon", "sign", "connect", "disconnect", "export", "import"];
