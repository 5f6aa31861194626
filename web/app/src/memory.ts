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

export function remember(name: string, value: string) {
  try {
    localStorage.setItem(key(name), value);
  } catch {
    // It is forgotten with the page.
  }
}

/** Forgets all of them, and those of this tab. */
export function forgetAll() {
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
  for (const name of Object.keys(localStorage)) {
    if (name.startsWith(key("")) && name.endsWith(`.${wallet}`)) {
      localStorage.removeItem(name);
    }
  }
}
