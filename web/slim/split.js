/**
 * Splits a Go program into a first module and parts that are loaded when they are needed.
 *
 * A function of a part keeps its number in the first module, since addresses contain it, and its index in the table of
 * functions. Until its part is loaded, its body calls a gate:
 *
 *     i32.const NUMBER / call GATE
 *
 * The gate makes the program load the part, as if it were called from the position before the function's first operator.
 * A function may grow the stack there, so the runtime can suspend the goroutine and scan its stack. The gate pushes the
 * function's address as the return address and calls enter of wasm/parts, which waits. If the goroutine was suspended, it
 * resumes at that address, where the table has the function of the part by then. Otherwise the gate calls it.
 *
 * A part shares the memory, the table and the registers of the first module. When it is instantiated, it writes its
 * functions to the table, and the runtime's data about them to the memory. It imports the functions of the first module
 * that it calls, by number, and a global whose name contains a hash of the whole program, so that parts of other builds
 * are rejected. The global is set to 1 once the part is loaded.
 */

import { createHash } from "node:crypto";
import { op } from "./operators.js";
import { firstFunction, operatorsOf, programOf } from "./program.js";
import { bytes, list, longer, section, sectionsOf, signed, sized, text, unsigned } from "./sections.js";

/** @typedef {import("./program.js").Program} Program */

const id = { type: 1, import: 2, function: 3, table: 4, memory: 5, global: 6, export: 7, element: 9, code: 10, data: 11 };
const kind = { function: 0, table: 1, memory: 2, global: 3 };
const [i32, i64, any, nothing, variable] = [0x7f, 0x7e, 0x70, 0x40, 1];
const register = { sp: 0, ret0: 3 }; // from wasmobj.go: REG_SP, REG_RET0
const registers = [i32, i64, i64, i64, i64, i64, i64, i32]; // cmd/link/internal/wasm/asm.go, writeGlobalSec
const goFunction = 0; // the type of Go functions: the parameter is the position to start at, the result reports whether the goroutine was suspended

/** Returns the name of the global that records whether a part is loaded. @param {string} part @param {string} hash */
const flagName = (part, hash) => `part ${part} ${hash}`;

/** Returns the name of a register that modules share. @param {number} n */
const registerName = (n) => `r${n}`;

/** The body in the first module of a function that only its part calls. */
const uncalled = bytes(0, 0x00, op.end); // unreachable

/** Returns the body of a function that waits for its part. @param {number} index @param {number} gate */
const waiting = (index, gate) => Buffer.concat([bytes(0, op.i32), signed(firstFunction + index), bytes(op.call), unsigned(gate), bytes(op.end)]);

/**
 * Returns the body of a part's gate. Local 0 is the function's number.
 * @param {number} part the part's number in the program
 * @param {number} flag
 * @param {{enter: number, fail: number}} calls
 */
function gateOf(part, flag, { enter, fail }) {
  const isThere = Buffer.concat([bytes(0x23), unsigned(flag)]);
  return Buffer.concat([
    bytes(0),
    isThere,
    bytes(0x45, op.if, nothing), // i32.eqz
    bytes(0x23, register.sp, op.i32, 8, 0x6b, 0x24, register.sp), // SP -= 8
    bytes(0x23, register.sp, op.get, 0, 0xad, op.i64, 16, 0x86, 0x37, 3, 0), // i64.store the address, NUMBER << 16
    bytes(op.i64, part, 0x24, register.ret0),
    bytes(op.i32, 0, op.call),
    unsigned(enter),
    bytes(op.if, nothing, op.i32, 1, op.return, op.end), // the goroutine was suspended
    isThere,
    bytes(0x45, op.if, nothing, op.i32, 0, op.call),
    unsigned(fail),
    bytes(op.return, op.end, op.end),
    bytes(op.i32, 0, op.get, 0, 0x11, goFunction, 0, op.end), // call_indirect
  ]);
}

/** Returns the body with the function indexes of its calls replaced. @param {Uint8Array} body @param {(index: number) => number} to */
function renumbered(body, to) {
  const out = [];
  let done = 0;
  for (const [code, from, at] of operatorsOf(body)) {
    if (code === op.call) {
      out.push(body.subarray(done, at + 1), unsigned(to(from.unsigned())));
      done = from.at;
    }
  }
  return Buffer.concat([...out, body.subarray(done)]);
}

/** Groups consecutive numbers. @param {number[]} numbers in order @returns {number[][]} */
function runsOf(numbers) {
  /** @type {number[][]} */
  const runs = [];
  for (const number of numbers) {
    const last = runs.at(-1);
    last?.at(-1) === number - 1 ? last.push(number) : runs.push([number]);
  }
  return runs;
}

/**
 * @typedef {object} Plan
 * @property {Map<number, string>} partOf the part of each function that is in a part, by index
 * @property {Set<number>} gated the functions of parts that may be called before their part is loaded
 * @property {string[]} names the names of the parts, by number
 * @property {number} enter the index of enter
 * @property {number} fail the index of fail
 */

/**
 * Returns the first module.
 * @param {Uint8Array} module @param {Program} program @param {Plan} plan @param {string} hash
 */
function firstOf(module, { imports, bodies }, { partOf, gated, names, enter, fail }, hash) {
  const gates = imports + bodies.length;
  const flags = registers.length;
  const moved = bodies.map((body, index) => {
    const part = partOf.get(index);
    return part === undefined ? body : gated.has(index) ? waiting(index, gates + names.indexOf(part)) : uncalled;
  });
  const gateBodies = names.map((_, n) => gateOf(n, flags + n, { enter: imports + enter, fail: imports + fail }));
  const shared = [
    Buffer.concat([text("table"), bytes(kind.table, 0)]),
    ...registers.map((_, n) => Buffer.concat([text(registerName(n)), bytes(kind.global, n)])),
    ...names.map((name, n) => Buffer.concat([text(flagName(name, hash)), bytes(kind.global, flags + n)])),
  ];
  const out = [module.subarray(0, 8)];
  for (const [number, content] of sectionsOf(module)) {
    if (number === id.function) {
      out.push(section(number, longer(content, names.map(() => bytes(goFunction)))));
    } else if (number === id.global) {
      out.push(section(number, longer(content, names.map(() => bytes(i32, variable, op.i32, 0, op.end)))));
    } else if (number === id.export) {
      out.push(section(number, longer(content, shared)));
    } else if (number === id.code) {
      out.push(section(number, list([...moved, ...gateBodies].map(sized))));
    } else {
      out.push(section(number, content));
    }
  }
  return Buffer.concat(out);
}

/**
 * Returns the module of a part.
 * @param {Uint8Array} module @param {Program} program @param {number[]} members the indices of its functions, in order @param {string} flag
 * @param {import("./functab.js").Segment[]} segments
 */
function partModule(module, { imports, types, bodies }, members, flag, segments) {
  const place = new Map(members.map((index, n) => [index, n]));
  /** @type {Map<number, number>} */
  const outside = new Map();
  for (const index of members) {
    for (const [code, from] of operatorsOf(bodies[index])) {
      const called = code === op.call ? from.unsigned() - imports : -1;
      if (code === op.call && called < 0) {
        throw new Error(`function ${index} calls the host, and cannot be in a part`);
      }
      if (called >= 0 && !place.has(called) && !outside.has(called)) {
        outside.set(called, outside.size);
      }
    }
  }
  const to = (/** @type {number} */ called) => outside.get(called - imports) ?? outside.size + /** @type {number} */ (place.get(called - imports));
  const imported = [
    Buffer.concat([text("first"), text("mem"), bytes(kind.memory, 0, 1)]),
    Buffer.concat([text("first"), text("table"), bytes(kind.table, any, 0), unsigned(firstFunction + bodies.length)]),
    ...registers.map((type, n) => Buffer.concat([text("first"), text(registerName(n)), bytes(kind.global, type, variable)])),
    Buffer.concat([text("first"), text(flag), bytes(kind.global, i32, variable)]),
    ...[...outside.keys()].map((index) => Buffer.concat([text("table"), text((firstFunction + index).toString(36)), bytes(kind.function), unsigned(types[index])])),
  ];
  const elements = runsOf(members).map((run) =>
    Buffer.concat([bytes(0, op.i32), signed(firstFunction + run[0]), bytes(op.end), list(run.map((index) => unsigned(outside.size + /** @type {number} */ (place.get(index)))))]),
  );
  const [, typeSection] = [...sectionsOf(module)].find(([number]) => number === id.type) ?? [];
  return Buffer.concat([
    module.subarray(0, 8),
    section(id.type, typeSection ?? bytes(0)),
    section(id.import, list(imported)),
    section(id.function, list(members.map((index) => unsigned(types[index])))),
    section(id.element, list(elements)),
    section(id.code, list(members.map((index) => sized(renumbered(bodies[index], to))))),
    section(id.data, list(segments.map(([from, bytes]) => Buffer.concat([Buffer.from([0, op.i32]), signed(from), Buffer.from([op.end]), sized(bytes)])))),
  ]);
}

/**
 * @param {Uint8Array} module the output of shortenCode
 * @param {Plan} plan
 * @param {Map<string, import("./functab.js").Segment[]>} segments the memory contents of the parts
 * @returns {{first: Buffer, parts: Map<string, Buffer>}}
 */
export function split(module, plan, segments) {
  const program = programOf(module);
  const hash = createHash("sha256").update(module).update(JSON.stringify([...plan.partOf]));
  [...segments.values()].flat().forEach(([from, bytes]) => hash.update(`${from} `).update(bytes));
  const build = hash.digest("hex").slice(0, 16);
  /** @type {Map<string, Buffer>} */
  const parts = new Map();
  for (const name of plan.names) {
    const members = [...plan.partOf.keys()].filter((index) => plan.partOf.get(index) === name).sort((a, b) => a - b);
    parts.set(name, partModule(module, program, members, flagName(name, build), segments.get(name) ?? []));
  }
  return { first: firstOf(module, program, plan, build), parts };
}
