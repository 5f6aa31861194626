/**
 * The page's own records in IndexedDB, separate from the node's data: the profile, wrong passwords, and the id of the open session. No
 * record opens the wallet without the password. Each operation opens and closes the database, so that it never prevents another tab from
 * deleting it.
 */

import { NodeError } from "obverse";

export const NAME = "obverse-page";
/** The name of the database until November 2026, see legacy.ts. */
export const OLD_NAME = "obverse-wallet";
export const STORE = "records";
/** Whether the user still has to be informed of what legacy.ts removed. */
export const EXPOSED = "exposed";

/** Returns the result of a request. */
export function settle<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("the browser's database failed"));
  });
}

const TIMEOUT = 15_000; // ms for the browser to open a database

/** Returns a database that is being opened. Some browsers do not respond until they are restarted, or while another tab of an earlier version has it open. */
function opened(request: IDBOpenDBRequest): Promise<IDBDatabase> {
  const opening = settle(request);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new NodeError("StoreError", "the browser's database does not respond: restart the browser"));
      void opening.then((db) => db.close(), () => {});
    }, TIMEOUT);
    opening.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Opens a database and creates it if it does not exist. */
export function make(name: string): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE);
  return opened(request);
}

/** Names the storage in an error of the browser, which says little itself. */
const storeError = (error: unknown): unknown => (error instanceof DOMException ? new NodeError("StoreError", `${error.name}: ${error.message}`) : error);

/** Opens an existing database; null if it does not exist. It does not create one. */
export const openExisting = (name: string): Promise<IDBDatabase | null> => existing(name).catch((error: unknown) => Promise.reject(storeError(error)));

async function existing(name: string): Promise<IDBDatabase | null> {
  const request = indexedDB.open(name);
  let isNew = false;
  request.onupgradeneeded = () => {
    isNew = true;
    request.transaction?.abort();
  };
  try {
    return await opened(request);
  } catch (error) {
    if (isNew) {
      return null;
    }
    throw error;
  }
}

/** Changes several records in one transaction. */
export function write(db: IDBDatabase, act: (store: IDBObjectStore) => unknown): Promise<void> {
  const transaction = db.transaction(STORE, "readwrite", { durability: "strict" });
  const committed = new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new Error("the browser's database failed"));
  });
  act(transaction.objectStore(STORE));
  return committed;
}

export const read = <T>(db: IDBDatabase, key: string): Promise<T | undefined> => settle(db.transaction(STORE).objectStore(STORE).get(key) as IDBRequest<T | undefined>);

async function inside<T>(act: (db: IDBDatabase) => Promise<T>): Promise<T> {
  let db: IDBDatabase | undefined;
  try {
    db = await make(NAME);
    return await act(db);
  } catch (error) {
    throw storeError(error);
  } finally {
    db?.close();
  }
}

export const get = <T>(key: string): Promise<T | undefined> => inside((db) => read<T>(db, key));

export const put = (key: string, value: unknown): Promise<void> => inside((db) => write(db, (store) => store.put(value, key)));

/**
 * Changes a record in one transaction and returns the new value. If change returns the same object, nothing is written,
 * so that this also succeeds when the storage is full.
 */
export function update<T>(key: string, change: (before: T | undefined) => T): Promise<T> {
  return inside(async (db) => {
    let now: T | undefined;
    let failure: unknown;
    await write(db, (store) => {
      const before = store.get(key) as IDBRequest<T | undefined>;
      before.onsuccess = () => {
        try {
          now = change(before.result);
          now !== before.result && store.put(now, key);
        } catch (error) {
          failure = error;
          store.transaction.abort();
        }
      };
    }).catch((error: unknown) => Promise.reject(failure ?? error));
    return now as T;
  });
}

/** Removes records in one transaction. */
export const remove = (...keys: string[]): Promise<void> => inside((db) => write(db, (store) => keys.forEach((key) => store.delete(key))));

/** Deletes a database if it exists. */
export const removeDatabase = async (name: string): Promise<void> => void (await settle(indexedDB.deleteDatabase(name)));
