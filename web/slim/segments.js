/**
 * Joins the data segments of a Go program.
 *
 * Go's linker omits every run of more than eight zeros from the memory's image and begins a new
 * segment after it, up to 100,000 segments, the maximum in browsers. The headers of so many
 * segments, each with an address, compress far worse than the zeros would. This module joins
 * segments with few zeros between them.
 */

import { reader, sectionsOf, signed, unsigned, withSection } from "./sections.js";

/** The maximum number of zeros inside a segment. Longer runs are omitted. */
const gap = 64;
const dataSection = 11;

/**
 * @param {Uint8Array} section the content of a data section that has only active segments of memory 0
 * @returns {Array<[from: number, data: Uint8Array]>} the segments in the order of their addresses
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

/** Returns the data segments of a module in the order of their addresses. @param {Uint8Array} module */
export const segmentsIn = (module) => [...sectionsOf(module)].flatMap(([id, content]) => (id === dataSection ? segmentsOf(content) : []));

/**
 * Returns the initial memory of a module, from address 0 to the last byte that is set.
 * @param {Uint8Array} module
 */
export function memoryOf(module) {
  const parts = [];
  let end = 0;
  for (const [from, data] of segmentsIn(module)) {
    if (from < end) {
      throw new Error(`two segments have the address ${from}`);
    }
    parts.push(Buffer.alloc(from - end), data);
    end = from + data.length;
  }
  return Buffer.concat(parts);
}

/**
 * Returns the module with another initial memory, in segments that are long enough to be worth
 * their headers.
 * @param {Uint8Array} module
 * @param {Buffer} memory
 */
export function withMemory(module, memory) {
  /** @type {Buffer[]} */
  const written = [];
  let count = 0;
  for (const [from, end] of runs(memory)) {
    written.push(Buffer.from([0, 0x41]), signed(from), Buffer.from([0x0b]), unsigned(end - from), memory.subarray(from, end));
    count++;
  }
  return withSection(module, dataSection, () => Buffer.concat([unsigned(count), ...written]));
}

/** Yields the ranges between long runs of zeros. @param {Buffer} memory @returns {Generator<[from: number, end: number]>} */
function* runs(memory) {
  let [from, end] = [-1, -1]; // the range that is being read
  for (let at = 0; at < memory.length; at++) {
    if (memory[at] === 0) {
      continue;
    }
    if (from >= 0 && at - end > gap) {
      yield [from, end];
      from = at;
    }
    from = from < 0 ? at : from;
    end = at + 1;
  }
  if (from >= 0) {
    yield [from, end];
  }
}

/**
 * Returns the module with fewer, longer data segments and the same initial memory.
 * @param {Uint8Array} module
 */
export const joinSegments = (module) => withMemory(module, memoryOf(module));

/** Returns the version of Go that made the module, from its section "producers". @param {Uint8Array} module */
export function producerOf(module) {
  for (const [id, content] of sectionsOf(module)) {
    const text = id === 0 ? Buffer.from(content).toString("latin1") : "";
    if (text.startsWith("\x09producers")) {
      return /go\d[\w.]*/.exec(text)?.[0] ?? "an unnamed version of Go";
    }
  }
  return "an unnamed version of Go";
}
