/** The kinds of text that a wallet is restored from, and the detection of recovery phrases in texts. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./module.js";
import { WORDS } from "./support.js";

const { read, hasPhrase } = await load("mnemonic.ts");
const { phraseFault } = await load("coins/phrase.ts");
const list = WORDS.split(" ");
const KEY = "b8c774f071de08c7fd8f62b97f1a5726f6ce9f1bcf141b70b86689254ed6714e";
const WIF = "UvCjJf4dKSs2vFGVtCnUTAhR5FTZGdg43DDRa9s7s5DV1sSDX14g";

test("words are read in whatever way they are written down", () => {
  for (const [name, text] of Object.entries({
    plain: WORDS,
    capitals: ` ${WORDS.toUpperCase()} `,
    lines: list.join("\r\n"),
    "numbers and points": list.map((word, n) => `${n + 1}. ${word}`).join("\n"),
    "numbers and brackets": list.map((word, n) => `(${n + 1})${word}`).join(" "),
    ordinals: list.map((word, n) => `${n + 1}${["st", "nd", "rd"][n] ?? "th"} ${word}`).join(", "),
    "letters and brackets": list.map((word, n) => `${"abcdefghijkl"[n]}) ${word}`).join("\n"),
    "numbers at the words": list.map((word, n) => `${n + 1}${word}`).join(" "),
    commas: list.join(", "),
    semicolons: `${list.join(";")}.`,
    quotes: `"${WORDS}"`,
    "quotes around each": list.map((word) => `“${word}”,`).join(" "),
    JSON: JSON.stringify(list),
    bullets: list.map((word) => `• ${word}`).join("\n"),
    "four letters": list.map((word) => word.slice(0, 4)).join(" "),
    "five letters": list.map((word) => word.slice(0, 5)).join(" "),
    "invisible characters": `\ufeff${list.join("\u00a0")}\u200b`.replace("winner", "win\u200bner"),
    "a mark of direction": `\u202a${WORDS}\u202c`,
    "wide letters": WORDS.replace(/[a-z]/g, (letter) => String.fromCodePoint(letter.codePointAt(0) + 0xfee0)),
  })) {
    assert.deepEqual(read(text), { is: "mnemonic", words: WORDS }, name);
  }
});

test("an invalid phrase does not become a wallet, even if it is nearly valid", () => {
  for (const [text, is, why] of [
    [list.with(2, "thanks").join(" "), "misspelt", /^Word 3 of 12 is not/],
    [list.with(2, "tha").join(" "), "misspelt", /^Word 3 of 12 is not/],
    [list.slice(1).join(" "), "misspelt", /^You entered 11 words/],
    [list.with(11, "thank").join(" "), "misspelt", /^Invalid recovery phrase/],
    [`1. ${list.with(11, "thank").join("\n2. ")}`, "misspelt", /^Invalid recovery phrase/],
    [list.with(2, "th").join(" "), "misspelt", /^Word 3 of 12 is not/],
    ["hello", "other"],
    ["bob passphrase", "other"],
    ["1234", "other"],
    ["", "other"],
    ["0x1234", "badkey", /has 64 hexadecimal digits. This one has 4/],
    [`0x${KEY.slice(0, 32)}`, "badkey", /This one has 32/],
    [KEY.slice(0, 32), "badkey", /This one has 32/],
    [KEY.slice(1), "badkey", /This one has 63/],
    [`${KEY}0`, "badkey", /This one has 65/],
    ["0x", "badkey", /This one has 0/],
    ["0".repeat(64), "badkey", /not a usable private key/],
    ["0C".repeat(32), "badkey", /not a usable private key/],
    [`0x${"0".repeat(63)}1`, "badkey", /not a usable private key/],
    ["fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141", "badkey", /not a usable private key/],
    [WIF.replace("J", "K"), "badkey", /mistake in it/],
    ["5HpHagT65TZzG1PH3CSu63k8DbpvD8s5ip4nEB3kEsreAnchuDf", "badkey", /not a compressed one/],
  ]) {
    const found = read(text);
    assert.equal(found.is, is, text);
    why && assert.match(found.why, why, text);
    assert(!text.includes(" ") || !list.some((word) => found.why?.includes(` ${word} `)), "no word of it is displayed");
  }
});

test("a private key is one in all forms that other wallets give", () => {
  for (const text of [`0x${KEY}`, KEY, ` ${KEY.toUpperCase()}\n`, `"0x${KEY}"`, `\u200b0x${KEY}`]) {
    assert.deepEqual(read(text).is === "key" && read(text).key.toLowerCase(), `0x${KEY}`, text);
  }
  assert.deepEqual(read(` ${WIF} `), { is: "key", key: WIF });
});

test("a recovery phrase is found anywhere in a text", () => {
  const of24 = "zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo vote";
  for (const text of [WORDS, `my phrase is: ${WORDS}, do not lose it`, WORDS.toUpperCase(), list.join("\n"), list.map((word, n) => `${n + 1}.${word}`).join(" "), list.map((word) => word.slice(0, 4)).join("-"), `order ${WORDS} thank you`, of24, `zoo ${of24} zoo`, list.join(" \u200b"), list.map((word, n) => `${n + 1}th ${word}`).join(" "), list.map((word, n) => `w${n + 1}=${word}`).join(";")]) {
    assert(hasPhrase(text), text);
  }
  for (const text of ["", "for lunch", "104532", list.slice(1).join(" "), list.with(11, "thank").join(" "), list.with(5, "sausages").join(" "), "please thank everybody for the lunch of yesterday and the day before that one too, it was a nice surprise"]) {
    assert(!hasPhrase(text), text);
  }
});

test("a text that is published may have neither a recovery phrase nor a private key in it", async () => {
  const XPRV = "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi"; // from BIP 32, test vector 1
  const XPUB = "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8";
  for (const [text, why] of [
    [`my ${WIF}.`, /private key/],
    [XPRV, /private key/],
    ["5HpHagT65TZzG1PH3CSu63k8DbpvD8s5ip4nEB3kEsreAnchuDf", /private key/],
    [list.map((word) => `${word.slice(0, 2)}\u200b${word.slice(2)}`).join(" "), /recovery phrase/],
    [list.map((word, n) => `${n + 1}th ${word}`).join(" "), /recovery phrase/],
  ]) {
    assert.match(await phraseFault(text), why, text);
  }
  for (const text of ["", "104532", "for lunch", XPUB, WIF.replace("J", "K"), KEY, "cosmos1jrkmdcwgq94uaamx6zax2luewlhf7u4kucx3kz"]) {
    assert.equal(await phraseFault(text), "", text);
  }
});
