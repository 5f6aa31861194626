/** BIP 39 mnemonics. This module carries the word list: load it when it is needed. */

import { generateMnemonic, validateMnemonic } from "@scure/bip39";
import { wordlist } from "@scure/bip39/wordlists/english.js";
import { t } from "./language.ts";

const known = new Set(wordlist);
const LENGTHS = [12, 15, 18, 21, 24];

/** New words, from the browser's own source of randomness. */
export const newWords = (count: 12 | 24): string[] => generateMnemonic(wordlist, count === 12 ? 128 : 256).split(" ");

/** Numbers of words to ask for, in order: so many of 1 to count. */
export function pick(howMany: number, count: number): number[] {
  const numbers = Array.from({ length: count }, (_, n) => n + 1);
  const random = crypto.getRandomValues(new Uint32Array(howMany));
  return Array.from(random, (value) => numbers.splice(value % numbers.length, 1)[0] as number).sort((a, b) => a - b);
}

/**
 * What a text is: a mnemonic; nearly one, and what is wrong with it; a private key; or something else.
 * What is wrong is told without a word of it.
 */
export type Reading = { is: "mnemonic"; words: string } | { is: "misspelt"; why: string } | { is: "key" } | { is: "other" };

export function read(text: string): Reading {
  if (/^0x[0-9a-fA-F]{64}$/.test(text)) {
    return { is: "key" };
  }
  const words = text.normalize("NFKD").toLowerCase().split(/\s+/).filter(Boolean);
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
  const mnemonic = words.join(" ");
  return validateMnemonic(mnemonic, wordlist) ? { is: "mnemonic", words: mnemonic } : { is: "misspelt", why: t("words.invalid") };
}
