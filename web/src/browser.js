/** Implements Platform in thread.js for browsers. */

import { Disk } from "./storage/disk.js";
import { IndexedDrive } from "./storage/indexed.js";
import { MemoryDrive } from "./storage/memory.js";
import { hasOPFS, OPFSDrive } from "./storage/opfs.js";
import { NodeError } from "./errors.js";
import { indexedWallets, memoryWallets } from "./storage/walletfiles.js";

/**
 * Reports whether the browser has Web Locks, which insecure origins lack. Without them, two tabs
 * would corrupt each other's data.
 */
const isSafe = () => typeof navigator !== "undefined" && navigator.locks !== undefined;

/**
 * @param {string} name
 * @param {string} wanted
 * @param {(line: string) => void} print
 * @returns {Promise<import("./storage/disk.js").Drive>}
 */
async function openDrive(name, wanted, print) {
  if (wanted === "files") {
    throw new Error("files are Node's; a browser has opfs");
  }
  const auto = wanted === "auto" && isSafe();
  if (wanted === "opfs" || (auto && hasOPFS())) {
    try {
      return await OPFSDrive.open(name);
    } catch (error) {
      // Some browsers have the API for files but refuse access in a private window.
      if (!auto || /** @type {Error} */ (error).name !== "SecurityError") {
        throw error;
      }
    }
  }
  if (wanted === "indexeddb" || (auto && typeof indexedDB !== "undefined")) {
    return IndexedDrive.open(name);
  }
  if (wanted !== "memory") {
    print("this page has no storage that lasts (a secure origin would): everything is forgotten with it");
  }
  return new MemoryDrive();
}

/**
 * Returns the wallet files. They are in IndexedDB if it exists, even if the node's data is in memory.
 * @param {string} name @param {string} wanted
 */
const walletFiles = (name, wanted) => (wanted === "memory" || typeof indexedDB === "undefined" ? memoryWallets() : indexedWallets(name));

/** @type {import("./thread.js").Platform} */
export const browser = {
  async openStore(name, wanted, print) {
    try {
      const drive = await openDrive(name, wanted, print);
      const disk = new Disk(drive, print);
      return { kind: drive.kind, fs: disk.fs(), path: "/obverse.db", walletFiles: walletFiles(name, wanted), close: () => disk.close() };
    } catch (error) {
      throw new NodeError("StoreError", `the browser's storage cannot be opened: ${/** @type {Error} */ (error).message}`);
    }
  },
  meeting() {
    if (!isSafe() || typeof BroadcastChannel === "undefined" || !crypto.subtle) {
      return null;
    }
    return {
      locks: navigator.locks,
      Board: BroadcastChannel,
      digest: async (text) => {
        const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
        return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
      },
    };
  },
};
