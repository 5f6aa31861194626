/** Implements Platform in thread.js for Node. */

import fs from "node:fs";
import path from "node:path";
import { Disk } from "./storage/disk.js";
import { MemoryDrive } from "./storage/memory.js";
import { NodeError } from "./errors.js";
import { memoryWallets } from "./storage/walletfiles.js";
import { walletFolder } from "./storage/walletfolder.js";

/**
 * Locks a folder against other processes and other threads of this one. Node has no lock that the
 * system releases when a process ends, so the lock file contains the process id.
 * @param {string} file
 */
function lock(file) {
  for (let tries = 0; ; tries++) {
    try {
      fs.writeFileSync(file, String(process.pid), { flag: "wx", mode: 0o600 });
      return () => fs.rmSync(file, { force: true });
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EEXIST" || tries > 0) {
        throw error;
      }
    }
    const pid = Number(fs.readFileSync(file, "utf8"));
    if (isAlive(pid) && !isOfFormer(pid, file)) {
      throw new NodeError("AlreadyRunning", `the store is open already, in process ${pid}`, { pid });
    }
    fs.rmSync(file, { force: true });
  }
}

/**
 * Reports whether a lock file with this process's id is older than this process. In a container, a process often has the same id as its
 * predecessor that was killed.
 * @param {number} pid
 * @param {string} file
 */
const isOfFormer = (pid, file) => pid === process.pid && fs.statSync(file).mtimeMs < Date.now() - process.uptime() * 1000 - CLOCK;

/** The maximum difference between file times and process times, in ms. */
const CLOCK = 1000;

/** @param {number} pid */
function isAlive(pid) {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "EPERM";
  }
}

/** Redirects the program's output to its log. Standard input and output belong to the process. */
const withoutOutput = (/** @type {(line: string) => void} */ print) => {
  const spare = new Disk(new MemoryDrive(), print).fs();
  return {
    ...fs,
    writeSync: spare.writeSync,
    write: (/** @type {number} */ fd, /** @type {any[]} */ ...rest) => (fd < 3 ? /** @type {any} */ (spare).write(fd, ...rest) : /** @type {any} */ (fs).write(fd, ...rest)),
  };
};

/** @type {import("./thread.js").Platform} */
export const nodejs = {
  async openStore(name, wanted, print) {
    if (wanted === "memory" || (wanted === "auto" && name === "")) {
      const disk = new Disk(new MemoryDrive(), print);
      return { kind: "memory", fs: disk.fs(), path: "/obverse.db", walletFiles: memoryWallets(), close: () => disk.close() };
    }
    if (wanted !== "auto" && wanted !== "files") {
      throw new NodeError("StoreError", `Node has no storage ${wanted}: files, memory or auto`);
    }
    const folder = path.resolve(name === "" ? "obverse" : name);
    try {
      fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
      const unlock = lock(path.join(folder, "obverse.page.lock"));
      return { kind: "files", fs: withoutOutput(print), path: path.join(folder, "obverse.db"), walletFiles: walletFolder(folder), close: unlock };
    } catch (error) {
      if (error instanceof NodeError) {
        throw error;
      }
      throw new NodeError("StoreError", `the folder ${folder} cannot be used: ${/** @type {Error} */ (error).message}`);
    }
  },
  meeting: () => null,
};
