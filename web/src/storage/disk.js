/**
 * A file system for the Go program with the callback functions of node:fs. It has one folder and supports only the
 * operations that core/store/bunt uses. A drive stores the files.
 *
 * @typedef {object} DriveFile a file, shared by all descriptors that refer to it
 * @property {() => number} size returns the size in bytes
 * @property {(into: Uint8Array, at: number) => number} read returns the number of bytes read
 * @property {(from: Uint8Array, at: number) => number} write returns the number of bytes written
 * @property {(size: number) => void} truncate
 * @property {() => void | Promise<void>} sync returns once all previous writes are durable
 * @property {() => void} close
 *
 * @typedef {object} Drive
 * @property {string} kind "opfs", "indexeddb", "memory"
 * @property {(name: string, create: boolean) => DriveFile | Promise<DriveFile>} open
 *   throws an error with code ENOENT if the file does not exist
 * @property {(name: string) => void | Promise<void>} remove
 * @property {(from: string, to: string, open: {from?: DriveFile, to?: DriveFile}) => DriveFile | undefined | Promise<DriveFile | undefined>} rename
 *   atomically replaces a file by another; returns the file that replaces open.from
 * @property {() => void} close releases the drive
 */

const O_CREAT = 0o100;
const O_TRUNC = 0o1000;
const FIRST = 3; // the first descriptor; lower ones are standard input, output and error

/**
 * @param {string} code
 * @param {string} message
 */
export const codedError = (code, message) => Object.assign(new Error(message), { code });

/** @type {Record<string, string>} */
const codes = {
  NotFoundError: "ENOENT",
  QuotaExceededError: "ENOSPC",
  NoModificationAllowedError: "EBUSY",
  InvalidStateError: "EIO",
  NotAllowedError: "EACCES",
};

/**
 * Returns the error with a code, since Go identifies errors by their code and requires one.
 * @param {any} error
 */
const withCode = (error) => (typeof error?.code === "string" ? error : codedError(codes[error?.name] ?? "EIO", String(error?.message ?? error)));

/** @typedef {{name: string, file: DriveFile, users: number, dead: boolean}} Entry */

export class Disk {
  /** @type {Map<string, Entry>} */
  #open = new Map();
  /** @type {Map<number, Entry>} */
  #descriptors = new Map();
  #last = FIRST;
  /** The operation that has to finish before another one begins. @type {Promise<unknown> | null} */
  #busy = null;

  /**
   * @param {Drive} drive
   * @param {(line: string) => void} print receives the program's standard error
   */
  constructor(drive, print) {
    this.drive = drive;
    this.print = print;
  }

  /** Returns the functions that Go's syscall package calls. */
  fs() {
    /** @param {(...args: any[]) => any} does */
    const op = (does) => (/** @type {any[]} */ ...args) => this.#run(args.pop(), () => does(...args));
    const unsupported = op(() => {
      throw codedError("ENOSYS", "not supported");
    });
    return {
      constants: { O_WRONLY: 1, O_RDWR: 2, O_CREAT, O_TRUNC, O_APPEND: 0o2000, O_EXCL: 0o200, O_DIRECTORY: -1 },
      writeSync: (/** @type {number} */ _fd, /** @type {Uint8Array} */ bytes) => this.#output(bytes),
      open: op((path, flags) => this.#openFile(path, flags)),
      close: op((fd) => this.#close(fd)),
      fstat: op((fd) => this.#stat(this.#entry(fd).file.size())),
      stat: op((path) => this.#statPath(path)),
      lstat: op((path) => this.#statPath(path)),
      read: op((fd, buffer, offset, length, position) => this.#entry(fd).file.read(buffer.subarray(offset, offset + length), position)),
      write: op((fd, buffer, offset, length, position) => {
        const bytes = buffer.subarray(offset, offset + length);
        return fd < FIRST ? this.#output(bytes) : this.#entry(fd).file.write(bytes, position);
      }),
      ftruncate: op((fd, size) => this.#entry(fd).file.truncate(size)),
      fsync: op((fd) => {
        const entry = this.#descriptors.get(fd);
        return entry && !entry.dead ? entry.file.sync() : undefined;
      }),
      rename: op((from, to) => this.#rename(fileName(from), fileName(to))),
      unlink: op((path) => this.#unlink(fileName(path))),
      ...Object.fromEntries(
        ["chmod", "chown", "fchmod", "fchown", "lchown", "link", "mkdir", "readdir", "readlink", "rmdir", "symlink", "truncate", "utimes"].map((name) => [name, unsupported]),
      ),
    };
  }

  /** Closes the drive and the files that the program left open. */
  close() {
    for (const { file } of this.#open.values()) {
      file.close();
    }
    this.#open.clear();
    this.#descriptors.clear();
    this.drive.close();
  }

  /**
   * @param {(error: unknown, ...results: any[]) => void} callback
   * @param {() => any} does
   */
  #run(callback, does) {
    if (this.#busy) {
      this.#busy.then(() => this.#run(callback, does));
      return;
    }
    let result;
    try {
      result = does();
    } catch (error) {
      callback(withCode(error));
      return;
    }
    if (result instanceof Promise) {
      result.then(
        (value) => callback(null, value),
        (error) => callback(withCode(error)),
      );
    } else {
      callback(null, result);
    }
  }

  /** Delays all other operations until the given one is done. @param {Promise<any>} work */
  #alone(work) {
    const done = work.then(
      () => {},
      () => {},
    );
    this.#busy = done.then(() => {
      this.#busy = null;
    });
    return work;
  }

  /**
   * @param {string} path
   * @param {number} flags
   */
  #openFile(path, flags) {
    const name = fileName(path);
    if (name === "") {
      throw codedError("ENOSYS", "a folder is not opened here"); // folders cannot be opened and need no syncing
    }
    const opened = this.#open.get(name);
    if (opened) {
      return this.#use(opened, flags);
    }
    const create = (flags & O_CREAT) !== 0;
    return this.#alone((async () => this.#use({ name, file: await this.drive.open(name, create), users: 0, dead: false }, flags))());
  }

  /**
   * @param {Entry} entry
   * @param {number} flags
   */
  #use(entry, flags) {
    if (flags & O_TRUNC) {
      entry.file.truncate(0);
    }
    entry.users++;
    this.#open.set(entry.name, entry);
    this.#descriptors.set(++this.#last, entry);
    return this.#last;
  }

  /** @param {number} fd */
  #entry(fd) {
    const entry = this.#descriptors.get(fd);
    if (!entry || entry.dead) {
      throw codedError("EBADF", "no such file is open");
    }
    return entry;
  }

  /** @param {number} fd */
  #close(fd) {
    const entry = this.#descriptors.get(fd);
    this.#descriptors.delete(fd);
    if (!entry || --entry.users > 0 || entry.dead) {
      return;
    }
    this.#open.delete(entry.name);
    entry.file.close();
  }

  /** @param {number} size */
  #stat(size) {
    const none = { dev: 0, ino: 0, nlink: 1, uid: 0, gid: 0, rdev: 0, blksize: 4096, atimeMs: 0, mtimeMs: 0, ctimeMs: 0 };
    return { ...none, size, blocks: Math.ceil(size / 512), mode: 0o100600, isDirectory: () => false };
  }

  /** @param {string} path */
  #statPath(path) {
    const opened = this.#open.get(fileName(path));
    if (opened) {
      return this.#stat(opened.file.size());
    }
    return this.#alone(
      (async () => {
        const file = await this.drive.open(fileName(path), false);
        const size = file.size();
        file.close();
        return this.#stat(size);
      })(),
    );
  }

  /**
   * @param {string} from
   * @param {string} to
   */
  #rename(from, to) {
    const moved = this.#open.get(from);
    const replaced = this.#open.get(to);
    return this.#alone(
      (async () => {
        const file = await this.drive.rename(from, to, { from: moved?.file, to: replaced?.file });
        if (replaced) {
          replaced.dead = true; // open descriptors of the replaced file no longer read or write anything
        }
        this.#open.delete(from);
        this.#open.delete(to);
        if (moved && file) {
          moved.name = to;
          moved.file = file;
          this.#open.set(to, moved);
        }
      })(),
    );
  }

  /** @param {string} name */
  #unlink(name) {
    const opened = this.#open.get(name);
    if (opened) {
      opened.dead = true;
      this.#open.delete(name);
      opened.file.close();
    }
    return this.#alone((async () => this.drive.remove(name))());
  }

  #rest = "";

  /** @param {Uint8Array} bytes */
  #output(bytes) {
    const lines = (this.#rest + new TextDecoder().decode(bytes)).split("\n");
    this.#rest = lines.pop() ?? "";
    lines.forEach(this.print);
    return bytes.length;
  }
}

/**
 * Returns the last element of a path; "" for the folder itself.
 * @param {string} path
 */
const fileName = (path) => path.slice(path.lastIndexOf("/") + 1);
