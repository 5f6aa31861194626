/**
 * Tables of Go's runtime that give a value for each place of a function: runtime/symtab.go,
 * pcvalue and step.
 */

/** The declared end of a last row: more than any function has, in few bytes. */
const ends = [127, 16383, 2097151];

/** A row of a table: the change of its value, and for how many places it holds. @typedef {[change: number, places: number]} Row */

/** The table at a place. @param {Buffer} memory @param {number} at @returns {Row[]} */
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

/** The values in a table, each once. @param {Row[]} rows */
export function valuesOf(rows) {
  let value = -1;
  return new Set(rows.map(([change]) => (value += change)));
}

/** The bytes of a table whose last row reaches to any end. @param {Row[]} rows */
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
