/**
 * The files of named wallets in a browser: recovery phrases, each encrypted under the password of its wallet. They are in
 * IndexedDB wherever the node's data are, and each change is on the disk when its promise is settled.
 *
 * @typedef {object} WalletFiles see wasm/page/host_js.go
 * @property {() => Promise<string>} names a JSON list
 * @property {(name: string) => Promise<string | null>} read null if it does not exist
 * @property {(name: string, text: string) => Promise<boolean>} create false if it exists
 * @property {(name: string, text: string) => Promise<void>} replace
 * @property {(name: string) => Promise<boolean>} remove false if it did not exist
 * @property {(folder: string) => Promise<string>} store the path of the store of the wallet whose data are in this folder
 */

const FILES = "files";

/** The stores of wallets are next to the store of a node without a wallet. @param {string} folder */
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
 * Does something in one transaction. The database is opened for it alone, so that a page can always delete it.
 * @template T
 * @param {string} name of the node's store
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
 * The wallet files that belong to a node's store.
 * @param {string} of its name
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
 * Wallet files that live as long as the thread.
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
