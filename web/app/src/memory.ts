/**
 * Small settings that are no secret, in localStorage, which all tabs share. A browser
 * that forbids storage has the defaults.
 */

const key = (name: string) => `obverse.${name}`;

export function recall(name: string): string | null {
  try {
    return localStorage.getItem(key(name));
  } catch {
    return null;
  }
}

/** By name: values as they were read, until this tab or another one writes them. */
const read = new Map<string, unknown>();

globalThis.addEventListener?.("storage", () => read.clear());

/** A value as reader has it. It is read once, and again after this tab or another one has written something. */
export function recalled<T>(name: string, reader: (text: string | null) => T): T {
  if (!read.has(name)) {
    read.set(name, reader(recall(name)));
  }
  return read.get(name) as T;
}

export function remember(name: string, value: string) {
  read.delete(name);
  try {
    localStorage.setItem(key(name), value);
  } catch {
    // It is forgotten with the page.
  }
}

/** Forgets all of them, and those of this tab. */
export function forgetAll() {
  read.clear();
  for (const storage of [localStorage, sessionStorage]) {
    for (const name of Object.keys(storage)) {
      if (name.startsWith(key(""))) {
        storage.removeItem(name);
      }
    }
  }
}

/** Forgets those of one wallet: their names end with the wallet's. */
export function forgetOf(wallet: string) {
  read.clear();
  for (const name of Object.keys(localStorage)) {
    if (name.startsWith(key("")) && name.endsWith(`.${wallet}`)) {
      localStorage.removeItem(name);
    }
  }
}
