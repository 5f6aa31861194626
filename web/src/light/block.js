/** Decodes light blocks of CometBFT from JSON and computes the hashes of their parts. */

import { concat, fromBase64, fromHex, merkleRoot, same, sha256, utf8 } from "./bytes.js";
import { LightError } from "./error.js";
import { bytes, fixed64, message, number, SECOND, timestamp, varint } from "./proto.js";

/**
 * @typedef {object} BlockID
 * @property {Uint8Array} hash
 * @property {number} total the number of parts
 * @property {Uint8Array} parts the hash of the parts
 *
 * @typedef {object} Validator
 * @property {Uint8Array} key
 * @property {Uint8Array} address
 * @property {bigint} power
 *
 * @typedef {object} Signature
 * @property {number} flag ABSENT, COMMIT or NIL
 * @property {Uint8Array} address
 * @property {bigint} time ns
 * @property {Uint8Array} signature
 *
 * @typedef {object} LightBlock
 * @property {string} chainId
 * @property {bigint} height
 * @property {bigint} time ns
 * @property {Uint8Array} hash of the header
 * @property {Uint8Array} appHash
 * @property {Uint8Array} validatorsHash
 * @property {Uint8Array} nextValidatorsHash
 * @property {{height: bigint, round: bigint, block: BlockID, signatures: Signature[]}} commit
 * @property {Validator[]} validators
 * @property {Set<number>} checked the indexes of the verified signatures
 */

export const [ABSENT, COMMIT, NIL] = [1, 2, 3];

const BLOCK_PROTOCOL = 11n;
const MAX_VALIDATORS = 10_000; // CometBFT's MaxVotesCount
const MAX_CHAIN_ID = 50;
const MAX_POWER = (2n ** 63n - 1n) / 8n; // the maximum total power of all validators: MaxTotalVotingPower
const MAX_SIGNATURE = 96;
const ADDRESS = 20;
const HASH = 32;
const ED25519 = "tendermint/PubKeyEd25519";

/** @type {(what: string, want: string) => never} */
const bad = (what, want) => {
  throw new LightError("BadAnswer", `${what}: want ${want}`);
};

/** @type {(value: any, what: string) => Record<string, any>} */
const object = (value, what) => (typeof value === "object" && value !== null && !Array.isArray(value) ? value : bad(what, "an object"));

/** @type {(value: any, what: string) => any[]} */
const list = (value, what) => (Array.isArray(value) && value.length > 0 && value.length <= MAX_VALIDATORS ? value : bad(what, `a list of 1 to ${MAX_VALIDATORS}`));

/** @type {(value: any, what: string, ...sizes: number[]) => Uint8Array} */
export function hexOf(value, what, ...sizes) {
  const read = fromHex(value);
  return read !== null && (sizes.length === 0 || sizes.includes(read.length)) ? read : bad(what, `${sizes.join(" or ")} bytes in hexadecimal`);
}

/**
 * Parses an integer. CometBFT's JSON encodes 64-bit integers as strings and smaller ones as numbers.
 * @type {(value: any, what: string, max: bigint) => bigint}
 */
function whole(value, what, max) {
  const read = (typeof value === "string" && /^\d{1,20}$/.test(value)) || Number.isSafeInteger(value) ? BigInt(value) : -1n;
  return read >= 0n && read <= max ? read : bad(what, `a whole number from 0 to ${max}`);
}

const INT32 = 2n ** 31n - 1n;
const INT64 = 2n ** 63n - 1n;

/**
 * Parses a time of RFC 3339 in UTC with nanosecond precision.
 * @type {(value: any, what: string) => bigint}
 */
export function timeOf(value, what) {
  const [, seconds, fraction] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/.exec(String(value)) ?? [];
  const at = Date.parse(`${seconds}Z`);
  return Number.isFinite(at) ? (BigInt(at) / 1000n) * SECOND + BigInt((fraction ?? "").padEnd(9, "0")) : bad(what, "a time like 2026-01-31T12:00:00Z");
}

/** @type {(value: any, what: string) => BlockID} */
function blockID(value, what) {
  const id = object(value, what);
  const parts = object(id.parts ?? id.part_set_header, `${what}.parts`);
  return {
    hash: hexOf(id.hash, `${what}.hash`, 0, HASH),
    total: Number(whole(parts.total, `${what}.parts.total`, 2n ** 32n - 1n)),
    parts: hexOf(parts.hash, `${what}.parts.hash`, 0, HASH),
  };
}

/** @type {(value: any, what: string) => Signature} */
function signature(value, what) {
  const { block_id_flag: flag, validator_address: by, timestamp: time, signature: signed } = object(value, what);
  if (![ABSENT, COMMIT, NIL].includes(flag)) {
    return bad(`${what}.block_id_flag`, "1, 2 or 3");
  }
  const read = { flag, address: hexOf(by, `${what}.validator_address`, flag === ABSENT ? 0 : ADDRESS), time: timeOf(time, `${what}.timestamp`), signature: fromBase64(signed ?? "") ?? bad(`${what}.signature`, "base64") };
  if (flag === ABSENT ? read.signature.length > 0 || time !== "0001-01-01T00:00:00Z" : read.signature.length === 0 || read.signature.length > MAX_SIGNATURE) {
    return bad(`${what}.signature`, flag === ABSENT ? "nothing, since it is absent" : `1 to ${MAX_SIGNATURE} bytes`);
  }
  return read;
}

/**
 * Decodes a validator set, also in the form of a genesis file.
 * @type {(value: any, what: string) => Validator[]}
 */
export function validatorsOf(value, what) {
  const read = list(value, what).map((one, n) => {
    const at = `${what}[${n}]`;
    const { pub_key: key, voting_power: power, address } = object(one, at);
    const bare = fromBase64(object(key, `${at}.pub_key`).value);
    if (key.type !== ED25519 || bare?.length !== HASH) {
      return bad(`${at}.pub_key`, `a key of type ${ED25519}`);
    }
    const derived = sha256(bare).slice(0, ADDRESS);
    if (address !== undefined && !same(hexOf(address, `${at}.address`, ADDRESS), derived)) {
      return bad(`${at}.address`, "that of its key");
    }
    return { key: bare, address: derived, power: whole(power ?? one.power, `${at}.voting_power`, MAX_POWER) };
  });
  const total = totalPower(read);
  return total > 0n && total <= MAX_POWER ? read : bad(what, `a voting power from 1 to ${MAX_POWER} together`);
}

/** @param {Validator[]} validators */
export const totalPower = (validators) => validators.reduce((sum, { power }) => sum + power, 0n);

/** @param {Validator[]} validators */
export const validatorsHash = (validators) => merkleRoot(validators.map(({ key, power }) => concat(message(1, bytes(1, key)), number(2, power))));

/** @param {BlockID} id */
const blockIDBytes = ({ hash, total, parts }) => concat(bytes(1, hash), message(2, number(1, total), bytes(2, parts)));

/** @type {(h: Record<string, any>, name: string, ...sizes: number[]) => Uint8Array} */
const field = (h, name, ...sizes) => hexOf(h[name] ?? "", `header.${name}`, ...sizes);

/** Returns the hash of a header from its JSON form (types.Header.Hash). @param {Record<string, any>} h */
function headerHash(h) {
  const version = object(h.version, "header.version");
  const hashes = ["last_commit_hash", "data_hash", "validators_hash", "next_validators_hash", "consensus_hash"].map((name) => field(h, name, 0, HASH));
  const after = ["last_results_hash", "evidence_hash"].map((name) => field(h, name, 0, HASH));
  return merkleRoot([
    concat(number(1, whole(version.block, "header.version.block", INT64)), number(2, whole(version.app ?? "0", "header.version.app", INT64))),
    concat(bytes(1, utf8(h.chain_id))),
    concat(number(1, whole(h.height, "header.height", INT64))),
    timestamp(timeOf(h.time, "header.time")),
    blockIDBytes(blockID(h.last_block_id, "header.last_block_id")),
    ...[...hashes, field(h, "app_hash"), ...after, field(h, "proposer_address", ADDRESS)].map((value) => concat(bytes(1, value))),
  ]);
}

/**
 * Decodes a light block from JSON and checks the rules that do not depend on the validators: those of SignedHeader.ValidateBasic, and that
 * the validators match the header.
 * @type {(value: any) => LightBlock}
 */
export function lightBlockOf(value) {
  const signed = object(object(value, "light_block").signed_header, "signed_header");
  const [h, c] = [object(signed.header, "header"), object(signed.commit, "commit")];
  if (typeof h.chain_id !== "string" || h.chain_id.length > MAX_CHAIN_ID || whole(object(h.version, "header.version").block, "header.version.block", INT64) !== BLOCK_PROTOCOL) {
    return bad("header", `a chain id of at most ${MAX_CHAIN_ID} characters, and block protocol ${BLOCK_PROTOCOL}`);
  }
  const block = {
    chainId: h.chain_id,
    height: whole(h.height, "header.height", INT64),
    time: timeOf(h.time, "header.time"),
    hash: headerHash(h),
    appHash: field(h, "app_hash"),
    validatorsHash: field(h, "validators_hash", HASH),
    nextValidatorsHash: field(h, "next_validators_hash", HASH),
    commit: {
      height: whole(c.height, "commit.height", INT64),
      round: whole(c.round, "commit.round", INT32),
      block: blockID(c.block_id, "commit.block_id"),
      signatures: list(c.signatures, "commit.signatures").map((one, n) => signature(one, `commit.signatures[${n}]`)),
    },
    validators: validatorsOf(object(object(value, "light_block").validator_set, "validator_set").validators, "validators"),
    checked: new Set(),
  };
  const wrong = (/** @type {string} */ message) => new LightError("BadHeader", `header ${block.height}: ${message}`);
  if (block.height === 0n || block.commit.height !== block.height) {
    throw wrong(`its commit is of height ${block.commit.height}`);
  }
  if (!same(block.commit.block.hash, block.hash)) {
    throw wrong("its hash is not the one that its commit signs");
  }
  if (!same(validatorsHash(block.validators), block.validatorsHash)) {
    throw wrong("validators_hash does not match the block's validators");
  }
  return block;
}

const PRECOMMIT = 2;

/**
 * Returns the bytes that a validator signs for a vote (types.VoteSignBytes).
 * @type {(chainId: string, commit: LightBlock["commit"], time: bigint) => Uint8Array}
 */
export function signBytes(chainId, { height, round, block }, time) {
  const vote = concat(number(1, PRECOMMIT), fixed64(2, height), fixed64(3, round), message(4, blockIDBytes(block)), message(5, timestamp(time)), bytes(6, utf8(chainId)));
  return concat(varint(vote.length), vote);
}
