/** Verifies headers against a trusted one by the rules of CometBFT's light client (light/verifier.go). */

import * as ed25519 from "@noble/ed25519";
import { sha512 } from "@noble/hashes/sha2.js";
import { same, toHex } from "./bytes.js";
import { COMMIT, signBytes, totalPower } from "./block.js";
import { LightError } from "./error.js";
import { SECOND } from "./proto.js";

ed25519.hashes.sha512 = sha512;

/**
 * @typedef {import("./block.js").LightBlock} LightBlock
 * @typedef {import("./block.js").Validator} Validator
 *
 * @typedef {object} Trusted the trusted state: a light block, or only a validator set
 * @property {string} chainId
 * @property {bigint} height 0 if only a validator set is trusted
 * @property {bigint} time ns
 * @property {Validator[]} validators
 * @property {Uint8Array | null} hash the hash of the header
 * @property {Uint8Array | null} nextValidatorsHash
 *
 * @typedef {object} Limits
 * @property {bigint} trustingPeriod ns
 * @property {bigint} maxClockDrift ns
 * @property {bigint} now ns since 1970
 */

/** @param {bigint} time ns */
export const showTime = (time) => new Date(Number(time / (SECOND / 1000n))).toISOString();

/**
 * Reports whether the signers of a commit have more than the needed power in total. Signatures that are not for the block are not counted.
 * Verification stops once the power suffices.
 *
 * @param {LightBlock} block
 * @param {bigint} needed
 * @param {(by: Uint8Array, n: number) => Validator | undefined} signer returns the validator with an address, or undefined if its signature
 *   is not counted
 */
function isSigned({ chainId, commit, checked }, needed, signer) {
  let power = 0n;
  for (const [n, { flag, address, time, signature }] of commit.signatures.entries()) {
    const validator = flag === COMMIT ? signer(address, n) : undefined;
    if (validator === undefined) {
      continue;
    }
    // Verify by ZIP 215 as CometBFT does, so that both accept the same signatures.
    if (!checked.has(n) && (signature.length !== 64 || !ed25519.verify(signature, signBytes(chainId, commit, time), validator.key, { zip215: true }))) {
      throw new LightError("BadCommit", `commit ${commit.height}: the signature of validator ${toHex(address)} is wrong`);
    }
    checked.add(n);
    power += validator.power;
    if (power > needed) {
      return true;
    }
  }
  return false;
}

/**
 * Checks that more than two thirds of a block's own validators signed it (VerifyCommitLight).
 * @param {LightBlock} block
 */
export function checkCommit(block) {
  const { commit, validators } = block;
  const wrong = (/** @type {string} */ message) => new LightError("BadCommit", `commit ${commit.height}: ${message}`);
  if (validators.length !== commit.signatures.length) {
    throw wrong(`it has ${commit.signatures.length} signatures, want one for each of ${validators.length} validators`);
  }
  const signed = isSigned(block, (totalPower(validators) * 2n) / 3n, (address, n) => {
    if (!same(validators[n].address, address)) {
      throw wrong(`signature ${n} is of validator ${toHex(address)}, want ${toHex(validators[n].address)}`);
    }
    return validators[n];
  });
  if (!signed) {
    throw wrong("validators with two thirds of the power or less signed it");
  }
}

/**
 * Reports whether validators with more than a third of the trusted power signed a block
 * (VerifyCommitLightTrusting).
 *
 * @param {Trusted} trusted
 * @param {LightBlock} block
 */
function isKnown(trusted, block) {
  const by = new Map(trusted.validators.map((validator) => [toHex(validator.address), validator]));
  const seen = new Set();
  return isSigned(block, totalPower(trusted.validators) / 3n, (address) => {
    const known = by.get(toHex(address));
    if (known !== undefined && seen.has(known)) {
      throw new LightError("BadCommit", `commit ${block.height}: validator ${toHex(address)} signed twice`);
    }
    seen.add(known);
    return known;
  });
}

/**
 * Verifies a block that is newer than the trusted one. Returns false if too few of the trusted validators signed it,
 * so that an intermediate block has to be verified first. Any other fault is thrown as an error.
 *
 * @param {Trusted} trusted
 * @param {LightBlock} block
 * @param {Limits} limits
 */
export function follows(trusted, block, { trustingPeriod, maxClockDrift, now }) {
  const wrong = (/** @type {string} */ message) => new LightError("BadHeader", `header ${block.height}: ${message}`);
  if (trusted.time + trustingPeriod <= now) {
    throw new LightError("Expired", `the newest trusted header is of ${showTime(trusted.time)}, beyond the trusting period: pin a newer one`);
  }
  if (block.chainId !== trusted.chainId) {
    throw wrong(`chain id is ${JSON.stringify(block.chainId)}, want ${JSON.stringify(trusted.chainId)}`);
  }
  if (block.time <= trusted.time) {
    throw wrong(`its time ${showTime(block.time)} is not after that of header ${trusted.height}`);
  }
  if (block.time >= now + maxClockDrift) {
    throw wrong(`its time ${showTime(block.time)} is in the future`);
  }
  if (block.height === trusted.height + 1n && trusted.nextValidatorsHash !== null) {
    if (!same(block.validatorsHash, trusted.nextValidatorsHash)) {
      throw wrong(`its validators are not those that header ${trusted.height} announces`);
    }
  } else if (!isKnown(trusted, block)) {
    return false;
  }
  checkCommit(block); // Check this last, since the block may have many validators.
  return true;
}
