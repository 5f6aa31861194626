/** What the browser says of its storage. */

import { t } from "./language.ts";

export interface Storage {
  /** Bytes of the node's data. */
  used: number;
  /** Bytes that the browser gives this page at most; null if it does not tell. */
  quota: number | null;
  /** Whether the browser has promised not to delete the data by itself. */
  persisted: boolean;
}

const isFile = (handle: FileSystemHandle): handle is FileSystemFileHandle => handle.kind === "file";

async function sizeOf(folder: FileSystemDirectoryHandle): Promise<number> {
  let sum = 0;
  for await (const handle of folder.values()) {
    sum += isFile(handle) ? (await handle.getFile()).size : await sizeOf(handle as FileSystemDirectoryHandle);
  }
  return sum;
}

export async function storage(): Promise<Storage> {
  if (!navigator.storage) {
    return { used: 0, quota: null, persisted: false };
  }
  const [{ usage = 0, quota = null }, persisted] = await Promise.all([navigator.storage.estimate(), navigator.storage.persisted()]);
  try {
    const root = await navigator.storage.getDirectory();
    return { used: await sizeOf(await root.getDirectoryHandle("obverse")), quota, persisted };
  } catch {
    return { used: usage, quota, persisted }; // the data are in a database
  }
}

/** Asks the browser never to delete the data by itself. Gives whether it agreed. */
export const keep = async (): Promise<boolean> => (await navigator.storage?.persist?.()) ?? false;

const UNITS = ["B", "kB", "MB", "GB", "TB"];

/** A number of bytes for people, which says that it is rounded when it is. */
export function bytes(count: number): string {
  let [value, unit] = [count, 0];
  for (; value >= 1000 && unit < UNITS.length - 1; unit++) {
    value /= 1000;
  }
  return unit === 0 ? `${value} B` : t("data.about", { size: `${value >= 99.5 ? Math.round(value) : value.toPrecision(2)} ${UNITS[unit]}` });
}
