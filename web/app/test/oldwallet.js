/** A wallet in the format that the page used until November 2026. */

import { PASSWORD, WORDS } from "./support.js";

/**
 * Writes the records of the old format, in an empty page of the same site.
 * @param {import("playwright-core").Page} page
 * @param {number} sessions the number of sessions that were opened
 * @param {string} [password]
 */
export const writeOld = (page, sessions, password = PASSWORD) =>
  page.evaluate(
    async ({ passphrase, password, sessions }) => {
      const [bytes, random] = [(value) => new TextEncoder().encode(value), (length) => crypto.getRandomValues(new Uint8Array(length))];
      const done = (request) => new Promise((resolve, reject) => Object.assign(request, { onsuccess: () => resolve(request.result), onerror: () => reject(request.error) }));
      const seal = async (key, value) => {
        const iv = random(12);
        return { iv, data: await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, bytes(JSON.stringify(value))) };
      };
      const AES = { name: "AES-GCM", length: 256 };
      const secret = { passphrase, hd: true };
      const salt = random(16);
      const material = await crypto.subtle.importKey("raw", bytes(password), "PBKDF2", false, ["deriveKey"]);
      const key = await crypto.subtle.deriveKey({ name: "PBKDF2", hash: "SHA-256", salt, iterations: 600_000 }, material, AES, false, ["encrypt", "decrypt"]);
      const vault = { ...(await seal(key, secret)), salt, iterations: 600_000 };
      const request = indexedDB.open("obverse-wallet", 1);
      request.onupgradeneeded = () => request.result.createObjectStore("records");
      const db = await done(request);
      const store = () => db.transaction("records", "readwrite", { durability: "strict" }).objectStore("records");
      await done(store().put({ use: "page", page: { kind: "passphrase", vault } }, "profile"));
      for (let n = 0; n < sessions; n++) {
        const own = await crypto.subtle.generateKey(AES, false, ["encrypt", "decrypt"]);
        await done(store().put({ id: crypto.randomUUID(), key: own, secrets: await seal(own, { page: secret }) }, "session"));
      }
      db.close();
    },
    { passphrase: WORDS, password, sessions },
  );
