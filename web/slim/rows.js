/**
 * Tables of Go's runtime that map each position in a function to a value: runtime/symtab.go,
 * pcvalue and step.
 */

/** Ends for the last row that are beyond the end of any function but have short encodings. */
const ends = [127, 16383, 2097151];

/** A row of a table: the change of the value, and the number of positions with that value. @typedef {[change: number, places: number]} Row */

/** Returns the table at an offset. @param {Buffer} memory @param {number} at @returns {Row[]} */
export function rowsAt(memory, at) {
  const number = () => {
    let [value, shift, byte] = [0, 0, 0];
    do {
      byte = memory[at++];
      value |= (byte & 127) << shift;
      shift += 7;
    } while (byte > 127);
    return value >>> 0;
  };
  /** @type {Row[]} */
  const rows = [];
  for (let change = number(); change !== 0 || rows.length === 0; change = number()) {
    rows.push([(change >>> 1) ^ -(change & 1), number()]);
  }
  return rows;
}

/** Returns the distinct values in a table. @param {Row[]} rows */
export function valuesOf(rows) {
  let value = -1;
  return new Set(rows.map(([change]) => (value += change)));
}

/** Encodes a table. The last row extends beyond the end of the function. @param {Row[]} rows */
export function encoded(rows) {
  /** @type {number[]} */
  const bytes = [];
  const number = (/** @type {number} */ value) => {
    for (; value > 127; value = Math.floor(value / 128)) {
      bytes.push((value % 128) | 128);
    }
    bytes.push(value);
  };
  rows.forEach(([change, places], i) => {
    number(((change << 1) ^ (change >> 31)) >>> 0);
    number(i < rows.length - 1 ? places : (ends.find((end) => end >= places) ?? places));
  });
  return Buffer.from([...bytes, 0]);
}
