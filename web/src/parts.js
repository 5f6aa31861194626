/**
 * Loads parts of the program when one of their functions is first called. web/slim/split.js creates the parts, and
 * wasm/parts requests them.
 */

import { NodeError } from "./errors.js";

/** Matches the name of the program's global that records whether a part is loaded: "part NAME HASH". */
const flag = /^part (\w+) \w+$/;

export class Parts {
  /** The instance of the program's first module. @type {WebAssembly.Instance | null} */
  first = null;
  /** The names of the parts' globals, by part number. @type {string[]} */
  #flags;
  /** @type {Map<string, Promise<void>>} */
  #loading = new Map();
  #give;

  /**
   * @param {WebAssembly.Module} module the first module
   * @param {(name: string) => Promise<WebAssembly.Module>} [give]
   */
  constructor(module, give) {
    this.#flags = WebAssembly.Module.exports(module).flatMap(({ name }) => (flag.test(name) ? [name] : []));
    this.#give = give;
  }

  /**
   * Loads a part once. A failed attempt can be repeated.
   * @param {number} number
   * @returns {Promise<void>}
   */
  load = (number) => {
    const name = this.#flags[number];
    const loading = this.#loading.get(name) ?? this.#load(name);
    this.#loading.set(name, loading);
    loading.catch(() => this.#loading.delete(name));
    return loading;
  };

  /** @param {string} name the name of the part's global */
  async #load(name) {
    const [, part] = /** @type {RegExpExecArray} */ (flag.exec(name));
    if (!this.#give) {
      throw new NodeError("WasmError", `the node's part ${part} cannot be loaded: its program was started without parts`);
    }
    const module = await this.#give(part);
    const wanted = WebAssembly.Module.imports(module);
    if (!wanted.some((one) => one.name === name)) {
      throw new NodeError("WasmError", `the node's part ${part} is of another version than the node: reload the page`);
    }
    const first = /** @type {Record<string, any>} */ (/** @type {WebAssembly.Instance} */ (this.first).exports);
    const table = Object.fromEntries(wanted.flatMap((one) => (one.module === "table" ? [[one.name, first.table.get(parseInt(one.name, 36))]] : [])));
    await WebAssembly.instantiate(module, { first, table });
    first[name].value = 1;
  }
}
