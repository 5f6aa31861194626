/** The address book: contact names, their storage and the views that show them. */

import assert from "node:assert/strict";
import { test as plain } from "node:test";
import { sharing } from "../../test/sharing.js";
import { load } from "./module.js";
import { accounts, moneyWallet } from "./money.js";
import { checkAccess, checkWidth, isOpen, PASSWORD, picture, sizes, visit } from "./support.js";

const { other, elsewhere } = accounts;
const EVM = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

const mine = { kept: new Map(), owner: "A" };
globalThis.contactsTest = mine;
globalThis.addEventListener ??= () => {};
const { contacts, contactOf, contactFaults, keepContact, removeContact, connection } = await load("../test/contactsmodule.ts", {
  "/node.ts": `import { signal } from "@preact/signals"; export const connection = signal({});`,
  "/memory.ts": "export const recall = (name) => globalThis.contactsTest.kept.get(name) ?? null; export const remember = (name, text) => void globalThis.contactsTest.kept.set(name, text);",
  "/remembered.ts": "export const whose = () => globalThis.contactsTest.owner;",
});

/** Opens a new wallet. */
function enter(owner) {
  mine.owner = owner;
  connection.value = {};
}

plain("all wallets have the same contacts, and an address is the same in capitals", () => {
  enter("A");
  keepContact(" Ann ", EVM);
  keepContact("Bob", other.address);
  assert.deepEqual(contacts.value.map(({ name, family }) => [name, family]), [["Ann", "evm"], ["Bob", "cosmos"]]);
  assert.equal(contactOf(EVM.toLowerCase())?.name, "Ann");
  enter("B");
  assert.deepEqual(contacts.value.map(({ name }) => name), ["Ann", "Bob"]);
  keepContact("Anna", EVM.toLowerCase(), EVM);
  removeContact(other.address);
  assert.deepEqual(contacts.value, [{ name: "Anna", address: EVM.toLowerCase(), family: "evm" }]);
  connection.value = null;
  assert.deepEqual(contacts.value, []);
});

plain("what earlier pages kept of each wallet becomes one book, once", () => {
  mine.kept.clear();
  const book = (...list) => JSON.stringify(list.map(([name, address, family]) => ({ name, address, family })));
  mine.kept.set("contacts.A", book(["Ann", EVM, "evm"]));
  mine.kept.set("contacts.B", book(["Anna", EVM.toLowerCase(), "evm"], ["ann", other.address, "cosmos"]));
  enter("A");
  enter("B");
  const names = () => contacts.value.map(({ name, address }) => `${name} ${address}`);
  assert.deepEqual(names(), [`Ann ${EVM}`, `ann 2 ${other.address}`]);
  removeContact(EVM);
  enter("A");
  assert.deepEqual(names(), [`ann 2 ${other.address}`], "what was removed does not come back");
});

plain("an invalid contact is reported at its field", () => {
  mine.kept.clear();
  enter("A");
  keepContact("Ann", EVM);
  for (const [name, address, faults] of [
    ["", "", { name: "contacts.noname", address: "contacts.noaddress" }],
    ["x".repeat(41), other.address, { name: "contacts.longname" }],
    ["x".repeat(40), other.address, {}],
    [EVM, other.address, { name: "contacts.nameaddress" }],
    ["ann", other.address, { name: "contacts.samename" }],
    ["Bob", EVM.toLowerCase(), { address: "contacts.sameaddress" }],
    ["Bob", `${other.address.slice(0, -1)}y`, { address: "contacts.badaddress" }],
    ["Bob", "0x1234", { address: "contacts.badaddress" }],
  ]) {
    assert.deepEqual(contactFaults(name, address), faults, `${name} ${address}`);
  }
  assert.deepEqual(contactFaults("Ann", EVM, EVM), {}, "a contact may stay as it is");
});

plain("what is kept is not believed", () => {
  for (const text of ["{", "7", "[{}]", '[{"name":1,"address":"0x","family":"evm"}]', '[{"name":"Ann","address":"0x","family":"doge"}]']) {
    mine.kept.set("contacts", text);
    enter("A");
    assert.deepEqual(contacts.value, [], text);
  }
});

const test = sharing("an open wallet with a history", (t) => moneyWallet(t));

test("contacts are added, changed and removed in the settings", async (t, { page, said }) => {
  await visit(page, "settings", "Settings");
  await page.getByText("No contacts yet.").waitFor();
  const add = page.getByRole("button", { name: "Add contact", exact: true });
  const dialog = page.getByRole("dialog");
  const fill = async (name, address) => {
    await dialog.getByRole("textbox", { name: "Name" }).fill(name);
    await dialog.getByRole("textbox", { name: "Address" }).fill(address);
    await dialog.getByRole("button", { name: "Save" }).click();
  };
  await add.click();
  await fill("", "cosmos1nobody");
  await dialog.getByText("Enter a name.").waitFor();
  await dialog.getByText("Invalid address.").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("name")), "contact", "the first wrong field has the focus");
  await checkAccess(page);
  await picture(page, "contacts-wrong");
  await fill("Ann", EVM);
  await dialog.waitFor({ state: "hidden" });
  await add.click();
  await fill("Bob", elsewhere.address);
  await page.locator(".contacts li").filter({ hasText: "Bob" }).getByText("Cosmos chains").waitFor();
  assert.deepEqual(await page.locator(".contacts strong").allInnerTexts(), ["Ann", "Bob"]);
  await checkAccess(page);
  await picture(page, "contacts");
  await page.setViewportSize(sizes.phone);
  await checkWidth(page);
  await page.setViewportSize(sizes.desktop);
  await page.getByRole("button", { name: "Edit Ann" }).click();
  await dialog.getByRole("textbox", { name: "Name" }).fill("Anna");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Remove Bob" }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  assert.deepEqual(await page.locator(".contacts strong").allInnerTexts(), ["Anna"]);
  await page.getByRole("button", { name: "Lock" }).click();
  await page.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
  await page.getByRole("button", { name: "Unlock" }).click();
  await isOpen(page);
  await visit(page, "settings", "Settings");
  assert.deepEqual(await page.locator(".contacts strong").allInnerTexts(), ["Anna"], "they stay");
  assert.deepEqual(said, []);
});

test("an address of a transaction gets a name, which the list shows from then on", async (t, { page, said }) => {
  await visit(page, "activity", "Activity");
  const row = page.locator(".activity button.row").filter({ hasText: /^\W*Sent/ }).first();
  await row.click();
  const sheet = page.getByRole("dialog").first();
  await sheet.getByRole("button", { name: /^Add contact for cosmos1/ }).first().click();
  const dialog = page.getByRole("dialog", { name: "Add contact" });
  await dialog.getByText(/^cosmos1/).waitFor();
  await checkAccess(page);
  await picture(page, "contacts-activity");
  await dialog.getByRole("textbox", { name: "Name" }).fill("Mensa");
  await dialog.getByRole("button", { name: "Save" }).click();
  await sheet.locator(".who").getByText("Mensa").waitFor();
  await checkAccess(page);
  await page.keyboard.press("Escape");
  await page.locator(".activity button.row").filter({ hasText: "to Mensa" }).first().waitFor();
  assert.deepEqual(said, []);
});
