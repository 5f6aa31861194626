/** Reads and writes the sections of a WebAssembly module and the numbers in them. */

const head = 8;

/** Returns a reader of a module's numbers. @param {Uint8Array} bytes @param {number} at */
export const reader = (bytes, at) => ({
  get at() {
    return at;
  },
  byte: () => bytes[at++],
  /** @param {number} size */
  take: (size) => bytes.subarray(at, (at += size)),
  unsigned() {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) {
        return value;
      }
    }
  },
});

/** @param {number} value */
export function unsigned(value) {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) {
    bytes.push((value % 128) | 128);
  }
  return Buffer.from([...bytes, value]);
}

/** Encodes a nonnegative number in signed encoding, in which the sign bit must be clear. @param {number} value */
export function signed(value) {
  const bytes = unsigned(value);
  const last = bytes[bytes.length - 1];
  return last < 64 ? bytes : Buffer.concat([bytes.subarray(0, -1), Buffer.from([last | 128, 0])]);
}

/** @param {number[]} bytes */
export const bytes = (...bytes) => Buffer.from(bytes);
/** @param {string} text */
export const text = (text) => Buffer.concat([unsigned(Buffer.byteLength(text)), Buffer.from(text)]);
/** @param {Uint8Array[]} items */
export const list = (items) => Buffer.concat([unsigned(items.length), ...items]);
/** @param {Uint8Array} content */
export const sized = (content) => Buffer.concat([unsigned(content.length), content]);
/** @param {number} number @param {Uint8Array} content */
export const section = (number, content) => Buffer.concat([bytes(number), sized(content)]);

/** Returns the content of a section that is a list, with additional items. @param {Uint8Array} content @param {Uint8Array[]} more */
export function longer(content, more) {
  let at = 0;
  let count = 0;
  for (let scale = 1; ; scale *= 128) {
    const byte = content[at++];
    count += (byte & 127) * scale;
    if (byte < 128) {
      return Buffer.concat([unsigned(count + more.length), content.subarray(at), ...more]);
    }
  }
}

/** @param {Uint8Array} module @returns {Generator<[id: number, content: Uint8Array]>} */
export function* sectionsOf(module) {
  for (const from = reader(module, head); from.at < module.length; ) {
    yield [from.byte(), from.take(from.unsigned())];
  }
}

/** Returns the content of a section. @param {Uint8Array} module @param {number} number */
export function sectionOf(module, number) {
  for (const [id, content] of sectionsOf(module)) {
    if (id === number) {
      return content;
    }
  }
  throw new Error(`the module has no section ${number}`);
}

/**
 * Returns the module with a section replaced.
 * @param {Uint8Array} module
 * @param {number} number the section's id
 * @param {(content: Uint8Array) => Uint8Array} change
 */
export function withSection(module, number, change) {
  const out = [module.subarray(0, head)];
  for (const [id, content] of sectionsOf(module)) {
    const changed = id === number ? change(content) : content;
    out.push(Buffer.from([id]), unsigned(changed.length), changed);
  }
  return Buffer.concat(out);
}
