/** Encodings of the Cosmos SDK: protocol buffers, transactions and their events. */

import { createHash, createPublicKey, ECDH, verify } from "node:crypto";

/**
 * Returns the fields of a protobuf message by number, each with its values in order: numbers for
 * varints, bytes for all other types.
 * @param {Uint8Array} bytes
 * @returns {Record<number, any[]>}
 */
export function decode(bytes) {
  const fields = {};
  let at = 0;
  const number = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) {
        return value;
      }
    }
  };
  while (at < bytes.length) {
    const tag = Number(number());
    const [field, type] = [tag >> 3, tag & 7];
    let value;
    if (type === 0) {
      value = number();
    } else {
      const length = type === 2 ? Number(number()) : type === 1 ? 8 : 4;
      value = Buffer.from(bytes.slice(at, (at += length)));
    }
    (fields[field] ??= []).push(value);
  }
  return fields;
}

/** @param {bigint | number} value */
function varint(value) {
  const bytes = [];
  for (let rest = BigInt(value); ; rest >>= 7n) {
    bytes.push(Number(rest & 127n) | (rest > 127n ? 128 : 0));
    if (rest <= 127n) {
      return Buffer.from(bytes);
    }
  }
}

/**
 * Encodes a protobuf message from [number, value] pairs. Values that are missing or 0 are omitted.
 * @param {...[number, string | Uint8Array | bigint | number | undefined]} fields
 */
export function encode(...fields) {
  return Buffer.concat(
    fields.flatMap(([field, value]) => {
      if (typeof value === "bigint" || typeof value === "number") {
        return value ? [varint(field << 3), varint(value)] : [];
      }
      const bytes = Buffer.from(value ?? "");
      return bytes.length ? [varint((field << 3) | 2), varint(bytes.length), bytes] : [];
    }),
  );
}

const coin = (bytes) => {
  const { 1: [denom] = [""], 2: [amount] = ["0"] } = decode(bytes);
  return { denom: String(denom), amount: BigInt(String(amount)) };
};

export const SEND = "/cosmos.bank.v1beta1.MsgSend";

/**
 * Decodes a transaction.
 * @param {Buffer} raw
 */
export function readTx(raw) {
  const { 1: [body], 2: [auth], 3: [signature] = [Buffer.alloc(0)] } = decode(raw);
  const { 1: messages = [], 2: [memo = ""] = [], 3: [until = 0n] = [] } = decode(body);
  const { 1: [signer], 2: [fee = Buffer.alloc(0)] = [] } = decode(auth);
  const { 1: [key], 2: [mode], 3: [sequence = 0n] = [] } = decode(signer);
  const { 1: fees = [], 2: [gas = 0n] = [] } = decode(fee);
  return {
    body, auth, signature, memo: String(memo), until: Number(until), sequence: Number(sequence), fees: fees.map(coin), gas: Number(gas),
    direct: decode(decode(mode)[1][0])[1]?.[0] === 1n,
    key: decode(decode(key)[2][0])[1][0],
    messages: messages.map((any) => {
      const { 1: [type], 2: [value] } = decode(any);
      const f = decode(value);
      return String(type) === SEND
        ? { type: SEND, from: String(f[1][0]), to: String(f[2][0]), coins: f[3].map(coin) }
        : { type: String(type), channel: String(f[2][0]), coins: [coin(f[3][0])], from: String(f[4][0]), to: String(f[5][0]) };
    }),
  };
}

/**
 * Encodes a transaction with one message and without signatures.
 * @param {{from: string, to: string, coins: {denom: string, amount: bigint}[]}} message
 * @param {number} sequence
 * @param {string} [memo]
 */
export function writeTx({ from, to, coins }, sequence, memo = "") {
  const sent = encode([1, from], [2, to], ...coins.map(({ denom, amount }) => [3, encode([1, denom], [2, String(amount)])]));
  const signer = encode([2, encode([1, encode([1, 1])])], [3, sequence]);
  const body = encode([1, encode([1, SEND], [2, sent])], ...(memo ? [[2, memo]] : []));
  return encode([1, body], [2, encode([1, signer], [2, encode([2, 200000])])], [3, Buffer.alloc(64, 1)]);
}

/** Reports whether the signature of a transaction is valid, if its mode is SIGN_MODE_DIRECT. */
export function isSigned({ body, auth, key, signature, direct }, chainId, account) {
  if (!direct) {
    return signature.length === 64;
  }
  const point = ECDH.convertKey(key, "secp256k1", undefined, undefined, "uncompressed");
  const part = (from) => point.subarray(from, from + 32).toString("base64url");
  const known = createPublicKey({ format: "jwk", key: { kty: "EC", crv: "secp256k1", x: part(1), y: part(33) } });
  return verify("sha256", encode([1, body], [2, auth], [3, chainId], [4, account]), { key: known, dsaEncoding: "ieee-p1363" }, signature);
}

/** @param {Uint8Array} raw */
export const hashOf = (raw) => createHash("sha256").update(raw).digest("hex").toUpperCase();

const text = (coins) => coins.map(({ denom, amount }) => `${amount}${denom}`).join(",");

/** Returns an event. Its attributes are in base64, as in versions of Tendermint up to 0.34. */
const event = (type, attributes) => ({
  type,
  attributes: Object.entries(attributes).map(([key, value]) => ({ key: Buffer.from(key).toString("base64"), value: Buffer.from(value).toString("base64"), index: true })),
});

const moved = (from, to, coins) => [
  event("coin_spent", { spender: from, amount: text(coins) }),
  event("coin_received", { receiver: to, amount: text(coins) }),
  event("transfer", { recipient: to, sender: from, amount: text(coins) }),
  event("message", { sender: from }),
];

export const COLLECTOR = "cosmos17xpfvakm2amg962yls6f84z3kell8c5lserqta";
export const ESCROW = "cosmos1a53udazy8ayufvy0s434pfwjcedzqv345dnt3x";

/** Returns the events of a transaction, starting with those of the fee. */
export function eventsOf({ fees, messages }, failed) {
  const payer = messages[0].from;
  const fee = [...moved(payer, COLLECTOR, fees), event("tx", { fee: text(fees) })];
  if (failed) {
    return fee;
  }
  return messages.reduce((list, { type, from, to, coins, channel }) => {
    const own = type === SEND ? moved(from, to, coins) : [...moved(from, ESCROW, coins), event("ibc_transfer", { sender: from, receiver: to }), event("send_packet", { packet_src_channel: channel })];
    return [...list, event("message", { action: type }), ...own];
  }, fee);
}

/** Reports whether one of the events has an attribute, such as coin_spent.spender, with the given value. */
export const hasAttribute = (events, type, key, value) =>
  events.some((one) => one.type === type && one.attributes.some((a) => String(Buffer.from(a.key, "base64")) === key && String(Buffer.from(a.value ?? "", "base64")) === value));
