/** Reads and writes the operators of WebAssembly code. */

/** The operators that code.js examines. */
export const op = { block: 0x02, loop: 0x03, if: 0x04, end: 0x0b, br: 0x0c, brIf: 0x0d, brTable: 0x0e, return: 0x0f, call: 0x10, get: 0x20, set: 0x21, tee: 0x22, i32: 0x41, i64: 0x42, or: 0x84 };

/** A position in bytes from which numbers are read. */
export class Input {
  at = 0;
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
  }

  unsigned() {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.bytes[this.at++];
      value += (byte & 127) * scale;
      if (byte < 128) {
        return value;
      }
    }
  }

  /** Reads a signed number. A number of 2^53 or more is returned as an inexact number of at least that size. */
  signed() {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.bytes[this.at++];
      value += (byte & 127) * scale;
      if (byte < 128) {
        return byte & 64 ? value - scale * 128 : value;
      }
    }
  }

  /** Reports whether the given bytes come next. @param {number[]} bytes */
  has(...bytes) {
    return bytes.every((byte, n) => this.bytes[this.at + n] === byte);
  }

  /** Skips the immediate operands of an operator. @param {number} code */
  operands(code) {
    if (code === op.block || code === op.loop || code === op.if || code === 0x3f || code === 0x40) {
      this.at++;
    } else if (code === op.i32 || code === op.i64) {
      this.signed();
    } else if (code === op.br || code === op.brIf || code === op.call || (code >= 0x20 && code <= 0x24)) {
      this.unsigned();
    } else if (code === 0x11 || (code >= 0x28 && code <= 0x3e)) {
      this.unsigned();
      this.unsigned();
    } else if (code === 0x43 || code === 0x44) {
      this.at += code === 0x43 ? 4 : 8;
    } else if (code === op.brTable) {
      for (let left = this.unsigned() + 1; left > 0; left--) {
        this.unsigned();
      }
    } else if (code === 0xfc) {
      const more = this.unsigned();
      if (more > 11 || more === 8 || more === 9) {
        throw new Error(`an operator 0xfc ${more} is not known`);
      }
      this.at += more === 10 ? 2 : more === 11 ? 1 : 0;
    } else if (!(code <= 1 || code === 0x05 || code === op.end || code === op.return || code === 0x1a || code === 0x1b || (code >= 0x45 && code <= 0xc4))) {
      throw new Error(`an operator 0x${code.toString(16)} is not known`);
    }
  }
}

/** A buffer to which code is written. */
export class Output {
  at = 0;
  /** @param {number} size */
  constructor(size) {
    this.bytes = Buffer.alloc(size);
  }

  /** @param {number[]} bytes */
  put(...bytes) {
    for (const byte of bytes) {
      this.bytes[this.at++] = byte;
    }
  }

  /** @param {Uint8Array} from @param {number} begin @param {number} end */
  copy(from, begin, end) {
    for (let at = begin; at < end; at++) {
      this.bytes[this.at++] = from[at];
    }
  }

  /** @param {number} value */
  unsigned(value) {
    for (; value > 127; value = Math.floor(value / 128)) {
      this.bytes[this.at++] = (value % 128) | 128;
    }
    this.bytes[this.at++] = value;
  }

  /** Writes a nonnegative number in signed encoding. @param {number} value */
  signed(value) {
    for (; value > 63; value = Math.floor(value / 128)) {
      this.bytes[this.at++] = (value % 128) | 128;
    }
    this.bytes[this.at++] = value;
  }
}
