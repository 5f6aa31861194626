/**
 * Reduces the tables of functions of a Go program.
 *
 * Go's runtime uses the tables to find out what is on a stack, and to print stack traces. The data for the former is
 * kept. The following data for the latter is removed:
 *
 * - files, lines and names of functions outside the program's ownCode: a stack trace has "pkg.?" and "?:0" there. Errors
 *   name positions in ownCode functions, which stay exact.
 * - the functions that were inlined in functions outside ownCode
 * - the type arguments in a generic function's name, which Go prints as [...] anyway
 * - the values of arguments in a stack trace, and the first line of a function
 * - the positions where a goroutine may be preempted, since this target does not preempt
 * - the end of the last row of a function's table, which always extends to the end of the function
 * - the exact function of an address in the lookup table: the runtime examines up to three more functions
 *
 * The remaining data is written in the place of each table and padded with zeros. The data that only the functions of a
 * part need (split.js) is consecutive and moved to the part.
 *
 * Supports the layout of Go 1.20 to 1.26: runtime/symtab.go (pcHeader, moduledata),
 * runtime/runtime2.go (_func), runtime/symtabinl.go, cmd/link/internal/ld/pcln.go. Fails for programs with another layout.
 */

import { Pool } from "./pool.js";
import { encoded, rowsAt, valuesOf } from "./rows.js";
import { memoryOf, producerOf, withMemory } from "./segments.js";

const ownCode = /^(obverse\/|main\.)/;
export const funcSize = 44; // size of a _func, without the offsets of tables after it
const inlinedSize = 16; // size of an inlinedCall
export const bucketSize = 20; // size of a findfuncbucket, which begins with a function's index; the last one may be truncated
export const few = 4;
export const absent = 0xffffffff; // the value for missing funcdata
const anySize = 0x80000000; // abi.ArgsSizeUnknown
const stackMapIndex = 1; // the pcdata that is always needed
const inlinedIndex = 2; // the pcdata that refers to the entries of the inline tree
const inlinedTree = 3; // the funcdata with the inline tree
const emptyFrame = -1; // the value for the table of a stack pointer that does not change
const forTraces = 5; // the first funcdata that only stack traces use

/** @typedef {ReturnType<typeof layoutOf>} Layout */
/** @typedef {ReturnType<typeof funcAt>} Func */

/** @param {unknown} holds @param {string} what */
function must(holds, what) {
  if (!holds) {
    throw new Error(`the tables of functions are not as this script knows them: ${what}`);
  }
}

/** Returns the offset rounded up to a multiple of eight, at which functions begin. @param {number} at */
export const aligned = (at) => Math.ceil(at / 8) * 8;

/** @param {Buffer} memory @param {number} at */
const textAt = (memory, at) => memory.toString("utf8", at, memory.indexOf(0, at));

/**
 * Returns the positions of the tables.
 * @param {Buffer} memory
 */
export function layoutOf(memory) {
  const word = (/** @type {number} */ at) => Number(memory.readBigUInt64LE(at));
  const magic = Buffer.from([0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8]);
  const header = memory.indexOf(magic);
  must(header >= 0 && memory.indexOf(magic, header + 1) < 0, "there is not one header");
  const [names, units, files, tables, funcs] = [32, 40, 48, 56, 64].map((at) => header + word(header + at));
  const count = word(header + 8);
  // runtime.moduledata begins with the header's address and the slices of the tables.
  const begin = Buffer.alloc(16);
  begin.writeBigUInt64LE(BigInt(header));
  begin.writeBigUInt64LE(BigInt(names), 8);
  const data = memory.indexOf(begin);
  must(data >= 0, "there is no moduledata");
  const field = (/** @type {number} */ n) => word(data + 8 * n);
  const [lookup, dataOfFuncs, end] = [field(19), field(40), field(41)];
  must([4, 7, 10, 13, 16].every((n, i) => field(n) === [units, files, tables, funcs, funcs][i]), "moduledata has other tables than the header");
  must(0 < field(37) && field(37) < field(38) && field(38) <= header, "moduledata has types elsewhere");
  must(field(17) === count + 1, "moduledata has another number of functions");
  const order = [header, names, units, files, tables, funcs, funcs + 8 * count, dataOfFuncs, lookup, end, memory.length];
  must(order.every((at, i) => i === 0 || order[i - 1] < at), "they are in another order");
  return { header, types: field(37), typesEnd: field(38), count, names, units, files, tables, funcs, dataOfFuncs, lookup, end };
}

/**
 * Returns a function.
 * @param {Buffer} memory @param {Layout} layout @param {number} index
 */
function funcAt(memory, { names, units, funcs, dataOfFuncs }, index) {
  const at = funcs + memory.readUInt32LE(funcs + 8 * index + 4);
  must(at + funcSize <= dataOfFuncs, `function ${index} is outside`);
  const numbers = (/** @type {number} */ from, /** @type {number} */ count) => Array.from({ length: count }, (_, n) => memory.readUInt32LE(from + 4 * n));
  const [entry, name, args, deferReturn, sp, file, line, tables, unit] = numbers(at, 9);
  const size = funcSize + 4 * (tables + memory[at + 43]);
  must(entry === memory.readUInt32LE(funcs + 8 * index) && names + name < units && memory[at + 42] === 0 && tables < 8 && at + size <= dataOfFuncs, `function ${index} is of another kind`);
  return {
    ...{ at, size, entry, args, deferReturn, sp, file, line, unit },
    name: textAt(memory, names + name),
    id: memory[at + 40], // not zero if the runtime refers to the function or a compiler generated it
    flag: memory[at + 41],
    pcdata: numbers(at + funcSize, tables),
    funcdata: numbers(at + funcSize + 4 * tables, memory[at + 43]),
  };
}

/** Returns the names of all functions. @param {Buffer} memory @param {Layout} layout */
export const namesIn = (memory, layout) => Array.from({ length: layout.count }, (_, i) => funcAt(memory, layout, i).name);

/** Returns the shortened name. @param {string} name @param {boolean} whole whether the exact name is needed */
function shortened(name, whole) {
  if (whole || ownCode.test(name)) {
    return name.replace(/\[.*\]/s, "[...]");
  }
  const slash = name.replace(/\[.*/s, "").lastIndexOf("/");
  const point = name.indexOf(".", slash + 1);
  return point < 0 ? name : `${name.slice(0, point)}.?`;
}

/** Returns the name that is written to the table. @param {Func} func */
const nameOf = (func) => shortened(func.name, func.id !== 0 || func.args === anySize);

/** Returns the number of calls in a function's inline tree. @param {Buffer} memory @param {Layout} layout @param {Func} func */
function inlinedIn(memory, { tables }, { pcdata, funcdata }) {
  const none = (funcdata[inlinedTree] ?? absent) === absent;
  return none ? 0 : Math.max(...valuesOf(rowsAt(memory, tables + pcdata[inlinedIndex]))) + 1;
}

/**
 * Reports whether the runtime uses a function's inline tree, as recover() does for wrappers.
 * @param {Buffer} memory @param {Layout} layout @param {Func} func
 */
function needsTree(memory, layout, func) {
  const calls = Array.from({ length: inlinedIn(memory, layout, func) }, (_, n) => layout.dataOfFuncs + func.funcdata[inlinedTree] + inlinedSize * n);
  return ownCode.test(func.name) || func.id !== 0 || calls.some((at) => memory[at] !== 0);
}

/**
 * Returns the slim form of a function. Its table offsets are still the original ones.
 * @param {Buffer} memory @param {Layout} layout @param {Func} func @returns {Func}
 */
function slimmed(memory, layout, func) {
  const places = ownCode.test(func.name) ? {} : { file: 0, line: 0, unit: 0 };
  const pcdata = [0, func.pcdata[stackMapIndex] ?? 0];
  const funcdata = func.funcdata.slice(0, forTraces);
  if (needsTree(memory, layout, func)) {
    pcdata.push(func.pcdata[inlinedIndex] ?? 0);
  } else if (funcdata.length > inlinedTree) {
    funcdata[inlinedTree] = absent;
  }
  return {
    ...func,
    ...places,
    pcdata: pcdata.slice(0, pcdata.findLastIndex((at) => at !== 0) + 1),
    funcdata: funcdata.slice(0, funcdata.findLastIndex((at) => at !== absent) + 1),
  };
}

/**
 * Returns the metadata that the runtime needs for a function of a part that is not loaded yet. The runtime scans the stack of a goroutine
 * that waits for the part, which holds the function's arguments.
 * @param {Func} func @returns {Func}
 */
const gatedOf = (func) => ({
  ...func,
  ...{ name: "", deferReturn: 0, sp: emptyFrame, file: 0, line: 0, unit: 0, pcdata: [] },
  funcdata: func.funcdata.slice(0, (func.funcdata[0] ?? absent) === absent ? 0 : 1),
});

/**
 * Writes a lookup table that may refer to one of a few functions before the wanted one, from which
 * the runtime searches forward. Most entries are then equal to their neighbours.
 * @param {Buffer} memory @param {Layout} layout
 */
function writeLookup(memory, { lookup, end }) {
  for (let at = lookup; at + 4 <= end; at += bucketSize) {
    const first = memory.readUInt32LE(at);
    memory.writeUInt32LE(first - (first % few), at);
  }
}

/**
 * Writes the names of files that functions refer to, and their offsets.
 * @param {Buffer} old @param {Buffer} memory @param {Layout} layout @param {Func[]} funcs
 */
function writeFiles(old, memory, { units, files, tables }, funcs) {
  const used = new Set(funcs.flatMap(({ file, unit }) => (file === 0 ? [] : [...valuesOf(rowsAt(old, tables + file))].map((n) => units + 4 * (unit + n)))));
  const names = new Map([...used].map((at) => [at, textAt(old, files + old.readUInt32LE(at))]));
  const pool = new Pool(0);
  names.forEach((name) => pool.use(name, 0, () => Buffer.from(`${name}\0`)));
  pool.write(memory, files, tables, 1);
  memory.fill(0, units, files);
  names.forEach((name, at) => memory.writeUInt32LE(pool.at(name), at));
}

/** The data that functions refer to, without duplicates: their names, tables of rows and funcdata. */
class Tables {
  #names = new Pool(1); // 0 means no name
  #rows = new Pool(1); // 0 means no rows
  #data = new Pool(0);
  /** The end of each funcdata. @type {Map<number, number>} */
  #ends;
  #old;
  #layout;

  /** @param {Buffer} old @param {Layout} layout @param {Func[]} before all functions before slimming */
  constructor(old, layout, before) {
    this.#old = old;
    this.#layout = layout;
    const places = [...new Set(before.flatMap(({ funcdata }) => funcdata)).add(layout.lookup - layout.dataOfFuncs)].sort((a, b) => a - b);
    this.#ends = new Map(places.map((at, i) => [at, places[i + 1]]));
  }

  /** @param {Func} func @param {number} group */
  use(func, group) {
    const inlined = inlinedIn(this.#old, this.#layout, func);
    func.funcdata.forEach((at, n) => at !== absent && this.#useData(at, group, n === inlinedTree ? inlined : 0));
    this.#useName(nameOf(func), group);
    for (const table of [func.sp, func.file, func.line, ...func.pcdata].filter((at) => at !== 0)) {
      const rows = this.#rowsAt(table);
      this.#rows.use(rows.toString("latin1"), group, () => rows);
    }
  }

  /** @param {number} at @param {number} group @param {number} inlined the number of its calls, if it is an inline tree */
  #useData(at, group, inlined) {
    const from = this.#layout.dataOfFuncs + at;
    const bytes = Buffer.from(this.#old.subarray(from, this.#layout.dataOfFuncs + /** @type {number} */ (this.#ends.get(at))));
    const names = Array.from({ length: inlined }, (_, n) => shortened(textAt(this.#old, this.#layout.names + bytes.readUInt32LE(inlinedSize * n + 4)), false));
    names.forEach((name) => this.#useName(name, group));
    const written = () => {
      names.forEach((name, n) => {
        bytes.writeUInt32LE(this.#names.at(name), inlinedSize * n + 4);
        bytes.writeUInt32LE(0, inlinedSize * n + 12); // the function's first line
      });
      return bytes;
    };
    this.#data.use(String(at), group, written, at);
  }

  /** @param {string} name @param {number} group */
  #useName(name, group) {
    if (name !== "") {
      this.#names.use(name, group, () => Buffer.from(`${name}\0`));
    }
  }

  /** @param {number} at */
  #rowsAt = (at) => encoded(at === emptyFrame ? [[1, 1]] : rowsAt(this.#old, this.#layout.tables + at));

  /** Writes all data that was used and returns the ranges of each group. @param {Buffer} memory @param {number} groups */
  write(memory, groups) {
    const { names, units, tables, funcs, dataOfFuncs, lookup } = this.#layout;
    const all = [this.#names.write(memory, names, units, groups), this.#rows.write(memory, tables, funcs, groups), this.#data.write(memory, dataOfFuncs, lookup, groups)];
    return Array.from({ length: groups }, (_, group) => all.map((places) => places[group]));
  }

  /** Returns the encoded function. The tables must have been written. @param {Func} func */
  bytesOf(func) {
    const table = (/** @type {number} */ at) => (at === 0 ? 0 : this.#rows.at(this.#rowsAt(at).toString("latin1")));
    const data = func.funcdata.map((at) => (at === absent ? absent : this.#data.at(String(at))));
    const name = func.name === "" ? 0 : this.#names.at(nameOf(func));
    const numbers = [func.entry, name, func.args, func.deferReturn, table(func.sp), table(func.file), table(func.line), func.pcdata.length, func.unit, 0, 0, ...func.pcdata.map(table), ...data];
    const bytes = Buffer.alloc(4 * numbers.length);
    numbers.forEach((n, i) => bytes.writeUInt32LE(n, 4 * i));
    bytes.set([func.id, func.flag, 0, data.length], funcSize - 4);
    return bytes;
  }
}

/**
 * Writes the functions, those of a group consecutively, and adds the ranges of each group.
 * @param {Buffer} memory @param {Layout} layout @param {Func[]} funcs @param {Tables} tables @param {number[]} groupOf @param {[number, number][][]} places
 */
function writeFuncs(memory, layout, funcs, tables, groupOf, places) {
  const from = layout.funcs;
  memory.fill(0, from + 8 * layout.count + 4, layout.dataOfFuncs);
  let at = aligned(8 * layout.count + 4);
  places.forEach((ranges, group) => {
    const begin = from + at;
    for (const index of funcs.keys()) {
      if (groupOf[index] === group) {
        memory.writeUInt32LE(at, from + 8 * index + 4);
        at = aligned(at + tables.bytesOf(funcs[index]).copy(memory, from + at));
      }
    }
    ranges.push([begin, from + at]);
  });
}

/**
 * @typedef {object} Groups the assignment of functions to parts that are loaded later
 * @property {Map<number, string>} partOf the part of each function, by index
 * @property {string[]} names the names of the parts
 * @property {Set<number>} gated the functions that may be called before their part is loaded
 *
 * @typedef {[from: number, bytes: Buffer]} Segment
 */

/**
 * Returns the module with slim tables, and the memory contents of its parts.
 * @param {Uint8Array} module
 * @param {Groups} groups
 * @returns {{module: Buffer, segments: Map<string, Segment[]>}}
 */
export function splitTables(module, { partOf, names, gated }) {
  try {
    const old = memoryOf(module);
    const memory = Buffer.from(old);
    const layout = layoutOf(old);
    const before = Array.from({ length: layout.count }, (_, i) => funcAt(old, layout, i));
    must(before.every(({ at }, i) => i === 0 || at - before[i - 1].at === aligned(before[i - 1].size)), "a function has another size");
    const after = before.map((func) => slimmed(old, layout, func));
    const groupOf = after.map((_, i) => names.indexOf(partOf.get(i) ?? "") + 1);
    const tables = new Tables(old, layout, before);
    after.forEach((func, i) => tables.use(func, groupOf[i]));
    gated.forEach((i) => tables.use(gatedOf(after[i]), 0));
    writeLookup(memory, layout);
    writeFiles(old, memory, layout, after);
    const places = tables.write(memory, names.length + 1);
    writeFuncs(memory, layout, after, tables, groupOf, places);
    const segments = new Map(names.map((name, n) => [name, places[n + 1].map(([from, end]) => /** @type {Segment} */ ([from, Buffer.from(memory.subarray(from, end))]))]));
    places.slice(1).flat().forEach(([from, end]) => memory.fill(0, from, end));
    gated.forEach((i) => tables.bytesOf(gatedOf(after[i])).copy(memory, layout.funcs + memory.readUInt32LE(layout.funcs + 8 * i + 4)));
    return { module: withMemory(module, memory), segments };
  } catch (error) {
    throw new Error(`a program made by ${producerOf(module)} cannot be made smaller: ${/** @type {Error} */ (error).message}`);
  }
}

/**
 * Returns the module with slim tables.
 * @param {Uint8Array} module
 */
export const slimTables = (module) => splitTables(module, { partOf: new Map(), names: [], gated: new Set() }).module;
