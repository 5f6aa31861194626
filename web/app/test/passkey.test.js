/** Passkeys that open a wallet beside its password, with Chromium's virtual authenticator. */

import assert from "node:assert/strict";
import { sharing } from "../../test/sharing.js";
import { seed } from "./seed.js";
import { button, heading, look, text } from "./steps.js";
import { browser, isOpen, PASSWORD, visit, WORDS } from "./support.js";

/** Has the browser find an authenticator, and gives what changes it. @param {import("playwright-core").Page} page @param {boolean} hasPrf */
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

/** What the page keeps of its wallets. @param {import("playwright-core").Page} page */
const profile = (page) =>
  page.evaluate(async () => {
    const done = (request) => new Promise((resolve, reject) => Object.assign(request, { onsuccess: () => resolve(request.result), onerror: () => reject(request.error) }));
    const db = await done(indexedDB.open("obverse-page"));
    const value = await done(db.transaction("records").objectStore("records").get("profile"));
    db.close();
    return value;
  });

const test = sharing("passkeys of a wallet", async (t) => {
  const opened = await browser(t, { whole: true, args: [] });
  const url = opened.url.replace("127.0.0.1", "localhost"); // a number has no passkeys
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

  // What is kept opens nothing without the authenticator: the key is encrypted, and no key is beside it.
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
  await page.locator("li", { hasText: /^Added / }).getByRole("button", { name: "Remove" }).click();
  await page.getByText(/^Added /).waitFor({ state: "hidden" });
  await button(page, "Lock").click();
  await heading(page, "Unlock");
  assert.equal(await button(page, "Unlock with a passkey").count(), 0);
  await device.remove();
});
