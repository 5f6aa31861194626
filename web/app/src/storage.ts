/** The browser's storage for this page. */

import { t } from "./language.ts";

export interface Storage {
  /** Size of the node's data in bytes. */
  used: number;
  /** The browser's limit for this page in bytes; null if it is not known. */
  quota: number | null;
  /** Whether the browser has promised not to delete the data automatically. */
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

/** Asks the browser never to delete the data automatically, and returns whether it agreed. */
export const keep = async (): Promise<boolean> => (await navigator.storage?.persist?.()) ?? false;

const UNITS = ["B", "kB", "MB", "GB", "TB"];

/** Formats a number of bytes, with a sign if it is rounded. */
export function bytes(count: number): string {
  let [value, unit] = [count, 0];
  for (; value >= 1000 && unit < UNITS.length - 1; unit++) {
    value /= 1000;
  }
  return unit === 0 ? `${value} B` : t("data.about", { size: `${value >= 99.5 ? Math.round(value) : value.toPrecision(2)} ${UNITS[unit]}` });
}
