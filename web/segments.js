/**
 * Joins the data segments of a Go program: `node segments.js FILE`, in place.
 *
 * Go's linker leaves every run of more than eight zeros out of the memory's image and
 * begins a new segment behind it, until there are 100,000, which is as many as browsers
 * take. The heads of so many segments, each with an address of its own, compress far
 * worse than the zeros would. So segments with few zeros between them become one.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Zeros that may be between segments that are joined; a longer run is left out. */
const gap = 64;
const dataSection = 11;

/** Reads a module's numbers. @param {Uint8Array} bytes @param {number} at */
const reader = (bytes, at) => ({
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
function unsigned(value) {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) {
    bytes.push((value % 128) | 128);
  }
  return Buffer.from([...bytes, value]);
}

/** A number that is not negative, as a signed one: the bit that would be its sign is kept free. @param {number} value */
function signed(value) {
  const bytes = unsigned(value);
  const last = bytes[bytes.length - 1];
  return last < 64 ? bytes : Buffer.concat([bytes.subarray(0, -1), Buffer.from([last | 128, 0])]);
}

/**
 * @param {Uint8Array} section the content of a data section with active segments of memory 0 alone
 * @returns {Array<[from: number, data: Uint8Array]>} in the order of their addresses
 */
function segmentsOf(section) {
  const from = reader(section, 0);
  /** @type {Array<[number, Uint8Array]>} */
  const segments = [];
  for (let left = from.unsigned(); left > 0; left--) {
    const [kind, constant, address, end] = [from.unsigned(), from.byte(), from.unsigned(), from.byte()];
    if (kind !== 0 || constant !== 0x41 || address >= 2 ** 31 || end !== 0x0b) {
      throw new Error(`segment ${segments.length} is not at a plain address`);
    }
    segments.push([address, from.take(from.unsigned())]);
  }
  return segments.sort(([a], [b]) => a - b);
}

/** @param {Uint8Array} section the content of a data section */
function joinSection(section) {
  /** @type {Array<{from: number, parts: Uint8Array[], end: number}>} */
  const joined = [];
  for (const [from, data] of segmentsOf(section)) {
    const last = joined[joined.length - 1];
    if (last && from < last.end) {
      throw new Error(`two segments have the address ${from}`);
    }
    if (last && from - last.end <= gap) {
      last.parts.push(Buffer.alloc(from - last.end), data);
      last.end = from + data.length;
    } else {
      joined.push({ from, parts: [data], end: from + data.length });
    }
  }
  const written = joined.map(({ from, parts, end }) => [Buffer.from([0, 0x41]), signed(from), Buffer.from([0x0b]), unsigned(end - from), ...parts]);
  return Buffer.concat([unsigned(joined.length), ...written.flat()]);
}

/**
 * The module with fewer, longer data segments, which make the same memory.
 * @param {Uint8Array} module
 */
export function joinSegments(module) {
  const from = reader(module, 8);
  const out = [module.subarray(0, 8)];
  while (from.at < module.length) {
    const id = from.byte();
    const content = from.take(from.unsigned());
    const kept = id === dataSection ? joinSection(content) : content;
    out.push(Buffer.from([id]), unsigned(kept.length), kept);
  }
  return Buffer.concat(out);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = process.argv[2];
  writeFileSync(file, joinSegments(readFileSync(file)));
}
