/** The functions of a Go program in WebAssembly, and the references between them. */

import { layoutOf, namesIn } from "./functab.js";
import { Input, op } from "./operators.js";
import { reader, sectionOf } from "./sections.js";
import { memoryOf } from "./segments.js";

const [importSection, functionSection, codeSection] = [2, 3, 10];
/** Go's number of the first function, which is also its index in the table of functions. */
export const firstFunction = 0x1000;

/** @typedef {ReturnType<typeof programOf>} Program */

/**
 * Returns the functions of a module: their types, and their bodies with the locals.
 * @param {Uint8Array} module
 */
export function programOf(module) {
  const types = reader(sectionOf(module, functionSection), 0);
  const code = reader(sectionOf(module, codeSection), 0);
  const count = types.unsigned();
  if (code.unsigned() !== count) {
    throw new Error("the module has another number of bodies than of functions");
  }
  return {
    imports: reader(sectionOf(module, importSection), 0).unsigned(),
    types: Array.from({ length: count }, () => types.unsigned()),
    bodies: Array.from({ length: count }, () => code.take(code.unsigned())),
  };
}

/** Returns the names of a program's functions in order. functab.js removes most of them. @param {Uint8Array} module */
export function functionNames(module) {
  const memory = memoryOf(module);
  return namesIn(memory, layoutOf(memory));
}

/**
 * Yields the operators of a function.
 * @param {Uint8Array} body
 * @returns {Generator<[code: number, from: Input, at: number]>} the operator's byte, the input after it, and its position
 */
export function* operatorsOf(body) {
  const from = new Input(body);
  for (let groups = from.unsigned(); groups > 0; groups--) {
    from.unsigned();
    from.at++;
  }
  while (from.at < body.length) {
    const at = from.at;
    const code = from.bytes[from.at++];
    const behind = from.at;
    yield [code, from, at];
    from.at = behind;
    from.operands(code);
  }
}

/**
 * Returns the functions that each function calls, by index; the functions that may be reached in other ways, because
 * their number occurs in the memory or in code; and the size of each function in bytes. Some of the occurring numbers
 * may have another meaning.
 * @param {Uint8Array} module
 */
export function referencesOf(module) {
  const { imports, bodies } = programOf(module);
  /** @type {Set<number>} */
  const taken = new Set();
  const isFunction = (/** @type {number} */ number) => number >= firstFunction && number < firstFunction + bodies.length;
  const take = (/** @type {number} */ number) => void (isFunction(number) && taken.add(number - firstFunction));
  const calls = bodies.map((body, index) => {
    /** @type {Set<number>} */
    const called = new Set();
    for (const [code, from] of operatorsOf(body)) {
      if (code === op.call) {
        called.add(from.unsigned() - imports);
      } else if (code === op.i64) {
        const value = from.signed();
        value % 0x10000 === 0 && value !== (index + firstFunction) * 0x10000 && take(value / 0x10000);
      }
    }
    return new Set([...called].filter((one) => one >= 0 && one !== index));
  });
  const memory = memoryOf(module);
  const { header, end, types, typesEnd } = layoutOf(memory);
  for (let at = 0; at + 8 <= memory.length; at = at + 8 === header ? end + (-end & 7) : at + 8) {
    const value = memory.readUInt32LE(at);
    if (value % 0x10000 === 0) {
      take(memory.readUInt32LE(at + 4) * 0x10000 + value / 0x10000);
    }
  }
  // A method of a type has two functions in a row, for calls through an interface and for direct ones.
  for (let at = types; at + 8 <= typesEnd; at += 4) {
    const method = [memory.readUInt32LE(at), memory.readUInt32LE(at + 4)];
    method.every(isFunction) && method.forEach(take);
  }
  return { calls, taken, sizes: bodies.map((body) => body.length) };
}
