import { NodeError } from "../errors.js";

/**
 * The reason for which an answer was rejected.
 *
 * - BadPin: the pin is neither a light block nor a validator set with its time
 * - BadAnswer: a field is missing or malformed
 * - Expired: the newest trusted header is older than the trusting period, so that a new pin is needed
 * - Old: the header is older than one that was verified before, or older than maxAge
 * - BadHeader: the header is of another chain, has a time in the future, or is not the one that its commit signs
 * - BadCommit: a signature is invalid, or two thirds of the validators or less signed
 * - Untrusted: the validators cannot be traced back to the pin
 * - BadProof: the answer does not match the app hash in the header
 *
 * @typedef {"BadPin" | "BadAnswer" | "Expired" | "Old" | "BadHeader" | "BadCommit" | "Untrusted" | "BadProof"} LightKind
 */

/** The error of an answer that the light client rejects. */
export class LightError extends NodeError {
  /**
   * @param {LightKind} kind
   * @param {string} message
   */
  constructor(kind, message) {
    super(kind, message);
    this.name = "LightError";
  }
}
