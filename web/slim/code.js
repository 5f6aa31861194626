/**
 * Writes the functions of a Go program in fewer and likelier bytes. Each does exactly what
 * it did.
 *
 * Go has no jumps in WebAssembly. Its compiler gives each function as many nested blocks
 * as it has places to go to, in a loop that begins with a br_table of where a place is:
 *
 *     block                            ; exit to return 1 when the goroutine is suspended
 *       loop
 *         block block block
 *           local.get 0 / br_table 0 0 1 2
 *         end … end … end …
 *       end
 *     end / i32.const 1
 *
 * Four things have a number that depends on where they are, which costs more than all that
 * is around them, and are done without it here:
 *
 * - A jump (i32.const PLACE, local.set 0, br LOOP) to a place that comes later leaves the
 *   block that ends there, which is faster too. The number says how many blocks are between.
 * - if, br, end become br_if.
 * - A call's return address (i64.const FUNCTION<<16|PLACE) has its function from a local of
 *   its own, which is set as the function begins, and which engines fold into a constant.
 * - br_if EXIT behind a call becomes if, i32.const 1, return, end.
 *
 * And the place of a variable on the stack, for which the compiler adds its distance to the stack pointer as 64 bits
 * (local.get 1, i64.extend_i32_u, i64.const N, i64.add, i32.wrap_i64), goes into the offset that a load or store has.
 * Where neither follows, it is added as 32 bits. A place on the stack is inside the memory, so that nothing wraps.
 *
 * A function that is of another form stays as it is. Together that takes an eighth off the
 * download.
 *
 * Sources: cmd/internal/obj/wasm/wasmobj.go and cmd/link/internal/wasm/asm.go.
 */

import { Input, op, Output } from "./operators.js";
import { firstFunction } from "./program.js";
import { withSection } from "./sections.js";

const codeSection = 10;
const nothing = 0x40; // the type of a block
const mostLocals = 126; // so that all numbers of locals are one byte, also with one more
const [i32, i64] = [0x7f, 0x7e];

const [extend, wrap, add32, add64] = [0xad, 0xa7, 0x6a, 0x7c];

const isLoad = (/** @type {number} */ code) => code >= 0x28 && code <= 0x35;
const isStore = (/** @type {number} */ code) => code >= 0x36 && code <= 0x3e;

/** Numeric operators with two operands, as ranges. */
const binary = [[0x46, 0x4f], [0x51, 0x66], [0x6a, 0x78], [0x7c, 0x8a], [0x92, 0x98], [0xa0, 0xa6]]; // prettier-ignore

/** How many operands an operator takes that has no other effect than its one result, or than a store; otherwise undefined. @param {number} code */
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
  /** Whether a block is around it all that is left to return 1. */
  exit = false;
  /** Whether it gets a local with its number, the one at 2. */
  base = false;
  /** The level of the loop, if there are jumps; the function itself has level 0. */
  loop = 0;
  /** Its places: how many blocks one leaves to come to each. @type {number[]} */
  places = [];
  /** Where it reads which place to go to. */
  dispatch = -1;
  /** How many blocks end at places. */
  blocks = 0;
  /** How many of these are open, while it is written. */
  open = 0;
  /** By how much the offset of a load or store grows, by its place. @type {Map<number, number>} */
  offsets = new Map();

  /**
   * @param {Uint8Array} bytes @param {number} begin of its locals @param {number} end @param {number} number Go's number of it
   */
  constructor(bytes, begin, end, number) {
    this.in = new Input(bytes);
    this.in.at = begin;
    this.end = end;
    this.number = number;
    this.groups = Array.from({ length: this.in.unsigned() }, () => [this.in.unsigned(), this.in.bytes[this.in.at++]]);
    this.body = this.in.at;
    /** Where its blocks begin: behind the stack pointer, which most read first. */
    this.top = this.body + (this.in.has(0x23, 0, op.set, 1) ? 4 : 0);
    this.survey();
  }

  /** Finds out what form the function has. */
  survey() {
    const from = this.in;
    const levels = []; // where the blocks that are open begin
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

  /** Reads what the function begins with, if it has places to jump to. @param {boolean} hasExit */
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

  /** The place in a return address that is stored, of which an i64.const is at; or -1. @param {number} at */
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
   * The jump that is at, with its label in a stack of so many, and where it ends.
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
    let depth = 1; // labels, with that of the function
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

  /** Writes the place of a variable on the stack, if there is one. @param {Output} to @param {number} at */
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

  /** The load or store that uses an address which is on top of the operands before a place; or -1. @param {number} at */
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

  /** Writes the operator at, behind which the input is. @param {Output} to @param {number} code @param {number} at @param {number} depth */
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

  /** The label of a br_if. @param {number} at */
  labelAt(at) {
    const before = this.in.at;
    this.in.at = at + 1;
    const label = this.in.unsigned();
    this.in.at = before;
    return label;
  }
}

/** @param {Uint8Array} section the content of a code section */
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
 * Returns the module with rewritten functions.
 * @param {Uint8Array} module
 */
export const shortenCode = (module) => withSection(module, codeSection, rewritten);
