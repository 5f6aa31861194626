/**
 * The files of named wallets in a browser: recovery phrases, each encrypted with the password of its wallet. They are
 * stored in IndexedDB, wherever the node's data is. A change is durable once its promise is fulfilled.
 *
 * @typedef {object} WalletFiles see wasm/page/host_js.go
 * @property {() => Promise<string>} names returns the names of the wallets as a JSON list
 * @property {(name: string) => Promise<string | null>} read returns the content of a file; null if it does not exist
 * @property {(name: string, text: string) => Promise<boolean>} create creates a file; returns false if it already exists
 * @property {(name: string, text: string) => Promise<void>} replace
 * @property {(name: string) => Promise<boolean>} remove removes a file; returns false if it does not exist
 * @property {(folder: string) => Promise<string>} store returns the path of the store for a wallet's folder
 */

const FILES = "files";

/** Returns the path of the store of a wallet. It is next to the store of the node without a wallet. @param {string} folder */
const store = async (folder) => `/${folder}.db`;

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
const settle = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/**
 * Runs a function in a transaction. The database is closed afterwards, so that the page can always delete it.
 * @template T
 * @param {string} name the name of the node's store
 * @param {IDBTransactionMode} mode
 * @param {(files: IDBObjectStore) => Promise<T>} act
 * @returns {Promise<T>}
 */
async function inside(name, mode, act) {
  const request = indexedDB.open(`obverse-wallets/${name}`, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(FILES);
  const db = await settle(request);
  try {
    const transaction = db.transaction(FILES, mode, { durability: "strict" });
    const committed = new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error ?? new Error("IndexedDB gave the transaction up"));
    });
    const [result] = await Promise.all([act(transaction.objectStore(FILES)), committed]);
    return result;
  } finally {
    db.close();
  }
}

/** @param {IDBObjectStore} files @param {string} name */
const has = async (files, name) => (await settle(files.getKey(name))) !== undefined;

/**
 * Returns the wallet files that belong to a node's store.
 * @param {string} of the name of the store
 * @returns {WalletFiles}
 */
export const indexedWallets = (of) => ({
  names: () => inside(of, "readonly", async (files) => JSON.stringify(await settle(files.getAllKeys()))),
  read: (name) => inside(of, "readonly", async (files) => (await settle(files.get(name))) ?? null),
  create: (name, text) =>
    inside(of, "readwrite", async (files) => {
      const free = !(await has(files, name));
      free && files.add(text, name);
      return free;
    }),
  replace: (name, text) => inside(of, "readwrite", async (files) => void files.put(text, name)),
  remove: (name) =>
    inside(of, "readwrite", async (files) => {
      const found = await has(files, name);
      files.delete(name);
      return found;
    }),
  store,
});

/**
 * Returns wallet files in memory, which exist as long as the thread.
 * @param {Map<string, string>} [files]
 * @returns {WalletFiles}
 */
export const memoryWallets = (files = new Map()) => ({
  names: async () => JSON.stringify([...files.keys()]),
  read: async (name) => files.get(name) ?? null,
  create: async (name, text) => !files.has(name) && Boolean(files.set(name, text)),
  replace: async (name, text) => void files.set(name, text),
  remove: async (name) => files.delete(name),
  store,
});
