/**
 * Files in the SQL storage of a Durable Object, for the program's file system. They are
 * kept as pages. What is written is in memory until a sync, which is one transaction.
 */

import { codedError } from "../src/storage/disk.js";

const PAGE = 16384; // bytes; a row takes at most 2 MB

/**
 * @typedef {{exec(query: string, ...values: unknown[]): Iterable<any>}} Sql
 * @typedef {{sql: Sql, transactionSync<T>(work: () => T): T, sync(): Promise<void>}} Storage
 */

const TABLES = [
  "CREATE TABLE IF NOT EXISTS files (id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, size INTEGER NOT NULL)",
  "CREATE TABLE IF NOT EXISTS pages (file INTEGER NOT NULL, at INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (file, at)) WITHOUT ROWID",
];

const noFile = () => codedError("ENOENT", "no such file");

class SqlFile {
  /** Pages that are not saved yet, by their place. @type {Map<number, Uint8Array>} */
  #unsaved = new Map();
  #saved; // bytes, as the table says

  /**
   * @param {Storage} storage
   * @param {number} id
   * @param {number} size
   */
  constructor(storage, id, size) {
    this.storage = storage;
    this.id = id;
    this.length = size;
    this.#saved = size;
  }

  size() {
    return this.length;
  }

  /**
   * @param {number} at number of the page
   * @returns {Uint8Array | undefined} undefined: it is all zeros
   */
  #page(at) {
    return this.#unsaved.get(at) ?? this.#savedPage(at);
  }

  /** @param {number} at number of the page */
  #savedPage(at) {
    for (const row of this.storage.sql.exec("SELECT data FROM pages WHERE file = ? AND at = ?", this.id, at)) {
      return new Uint8Array(row.data);
    }
    return undefined;
  }

  /**
   * @param {Uint8Array} into
   * @param {number} at
   */
  read(into, at) {
    const end = Math.min(at + into.length, this.length);
    for (let from = at; from < end; ) {
      const start = from % PAGE;
      const count = Math.min(PAGE - start, end - from);
      const page = this.#page((from - start) / PAGE);
      const piece = into.subarray(from - at, from - at + count);
      if (page) {
        piece.set(page.subarray(start, start + count));
      } else {
        piece.fill(0);
      }
      from += count;
    }
    return Math.max(0, end - at);
  }

  /**
   * @param {Uint8Array} bytes
   * @param {number} at
   */
  write(bytes, at) {
    for (let done = 0; done < bytes.length; ) {
      const start = (at + done) % PAGE;
      const count = Math.min(PAGE - start, bytes.length - done);
      const number = (at + done - start) / PAGE;
      let page = this.#unsaved.get(number);
      if (!page) {
        page = new Uint8Array(PAGE);
        page.set(this.#page(number) ?? []);
        this.#unsaved.set(number, page);
      }
      page.set(bytes.subarray(done, done + count), start);
      done += count;
    }
    this.length = Math.max(this.length, at + bytes.length);
    return bytes.length;
  }

  /**
   * A file that shrinks does so in the table at once and as a whole, so that what it keeps of
   * its last page is not lost if no sync follows.
   * @param {number} size
   */
  truncate(size) {
    if (size < this.length) {
      const last = Math.floor(size / PAGE);
      const saved = Math.min(size, this.#saved);
      this.storage.transactionSync(() => {
        const page = this.#savedPage(last);
        this.storage.sql.exec("DELETE FROM pages WHERE file = ? AND at > ?", this.id, last);
        if (page) {
          this.storage.sql.exec("UPDATE pages SET data = ? WHERE file = ? AND at = ?", page.fill(0, size % PAGE).buffer, this.id, last);
        }
        this.#resize(saved);
      });
      this.#saved = saved;
      for (const number of this.#unsaved.keys()) {
        if (number > last) {
          this.#unsaved.delete(number);
        }
      }
      this.#unsaved.get(last)?.fill(0, size % PAGE);
    }
    this.length = size;
  }

  /** @param {number} size */
  #resize(size) {
    this.storage.sql.exec("UPDATE files SET size = ? WHERE id = ?", size, this.id);
  }

  sync() {
    if (this.#unsaved.size > 0 || this.#saved !== this.length) {
      this.storage.transactionSync(() => {
        for (const [at, page] of this.#unsaved) {
          this.storage.sql.exec("INSERT OR REPLACE INTO pages VALUES (?, ?, ?)", this.id, at, page.buffer);
        }
        if (this.#saved !== this.length) {
          this.#resize(this.length);
        }
      });
      this.#saved = this.length;
      this.#unsaved.clear();
    }
    return this.storage.sync();
  }

  close() {}
}

export class SqlDrive {
  kind = "durable object";

  /** @param {Storage} storage of the object */
  constructor(storage) {
    this.storage = storage;
    TABLES.forEach((table) => storage.sql.exec(table));
  }

  /** @param {string} name */
  #find(name) {
    for (const row of this.storage.sql.exec("SELECT id, size FROM files WHERE name = ?", name)) {
      return /** @type {{id: number, size: number}} */ (row);
    }
    return undefined;
  }

  /**
   * @param {string} name
   * @param {boolean} create
   */
  open(name, create) {
    if (create) {
      this.storage.sql.exec("INSERT OR IGNORE INTO files (name, size) VALUES (?, 0)", name);
    }
    const found = this.#find(name);
    if (!found) {
      throw noFile();
    }
    return new SqlFile(this.storage, found.id, found.size);
  }

  /** @param {string} name */
  remove(name) {
    const found = this.#find(name);
    if (!found) {
      throw noFile();
    }
    this.storage.transactionSync(() => this.#forget(found.id));
  }

  /** @param {number} id */
  #forget(id) {
    this.storage.sql.exec("DELETE FROM pages WHERE file = ?", id);
    this.storage.sql.exec("DELETE FROM files WHERE id = ?", id);
  }

  /**
   * @param {string} from
   * @param {string} to
   * @param {{from?: import("../src/storage/disk.js").DriveFile}} open
   */
  rename(from, to, open) {
    const moved = this.#find(from);
    const replaced = this.#find(to);
    if (!moved) {
      throw noFile();
    }
    this.storage.transactionSync(() => {
      if (replaced) {
        this.#forget(replaced.id);
      }
      this.storage.sql.exec("UPDATE files SET name = ? WHERE id = ?", to, moved.id);
    });
    return open.from;
  }

  close() {}
}
