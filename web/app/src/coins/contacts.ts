/**
 * The address book: names that the user gives to addresses. It is kept in this browser, not encrypted, as the other
 * settings are; all wallets of the browser and the native node have the same one.
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

/** The letters of a name, at most. */
export const MAX_NAME = 40;
const MAX_CONTACTS = 1000;

const PLACE = "contacts";
/** Where earlier pages kept those of one wallet. */
const former = () => `contacts.${whose()}`;

function isContact(value: unknown): value is Contact {
  const { name, address, family } = (value ?? {}) as Partial<Contact>;
  return typeof name === "string" && typeof address === "string" && (family === "evm" || family === "cosmos");
}

function kept(place = PLACE): Contact[] {
  try {
    const list: unknown = JSON.parse(recall(place) ?? "[]");
    return Array.isArray(list) ? list.filter(isContact).map((contact) => ({ ...contact, name: visible(contact.name) })) : [];
  } catch {
    return [];
  }
}

const show = () => (contacts.value = connection.peek() ? kept().sort((a, b) => a.name.localeCompare(b.name)) : []);

function keep(list: readonly Contact[]) {
  remember(PLACE, JSON.stringify(list));
  show();
}

/** Takes over what an earlier page kept of the wallet in use. */
function takeOver() {
  const own = kept(former());
  if (own.length > 0) {
    const all = kept();
    for (const contact of own.filter(({ address }) => !all.some((other) => isSame(other.address, address)))) {
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

/** The contact that an address belongs to. */
export const contactOf = (address: string): Contact | undefined => contacts.value.find((contact) => isSame(contact.address, address));

/** The contact of a family of chains that a text is the name of. */
export const contactNamed = (text: string, of: Family): Contact | undefined => (isName(text) ? undefined : contacts.value.find(({ name, family }) => family === of && plain(name) === plain(text)));

export type ContactFaults = Partial<Record<"name" | "address", Text>>;

/**
 * What is wrong with a contact.
 * @param before the address of the contact that it takes the place of; "": it is new
 */
export function contactFaults(name: string, address: string, before = ""): ContactFaults {
  const others = kept().filter((contact) => !isSame(contact.address, before));
  const [called, at] = [name.trim(), address.trim()];
  const faults: ContactFaults = {};
  if (called === "") {
    faults.name = "contacts.noname";
  } else if (familyOfAddress(called) !== null) {
    faults.name = "contacts.nameaddress"; // which would be taken for the address itself
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

/** Keeps a contact without faults. */
export function keepContact(name: string, address: string, before = "") {
  const family = familyOfAddress(address.trim());
  if (family !== null) {
    keep([...kept().filter((contact) => !isSame(contact.address, before)), { name: name.trim(), address: address.trim(), family }]);
  }
}

export const removeContact = (address: string) => keep(kept().filter((contact) => !isSame(contact.address, address)));

effect(() => {
  connection.value && takeOver();
  show();
});

addEventListener("storage", show); // another tab has changed them
