/**
 * Slims the tables of functions of a Go program.
 *
 * Go's runtime has them to know what is on a stack, and to say in a stack trace where
 * something is. What the former needs stays; of the latter this goes:
 *
 * - files, lines and names of what is not the program's own: a stack trace has "pkg.?" and
 *   "?:0" there. Errors name places of the program's own functions, which stay exact.
 * - which functions were inlined in one that is not the program's own
 * - what is in the brackets of a generic function's name, which Go prints as [...] anyway
 * - the values of arguments in a stack trace, and the first line of a function
 * - where a goroutine may be interrupted, since this target interrupts none
 * - how far the last row of a table of a function reaches: to the end, in any case
 * - which function exactly an address is in: the runtime looks at up to three more for it
 *
 * What stays is written anew at the place of each table, with zeros behind it.
 *
 * The layout is that of Go 1.20 to 1.26: runtime/symtab.go (pcHeader, moduledata),
 * runtime/runtime2.go (_func), runtime/symtabinl.go, cmd/link/internal/ld/pcln.go. Where
 * a program has another one, this fails.
 */

import { encoded, rowsAt, valuesOf } from "./rows.js";
import { memoryOf, producerOf, withMemory } from "./segments.js";

const own = /^(obverse\/|main\.)/;
const funcSize = 44; // of a _func, without the numbers of tables behind it
const inlinedSize = 16; // of an inlinedCall
const bucketSize = 20; // of a findfuncbucket, which begins with a function's index; the last may be cut
const few = 4;
const absent = 0xffffffff; // stands for no funcdata
const anySize = 0x80000000; // abi.ArgsSizeUnknown
const stackMapIndex = 1; // the pcdata that is needed at all times
const inlinedIndex = 2; // the pcdata that says which entry of the tree a place belongs to
const inlinedTree = 3; // the funcdata with the tree
const forTraces = 5; // the first funcdata that nothing but stack traces looks at

/** @typedef {ReturnType<typeof layoutOf>} Layout */
/** @typedef {ReturnType<typeof funcAt>} Func */

/** @param {unknown} holds @param {string} what */
function must(holds, what) {
  if (!holds) {
    throw new Error(`the tables of functions are not as this script knows them: ${what}`);
  }
}

/** Functions begin at every eighth byte. @param {number} at */
const aligned = (at) => Math.ceil(at / 8) * 8;

/** @param {Buffer} memory @param {number} at */
const textAt = (memory, at) => memory.toString("utf8", at, memory.indexOf(0, at));

/**
 * Where the tables are.
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
  must(field(17) === count + 1, "moduledata has another number of functions");
  const order = [header, names, units, files, tables, funcs, funcs + 8 * count, dataOfFuncs, lookup, end, memory.length];
  must(order.every((at, i) => i === 0 || order[i - 1] < at), "they are in another order");
  return { count, names, units, files, tables, funcs, dataOfFuncs, lookup, end };
}

/**
 * One function. @param {Buffer} memory @param {Layout} layout @param {number} index
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
    id: memory[at + 40], // not zero: the runtime knows the function, or a compiler made it
    flag: memory[at + 41],
    pcdata: numbers(at + funcSize, tables),
    funcdata: numbers(at + funcSize + 4 * tables, memory[at + 43]),
  };
}

/** The name that stays. @param {string} name @param {boolean} whole it is needed to the letter */
function shortened(name, whole) {
  if (whole || own.test(name)) {
    return name.replace(/\[.*\]/s, "[...]");
  }
  const slash = name.replace(/\[.*/s, "").lastIndexOf("/");
  const point = name.indexOf(".", slash + 1);
  return point < 0 ? name : `${name.slice(0, point)}.?`;
}

/** An area of the memory that is filled anew, with each of its things once. */
class Area {
  /** @type {Map<string, number>} */
  #places = new Map();
  #memory;
  #from;
  #end;
  #next;

  /** @param {Buffer} memory @param {number} from @param {number} end @param {number} first the first place that is given */
  constructor(memory, from, end, first) {
    this.#memory = memory.fill(0, from, end);
    this.#from = from;
    this.#end = end;
    this.#next = first;
  }

  /** The place of these bytes. @param {Buffer} bytes */
  place(bytes) {
    const key = bytes.toString("latin1");
    const at = this.#places.get(key) ?? this.#next;
    if (at === this.#next) {
      must(this.#from + at + bytes.length <= this.#end, "there is no room");
      bytes.copy(this.#memory, this.#from + at);
      this.#places.set(key, at);
      this.#next += bytes.length;
    }
    return at;
  }

  /** @param {string} text */
  text(text) {
    return this.place(Buffer.from(`${text}\0`));
  }
}

/** How many calls are in a function's tree of inlined ones. @param {Buffer} memory @param {Layout} layout @param {Func} func */
function inlinedIn(memory, { tables }, { pcdata, funcdata }) {
  const none = (funcdata[inlinedTree] ?? absent) === absent;
  return none ? 0 : Math.max(...valuesOf(rowsAt(memory, tables + pcdata[inlinedIndex]))) + 1;
}

/** Whether the runtime goes by a function's tree: recover() does where wrappers are. @param {Buffer} memory @param {Layout} layout @param {Func} func */
function needsTree(memory, layout, func) {
  const calls = Array.from({ length: inlinedIn(memory, layout, func) }, (_, n) => layout.dataOfFuncs + func.funcdata[inlinedTree] + inlinedSize * n);
  return own.test(func.name) || func.id !== 0 || calls.some((at) => memory[at] !== 0);
}

/**
 * The function as it becomes; its numbers of tables are still those of before.
 * @param {Buffer} memory @param {Layout} layout @param {Func} func @returns {Func}
 */
function slimmed(memory, layout, func) {
  const places = own.test(func.name) ? {} : { file: 0, line: 0, unit: 0 };
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

/** Clears the funcdata that no function refers to any more. @param {Buffer} memory @param {Layout} layout @param {Func[]} before @param {Func[]} after */
function clearUnused(memory, { dataOfFuncs, lookup }, before, after) {
  const used = new Set(after.flatMap(({ funcdata }) => funcdata));
  const all = new Set(before.flatMap(({ funcdata }) => funcdata).filter((at) => at !== absent));
  const places = [...all].sort((a, b) => a - b);
  places.forEach((at, i) => used.has(at) || memory.fill(0, dataOfFuncs + at, i + 1 < places.length ? dataOfFuncs + places[i + 1] : lookup));
}

/**
 * Lets the runtime begin to look for a function at one of a few before it, from which it
 * goes on by itself: most of the numbers in the lookup table are then that of their neighbour.
 * @param {Buffer} memory @param {Layout} layout
 */
function writeLookup(memory, { lookup, end }) {
  for (let at = lookup; at + 4 <= end; at += bucketSize) {
    const first = memory.readUInt32LE(at);
    memory.writeUInt32LE(first - (first % few), at);
  }
}

/** Writes the names of files that functions refer to, and where they are. @param {Buffer} old @param {Buffer} memory @param {Layout} layout @param {Func[]} funcs */
function writeFiles(old, memory, { units, files, tables }, funcs) {
  const used = new Set(funcs.flatMap(({ file, unit }) => (file === 0 ? [] : [...valuesOf(rowsAt(old, tables + file))].map((n) => units + 4 * (unit + n)))));
  const area = new Area(memory, files, tables, 0);
  memory.fill(0, units, files);
  for (const at of used) {
    memory.writeUInt32LE(area.text(textAt(old, files + old.readUInt32LE(at))), at);
  }
}

/** Writes the names into the trees of inlined calls. @param {Buffer} old @param {Buffer} memory @param {Layout} layout @param {Func[]} funcs @param {Area} names */
function writeTrees(old, memory, layout, funcs, names) {
  for (const func of funcs) {
    for (let left = inlinedIn(old, layout, func), at = layout.dataOfFuncs + func.funcdata[inlinedTree]; left > 0; left--, at += inlinedSize) {
      memory.writeUInt32LE(names.text(shortened(textAt(old, layout.names + old.readUInt32LE(at + 4)), false)), at + 4);
      memory.writeUInt32LE(0, at + 12); // its first line
    }
  }
}

/** Writes the functions themselves. @param {Buffer} old @param {Buffer} memory @param {Layout} layout @param {Func[]} funcs @param {Area} names */
function writeFuncs(old, memory, layout, funcs, names) {
  const area = new Area(memory, layout.tables, layout.funcs, 1); // there is none at 0
  const table = (/** @type {number} */ at) => (at === 0 ? 0 : area.place(encoded(rowsAt(old, layout.tables + at))));
  const write = (/** @type {number} */ at, /** @type {number[]} */ numbers) => numbers.forEach((n, i) => memory.writeUInt32LE(n, at + 4 * i));
  const from = layout.funcs;
  memory.fill(0, from + 8 * layout.count + 4, layout.dataOfFuncs);
  let at = aligned(8 * layout.count + 4);
  funcs.forEach((f, i) => {
    const name = f.name === "" ? 0 : names.text(shortened(f.name, f.id !== 0 || f.args === anySize));
    write(from + 8 * i + 4, [at]);
    write(from + at, [f.entry, name, f.args, f.deferReturn, table(f.sp), table(f.file), table(f.line), f.pcdata.length, f.unit, 0]);
    memory.set([f.id, f.flag, 0, f.funcdata.length], from + at + funcSize - 4);
    write(from + at + funcSize, [...f.pcdata.map(table), ...f.funcdata]);
    at = aligned(at + funcSize + 4 * (f.pcdata.length + f.funcdata.length));
  });
}

/**
 * The module with slim tables.
 * @param {Uint8Array} module
 */
export function slimTables(module) {
  try {
    const old = memoryOf(module);
    const memory = Buffer.from(old);
    const layout = layoutOf(old);
    const before = Array.from({ length: layout.count }, (_, i) => funcAt(old, layout, i));
    must(before.every(({ at }, i) => i === 0 || at - before[i - 1].at === aligned(before[i - 1].size)), "a function has another size");
    const after = before.map((func) => slimmed(old, layout, func));
    clearUnused(memory, layout, before, after);
    writeLookup(memory, layout);
    writeFiles(old, memory, layout, after);
    const names = new Area(memory, layout.names, layout.units, 1); // 0 is no name
    writeTrees(old, memory, layout, after, names);
    writeFuncs(old, memory, layout, after, names);
    return withMemory(module, memory);
  } catch (error) {
    throw new Error(`a program made by ${producerOf(module)} cannot be made smaller: ${/** @type {Error} */ (error).message}`);
  }
}
