/** Collects all stored and displayed data of a page as one text, in which tests search for secrets. */

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/**
 * Returns the data that the page's origin has stored in the browser, and the displayed texts. Binary data is read as
 * Latin-1, and keys that cannot be exported are marked.
 * @param {import("playwright-core").Page} page
 */
export async function everythingOf(page) {
  const kept = await page.evaluate(async () => {
    const latin = new TextDecoder("latin1");
    const textOf = (value) => {
      if (value instanceof CryptoKey) {
        return `CryptoKey extractable=${value.extractable}`;
      }
      if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) {
        return latin.decode(value);
      }
      if (value !== null && typeof value === "object") {
        return Object.entries(value).map(([name, inner]) => `${name}: ${textOf(inner)}`).join("\n");
      }
      return String(value);
    };
    const texts = [location.href, document.documentElement.outerHTML, textOf({ ...localStorage }), textOf({ ...sessionStorage }), document.title];
    for (const field of document.querySelectorAll("input, textarea")) {
      texts.push(field.value);
    }
    const done = (request) => new Promise((resolve, reject) => Object.assign(request, { onsuccess: () => resolve(request.result), onerror: () => reject(request.error) }));
    for (const { name } of await indexedDB.databases()) {
      const db = await done(indexedDB.open(name));
      for (const store of db.objectStoreNames) {
        const objects = db.transaction(store).objectStore(store);
        const [keys, values] = await Promise.all([done(objects.getAllKeys()), done(objects.getAll())]);
        texts.push(name, store, ...keys.map(textOf), ...values.map(textOf));
      }
      db.close();
    }
    // If the node writes a file while it is read, it is read again. A file that was removed in the meantime counts
    // as empty.
    const read = async (handle) => {
      for (;;) {
        try {
          return latin.decode(await (await handle.getFile()).arrayBuffer());
        } catch (error) {
          if (error.name === "NotFoundError") {
            return "";
          }
          if (error.name !== "NotReadableError") {
            throw error;
          }
        }
      }
    };
    const walk = async (folder) => {
      for await (const [name, handle] of folder) {
        texts.push(name);
        await (handle.kind === "file" ? read(handle).then((text) => texts.push(text)) : walk(handle));
      }
    };
    await walk(await navigator.storage.getDirectory());
    return texts.join("\n");
  });
  return kept;
}

/**
 * Returns the names of the files in a folder, such as a browser's profile, that contain a text in UTF-8 or UTF-16.
 * @param {string} folder
 * @param {string} text
 */
export function filesWith(folder, text) {
  const [narrow, wide] = [Buffer.from(text, "utf8"), Buffer.from(text, "utf16le")];
  const has = (file) => {
    const bytes = readFileSync(file);
    return bytes.includes(narrow) || bytes.includes(wide);
  };
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    try {
      return entry.isDirectory() ? filesWith(file, text) : entry.isFile() && has(file) ? [file] : [];
    } catch (error) {
      if (error.code === "ENOENT") {
        return []; // the browser has removed the file in the meantime
      }
      throw error;
    }
  });
}
