/**
 * Receives request bodies, which stay in memory until they are answered. Sending one needs
 * no credential, so the total size is limited, separately for small bodies, which ordinary
 * calls have, and large ones.
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

export class Bodies {
  #small = 0;
  #large = 0;

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
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      reader.cancel().catch(() => {});
    }, time);
    try {
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        parts.push(part.value);
        setReceived(received + part.value.length);
        if (received > limit) {
          const length = received;
          release();
          return { length, bytes: null, release };
        }
        if (received > SMALL ? this.#large > max : this.#small > MAX_SMALL) {
          throw new NotReceived(503, "too many request bodies are being received");
        }
      }
      if (late) {
        throw new NotReceived(408, "request body not received in time");
      }
    } catch (error) {
      release();
      throw error;
    } finally {
      clearTimeout(timer);
      reader.cancel().catch(() => {});
    }
    return { length: received, bytes: received > 0 ? joined(parts, received) : null, release };
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
