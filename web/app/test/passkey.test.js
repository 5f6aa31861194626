/** Passkeys that open a wallet as an alternative to its password, with Chromium's virtual authenticator. */

import assert from "node:assert/strict";
import { sharing } from "../../test/sharing.js";
import { seed } from "./seed.js";
import { button, heading, look, text } from "./steps.js";
import { browser, isOpen, PASSWORD, until, visit, WORDS } from "./support.js";

/**
 * Adds a virtual authenticator to the browser and returns functions that change it.
 * @param {import("playwright-core").Page} page @param {boolean} hasPrf
 */
async function authenticator(page, hasPrf) {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  const options = { protocol: "ctap2", ctap2Version: "ctap2_1", transport: "internal", hasResidentKey: true, hasUserVerification: true, hasPrf, isUserVerified: true, automaticPresenceSimulation: true };
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", { options });
  return {
    verified: (/** @type {boolean} */ isUserVerified) => session.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified }),
    keys: async () => (await session.send("WebAuthn.getCredentials", { authenticatorId })).credentials.length,
    forget: () => session.send("WebAuthn.clearCredentials", { authenticatorId }),
    remove: () => session.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId }),
  };
}

const unlock = async (page, password = PASSWORD) => {
  await heading(page, "Unlock");
  await text(page, "Password").fill(password);
  await page.getByRole("button", { name: "Unlock", exact: true }).click();
};

async function add(page, password = PASSWORD) {
  await visit(page, "settings", "Settings");
  const summary = page.getByText("Passkeys", { exact: true });
  (await text(page, "Password of this wallet").isVisible()) || (await summary.click());
  await text(page, "Password of this wallet").fill(password);
  await button(page, "Add a passkey").click();
}

/** Returns the stored profile of the page. @param {import("playwright-core").Page} page */
const profile = (page) =>
  page.evaluate(async () => {
    const done = (request) => new Promise((resolve, reject) => Object.assign(request, { onsuccess: () => resolve(request.result), onerror: () => reject(request.error) }));
    const db = await done(indexedDB.open("obverse-page"));
    const value = await done(db.transaction("records").objectStore("records").get("profile"));
    db.close();
    return value;
  });

async function removePasskey(page) {
  await page.locator("li", { hasText: /^Added / }).getByRole("button", { name: "Remove" }).click();
  await page.getByText(/^Added /).waitFor({ state: "hidden" });
}

const test = sharing("passkeys of a wallet", async (t) => {
  const opened = await browser(t, { whole: true, args: [] });
  const url = opened.url.replace("127.0.0.1", "localhost"); // browsers do not support passkeys for numeric addresses
  const page = await opened.context.newPage();
  await page.goto(`${url}theme.js`);
  await seed(page, { passphrase: WORDS, password: PASSWORD });
  await page.goto(url);
  await unlock(page);
  await isOpen(page);
  return { ...opened, page, url };
});

test("an authenticator that cannot make secrets is refused, and so is a wrong password", async (t, { page }) => {
  const plain = await authenticator(page, false);
  await add(page, "not the password");
  await page.getByText("Wrong password.").waitFor();
  assert.equal(await plain.keys(), 0);
  await add(page);
  await page.getByText("This passkey cannot protect a wallet").waitFor();
  assert.equal((await profile(page)).page.passkeys, undefined);
  await plain.remove();
});

test("a passkey opens the wallet, and only after its user was verified; the password opens it too", async (t, { page, said }) => {
  const device = await authenticator(page, true);
  await add(page);
  await page.getByText(/^Added /).waitFor();
  await look(page, "passkeys");
  assert.equal(await device.keys(), 1);
  await button(page, "Lock").click();
  await heading(page, "Unlock");
  await look(page, "unlock-passkey");
  await button(page, "Unlock with a passkey").click();
  await isOpen(page);
  await page.reload();
  await isOpen(page);

  await button(page, "Lock").click();
  await device.verified(false);
  await button(page, "Unlock with a passkey").click();
  await page.getByText("The passkey was not used. Try again, or enter the password.").waitFor();
  assert.equal(await page.locator(".status").count(), 0);
  await unlock(page);
  await isOpen(page);
  await device.verified(true);

  // Stored data opens nothing without the authenticator: the key is encrypted, and its key is not stored.
  const { passkeys } = (await profile(page)).page;
  assert.deepEqual(passkeys.map((passkey) => Object.keys(passkey).sort()), [["id", "key", "made", "salt"]]);
  assert.deepEqual(Object.keys(passkeys[0].key).sort(), ["data", "iv"]);
  assert.deepEqual(said, []);
  await button(page, "Lock").click();
  await device.forget();
  await button(page, "Unlock with a passkey").click();
  await page.getByText("The passkey was not used.").waitFor();
  await unlock(page);
  await isOpen(page);
  await device.remove();
});

/** Makes authenticators respond with the given bytes, like faulty ones; null for no secret. @param {import("playwright-core").Page} page */
const answering = (page, made, asked) =>
  page.evaluate(
    ([made, asked]) => {
      const answer = (bytes) => ({ rawId: new Uint8Array(16).buffer, type: "public-key", getClientExtensionResults: () => ({ prf: { enabled: true, ...(bytes && { results: { first: Uint8Array.from(bytes).buffer } }) } }) });
      Object.assign(CredentialsContainer.prototype, {
        create: async () => answer(made),
        get: async ({ publicKey }) => ((globalThis.asked = Object.keys(publicKey.extensions.prf).join()), answer(asked)),
      });
    },
    [made, asked],
  );

test("only 32 bytes that are no pattern are a secret, and a passkey with another secret than before is reported", async (t, { page, said }) => {
  await visit(page, "settings", "Settings");
  await page.getByText("Passkeys", { exact: true }).click();
  await removePasskey(page);
  const bytes = (length, first = 1) => Array.from({ length }, (_, n) => first + n);
  const unfit = page.getByText("This passkey cannot protect a wallet.");
  for (const [name, output] of Object.entries({ "no byte": [], "one byte": [7], "31 bytes": bytes(31), "33 bytes": bytes(33), "64 bytes": bytes(64), zeros: Array(32).fill(0), ones: Array(32).fill(1), none: null })) {
    for (const [made, asked] of output === null ? [[null, null]] : [[output, bytes(32)], [null, output]]) {
      await answering(page, made, asked);
      await visit(page, "", "Home"); // the previous messages are gone
      await add(page);
      await unfit.waitFor();
      assert.equal((await profile(page)).page.passkeys.length, 0, name);
    }
  }
  await answering(page, bytes(32), null);
  await add(page);
  await page.getByText(/^Added /).waitFor();
  await button(page, "Lock").click();
  await heading(page, "Unlock");
  const fails = page.getByText("This passkey does not open the wallet. Enter the password and add the passkey again.");
  for (const output of [bytes(32, 2), [], bytes(31), Array(32).fill(0), null]) {
    await answering(page, null, output);
    await button(page, "Unlock with a passkey").click();
    await fails.waitFor();
    assert.equal(await page.getByText("Something went wrong").count(), 0);
    assert.equal(await page.evaluate(() => globalThis.asked), "eval", "the form that most authenticators know");
  }
  await answering(page, null, bytes(32));
  await button(page, "Unlock with a passkey").click();
  await isOpen(page);
  await page.reload(); // without overrides of the authenticator
  await isOpen(page);
  assert.deepEqual(said, []);
});

test("a passkey of an earlier page that opens without a secret is removed", async (t, { page }) => {
  const before = (await profile(page)).page.passkeys.length;
  await page.evaluate(async () => {
    const material = await crypto.subtle.importKey("raw", new Uint8Array(), "HKDF", false, ["deriveKey"]);
    const key = await crypto.subtle.deriveKey({ name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: new TextEncoder().encode("obverse passkey") }, material, { name: "AES-GCM", length: 256 }, false, ["encrypt"]);
    const iv = new Uint8Array(12);
    const passkey = { id: new Uint8Array(16).fill(9), salt: new Uint8Array(32), key: { iv, data: await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, new TextEncoder().encode("[1]")) }, made: 1 };
    const done = (request) => new Promise((resolve, reject) => Object.assign(request, { onsuccess: () => resolve(request.result), onerror: () => reject(request.error) }));
    const db = await done(indexedDB.open("obverse-page"));
    const records = () => db.transaction("records", "readwrite").objectStore("records");
    const kept = await done(records().get("profile"));
    kept.page.passkeys.push(passkey);
    await done(records().put(kept, "profile"));
    db.close();
  });
  assert.equal((await profile(page)).page.passkeys.length, before + 1);
  await page.reload();
  await isOpen(page);
  await button(page, "Lock").click();
  await unlock(page);
  await isOpen(page);
  await until(async () => (await profile(page)).page.passkeys.length === before, "it is removed, and the others stay");
});

test("a new password ends passkeys, which are added again; one is removed", async (t, { page }) => {
  const device = await authenticator(page, true);
  await visit(page, "settings", "Settings");
  await page.getByText("Change the password").click();
  await page.getByText("Passkeys of this wallet are removed when the password changes.").waitFor();
  await text(page, "Current password").fill(PASSWORD);
  await text(page, "New password").fill("another battery staple");
  await button(page, "Change").click();
  await page.getByText("Password changed.").waitFor();
  await button(page, "Lock").click();
  await heading(page, "Unlock");
  assert.equal(await button(page, "Unlock with a passkey").count(), 0);
  await unlock(page, "another battery staple");
  await isOpen(page);
  await add(page, "another battery staple");
  await page.getByText(/^Added /).waitFor();
  await button(page, "Lock").click();
  await button(page, "Unlock with a passkey").click();
  await isOpen(page);
  await visit(page, "settings", "Settings");
  await page.getByText("Passkeys", { exact: true }).click();
  await removePasskey(page);
  await button(page, "Lock").click();
  await heading(page, "Unlock");
  assert.equal(await button(page, "Unlock with a passkey").count(), 0);
  await device.remove();
});
