/** Computes the address that holds the tokens of a public key, the address of a crypto-condition (core/chain/cc, core/chain/token). */

import { concat, hash160, sha256 } from "./bytes.js";

const TOKENS = 0xf2; // the eval code of the tokens module
const [SEQUENCE, THRESHOLD, SECP256K1, EVAL] = [0x30, 0xa2, 0xa5, 0xaf];
const [SIGNATURE_COST, EVAL_COST, MEMBER_COST] = [131_072, 1_048_576, 1024];
const OP_CHECKCRYPTOCONDITION = 0xcc;

/** @typedef {Uint8Array | number[]} Bytes */
/** @typedef {{encoded: Uint8Array, cost: number}} Condition */

/** Encodes an element in DER. @type {(tag: number, ...parts: Bytes[]) => Uint8Array} */
function element(tag, ...parts) {
  const body = concat(...parts);
  return concat([tag], body.length < 128 ? [body.length] : [0x81, body.length], body);
}

/** @type {(tag: number, value: number) => Uint8Array} */
function integer(tag, value) {
  const bytes = [];
  for (let left = value; left > 0 || bytes.length === 0 || bytes[0] > 127; left = Math.floor(left / 256)) {
    bytes.unshift(left % 256);
  }
  return element(tag, bytes);
}

/** @type {(tag: number, fingerprint: Uint8Array, cost: number, subtypes?: number[]) => Condition} */
const condition = (tag, fingerprint, cost, subtypes) => ({ encoded: element(tag, element(0x80, fingerprint), integer(0x81, cost), subtypes ? element(0x82, subtypes) : []), cost });

/** @param {Uint8Array} key */
const signer = (key) => condition(SECP256K1, sha256(element(SEQUENCE, element(0x80, key))), SIGNATURE_COST);

/** @param {number} code */
const evaluated = (code) => condition(EVAL, sha256(Uint8Array.of(code)), EVAL_COST);

/** Returns a threshold condition that requires all members. @type {(subtypes: number[], ...members: Condition[]) => Condition} */
function every(subtypes, ...members) {
  const order = (/** @type {Condition} */ a, /** @type {Condition} */ b) => {
    const n = a.encoded.findIndex((byte, i) => byte !== b.encoded[i]);
    return n < 0 ? 0 : a.encoded[n] - b.encoded[n];
  };
  const sorted = members.toSorted(order).map(({ encoded }) => encoded);
  const fingerprint = sha256(element(SEQUENCE, integer(0x80, members.length), element(0xa1, ...sorted)));
  return condition(THRESHOLD, fingerprint, members.reduce((sum, { cost }) => sum + cost + MEMBER_COST, 0), subtypes);
}

/**
 * Returns the hash in the address that holds a key's tokens.
 * @param {Uint8Array} key
 * @param {number} nft the module that a non-fungible token is bound to; 0 for other tokens
 */
export function tokenHolder(key, nft) {
  const codes = nft === 0 ? [TOKENS] : [TOKENS, nft];
  const whole = every([0, 4, 1], ...codes.map(evaluated), every([2, 4], signer(key))).encoded;
  return hash160(concat([whole.length], whole, [OP_CHECKCRYPTOCONDITION]));
}
