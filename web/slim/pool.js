/**
 * A memory area that is filled with items without duplicates. Items are grouped by user: those that only one group uses are consecutive,
 * and those that several groups use are in group 0.
 */
export class Pool {
  /** @type {Map<string, {group: number, bytes: () => Buffer, like: number, at: number}>} */
  #things = new Map();
  #next;

  /** @param {number} first the first offset */
  constructor(first) {
    this.#next = first;
  }

  /**
   * @param {string} key
   * @param {number} group
   * @param {() => Buffer} bytes returns the bytes when the item is written
   * @param {number} [like] an offset with the same alignment to eight bytes; by default any
   */
  use(key, group, bytes, like = -1) {
    const known = this.#things.get(key);
    if (!known) {
      this.#things.set(key, { group, bytes, like, at: -1 });
    } else if (known.group !== group) {
      known.group = 0;
    }
  }

  /**
   * Fills the area and returns the range of each group.
   * @param {Buffer} memory @param {number} from @param {number} end @param {number} groups the number of groups
   * @returns {[from: number, end: number][]}
   */
  write(memory, from, end, groups) {
    memory.fill(0, from, end);
    return Array.from({ length: groups }, (_, group) => {
      const begin = from + this.#next;
      for (const thing of this.#things.values()) {
        if (thing.group === group) {
          this.#place(thing, memory, from, end);
        }
      }
      return [begin, from + this.#next];
    });
  }

  /** @param {{bytes: () => Buffer, like: number, at: number}} thing @param {Buffer} memory @param {number} from @param {number} end */
  #place(thing, memory, from, end) {
    const bytes = thing.bytes();
    this.#next += thing.like < 0 ? 0 : (((thing.like - this.#next) % 8) + 8) % 8;
    thing.at = this.#next;
    this.#next += bytes.length;
    if (from + this.#next > end) {
      throw new Error("there is no room");
    }
    bytes.copy(memory, from + thing.at);
  }

  /** @param {string} key */
  at(key) {
    return /** @type {{at: number}} */ (this.#things.get(key)).at;
  }
}
