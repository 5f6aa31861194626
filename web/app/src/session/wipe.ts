/** Deletes the page's data in this browser: the node's data, the wallets and the settings. */

import { NodeError } from "obverse";
import { removeDatabase } from "./db.ts";

const TIMEOUT = 10_000; // ms for other tabs to close the node's data
const PAUSE = 50;

/**
 * Runs a function while no tab has the node's data open. The tabs have been asked to stop.
 * @throws a NodeError of the kind StoreError if one does not
 */
async function alone<T>(store: string, act: () => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(TIMEOUT);
  try {
    return await navigator.locks.request(`obverse/${store}`, { signal }, act);
  } catch (error) {
    if (signal.aborted) {
      throw new NodeError("StoreError", "another tab of this page does not let go of the data: close it and try again");
    }
    throw error;
  }
}

/** A worker that has just ended may have its files open for a moment. */
async function removeFiles(store: string): Promise<void> {
  const root = await navigator.storage.getDirectory();
  for (const end = Date.now() + TIMEOUT; ; ) {
    try {
      return await (await root.getDirectoryHandle("obverse")).removeEntry(encodeURIComponent(store), { recursive: true });
    } catch (error) {
      const { name } = error as DOMException;
      if (name === "NotFoundError") {
        return;
      }
      if (name !== "NoModificationAllowedError" || Date.now() > end) {
        throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }
}

/** Deletes a wallet's data. Every tab must stop its node first. */
export async function removeStore(store: string): Promise<void> {
  if (!isSecureContext) {
    return; // it was in memory only
  }
  await alone(store, async () => {
    await removeFiles(store);
    await removeDatabase(`obverse/${store}`);
  });
}

/** Deletes the data of all wallets. */
export async function removeStores(stores: string[]): Promise<void> {
  for (const store of stores) {
    await removeStore(store);
  }
  const root = isSecureContext ? await navigator.storage.getDirectory() : null;
  await root?.removeEntry("obverse", { recursive: true }).catch((error: DOMException) => error.name !== "NotFoundError" && Promise.reject(error));
}
