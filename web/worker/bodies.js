/**
 * Receives request bodies, which stay in memory until they are answered. Sending one needs
 * no credential, so the total size is limited, separately for small bodies, which ordinary
 * calls have, and large ones. Where nothing is left, the body that has been on its way longest makes
 * room, so that endless bodies cannot block other clients.
 */

const SMALL = 16 << 10; // bytes
const MAX_SMALL = 16 << 20;
const MAX_LARGE = 24 << 20;
const TIMEOUT = 30000; // ms to send one, unless the caller says otherwise
const MAX_SINGLE = 44 << 20; // bytes of a body whose own limit is above MAX_LARGE

/** @typedef {{length: number, bytes: Uint8Array | null, release: () => void}} Received a body; one over its limit has a length and no bytes */

/** A body that is not received: its status and its text. */
export class NotReceived extends Error {
  /** @param {number} status @param {string} message */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

const tooMany = () => new NotReceived(503, "too many request bodies are being received");

export class Bodies {
  #small = 0;
  #large = 0;
  /** @type {Set<{bytes: number, drop: () => void}>} bodies on their way that may make room, the oldest first */
  #coming = new Set();

  /**
   * @param {ReadableStream<Uint8Array>} body
   * @param {number} declared length, 0 if it is not known
   * @param {number} limit
   * @param {number} [time] ms to send it
   * @returns {Promise<Received>}
   */
  async receive(body, declared, limit, time = TIMEOUT) {
    if (declared > limit) {
      await body.cancel();
      return { length: declared, bytes: null, release() {} };
    }
    const max = limit > MAX_LARGE ? MAX_SINGLE : MAX_LARGE;
    /** @type {Uint8Array[]} */
    const parts = [];
    let received = 0;
    const setReceived = (/** @type {number} */ bytes) => {
      this.#count(received, -1);
      received = bytes;
      this.#count(received, 1);
    };
    const release = () => setReceived(0);
    const reader = body.getReader();
    /** @type {NotReceived | null} */
    let refused = null;
    const end = (/** @type {NotReceived} */ why) => {
      refused = why;
      reader.cancel().catch(() => {});
    };
    const self = {
      get bytes() {
        return received;
      },
      drop() {
        release();
        end(tooMany());
      },
    };
    if (max === MAX_LARGE) {
      this.#coming.add(self);
    }
    const timer = setTimeout(() => end(new NotReceived(408, "request body not received in time")), time);
    try {
      for (let part = await reader.read(); !part.done && !refused; part = await reader.read()) {
        parts.push(part.value);
        setReceived(received + part.value.length);
        if (received > limit) {
          const length = received;
          release();
          return { length, bytes: null, release };
        }
        const large = received > SMALL;
        while (large ? this.#large > max : this.#small > MAX_SMALL) {
          this.#makeRoom(self, large);
        }
      }
      if (refused) {
        throw refused;
      }
    } catch (error) {
      release();
      throw error;
    } finally {
      clearTimeout(timer);
      this.#coming.delete(self);
      reader.cancel().catch(() => {});
    }
    return { length: received, bytes: received > 0 ? joined(parts, received) : null, release };
  }

  /** @param {{bytes: number}} self for which it is @param {boolean} large */
  #makeRoom(self, large) {
    for (const other of this.#coming) {
      if (other !== self && other.bytes > 0 && other.bytes > SMALL === large) {
        other.drop();
        return;
      }
    }
    throw tooMany();
  }

  /** @param {number} bytes of a body @param {1 | -1} times */
  #count(bytes, times) {
    if (bytes > SMALL) {
      this.#large += times * bytes;
    } else {
      this.#small += times * bytes;
    }
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
