/**
 * Receives request bodies, which stay in memory until they are answered. Sending one needs
 * no credential, so the total size is limited, separately for small bodies, which ordinary
 * calls have, and large ones, and of each size an address may have a share. Where nothing is left,
 * the body that has waited longest for its client makes room, of the same address if that one has
 * used its share: a client that is still sending, or waits because it showed a wrong password,
 * cannot block other clients. A client that has shown a password has no share and makes no room.
 */

const SMALL = 16 << 10; // bytes
const MIN = 4 << 10; // bytes that a request counts at least, however short its body is
const MAX_SMALL = 16 << 20;
const MAX_LARGE = 24 << 20;
const MAX_SINGLE = 44 << 20; // bytes of a body with a limit above MAX_LARGE
const SHARES = 4; // an address may have one of these, and at least one body

/** A body that is not received: its status and its text. */
export class NotReceived extends Error {
  /** @param {number} status @param {string} message */
  constructor(status, message) {
    super(message);
    this.status = status;
    this.data = status; // for the program
  }
}

const tooMany = () => new NotReceived(503, "too many request bodies are being received");

/** The bodies of one size. */
class Pool {
  held = 0;
  /** @type {Map<string, number>} what the bodies of an address hold that are not proven */
  #held = new Map();

  /** @param {Body} body @param {number} bytes */
  count(body, bytes) {
    this.held += bytes;
    if (!body.proven) {
      const held = this.of(body.address) + bytes;
      held > 0 ? this.#held.set(body.address, held) : this.#held.delete(body.address);
    }
  }

  /** @param {string} address */
  of(address) {
    return this.#held.get(address) ?? 0;
  }
}

export class Bodies {
  #small = new Pool();
  #large = new Pool();
  /** @type {Set<Body>} those that may make room, the oldest first */
  waiting = new Set();

  /**
   * The body of a request, which is to be received.
   * @param {ReadableStream<Uint8Array>} stream
   * @param {number} declared length, 0 if it is not known
   * @param {string} address
   */
  of(stream, declared, address) {
    return new Body(this, stream, declared, address);
  }

  /** @param {number} bytes of a body */
  poolOf(bytes) {
    return bytes > SMALL ? this.#large : this.#small;
  }

  /**
   * Waits until a body fits, which has been counted.
   * @param {Body} body
   * @param {number} limit of its length
   */
  fit(body, limit) {
    const pool = this.poolOf(body.bytes);
    const large = pool === this.#large;
    const max = !large ? MAX_SMALL : limit > MAX_LARGE ? MAX_SINGLE : MAX_LARGE;
    const share = Math.max(max / SHARES, large ? limit : 0);
    const isOver = () => !body.proven && pool.of(body.address) > share;
    while (isOver() || pool.held > max) {
      this.#makeRoom(body, pool, isOver());
    }
  }

  /** @param {Body} body for which it is @param {Pool} pool @param {boolean} same only others of its address */
  #makeRoom(body, pool, same) {
    for (const other of this.waiting) {
      if (other !== body && this.poolOf(other.bytes) === pool && !(same && other.address !== body.address)) {
        other.drop();
        return;
      }
    }
    throw tooMany();
  }
}

/** A request's body. The program calls receive, wait, work and prove. */
export class Body {
  bytes = 0; // received
  proven = false; // the client has shown a password
  /** @type {Promise<Uint8Array> | null} */
  #received = null;
  #counted = 0;
  #dropped = false;
  #cut = () => {};

  /**
   * @param {Bodies} bodies
   * @param {ReadableStream<Uint8Array>} stream
   * @param {number} declared
   * @param {string} address
   */
  constructor(bodies, stream, declared, address) {
    this.bodies = bodies;
    this.stream = stream;
    this.declared = declared;
    this.address = address;
  }

  /**
   * Receives it, once.
   * @param {number} limit
   * @param {number} time ms to send it
   * @returns {Promise<Uint8Array>} rejected with a NotReceived
   */
  receive(limit, time) {
    this.#received ??= this.#receive(limit, time);
    return this.#received;
  }

  /** @param {number} limit @param {number} time @returns {Promise<Uint8Array>} */
  async #receive(limit, time) {
    const tooLarge = () => new NotReceived(413, `request body too large: the limit is ${limit} bytes`);
    if (this.declared > limit) {
      this.stream.cancel().catch(() => {});
      throw tooLarge();
    }
    /** @type {Uint8Array[]} */
    const parts = [];
    const reader = this.stream.getReader();
    /** @type {NotReceived | null} */
    let refused = null;
    const end = (/** @type {NotReceived} */ why) => {
      refused ??= why;
      reader.cancel().catch(() => {});
    };
    const timer = setTimeout(() => end(new NotReceived(408, "request body not received in time")), time);
    this.wait(() => end(tooMany()));
    try {
      this.#grow(0, limit);
      for (let part = await reader.read(); !part.done && !refused; part = await reader.read()) {
        if (this.bytes + part.value.length > limit) {
          throw tooLarge();
        }
        parts.push(part.value);
        this.#grow(part.value.length, limit);
      }
    } catch (error) {
      refused ??= error instanceof NotReceived ? error : new NotReceived(400, "request body truncated");
    } finally {
      clearTimeout(timer);
      reader.cancel().catch(() => {});
    }
    this.work();
    if (refused) {
      this.release();
      throw refused;
    }
    return joined(parts, this.bytes);
  }

  /** @param {number} bytes @param {number} limit */
  #grow(bytes, limit) {
    this.#count(0);
    this.bytes += bytes;
    this.#count(Math.max(this.bytes, MIN));
    this.bodies.fit(this, limit);
  }

  /** @param {number} bytes of memory that it takes */
  #count(bytes) {
    this.bodies.poolOf(this.bytes).count(this, bytes - this.#counted);
    this.#counted = bytes;
  }

  /** It may make room from now on, for which cut is called. @param {() => void} cut */
  wait(cut) {
    this.#cut = cut;
    if (!this.proven) {
      this.bodies.waiting.add(this);
    }
  }

  /** It makes no room any more. @returns {boolean} whether it has not done so */
  work() {
    this.bodies.waiting.delete(this);
    return !this.#dropped;
  }

  drop() {
    this.#dropped = true;
    this.release();
    this.#cut();
  }

  /** The client has shown a password. */
  prove() {
    const counted = this.#counted;
    this.#count(0);
    this.proven = true;
    this.#count(counted);
    this.work();
  }

  /** Its memory is free again. It can be called again. */
  release() {
    this.work();
    this.#count(0);
    this.#received ?? this.stream.cancel().catch(() => {});
  }
}

/** @param {Uint8Array[]} parts @param {number} length */
function joined(parts, length) {
  if (parts.length === 1) {
    return parts[0];
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
