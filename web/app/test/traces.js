/**
 * Searches the files of a browser for secrets that an attacker would look for: a wallet's words,
 * values that are derived from them, and keys that are stored next to the data that they decrypt.
 */

import { createDecipheriv, createECDH, createHash, createHmac, pbkdf2Sync } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { mnemonicToEntropy } from "@scure/bip39";
import { wordlist } from "@scure/bip39/wordlists/english.js";

const sha256 = (/** @type {Buffer} */ bytes) => createHash("sha256").update(bytes).digest();
const hmac = (/** @type {string | Buffer} */ key, /** @type {Buffer} */ data) => createHmac("sha512", key).update(data).digest();

const N = BigInt("0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141");
const number = (/** @type {Buffer} */ bytes) => BigInt(`0x${bytes.toString("hex")}`);

/** @param {Buffer} key */
function publicKey(key) {
  const pair = createECDH("secp256k1");
  pair.setPrivateKey(key);
  return pair.getPublicKey(null, "compressed");
}

/** @typedef {{key: Buffer, chain: Buffer}} Node a node of BIP 32 */

/** @param {Node} node @param {number} index @returns {Node} */
function child({ key, chain }, index) {
  const at = Buffer.alloc(4);
  at.writeUInt32BE(index);
  const made = hmac(chain, Buffer.concat([...(index >= 2 ** 31 ? [Buffer.alloc(1), key] : [publicKey(key)]), at]));
  const sum = (number(made.subarray(0, 32)) + number(key)) % N;
  return { key: Buffer.from(sum.toString(16).padStart(64, "0"), "hex"), chain: made.subarray(32) };
}

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** Encodes a private key in the wallet import format. @param {Buffer} key @param {number} prefix */
function wif(key, prefix) {
  const body = Buffer.concat([Buffer.of(prefix), key, Buffer.of(1)]);
  let [rest, text] = [number(Buffer.concat([body, sha256(sha256(body)).subarray(0, 4)])), ""];
  for (; rest > 0n; rest /= 58n) {
    text = BASE58[Number(rest % 58n)] + text;
  }
  return text;
}

/** The SLIP 44 coin types whose keys are searched for: Bitcoin, Ethereum, Cosmos, Komodo. */
const COINS = [0, 60, 118, 141];

/** Returns the seed of a recovery phrase by BIP 39. @param {string} words */
const seedOf = (words) => pbkdf2Sync(words, "mnemonic", 2048, 64, "sha512");

/** Returns the master key of a seed. @param {Buffer} seed @returns {Node} */
function rootOf(seed) {
  const master = hmac("Bitcoin seed", seed);
  return { key: master.subarray(0, 32), chain: master.subarray(32) };
}

/** Returns the key that Komodo wallets derive from a text. @param {string} text */
function oneKeyOf(text) {
  const key = sha256(Buffer.from(text));
  key[0] &= 248;
  key[31] = (key[31] & 127) | 64;
  return key;
}

/** The path of the node's own key in an HD wallet: m/44'/141'/2147483647/0/0. */
const NODE = [44 + 2 ** 31, 141 + 2 ** 31, 2 ** 31 - 1, 0, 0];

/**
 * Returns the public key of a node with a passphrase, in hexadecimal.
 * @param {string} passphrase
 * @param {boolean} hd
 */
export function publicKeyOf(passphrase, hd) {
  return publicKey(hd ? NODE.reduce(child, rootOf(seedOf(passphrase))).key : oneKeyOf(passphrase)).toString("hex");
}

/**
 * Returns the secrets that a recovery phrase contains or that are derived from it, by description.
 * @param {string} words
 * @returns {Record<string, string | Buffer>}
 */
export function secretsOf(words) {
  const list = words.split(" ");
  const seed = seedOf(words);
  const root = rootOf(seed);
  const single = sha256(Buffer.from(words));
  const iguana = oneKeyOf(words);
  /** @type {Record<string, string | Buffer>} */
  const found = { entropy: Buffer.from(mnemonicToEntropy(words, wordlist)), seed, "master key": root.key, "one key": single, "one key, clamped": iguana };
  for (let n = 0; n + 4 <= list.length; n++) {
    found[`words ${n + 1} to ${n + 4}`] = list.slice(n, n + 4).join(" "); // a compressed file splits long texts
  }
  for (const coin of COINS) {
    const account = [44, coin, 0].reduce((node, n) => child(node, n + 2 ** 31), root);
    const { key } = child(child(account, 0), 0);
    Object.assign(found, { [`account key ${coin}`]: account.key, [`address key ${coin}`]: key });
    for (const prefix of [128, 188]) {
      found[`address key ${coin} as WIF ${prefix}`] = wif(key, prefix);
    }
  }
  return found;
}

/** Returns the encodings in which bytes may occur in a file. @param {string | Buffer} secret @returns {Record<string, Buffer>} */
function formsOf(secret) {
  const bytes = Buffer.from(secret);
  const texts = /** @type {Record<string, string>} */ ({ hex: bytes.toString("hex"), HEX: bytes.toString("hex").toUpperCase() });
  for (const shift of [0, 1, 2]) {
    // Base64 of bytes inside other data: the characters at both ends depend on the adjacent bytes.
    const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString("base64").replace(/=+$/, "");
    texts[`base64 ${shift}`] = text.slice(shift === 0 ? 0 : shift + 1, -2);
  }
  typeof secret === "string" && (texts.text = secret);
  /** @type {Record<string, Buffer>} */
  const forms = { raw: bytes };
  for (const [name, text] of Object.entries(texts)) {
    forms[name] = Buffer.from(text);
    forms[`${name}, UTF-16`] = Buffer.from(text, "utf16le");
  }
  return forms;
}

/**
 * Returns all files below a folder. A file that is removed in the meantime counts as empty.
 * @param {string} folder @returns {{file: string, bytes: Buffer}[]}
 */
function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const file = path.join(entry.parentPath ?? entry.path, entry.name);
    try {
      return entry.isFile() ? [{ file: path.relative(folder, file), bytes: readFileSync(file) }] : [];
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code === "ENOENT") {
        return [];
      }
      throw error;
    }
  });
}

/** Reports whether bytes continue with a part at a position. @param {Buffer} bytes @param {number} at @param {Buffer} part */
function goesOn(bytes, at, part) {
  let n = 0;
  while (n < part.length && bytes[at + n] === part[n]) {
    n++;
  }
  return n === part.length;
}

/**
 * Returns a function that finds parts in bytes. Since there are hundreds of parts and a lot of data, it scans the data once, by the first
 * two bytes of the parts.
 * @template {{bytes: Buffer}} Part
 * @param {Part[]} parts
 */
function finder(parts) {
  const begins = new Uint8Array(65536);
  /** @type {Map<number, Part[]>} */
  const beginning = new Map();
  for (const part of parts) {
    const two = part.bytes.readUInt16BE(0);
    begins[two] = 1;
    beginning.set(two, [...(beginning.get(two) ?? []), part]);
  }
  return (/** @type {Buffer} */ bytes) => {
    /** @type {Set<Part>} */
    const found = new Set();
    const look = (/** @type {number} */ at, /** @type {number} */ two) => beginning.get(two)?.forEach((part) => goesOn(bytes, at, part.bytes) && found.add(part));
    let two = 0;
    for (let at = 0; at < bytes.length; at++) {
      two = ((two & 255) << 8) | bytes[at];
      if (begins[two] === 1) {
        look(at - 1, two);
      }
    }
    return found;
  };
}

/**
 * Returns the places in a browser's files where secrets occur in any encoding: "file: secret,
 * encoding".
 * @param {string} folder
 * @param {Record<string, string | Buffer>} secrets
 */
export function tracesOf(folder, secrets) {
  const within = finder(Object.entries(secrets).flatMap(([name, secret]) => Object.entries(formsOf(secret)).map(([form, bytes]) => ({ what: `${name}, ${form}`, bytes }))));
  return filesIn(folder).flatMap(({ file, bytes }) => [...within(bytes)].map(({ what }) => `${file}: ${what}`));
}

/** Returns the records of a LevelDB log, without the headers between their fragments. @param {Buffer} log */
function recordsOf(log) {
  const parts = [];
  for (let block = 0; block < log.length; block += 32768) {
    for (let at = block; at + 7 <= Math.min(block + 32768, log.length); ) {
      const length = log.readUInt16LE(at + 4);
      parts.push(log.subarray(at + 7, at + 7 + length));
      at += 7 + length;
    }
  }
  return Buffer.concat(parts);
}

/** Yields all positions of a part in bytes. @param {Buffer} bytes @param {Buffer} part */
function* placesOf(bytes, part) {
  for (let at = bytes.indexOf(part); at >= 0; at = bytes.indexOf(part, at + 1)) {
    yield at;
  }
}

/** The beginning of a WebCrypto key in V8's serialization: a tag, the version, "AES". The 32 bytes of the key follow shortly after. */
const KEY = Buffer.from([0x5c, 0x4b, 0x01]);

/** Yields the AES keys that the browser has written, including those that scripts cannot read. @param {Buffer} bytes */
function* keysIn(bytes) {
  for (const at of placesOf(bytes, KEY)) {
    for (let shift = 3; shift < 16; shift++) {
      if (bytes[at + shift] === 32 && at + shift + 33 <= bytes.length) {
        yield bytes.subarray(at + shift + 1, at + shift + 33);
      }
    }
  }
}

/** Yields the {iv, data} objects that the browser has written: an array of 12 bytes and a buffer near it. @param {Buffer} bytes */
function* sealedIn(bytes) {
  for (const at of placesOf(bytes, Buffer.from([0x42, 12]))) {
    const [iv, end] = [bytes.subarray(at + 2, at + 14), Math.min(bytes.length, at + 80)];
    for (let next = at + 14; next < end; next++) {
      if (bytes[next] === 0x42) {
        const [low, high] = [bytes[next + 1] ?? 0, bytes[next + 2] ?? 0];
        const [length, head] = low < 128 ? [low, 2] : [(low & 127) + high * 128, 3];
        if (length > 16) {
          yield { iv, data: bytes.subarray(next + head, next + head + length) };
        }
      }
    }
  }
}

/** @param {Buffer} key @param {{iv: Buffer, data: Buffer}} sealed */
function opened(key, { iv, data }) {
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, iv);
    decipher.setAuthTag(data.subarray(-16));
    return Buffer.concat([decipher.update(data.subarray(0, -16)), decipher.final()]).toString();
  } catch {
    return null;
  }
}

/**
 * Returns the number of keys in a browser's files and the data that they decrypt. Every key is
 * tried with all data.
 * @param {string} folder
 * @returns {{keys: number, sealed: number, opened: string[]}}
 */
export function openedIn(folder) {
  const all = filesIn(folder).filter(({ file }) => /IndexedDB|File System|Storage|Service Worker/.test(file));
  const texts = all.flatMap(({ file, bytes }) => (file.endsWith(".log") ? [bytes, recordsOf(bytes)] : [bytes]));
  const keys = [...new Set(texts.flatMap((bytes) => [...keysIn(bytes)].map((key) => key.toString("hex"))))].map((hex) => Buffer.from(hex, "hex"));
  const sealed = texts.flatMap((bytes) => [...sealedIn(bytes)]);
  const results = keys.flatMap((key) => sealed.map((one) => opened(key, one))).filter((text) => text !== null);
  return { keys: keys.length, sealed: sealed.length, opened: [...new Set(results)] };
}
