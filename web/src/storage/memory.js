/** Files in memory, which exist as long as the thread. */


import { codedError } from "./disk.js";


export class MemoryFile {
  #bytes = new Uint8Array(1 << 12);
  #size = 0;

  size() {
    return this.#size;
  }

  /**
   * @param {Uint8Array} into
   * @param {number} at
   */
  read(into, at) {
    const found = this.#bytes.subarray(Math.min(at, this.#size), Math.min(at + into.length, this.#size));
    into.set(found);
    return found.length;
  }

  /**
   * @param {Uint8Array} from
   * @param {number} at
   */
  write(from, at) {
    this.#resize(Math.max(this.#size, at + from.length));
    this.#bytes.set(from, at);
    return from.length;
  }

  /** @param {number} size */
  truncate(size) {
    this.#resize(size);
  }

  /** @returns {void | Promise<void>} */
  sync() {}

  close() {}

  /** Returns the content of the file. */
  content() {
    return this.#bytes.slice(0, this.#size);
  }

  /** @param {number} size */
  #resize(size) {
    if (size > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(size, 2 * this.#bytes.length));
      larger.set(this.#bytes.subarray(0, this.#size));
      this.#bytes = larger;
    } else if (size < this.#size) {
      this.#bytes.fill(0, size, this.#size);
    }
    this.#size = size;
  }
}


export class MemoryDrive {
  kind = "memory";
  /** @type {Map<string, MemoryFile>} */
  files = new Map();

  /**
   * @param {string} name
   * @param {boolean} create
   */
  open(name, create) {
    let file = this.files.get(name);
    if (!file && !create) {
      throw codedError("ENOENT", "no such file");
    }
    file ??= this.make(name);
    this.files.set(name, file);
    return file;
  }

  /**
   * @param {string} _name
   * @returns {MemoryFile}
   */
  make(_name) {
    return new MemoryFile();
  }

  /**
   * @param {string} name
   * @returns {void | Promise<void>}
   */
  remove(name) {
    if (!this.files.delete(name)) {
      throw codedError("ENOENT", "no such file");
    }
  }

  /**
   * @param {string} from
   * @param {string} to
   * @returns {MemoryFile | Promise<MemoryFile>}
   */
  rename(from, to) {
    const file = this.files.get(from);
    if (!file) {
      throw codedError("ENOENT", "no such file");
    }
    this.files.delete(from);
    this.files.set(to, file);
    return file;
  }

  close() {}
}
