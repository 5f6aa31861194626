/**
 * Addresses: of Cosmos chains, "cosmos1…", a prefix and the digit 1 before the data part;
 * and of EVM networks, "0x…", whose upper-case letters are a checksum.
 */

import { bech32 } from "@scure/base";
import type { Family } from "./catalog.ts";

const isHex = (address: string): boolean => /^0x/i.test(address);

/** Returns the address in the form used for comparison: letter case is a checksum or has no meaning. */
export const plain = (address: string): string => address.trim().toLowerCase();

/** Reports whether a text is a name, such as alice.eth, rather than an address. */
export const isName = (text: string): boolean => /^[^\s./:]+(?:\.[^\s./:]+)+$/.test(text.trim());

/** Reports whether two texts are the same address. */
export const isSame = (one: string, other: string): boolean => plain(one) === plain(other);

/** Returns the kind of network of an address; null if the text is not an address. */
export function familyOfAddress(address: string): Family | null {
  return mistakeIn(address, true) === "" ? "evm" : mistakeIn(address, false) === "" ? "cosmos" : null;
}

/** Returns the prefix of an address; null if there is no prefix or nothing follows it. */
export function prefixOf(address: string): string | null {
  const end = isName(address) ? -1 : address.lastIndexOf("1");
  return !isHex(address) && end > 0 && end < address.length - 1 ? address.slice(0, end) : null;
}

/** Reports whether an address belongs to another chain than the user's address. */
export function isElsewhere(own: string, address: string): boolean {
  const [mine, theirs] = [prefixOf(plain(own)), prefixOf(plain(address))];
  return mine !== null && theirs !== null && mine !== theirs;
}

const ENDS = 4;
const LONGEST = 90; // characters of a bech32 address, by BIP 173

/**
 * Returns the known address that an address is easily mistaken for: both have the same
 * beginning and end but differ in between. Attackers generate such addresses and send a tiny
 * amount from them, so that they appear in the history. Prefixes do not count: all
 * addresses of a chain share one.
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

/** Returns what is certainly wrong with an address; "" if the node may accept it. Only the node verifies the checksum of an EVM address. */
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

/** Returns the bytes of an address. The 20 bytes of an account are the same on all chains of a family that derive keys the same way. */
export function accountOf(address: string): number[] {
  const hex = /^0x([0-9a-f]{40})$/i.exec(address)?.[1];
  return hex ? (hex.match(/../g) ?? []).map((byte) => parseInt(byte, 16)) : [...bech32.fromWords(bech32.decode(address as `${string}1${string}`).words)];
}
