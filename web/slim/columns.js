/**
 * Stores the table of functions of a slim program in columns. A start function of the module restores the table.
 *
 * A row of the table is a _func of the runtime: four-byte numbers, most of which are offsets in other tables. In most
 * rows they refer to the entry after that of the previous row, or to one that many rows share. Stored in columns, and
 * encoded relative to previous values, the table takes a third of its size in the download. A column has a number
 * (LEB128) for each row:
 *
 * - a plain number is stored unchanged
 * - an offset in the names or in the tables of rows: 0 for none, 1 for the end of the last new entry, otherwise the
 *   offset plus 2
 * - an offset of funcdata: 0 for none, 2n for n bytes after the highest offset so far, otherwise 2n+1 for the offset n
 *
 * The start function runs when the module is instantiated, before the program. The columns are stored in the place of
 * the lookup table. The start function writes that table last, since it follows from the number of functions.
 */

import { absent, aligned, bucketSize, few, funcSize, layoutOf } from "./functab.js";
import { op } from "./operators.js";
import { programOf } from "./program.js";
import { bytes, list, longer, reader, section, sectionOf, sectionsOf, signed, sized, text, unsigned } from "./sections.js";
import { memoryOf, withMemory } from "./segments.js";

const id = { type: 1, function: 3, memory: 5, export: 7, start: 8, code: 10, data: 11 };
const buckets = 16; // buckets of a function in the lookup table

/** The columns. gap is the distance from the end of the previous row to the row, and shape is the number of values in the row. */
const column = { gap: 0, shape: 1, name: 2, args: 3, deferReturn: 4, sp: 5, file: 6, line: 7, unit: 8, kind: 9, pcdata: 10, funcdata: 13 };
const columns = 21;
const [maxPCData, maxFuncData] = [column.funcdata - column.pcdata, columns - column.funcdata];

/** The state of the start function, in front of the columns: its positions in each column and in other tables. */
const state = { name: columns, rows: columns + 1, data: columns + 2, size: columns + 3 };

/**
 * Returns the position after a name or a table of rows, which end with a zero that is not their first byte.
 * @param {Buffer} memory @param {number} at
 */
const behind = (memory, at) => memory.indexOf(0, at + 1) + 1;

/** @typedef {ReturnType<typeof layoutOf>} Layout */

/** Reads the table of functions into columns and clears it. */
class Reader {
  /** @type {Buffer[][]} */
  columns = Array.from({ length: columns }, () => []);
  #next = { name: 1, rows: 1, data: 0 };

  /** @param {Buffer} memory @param {Layout} layout */
  constructor(memory, layout) {
    this.memory = memory;
    this.layout = layout;
    let end = layout.funcs + aligned(8 * layout.count + 4);
    for (let at = layout.funcs; at < layout.funcs + 8 * layout.count; at += 8) {
      const row = layout.funcs + memory.readUInt32LE(at + 4);
      const gap = (row - end) / 8;
      this.#put(column.gap, gap < 0 ? -2 * gap - 1 : 2 * gap);
      end = this.#row(row);
      memory.fill(0, at, at + 8).fill(0, row, end);
    }
  }

  /** @param {number} column @param {number} value */
  #put(column, value) {
    this.columns[column].push(unsigned(value));
  }

  /** @param {number} column @param {"name" | "rows"} kind @param {number} base @param {number} at */
  #place(column, kind, base, at) {
    const isNext = at === this.#next[kind];
    this.#put(column, at === 0 ? 0 : isNext ? 1 : at + 2);
    this.#next[kind] = isNext ? behind(this.memory, base + at) - base : this.#next[kind];
  }

  /** @param {number} column @param {number} at */
  #data(column, at) {
    const more = at === absent ? 0 : at - this.#next.data;
    this.#put(column, at === absent ? 0 : more > 0 ? 2 * more : 2 * at + 1);
    this.#next.data += Math.max(0, more);
  }

  /** Reads a row and returns the position after it. @param {number} at */
  #row(at) {
    const { names, tables } = this.layout;
    const number = (/** @type {number} */ n) => this.memory.readUInt32LE(at + 4 * n);
    if (number(0) === 0) {
      this.#put(column.shape, 0); // its part has the row
      return at;
    }
    const [pcdata, funcdata] = [number(7), this.memory[at + 43]];
    if (pcdata > maxPCData || funcdata > maxFuncData) {
      throw new Error(`a function has ${pcdata} and ${funcdata} tables`);
    }
    this.#put(column.shape, 1 + pcdata + 4 * funcdata);
    this.#place(column.name, "name", names, number(1));
    [column.args, column.deferReturn].forEach((column, n) => this.#put(column, number(2 + n)));
    [column.sp, column.file, column.line].forEach((column, n) => this.#place(column, "rows", tables, number(4 + n)));
    this.#put(column.unit, number(8));
    this.#put(column.kind, number(10) % 0x1000000);
    const first = funcSize / 4;
    Array.from({ length: pcdata }, (_, n) => this.#place(column.pcdata + n, "rows", tables, number(first + n)));
    Array.from({ length: funcdata }, (_, n) => this.#data(column.funcdata + n, number(first + pcdata + n)));
    return aligned(at + 4 * (first + pcdata + funcdata));
  }
}

/** @typedef {number | Uint8Array | Code[]} Code */
/** Returns a function body with locals of type i32. @param {number} locals @param {Code[]} code */
const body = (locals, code) => Buffer.from([...(locals > 0 ? [1, locals, 0x7f] : [0]), ...code.flat(Infinity).flatMap((one) => (typeof one === "number" ? [one] : [.../** @type {Uint8Array} */ (one)])), op.end]);
/** @param {number} value */
const constant = (value) => [op.i32, signed(value)];
const [add, and, or, shiftLeft, shiftRight] = [0x6a, 0x71, 0x72, 0x74, 0x76];
const [i32, nothing] = [0x7f, 0x40];
const [load, loadByte, store] = [
  [0x28, 2, 0],
  [0x2d, 0, 0],
  [0x36, 2, 0],
];
/** @param {number} n */
const get = (n) => [op.get, n];
/** @param {number} n */
const set = (n) => [op.set, n];
/** @param {number} n @param {Code[]} by */
const increase = (n, by) => [get(n), by, add, set(n)];
/** Returns code that is repeated as often as a local says. @param {number} left @param {Code[]} code */
const repeat = (left, code) => [op.block, nothing, op.loop, nothing, get(left), 0x45, op.brIf, 1, code, increase(left, [op.i32, 0x7f]), op.br, 0, op.end, op.end];

/**
 * Returns the functions that write the table. The last one is the start function.
 * @param {Layout} layout @param {number} first the index of the first of them @param {number} entry the index of the program's first
 *   function
 * @returns {Buffer[]}
 */
function writers({ names, tables, funcs, lookup, end, count }, first, entry) {
  const slot = (/** @type {number} */ n) => lookup + 4 * n;
  const call = (/** @type {number} */ n) => [op.call, unsigned(first + n)];
  // (column): returns the next number of a column
  const [at, value, shift, byte] = [1, 2, 3, 4];
  const next = body(4, [
    ...[get(0), load, set(at), op.loop, nothing, get(at), loadByte, set(byte), increase(at, constant(1))],
    ...[get(value), get(byte), constant(127), and, get(shift), shiftLeft, or, set(value), increase(shift, constant(7))],
    ...[get(byte), constant(128), and, op.brIf, 0, op.end, get(0), get(at), store, get(value)],
  ]);
  // (column, base, state): returns an offset in the table at base
  const [place, to] = [3, 4];
  const placeOf = body(2, [
    ...[get(0), call(0), set(place), get(place), 0x45, op.if, nothing, constant(0), op.return, op.end],
    ...[get(place), constant(1), 0x47, op.if, nothing, get(place), constant(2), 0x6b, op.return, op.end], // i32.ne, i32.sub
    ...[get(2), load, set(place), get(place), set(to)],
    ...[op.loop, nothing, increase(to, constant(1)), get(1), get(to), add, loadByte, op.brIf, 0, op.end],
    ...[get(2), get(to), constant(1), add, store, get(place)],
  ]);
  // (column): returns an offset of funcdata
  const dataOf = body(1, [
    ...[get(0), call(0), set(1), get(1), 0x45, op.if, nothing, op.i32, 0x7f, op.return, op.end],
    ...[get(1), constant(1), and, op.if, nothing, get(1), constant(1), shiftRight, op.return, op.end],
    ...[constant(slot(state.data)), constant(slot(state.data)), load, get(1), constant(1), shiftRight, add, set(1), get(1), store, get(1)],
  ]);
  const [left, number, pair, row, size, n, from, bucket] = [0, 1, 2, 3, 4, 5, 6, 7];
  const read = (/** @type {number} */ column) => [constant(slot(column)), call(0)];
  const put = (/** @type {number} */ offset, /** @type {Code[]} */ code) => [get(row), code, 0x36, 2, offset];
  const placed = (/** @type {Code[]} */ column, /** @type {"name" | "rows"} */ kind) => [column, constant(kind === "name" ? names : tables), constant(slot(state[kind])), call(1)];
  const many = (/** @type {number} */ column, /** @type {Code[]} */ value) => [constant(slot(column)), set(from), repeat(n, [put(0, value), increase(row, constant(4)), increase(from, constant(4))])];
  const start = body(8, [
    ...[constant(count), set(left), constant(entry), set(number), constant(funcs), set(pair), constant(funcs + aligned(8 * count + 4)), set(row)],
    repeat(left, [
      // The gap may be negative: (n >> 1) ^ -(n & 1), in units of eight bytes.
      ...[read(column.gap), set(n), increase(row, [get(n), constant(1), shiftRight, constant(0), get(n), constant(1), and, 0x6b, 0x73, constant(3), shiftLeft])],
      ...[get(pair), get(number), store, get(pair), get(row), constant(funcs), 0x6b, 0x36, 2, 4, increase(pair, constant(8))],
      ...[read(column.shape), set(size), get(size), op.if, nothing, increase(size, [op.i32, 0x7f])],
      ...[put(0, get(number)), put(4, placed(constant(slot(column.name)), "name")), put(8, read(column.args)), put(12, read(column.deferReturn))],
      ...[column.sp, column.file, column.line].map((column, n) => put(16 + 4 * n, placed(constant(slot(column)), "rows"))),
      ...[put(28, [get(size), constant(3), and]), put(32, read(column.unit))],
      ...[put(40, [read(column.kind), get(size), constant(2), shiftRight, constant(24), shiftLeft, or]), increase(row, constant(funcSize))],
      ...[get(size), constant(3), and, set(n), many(column.pcdata, placed(get(from), "rows"))],
      ...[get(size), constant(2), shiftRight, set(n), many(column.funcdata, [get(from), call(2)])],
      ...[get(row), constant(7), add, op.i32, 0x78, and, set(row), op.end, increase(number, constant(1))], // -8
    ]),
    ...[constant(lookup), constant(0), constant(end - lookup), 0xfc, 0x0b, 0], // memory.fill
    ...[constant(Math.ceil((end - lookup) / bucketSize)), set(left), constant(lookup), set(row)],
    repeat(left, [
      ...[put(0, [get(bucket), constant(Math.log2(buckets)), shiftRight, op.i32, signedBelow(-few), and])],
      ...[increase(row, constant(bucketSize)), increase(bucket, constant(1))],
    ]),
  ]);
  return [next, placeOf, dataOf, start];
}

/** Encodes a negative number above -64 as a constant. @param {number} value */
const signedBelow = (value) => value & 127;

const types = [
  bytes(0x60, 1, i32, 1, i32),
  bytes(0x60, 3, i32, i32, i32, 1, i32),
  bytes(0x60, 0, 0),
];

/** Returns the number of items in a section. @param {Uint8Array} module @param {number} number */
const countIn = (module, number) => reader(sectionOf(module, number), 0).unsigned();

/**
 * Adds the functions that write the table.
 * @param {Uint8Array} module @param {(first: number) => Buffer[]} make returns the functions, given the index of the first
 */
function withStart(module, make) {
  const { imports, bodies } = programOf(module);
  const first = imports + bodies.length;
  const type = countIn(module, id.type);
  const added = make(first);
  const out = [module.subarray(0, 8)];
  let started = false;
  for (const [number, content] of sectionsOf(module)) {
    if (number > id.start && !started) {
      out.push(section(id.start, unsigned(first + added.length - 1)));
      started = true;
    }
    const more = number === id.type ? types : number === id.function ? [0, 1, 0, 2].map((n) => unsigned(type + n)) : number === id.code ? added.map(sized) : [];
    out.push(section(number, longer(content, more)));
  }
  return Buffer.concat(out);
}

/**
 * Returns the memory of a module after its start function has run. The module has the given
 * functions and nothing else.
 * @param {Uint8Array} module @param {Buffer[]} functions
 */
async function started(module, functions) {
  const memory = { export: list([Buffer.concat([text("mem"), bytes(2, 0)])]), start: unsigned(functions.length - 1) };
  const both = [...sectionsOf(module)].filter(([number]) => number === id.memory || number === id.data);
  const [[, size], [, data]] = both;
  const sections = [
    section(id.type, list(types)),
    section(id.function, list([0, 1, 0, 2].map(unsigned))),
    section(id.memory, size),
    section(id.export, memory.export),
    section(id.start, memory.start),
    section(id.code, list(functions.map(sized))),
    section(id.data, data),
  ];
  const { instance } = await WebAssembly.instantiate(Buffer.concat([module.subarray(0, 8), ...sections]));
  return Buffer.from(/** @type {WebAssembly.Memory} */ (instance.exports.mem).buffer);
}

/**
 * Returns the module with its table of functions in columns.
 * @param {Uint8Array} module with slim tables
 */
export async function tableInColumns(module) {
  const whole = memoryOf(module);
  const layout = layoutOf(whole);
  const entry = whole.readUInt32LE(layout.funcs);
  const memory = Buffer.from(whole);
  const read = new Reader(memory, layout).columns.map((column) => Buffer.concat(column));
  let end = layout.lookup + 4 * state.size;
  const starts = read.map((column) => (end += column.length) - column.length);
  if (end > layout.end) {
    throw new Error("there is no room for the columns of the table of functions");
  }
  memory.fill(0, layout.lookup, layout.end);
  [...starts, 1, 1, 0].forEach((at, n) => memory.writeUInt32LE(at, layout.lookup + 4 * n));
  read.forEach((column, n) => column.copy(memory, starts[n]));
  const small = withMemory(module, memory);
  const after = await started(small, writers(layout, 0, entry));
  if (!after.subarray(0, whole.length).equals(whole)) {
    throw new Error("the table of functions cannot be written from its columns");
  }
  return withStart(small, (first) => writers(layout, first, entry));
}
