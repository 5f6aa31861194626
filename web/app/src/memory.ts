/**
 * Small settings that are not secret, in localStorage, which all tabs share. If the browser
 * does not store one, or deletes it, this tab has it until it is closed.
 */

const key = (name: string) => `obverse.${name}`;

/** Values that the browser did not store, by key: this tab has them until it is closed or another tab stores others. */
const unsaved = new Map<string, string>();

/** Copies of all stored values, by key: the browser may delete the stored ones with the data of all sites. */
const copies = new Map<string, string>();

const isOurs = (name: string) => name.startsWith(key(""));

try {
  Object.entries<string>(localStorage).forEach(([name, value]) => isOurs(name) && copies.set(name, value));
} catch {
  // The browser stores nothing.
}

export function recall(name: string): string | null {
  try {
    return unsaved.get(key(name)) ?? localStorage.getItem(key(name)) ?? copies.get(key(name)) ?? null;
  } catch {
    return null;
  }
}

/** Cached values by name, until this tab or another one writes them. */
const read = new Map<string, unknown>();

globalThis.addEventListener?.("storage", ({ key: changed, newValue }) => {
  read.clear();
  if (changed === null) {
    unsaved.clear(); // by the browser: the page deletes one value after the other
  } else {
    unsaved.delete(changed);
    newValue === null ? copies.delete(changed) : isOurs(changed) && copies.set(changed, newValue);
  }
});

/** Returns a value as parsed by reader. The result is cached until this tab or another one writes something. */
export function recalled<T>(name: string, reader: (text: string | null) => T): T {
  if (!read.has(name)) {
    read.set(name, reader(recall(name)));
  }
  return read.get(name) as T;
}

export function remember(name: string, value: string) {
  read.delete(name);
  copies.set(key(name), value);
  try {
    localStorage.setItem(key(name), value);
    unsaved.delete(key(name));
  } catch {
    unsaved.set(key(name), value);
  }
}

/** Stores the values of this tab again that the browser has deleted. */
export const restoreDeleted = () =>
  [...copies.keys()].forEach((stored) => {
    const name = stored.slice(key("").length);
    remember(name, recall(name) as string); // unchanged if another tab has stored it again
  });

/** The same for values of this tab, which a reload keeps. */
export function recallInTab(name: string): string | null {
  try {
    return sessionStorage.getItem(key(name));
  } catch {
    return null;
  }
}

/** Stores a value of this tab; null removes it. */
export function rememberInTab(name: string, value: string | null) {
  try {
    value === null ? sessionStorage.removeItem(key(name)) : sessionStorage.setItem(key(name), value);
  } catch {
    // The value is lost when the page is closed.
  }
}

/** Removes all settings and those of this tab. */
export function forgetAll() {
  read.clear();
  unsaved.clear();
  copies.clear();
  for (const storage of [localStorage, sessionStorage]) {
    for (const name of Object.keys(storage)) {
      if (isOurs(name)) {
        storage.removeItem(name);
      }
    }
  }
}

/** Removes the settings of one wallet, whose names end with the wallet's. */
export function forgetOf(wallet: string) {
  read.clear();
  for (const name of [...copies.keys(), ...Object.keys(localStorage)]) {
    if (isOurs(name) && name.endsWith(`.${wallet}`)) {
      copies.delete(name);
      unsaved.delete(name);
      localStorage.removeItem(name);
    }
  }
}
