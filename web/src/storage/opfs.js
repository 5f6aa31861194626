/**
 * Files in the origin-private file system, with synchronous access. Only dedicated workers have
 * synchronous access, and a file can be open only once in the whole browser.
 */

/** @import {DriveFile} from "./disk.js" */

/**
 * The parts of the standard that TypeScript's library lacks for workers.
 * @typedef {{read(into: Uint8Array, options: {at: number}): number, write(from: Uint8Array, options: {at: number}): number, getSize(): number, truncate(size: number): void, flush(): void, close(): void}} Access
 * @typedef {FileSystemFileHandle & {createSyncAccessHandle(): Promise<Access>, move?(name: string): Promise<void>}} Handle
 */

const TIMEOUT = 5000; // ms to wait for the files of a worker that has ended to be closed
const PAUSE = 25;

/** Reports whether this thread supports synchronous access to OPFS files. */
export function hasOPFS() {
  const handle = /** @type {any} */ (globalThis).FileSystemFileHandle;
  return typeof navigator !== "undefined" && typeof navigator.storage?.getDirectory === "function" && typeof handle?.prototype?.createSyncAccessHandle === "function";
}

/**
 * Opens a file and waits if it is in use: when a worker is killed, its lock is released a moment
 * before its files are.
 * @param {Handle} handle
 */
async function access(handle) {
  for (const start = Date.now(); ; ) {
    try {
      return await handle.createSyncAccessHandle();
    } catch (error) {
      const { name } = /** @type {Error} */ (error);
      if (name !== "NoModificationAllowedError" || Date.now() - start > TIMEOUT) {
        throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }
}


class OPFSFile {
  /**
   * @param {Handle} handle
   * @param {Access} access
   */
  constructor(handle, access) {
    this.handle = handle;
    this.access = access;
  }

  size() {
    return this.access.getSize();
  }

  /**
   * @param {Uint8Array} into
   * @param {number} at
   */
  read(into, at) {
    return this.access.read(into, { at });
  }

  /**
   * @param {Uint8Array} from
   * @param {number} at
   */
  write(from, at) {
    return this.access.write(from, { at });
  }

  /** @param {number} size */
  truncate(size) {
    this.access.truncate(size);
  }

  sync() {
    return this.access.flush();
  }

  close() {
    this.access.close();
  }
}


export class OPFSDrive {
  kind = "opfs";

  /** @param {FileSystemDirectoryHandle} folder */
  constructor(folder) {
    this.folder = folder;
  }

  /** @param {string} name the name of the store */
  static async open(name) {
    const root = await navigator.storage.getDirectory();
    const all = await root.getDirectoryHandle("obverse", { create: true });
    return new OPFSDrive(await all.getDirectoryHandle(encodeURIComponent(name), { create: true }));
  }

  /**
   * @param {string} name
   * @param {boolean} create
   */
  async open(name, create) {
    const handle = /** @type {Handle} */ (await this.folder.getFileHandle(name, { create }));
    return new OPFSFile(handle, await access(handle));
  }

  /** @param {string} name */
  async remove(name) {
    await this.folder.removeEntry(name);
  }

  /**
   * Replaces a file by another. Open files can be neither moved nor replaced, so both are closed in
   * the meantime.
   * @param {string} from
   * @param {string} to
   * @param {{from?: DriveFile, to?: DriveFile}} open
   */
  async rename(from, to, open) {
    const handle = /** @type {Handle} */ (await this.folder.getFileHandle(from));
    if (typeof handle.move !== "function") {
      throw Object.assign(new Error("this browser does not rename files"), { code: "ENOSYS" });
    }
    const moved = /** @type {OPFSFile | undefined} */ (open.from);
    const replaced = /** @type {OPFSFile | undefined} */ (open.to);
    moved?.sync();
    moved?.close();
    replaced?.close();
    try {
      await handle.move(to);
    } catch (error) {
      for (const file of [moved, replaced]) {
        if (file) {
          file.access = await access(file.handle);
        }
      }
      throw error;
    }
    return moved ? this.open(to, false) : undefined;
  }

  close() {}
}
