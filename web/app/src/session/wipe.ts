/** Deleting what the page has in this browser: the node's data, the wallet, the settings. */

import { NodeError } from "obverse";
import { STORE } from "../node.ts";
import { removeDatabase } from "./db.ts";

const PATIENCE = 10_000; // ms for other tabs to leave the node's data
const PAUSE = 50;

/**
 * Does something while no tab has the node's data open. The tabs were told to stop.
 * @throws a NodeError of the kind StoreError if one does not
 */
async function alone<T>(act: () => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(PATIENCE);
  try {
    return await navigator.locks.request(`obverse/${STORE}`, { signal }, act);
  } catch (error) {
    if (signal.aborted) {
      throw new NodeError("StoreError", "another tab of this page does not let go of the data: close it and try again");
    }
    throw error;
  }
}

/** A worker that has just ended may have its files open a moment longer. */
async function removeFiles(): Promise<void> {
  const root = await navigator.storage.getDirectory();
  for (const end = Date.now() + PATIENCE; ; ) {
    try {
      return await root.removeEntry("obverse", { recursive: true });
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

/** Deletes the node's data. Every tab has stopped its node, or does so now. */
export async function removeStore(): Promise<void> {
  if (!isSecureContext) {
    return; // it was in memory
  }
  await alone(async () => {
    await removeFiles();
    await removeDatabase(`obverse/${STORE}`);
  });
}
