/** BIP 39 mnemonics and private keys. This module contains the word list and should be loaded lazily. */

import { sha256 } from "@noble/hashes/sha2.js";
import { createBase58check } from "@scure/base";
import { generateMnemonic, validateMnemonic } from "@scure/bip39";
import { wordlist } from "@scure/bip39/wordlists/english.js";
import { t } from "./language.ts";
import { isSecret } from "./session/secret.ts";
import { visible } from "./visible.ts";

const known = new Set(wordlist);
const LENGTHS = [12, 15, 18, 21, 24];

/** Generates a mnemonic from the browser's random source. */
export const newWords = (count: 12 | 24): string[] => generateMnemonic(wordlist, count === 12 ? 128 : 256).split(" ");

/** Returns howMany random numbers from 1 to count, in order: the words to ask for. */
export function pick(howMany: number, count: number): number[] {
  const numbers = Array.from({ length: count }, (_, n) => n + 1);
  const random = crypto.getRandomValues(new Uint32Array(howMany));
  return Array.from(random, (value) => numbers.splice(value % numbers.length, 1)[0] as number).sort((a, b) => a - b);
}

const SHORTEST = 3; // letters of the shortest word of the list
const ENOUGH = 4; // letters that identify a word of the list

/** Returns the words in a text, without numbers, commas, quotes and bullets around them; words cut after four letters or more are completed. */
const wordsIn = (text: string): string[] => (text.normalize("NFKD").toLowerCase().match(/\p{L}+/gu) ?? []).map((word) => (known.has(word) || word.length < ENOUGH ? word : (completed(word) ?? word)));

/** Returns the only word of the list with the given beginning. */
function completed(start: string): string | undefined {
  const [word, another] = wordlist.filter((one) => one.startsWith(start));
  return another === undefined ? word : undefined;
}

const isPhrase = (words: readonly string[]): boolean => LENGTHS.includes(words.length) && validateMnemonic(words.join(" "), wordlist);

/** Removes numbering, as in 1st and a). */
const withoutNumbers = (words: readonly string[]): string[] => words.filter((word) => word.length >= SHORTEST);

/** Reports whether a text contains a recovery phrase. */
export function hasPhrase(text: string): boolean {
  const words = withoutNumbers(wordsIn(visible(text)));
  return words.some((_, at) => LENGTHS.some((length) => at + length <= words.length && words.slice(at, at + length).every((word) => known.has(word)) && isPhrase(words.slice(at, at + length))));
}

/**
 * The kind of a text: a mnemonic; a private key, in the node's format; nearly one of them, with the error; or
 * something else. The error quotes no word of the text.
 */
export type Reading = { is: "mnemonic"; words: string } | { is: "key"; key: string } | { is: "misspelt"; why: string } | { is: "badkey"; why: string } | { is: "other" };

const DIGITS = 64; // hexadecimal digits of a private key
const PART = 32; // digits from which on a text counts as a part of one: core/key

/** The order of secp256k1: private keys are smaller. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const bytesOf = (hex: string): Uint8Array => Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16));

function keyOf(bytes: Uint8Array, key: string): Reading {
  const value = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  return isSecret(bytes) && value < ORDER ? { is: "key", key } : { is: "badkey", why: t("restore.badkey") };
}

const base58 = createBase58check(sha256);

const LONGEST = 112; // characters of an extended key

/** Reports whether a text contains a private key in a format with a checksum: the wallet import format, or an extended key. */
export const hasKey = (text: string): boolean => (visible(text).match(/[1-9A-HJ-NP-Za-km-z]{51,}/g) ?? []).some(isKey);

function isKey(text: string): boolean {
  try {
    const bytes = text.length > LONGEST ? new Uint8Array() : base58.decode(text);
    return bytes.length === 33 || (bytes.length === 34 && bytes[33] === 1) || (bytes.length === 78 && bytes[45] === 0);
  } catch {
    return false;
  }
}

/** Parses a private key in hexadecimal, or in the wallet import format of any coin; null if the text is not meant as one. */
function readKey(text: string): Reading | null {
  const [, prefix = "", digits = ""] = /^(0x)?([0-9a-f]*)$/i.exec(text) ?? [];
  if (digits.length === DIGITS) {
    return keyOf(bytesOf(digits), `0x${digits}`);
  }
  if (prefix !== "" || digits.length >= PART) {
    return { is: "badkey", why: t("restore.keylength", { count: digits.length }) };
  }
  if (!/^[1-9A-HJ-NP-Za-km-z]{51,52}$/.test(text)) {
    return null;
  }
  try {
    const bytes = base58.decode(text);
    return bytes.length === 34 && bytes[33] === 1 ? keyOf(bytes.subarray(1, 33), text) : { is: "badkey", why: t("restore.uncompressed") };
  } catch {
    return { is: "badkey", why: t("watch.checksum") };
  }
}

/** Returns an entered or pasted text without surrounding characters. */
const bare = (text: string): string => visible(text).replace(/^[\s"'“”„‘’«»`]+|[\s"'“”„‘’«»`]+$/g, "");

export function read(text: string): Reading {
  const key = readKey(bare(text));
  if (key) {
    return key;
  }
  const all = wordsIn(visible(text));
  const words = isPhrase(withoutNumbers(all)) ? withoutNumbers(all) : all;
  const unknown = words.flatMap((word, n) => (known.has(word) ? [] : [n + 1]));
  if (words.length < 9 || unknown.length * 3 > words.length) {
    return { is: "other" };
  }
  if (unknown.length > 0) {
    return { is: "misspelt", why: t("words.unknown", { count: unknown.length, list: unknown.join(", "), all: words.length }) };
  }
  if (!LENGTHS.includes(words.length)) {
    return { is: "misspelt", why: t("words.length", { count: words.length }) };
  }
  return isPhrase(words) ? { is: "mnemonic", words: words.join(" ") } : { is: "misspelt", why: t("words.invalid") };
}
