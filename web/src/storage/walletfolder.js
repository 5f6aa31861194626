/**
 * The files of named wallets in a folder, each named NAME.json. The native node uses the same format, so that both can open
 * each other's wallets.
 */

import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";

const EXTENSION = ".json";
/** The config file of the native node, which is not a wallet. */
const CONFIG = "obverse.json";

/** @param {unknown} error */
const codeOf = (error) => /** @type {NodeJS.ErrnoException} */ (error).code;

/**
 * Writes a file to disk completely before it gets its name.
 * @param {string} file
 * @param {string} text
 * @param {(from: string, to: string) => void} give
 */
function write(file, text, give) {
  const made = path.join(path.dirname(file), `.wallet.${randomUUID()}`);
  try {
    fs.writeFileSync(made, text, { mode: 0o600, flag: "wx", flush: true });
    give(made, file);
  } finally {
    fs.rmSync(made, { force: true });
  }
  const folder = fs.openSync(path.dirname(file), "r");
  fs.fsyncSync(folder);
  fs.closeSync(folder);
}

/**
 * @param {string} folder an existing folder
 * @returns {import("./walletfiles.js").WalletFiles}
 */
export function walletFolder(folder) {
  /**
   * Returns the path of a wallet file. The name was validated: it consists of letters, digits, spaces, hyphens
   * and underscores.
   * @param {string} name
   */
  const file = (name) => {
    if (name + EXTENSION === CONFIG) {
      throw new Error(`the name ${name} is reserved`);
    }
    return path.join(folder, name + EXTENSION);
  };
  /** @template T @template E @param {string} code @param {E} otherwise @param {() => T} does */
  const unless = (code, otherwise, does) => {
    try {
      return does();
    } catch (error) {
      if (codeOf(error) !== code) {
        throw error;
      }
      return otherwise;
    }
  };
  return {
    names: async () => {
      const found = fs.readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile() && /^[\p{L}\p{Nd}\-_ ]+\.json$/u.test(entry.name) && entry.name !== CONFIG);
      return JSON.stringify(found.map((entry) => entry.name.slice(0, -EXTENSION.length)));
    },
    read: async (name) => unless("ENOENT", null, () => fs.readFileSync(file(name), "utf8")),
    create: async (name, text) => unless("EEXIST", false, () => (write(file(name), text, fs.linkSync), true)),
    replace: async (name, text) => write(file(name), text, fs.renameSync),
    remove: async (name) => unless("ENOENT", false, () => (fs.unlinkSync(file(name)), true)),
    store: async (of) => {
      fs.mkdirSync(path.join(folder, of), { recursive: true, mode: 0o700 });
      return path.join(folder, of, "obverse.db");
    },
  };
}
