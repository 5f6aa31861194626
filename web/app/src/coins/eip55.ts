/** Address checksums of EVM networks: EIP-55, and EIP-1191 of Rootstock and its test network. */

import { keccak_256 } from "@noble/hashes/sha3.js";

/** Prefixes of the hashed text, one for each checksum. */
const BEFORE = ["", "300x", "310x"];

/** Reports whether the letter case of an address, 0x and 40 hexadecimal digits, is a valid checksum. */
export function isChecksummed(address: string): boolean {
  const digits = address.slice(2);
  return BEFORE.some((before) => {
    const hash = keccak_256(new TextEncoder().encode(before + digits.toLowerCase()));
    const isHigh = (n: number) => ((hash[n >> 1] ?? 0) & (n % 2 ? 0x08 : 0x80)) !== 0;
    return [...digits].every((digit, n) => digit === (isHigh(n) ? digit.toUpperCase() : digit.toLowerCase()));
  });
}
