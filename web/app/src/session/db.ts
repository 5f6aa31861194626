/**
 * The page's own records in IndexedDB, beside the node's data: the profile and the
 * session. Each operation opens the database anew, so that none keeps another tab from
 * deleting it.
 */

export const NAME = "obverse-wallet";
const STORE = "records";

const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("the browser's database failed"));
  });

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(NAME, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE);
  return done(request);
}

async function transact<T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const db = await open();
  try {
    const transaction = db.transaction(STORE, mode, { durability: "strict" });
    const committed = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error ?? new Error("the browser's database failed"));
    });
    const [result] = await Promise.all([done(act(transaction.objectStore(STORE))), committed]);
    return result;
  } finally {
    db.close();
  }
}

export const get = <T>(key: string): Promise<T | undefined> => transact("readonly", (store) => store.get(key) as IDBRequest<T | undefined>);

export const put = (key: string, value: unknown): Promise<unknown> => transact("readwrite", (store) => store.put(value, key));

export const remove = (key: string): Promise<unknown> => transact("readwrite", (store) => store.delete(key));
