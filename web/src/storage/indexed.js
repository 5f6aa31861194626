/**
 * Files in IndexedDB, for threads without synchronous file access. The contents are in memory, and
 * writes are stored as a log: each sync adds a record with all writes since the previous sync.
 */


import { codedError } from "./disk.js";
import { MemoryDrive, MemoryFile } from "./memory.js";

const LOG = "log";
const MAX_RECORDS = 512; // maximum number of records; beyond it, opening the drive merges the records of each file

/**
 * @typedef {{file: string, at: number, bytes: Uint8Array} | {file: string, size: number}} LogRecord
 *   a write, or a change of the file's size
 */

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
const result = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });


class IndexedFile extends MemoryFile {
  /** @type {LogRecord[]} */
  #unsaved = [];
  /** The last sync. A sync without new writes waits for it. */
  #saved = Promise.resolve();

  /**
   * @param {IndexedDrive} drive
   * @param {string} name
   */
  constructor(drive, name) {
    super();
    this.drive = drive;
    this.name = name;
  }

  /**
   * @param {Uint8Array} from
   * @param {number} at
   */
  write(from, at) {
    this.#unsaved.push({ file: this.name, at, bytes: from.slice() });
    return super.write(from, at);
  }

  /** @param {number} size */
  truncate(size) {
    this.#unsaved.push({ file: this.name, size });
    super.truncate(size);
  }

  sync() {
    const records = joined(this.#unsaved);
    this.#unsaved = [];
    if (records.length > 0) {
      this.#saved = this.drive.change((log) => records.forEach((record) => log.add(record)));
    }
    return this.#saved;
  }

  /** Discards pending writes, since they were saved in another way. */
  settle() {
    this.#unsaved = [];
    this.#saved = Promise.resolve();
  }

  /** @param {LogRecord} record */
  restore(record) {
    if ("size" in record) {
      super.truncate(record.size);
    } else {
      super.write(record.bytes, record.at);
    }
  }
}

/**
 * Merges consecutive writes, such as those of a log, into one record.
 * @param {LogRecord[]} records
 */
function joined(records) {
  /** @type {LogRecord[]} */
  const out = [];
  /** @type {{file: string, at: number, parts: Uint8Array[], length: number} | null} */
  let run = null;
  const flush = () => {
    if (run) {
      const bytes = new Uint8Array(run.length);
      let at = 0;
      for (const part of run.parts) {
        bytes.set(part, at);
        at += part.length;
      }
      out.push({ file: run.file, at: run.at, bytes });
      run = null;
    }
  };
  for (const record of records) {
    if ("size" in record) {
      flush();
      out.push(record);
    } else if (run && run.at + run.length === record.at) {
      run.parts.push(record.bytes);
      run.length += record.bytes.length;
    } else {
      flush();
      run = { file: record.file, at: record.at, parts: [record.bytes], length: record.bytes.length };
    }
  }
  flush();
  return out;
}

export class IndexedDrive extends MemoryDrive {
  kind = "indexeddb";

  /** @param {IDBDatabase} db */
  constructor(db) {
    super();
    this.db = db;
  }

  /** @param {string} name the name of the store */
  static async open(name) {
    const request = indexedDB.open(`obverse/${name}`, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(LOG, { autoIncrement: true }).createIndex("file", "file");
    const drive = new IndexedDrive(await result(request));
    await drive.#load();
    return drive;
  }

  async #load() {
    /** @type {LogRecord[]} */
    const records = await result(this.db.transaction(LOG).objectStore(LOG).getAll());
    for (const record of records) {
      /** @type {IndexedFile} */ (this.open(record.file, true)).restore(record);
    }
    if (records.length > MAX_RECORDS) {
      await this.#compact().catch(() => {}); // the records stay if this fails, for example when the storage is full
    }
  }

  /** Replaces the records of each file by one. */
  #compact() {
    return this.change((log) => {
      log.clear();
      for (const [file, { content }] of this.#contents()) {
        log.add({ file, at: 0, bytes: content });
      }
    });
  }

  /** @returns {Array<[string, {content: Uint8Array}]>} */
  #contents() {
    return [...this.files].map(([name, file]) => [name, { content: file.content() }]);
  }

  /** @param {string} name */
  make(name) {
    return new IndexedFile(this, name);
  }

  /**
   * Applies changes in one transaction that is durable.
   * @param {(log: IDBObjectStore) => void} changes
   * @returns {Promise<void>}
   */
  change(changes) {
    return new Promise((resolve, reject) => {
      const transaction = this.db.transaction(LOG, "readwrite", { durability: "strict" });
      const failed = () => reject(transaction.error ?? codedError("EIO", "IndexedDB gave the transaction up"));
      transaction.oncomplete = () => resolve();
      transaction.onabort = failed;
      transaction.onerror = failed;
      changes(transaction.objectStore(LOG));
    });
  }

  /**
   * @param {IDBObjectStore} log
   * @param {string} file
   */
  #forget(log, file) {
    const cursor = log.index("file").openCursor(file);
    cursor.onsuccess = () => {
      cursor.result?.delete();
      cursor.result?.continue();
    };
  }

  /**
   * Removes a file once the change is committed. If the commit fails, the file stays.
   * @param {string} name
   */
  async remove(name) {
    super.open(name, false);
    await this.change((log) => this.#forget(log, name));
    super.remove(name);
  }

  /**
   * Renames a file once the change is committed. If the commit fails, both files stay as they were.
   * @param {string} from
   * @param {string} to
   */
  async rename(from, to) {
    const file = /** @type {IndexedFile} */ (super.open(from, false));
    await this.change((log) => {
      this.#forget(log, from);
      const cursor = log.index("file").openCursor(to);
      cursor.onsuccess = () => {
        if (cursor.result) {
          cursor.result.delete();
          cursor.result.continue();
        } else {
          log.add({ file: to, at: 0, bytes: file.content() });
        }
      };
    });
    await super.rename(from, to);
    file.name = to;
    file.settle();
    return file;
  }

  close() {
    this.db.close();
  }
}
