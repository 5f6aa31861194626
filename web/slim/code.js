/**
 * Rewrites the functions of a Go program so that they are smaller and compress better. Their behaviour is unchanged.
 *
 * WebAssembly has no jumps. Go's compiler gives each function one nested block for each jump target, in a loop that
 * begins with a br_table, which dispatches to the current target:
 *
 *     block                            ; exit to return 1 when the goroutine is suspended
 *       loop
 *         block block block
 *           local.get 0 / br_table 0 0 1 2
 *         end … end … end …
 *       end
 *     end / i32.const 1
 *
 * Four constructs contain a number that depends on their position. Such numbers compress worse than all surrounding
 * code, so the constructs are replaced:
 *
 * - A jump (i32.const TARGET, local.set 0, br LOOP) to a later target becomes a br out of the block that ends there,
 *   which is also faster. Its label is the number of blocks in between.
 * - if, br, end becomes br_if.
 * - A call's return address (i64.const FUNCTION<<16|TARGET) takes the function from a local, which is set at the
 *   beginning of the function and which engines fold into a constant.
 * - br_if EXIT after a call becomes if, i32.const 1, return, end.
 *
 * To address a variable on the stack, the compiler adds its distance to the stack pointer in 64 bits (local.get 1,
 * i64.extend_i32_u, i64.const N, i64.add, i32.wrap_i64). The distance is moved to the offset of the load or store that
 * follows. If neither follows, it is added in 32 bits. Stack addresses are inside the memory, so the sum does not wrap.
 *
 * Functions of another form are unchanged. Together, this reduces the download by an eighth.
 *
 * Sources: cmd/internal/obj/wasm/wasmobj.go and cmd/link/internal/wasm/asm.go.
 */

import { Input, op, Output } from "./operators.js";
import { firstFunction } from "./program.js";
import { withSection } from "./sections.js";

const codeSection = 10;
const nothing = 0x40; // the block type for no result
const mostLocals = 126; // so that indexes of locals take one byte, including the local that is added
const [i32, i64] = [0x7f, 0x7e];

const [extend, wrap, add32, add64] = [0xad, 0xa7, 0x6a, 0x7c];

const isLoad = (/** @type {number} */ code) => code >= 0x28 && code <= 0x35;
const isStore = (/** @type {number} */ code) => code >= 0x36 && code <= 0x3e;

/** Numeric operators with two operands, as ranges of codes. */
const binary = [[0x46, 0x4f], [0x51, 0x66], [0x6a, 0x78], [0x7c, 0x8a], [0x92, 0x98], [0xa0, 0xa6]]; // prettier-ignore

/**
 * Returns the number of operands of an operator that only returns one result or only stores a value; undefined for other operators.
 * @param {number} code
 */
function operandsOf(code) {
  if (code === op.get || code === 0x23 || (code >= op.i32 && code <= 0x44)) {
    return 0;
  }
  if (isLoad(code)) {
    return 1;
  }
  if (isStore(code) || binary.some(([first, last]) => code >= first && code <= last)) {
    return 2;
  }
  return code >= 0x45 && code <= 0xc4 ? 1 : undefined;
}

/** A function that is being rewritten. */
class Func {
  /** Whether a block encloses the body except for the final return of 1. */
  exit = false;
  /** Whether the function gets a local with its number, at index 2. */
  base = false;
  /** The nesting level of the loop, if there are jumps; the function itself has level 0. */
  loop = 0;
  /** The targets of jumps: the number of blocks that a jump leaves to reach each. @type {number[]} */
  places = [];
  /** The position of the code that dispatches to a target; -1 if the function has no targets. */
  dispatch = -1;
  /** The number of blocks that end at targets. */
  blocks = 0;
  /** The number of these blocks that are open while the function is written. */
  open = 0;
  /** The amounts that are added to the offsets of loads and stores, by position. @type {Map<number, number>} */
  offsets = new Map();

  /**
   * @param {Uint8Array} bytes @param {number} begin the position of its locals @param {number} end @param {number} number Go's number of
   *   the function
   */
  constructor(bytes, begin, end, number) {
    this.in = new Input(bytes);
    this.in.at = begin;
    this.end = end;
    this.number = number;
    this.groups = Array.from({ length: this.in.unsigned() }, () => [this.in.unsigned(), this.in.bytes[this.in.at++]]);
    this.body = this.in.at;
    /** The position of the first block. It follows the stack pointer, which most functions read first. */
    this.top = this.body + (this.in.has(0x23, 0, op.set, 1) ? 4 : 0);
    this.survey();
  }

  /** Determines the form of the function. */
  survey() {
    const from = this.in;
    const levels = []; // positions of the open blocks
    let exitEnd = -1;
    from.at = this.top;
    const hasExit = from.has(op.block, nothing);
    let calls = 0;
    this.surveyPlaces(hasExit);
    let plain = true;
    for (from.at = this.body; from.at < this.end; ) {
      const at = from.at;
      const code = from.bytes[from.at++];
      if (code === op.block || code === op.loop || code === op.if) {
        levels.push(at);
      } else if (code === op.end && levels.pop() === this.top) {
        exitEnd = from.at;
      } else if (code === op.get && from.bytes[from.at] === 0 && at !== this.dispatch) {
        const b = from.bytes;
        plain &&= b[at - 4] === op.set && b[at - 3] === 0 && b[at - 2] === op.i32 && b[at - 1] === 0;
      } else if (this.loop > 0 && (code === op.br || code === op.brIf) && this.labelAt(at) === levels.length - this.loop) {
        plain &&= code === op.br && from.bytes[at - 2] === op.set && from.bytes[at - 1] === 0; // a jump to the loop sets its target
      } else if (this.placeOf(at) >= 0) {
        calls++;
      }
      from.operands(code);
    }
    this.exit = hasExit && exitEnd === this.end - 3 && [op.i32, 1, op.end].every((byte, n) => from.bytes[exitEnd + n] === byte);
    this.loop = plain ? this.loop : 0;
    const [first, second] = this.groups;
    const locals = this.groups.reduce((sum, [count]) => sum + count, 0);
    this.base = calls > 0 && first?.[0] === 1 && first[1] === i32 && (second === undefined || second[1] === i64) && locals < mostLocals;
  }

  /** Parses the beginning of a function that has jump targets. @param {boolean} hasExit */
  surveyPlaces(hasExit) {
    const from = this.in;
    from.at = this.top + (hasExit ? 2 : 0);
    if (!from.has(op.loop, nothing)) {
      return;
    }
    for (from.at += 2; from.has(op.block, nothing); from.at += 2) {
      this.blocks++;
    }
    const dispatch = from.at;
    if (this.blocks > 0 && from.has(op.get, 0, op.brTable)) {
      from.at += 3;
      this.places = Array.from({ length: from.unsigned() + 1 }, () => from.unsigned());
      if (from.has(op.end)) {
        [this.loop, this.dispatch] = [hasExit ? 2 : 1, dispatch];
      }
    }
  }

  /** Returns the target in a return address that is stored, given the position of an i64.const; -1 if it is not a return address. @param {number} at */
  placeOf(at) {
    const before = this.in.at;
    this.in.at = at;
    let place = -1;
    if (this.in.bytes[this.in.at++] === op.i64) {
      const value = this.in.signed();
      place = Math.floor(value / 0x10000) === this.number && this.in.has(0x37, 3, 0) ? value % 0x10000 : -1;
    }
    this.in.at = before;
    return place;
  }

  /**
   * Returns the jump at a position, with its label at the given nesting depth, and the position
   * after it.
   * @param {number} at @param {number} depth @returns {{label: number, next: number} | undefined}
   */
  jumpAt(at, depth) {
    const from = this.in;
    const before = from.at;
    try {
      from.at = at;
      if (from.has(op.br)) {
        from.at++;
        const label = from.unsigned();
        return { label, next: from.at };
      }
      if (this.loop === 0 || !from.has(op.i32)) {
        return undefined;
      }
      from.at++;
      const place = from.signed();
      if (!from.has(op.set, 0, op.br)) {
        return undefined;
      }
      from.at += 3;
      const toLoop = from.unsigned() === depth - 1 - this.loop;
      const level = this.loop + this.blocks - this.places[Math.min(place, this.places.length - 1)];
      return toLoop && level <= this.loop + this.open ? { label: depth - 1 - level, next: from.at } : undefined;
    } finally {
      from.at = before;
    }
  }

  /** @param {Output} to */
  write(to) {
    this.writeLocals(to);
    const from = this.in;
    this.open = this.blocks; // blocks that are still open
    let depth = 1; // number of labels, including that of the function
    for (from.at = this.body; from.at < this.end; ) {
      const at = from.at;
      const code = from.bytes[from.at++];
      if (code === op.if && from.bytes[from.at] === nothing) {
        const jump = this.jumpAt(at + 2, depth + 1);
        if (jump && jump.label > 0 && from.bytes[jump.next] === op.end) {
          to.put(op.brIf);
          to.unsigned(jump.label - 1);
          from.at = jump.next + 1;
          continue;
        }
      }
      if (code === op.get && this.writeSlot(to, at)) {
        continue;
      }
      const jump = code === op.i32 ? this.jumpAt(at, depth) : undefined;
      if (jump) {
        to.put(op.br);
        to.unsigned(jump.label);
        from.at = jump.next;
        continue;
      }
      if (code === op.block || code === op.loop || code === op.if) {
        depth++;
      } else if (code === op.end) {
        depth--;
        this.open -= this.loop > 0 && this.open > 0 && depth === this.loop + this.open ? 1 : 0;
      }
      from.operands(code);
      this.writeOne(to, code, at, depth);
    }
  }

  /** Writes the address of a variable on the stack, if there is one at the position. @param {Output} to @param {number} at */
  writeSlot(to, at) {
    const from = this.in;
    from.at = at;
    if (from.has(op.get, 1, extend, op.i64)) {
      from.at += 4;
      const distance = from.signed();
      if (from.has(add64, wrap) && distance >= 0 && distance < 2 ** 31) {
        from.at += 2;
        to.put(op.get, 1);
        const user = this.userOf(from.at);
        if (user < 0) {
          to.put(op.i32);
          to.signed(distance);
          to.put(add32);
        } else {
          this.offsets.set(user, distance);
        }
        return true;
      }
    }
    from.at = at + 1;
    return false;
  }

  /**
   * Returns the position of the load or store that uses the address on top of the operand stack at a position; -1 if
   * another operator uses it.
   * @param {number} at
   */
  userOf(at) {
    const from = this.in;
    const before = from.at;
    let above = 0; // operands above the address
    let user = -1;
    for (from.at = at; user < 0; ) {
      const place = from.at;
      const code = from.bytes[from.at++];
      const takes = operandsOf(code);
      if (takes === undefined || takes > above) {
        user = (isLoad(code) && above === 0) || (isStore(code) && above === 1) ? place : -1;
        break;
      }
      above += isStore(code) ? -takes : 1 - takes;
      from.operands(code);
    }
    from.at = before;
    return user;
  }

  /** @param {Output} to */
  writeLocals(to) {
    const groups = this.groups.map((group) => [...group]);
    if (this.base) {
      groups.length > 1 ? groups[1][0]++ : groups.push([1, i64]);
    }
    to.unsigned(groups.length);
    for (const [count, type] of groups) {
      to.unsigned(count);
      to.put(type);
    }
    if (this.base) {
      to.put(op.i64);
      to.signed(this.number * 0x10000);
      to.put(op.set, 2);
    }
  }

  /**
   * Writes one operator, whose operands the input continues with.
   * @param {Output} to @param {number} code @param {number} at @param {number} depth
   */
  writeOne(to, code, at, depth) {
    const { bytes } = this.in;
    const next = this.in.at;
    const place = code === op.i64 && this.base ? this.placeOf(at) : -1;
    if (place >= 0) {
      to.put(op.get, 2, op.i64);
      to.signed(place);
      to.put(op.or);
    } else if (this.base && code >= op.get && code <= op.tee && bytes[at + 1] >= 2) {
      to.put(code, bytes[at + 1] + 1);
    } else if (this.exit && code === op.brIf && this.labelAt(at) === depth - 2) {
      to.put(op.if, nothing, op.i32, 1, op.return, op.end);
    } else if (this.offsets.has(at)) {
      this.in.at = at + 1;
      const align = this.in.unsigned();
      to.put(code, align);
      to.unsigned(this.in.unsigned() + /** @type {number} */ (this.offsets.get(at)));
    } else {
      to.copy(bytes, at, next);
    }
  }

  /** Returns the label of a br_if. @param {number} at */
  labelAt(at) {
    const before = this.in.at;
    this.in.at = at + 1;
    const label = this.in.unsigned();
    this.in.at = before;
    return label;
  }
}

/** @param {Uint8Array} section the content of the code section */
function rewritten(section) {
  const from = new Input(section);
  const count = from.unsigned();
  const [all, one] = [new Output(2 * section.length + 64), new Output(2 * section.length + 64)];
  all.unsigned(count);
  for (let index = 0; index < count; index++) {
    const size = from.unsigned();
    one.at = 0;
    new Func(section, from.at, from.at + size, firstFunction + index).write(one);
    from.at += size;
    all.unsigned(one.at);
    all.copy(one.bytes, 0, one.at);
  }
  return all.bytes.subarray(0, all.at);
}

/**
 * Returns the module with its functions rewritten.
 * @param {Uint8Array} module
 */
export const shortenCode = (module) => withSection(module, codeSection, rewritten);
