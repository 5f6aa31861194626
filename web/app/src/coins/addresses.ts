/**
 * Addresses: of Cosmos chains, "cosmos1…", a prefix and the digit 1 before what differs;
 * and of EVM networks, "0x…", whose capitals are a checksum.
 */

import { bech32 } from "@scure/base";
import type { Family } from "./catalog.ts";

const isHex = (address: string): boolean => /^0x/i.test(address);

/** An address as it is compared: capitals are a checksum, or mean nothing. */
export const plain = (address: string): string => address.trim().toLowerCase();

/** Whether a text is a name, such as alice.eth, rather than an address. */
export const isName = (text: string): boolean => /^[^\s./:]+(?:\.[^\s./:]+)+$/.test(text.trim());

/** Whether two texts are the same address. */
export const isSame = (one: string, other: string): boolean => plain(one) === plain(other);

/** The kind of network that an address is of; null: not an address. */
export function familyOfAddress(address: string): Family | null {
  return mistakeIn(address, true) === "" ? "evm" : mistakeIn(address, false) === "" ? "cosmos" : null;
}

/** The prefix of an address; null if it has none, or nothing behind it. */
export function prefixOf(address: string): string | null {
  const end = isName(address) ? -1 : address.lastIndexOf("1");
  return !isHex(address) && end > 0 && end < address.length - 1 ? address.slice(0, end) : null;
}

/** Whether an address is of another chain than one of the user's own. */
export function isElsewhere(own: string, address: string): boolean {
  const [mine, theirs] = [prefixOf(plain(own)), prefixOf(plain(address))];
  return mine !== null && theirs !== null && mine !== theirs;
}

const ENDS = 4;
const LONGEST = 90; // characters of bech32, by BIP 173

/**
 * The known address that another one is easily taken for: both begin and end alike, and
 * differ between. Whoever wants to be sent somebody else's coins makes such an address and
 * sends a trifle from it, so that it is in the history. Prefixes do not count: all
 * addresses of a chain have the same.
 */
export function looksLike(address: string, known: Iterable<string>): string | null {
  const ends = (text: string) => {
    const part = plain(text).slice(isHex(text) ? 2 : (prefixOf(text)?.length ?? -1) + 1);
    return part.slice(0, ENDS) + part.slice(-ENDS);
  };
  for (const other of known) {
    if (plain(other) !== plain(address) && prefixOf(other) === prefixOf(address) && ends(other) === ends(address)) {
      return other;
    }
  }
  return null;
}

/** What is certainly wrong with an address of a kind; "" if the node may take it. It alone checks the capitals of an EVM one. */
export function mistakeIn(address: string, evm: boolean): "form" | "checksum" | "" {
  if (evm) {
    return /^0x[0-9a-fA-F]{40}$/.test(address) ? "" : "form";
  }
  try {
    bech32.decode(address as `${string}1${string}`, LONGEST);
    return "";
  } catch (error) {
    return /checksum/.test((error as Error).message) ? "checksum" : "form";
  }
}

/** The bytes of an address, 20 of an account's, which are the same on all chains of its family that make keys alike. */
export function accountOf(address: string): number[] {
  const hex = /^0x([0-9a-f]{40})$/i.exec(address)?.[1];
  return hex ? (hex.match(/../g) ?? []).map((byte) => parseInt(byte, 16)) : [...bech32.fromWords(bech32.decode(address as `${string}1${string}`).words)];
}
