/** Writes a wallet to storage as the page does, for tests that need an existing wallet. */

import { validateMnemonic } from "@scure/bip39";
import { wordlist } from "@scure/bip39/wordlists/english.js";
import { publicKeyOf } from "./traces.js";

/** Returns the page's record of a wallet and the plaintext of its vault. @param {string} passphrase */
export function profileOf(passphrase) {
  const hd = validateMnemonic(passphrase, wordlist);
  return { secret: { passphrase, hd }, publicKey: publicKeyOf(passphrase, hd) };
}

/**
 * Writes a locked wallet in a page of the site other than the wallet page. The key of its vault is derived with a single
 * round of PBKDF2. The number of rounds in the page's own vaults and the format of the profile are tested where the page
 * creates them.
 * @param {import("playwright-core").Page} page
 * @param {{passphrase: string, password: string}} secrets
 */
export const seed = (page, { passphrase, password }) =>
  page.evaluate(
    async ({ secret, publicKey, password }) => {
      const bytes = (/** @type {string} */ text) => new TextEncoder().encode(text);
      const [salt, iv] = [crypto.getRandomValues(new Uint8Array(16)), crypto.getRandomValues(new Uint8Array(12))];
      const material = await crypto.subtle.importKey("raw", bytes(password), "PBKDF2", false, ["deriveKey"]);
      const key = await crypto.subtle.deriveKey({ name: "PBKDF2", hash: "SHA-256", salt, iterations: 1 }, material, { name: "AES-GCM", length: 256 }, false, ["encrypt"]);
      const vault = { iv, data: await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, bytes(JSON.stringify(secret))), salt, iterations: 1 };
      const done = (request) => new Promise((resolve, reject) => Object.assign(request, { onsuccess: () => resolve(request.result), onerror: () => reject(request.error) }));
      const request = indexedDB.open("obverse-page", 1);
      request.onupgradeneeded = () => request.result.createObjectStore("records");
      const db = await done(request);
      await done(db.transaction("records", "readwrite").objectStore("records").put({ use: "page", page: { kind: "passphrase", vault, publicKey } }, "profile"));
      db.close();
    },
    { ...profileOf(passphrase), password },
  );

/**
 * Replaces fields of the page's record of wallets.
 * @param {import("playwright-core").Page} page
 * @param {object} fields
 */
export const changeProfile = (page, fields) =>
  page.evaluate(async (fields) => {
    const done = (request) => new Promise((resolve, reject) => Object.assign(request, { onsuccess: () => resolve(request.result), onerror: () => reject(request.error) }));
    const db = await done(indexedDB.open("obverse-page"));
    const transaction = db.transaction("records", "readwrite");
    const committed = new Promise((resolve, reject) => Object.assign(transaction, { oncomplete: resolve, onabort: () => reject(transaction.error) }));
    const records = transaction.objectStore("records");
    records.put({ ...(await done(records.get("profile"))), ...fields }, "profile");
    await committed.finally(() => db.close());
  }, fields);

/** Returns the page's record of wallets. @param {import("playwright-core").Page} page */
export const readProfile = (page) =>
  page.evaluate(async () => {
    const done = (request) => new Promise((resolve, reject) => Object.assign(request, { onsuccess: () => resolve(request.result), onerror: () => reject(request.error) }));
    const db = await done(indexedDB.open("obverse-page"));
    return done(db.transaction("records").objectStore("records").get("profile")).finally(() => db.close());
  });
