/**
 * The address book: names that the user gives to addresses. It is stored in this browser, not encrypted, like the other
 * settings; all wallets of the browser and the native node share it.
 */

import { effect, signal } from "@preact/signals";
import type { Text } from "../language.ts";
import { recall, remember } from "../memory.ts";
import { connection } from "../node.ts";
import { visible } from "../visible.ts";
import { familyOfAddress, isName, isSame, plain } from "./addresses.ts";
import type { Family } from "./catalog.ts";
import { whose } from "./remembered.ts";

export interface Contact {
  name: string;
  address: string;
  family: Family;
}

/** Sorted by name. */
export const contacts = signal<readonly Contact[]>([]);

/** Maximum length of a name in characters. */
export const MAX_NAME = 40;
const MAX_CONTACTS = 1000;

const PLACE = "contacts";
/** Where earlier versions of the page stored the contacts of one wallet. */
const former = () => `contacts.${whose()}`;

function isContact(value: unknown): value is Contact {
  const { name, address, family } = (value ?? {}) as Partial<Contact>;
  return typeof name === "string" && typeof address === "string" && (family === "evm" || family === "cosmos");
}

function readContacts(place = PLACE): Contact[] {
  try {
    const list: unknown = JSON.parse(recall(place) ?? "[]");
    return Array.isArray(list) ? list.filter(isContact).map((contact) => ({ ...contact, name: visible(contact.name) })) : [];
  } catch {
    return [];
  }
}

const show = () => (contacts.value = connection.peek() ? readContacts().sort((a, b) => a.name.localeCompare(b.name)) : []);

function keep(list: readonly Contact[]) {
  remember(PLACE, JSON.stringify(list));
  show();
}

/** Imports the contacts that an earlier version of the page stored for the wallet in use. */
function takeOver() {
  const previous = readContacts(former());
  if (previous.length > 0) {
    const all = readContacts();
    for (const contact of previous.filter(({ address }) => !all.some((other) => isSame(other.address, address)))) {
      let { name } = contact;
      for (let n = 2; all.some((other) => plain(other.name) === plain(name)); n++) {
        name = `${contact.name} ${n}`;
      }
      all.push({ ...contact, name });
    }
    remember(PLACE, JSON.stringify(all));
    remember(former(), "");
  }
}

/** Returns the contact with an address. */
export const contactOf = (address: string): Contact | undefined => contacts.value.find((contact) => isSame(contact.address, address));

/** Returns the contact of a family of chains with the given name. */
export const contactNamed = (text: string, wanted: Family): Contact | undefined => (isName(text) ? undefined : contacts.value.find(({ name, family }) => family === wanted && plain(name) === plain(text)));

export type ContactFaults = Partial<Record<"name" | "address", Text>>;

/**
 * Returns what is wrong with a contact.
 * @param before the address of the contact that it replaces; "" if it is new
 */
export function contactFaults(name: string, address: string, before = ""): ContactFaults {
  const others = readContacts().filter((contact) => !isSame(contact.address, before));
  const [called, at] = [name.trim(), address.trim()];
  const faults: ContactFaults = {};
  if (called === "") {
    faults.name = "contacts.noname";
  } else if (familyOfAddress(called) !== null) {
    faults.name = "contacts.nameaddress"; // it would be mistaken for the address itself
  } else if ([...called].length > MAX_NAME) {
    faults.name = "contacts.longname";
  } else if (others.some((contact) => plain(contact.name) === plain(called))) {
    faults.name = "contacts.samename";
  }
  if (at === "") {
    faults.address = "contacts.noaddress";
  } else if (familyOfAddress(at) === null) {
    faults.address = "contacts.badaddress";
  } else if (others.some((contact) => isSame(contact.address, at))) {
    faults.address = "contacts.sameaddress";
  } else if (others.length >= MAX_CONTACTS) {
    faults.address = "contacts.full";
  }
  return faults;
}

/** Saves a valid contact. */
export function keepContact(name: string, address: string, before = "") {
  const family = familyOfAddress(address.trim());
  if (family !== null) {
    keep([...readContacts().filter((contact) => !isSame(contact.address, before)), { name: name.trim(), address: address.trim(), family }]);
  }
}

export const removeContact = (address: string) => keep(readContacts().filter((contact) => !isSame(contact.address, address)));

effect(() => {
  connection.value && takeOver();
  show();
});

addEventListener("storage", show); // changed by another tab
