import { NodeError } from "../errors.js";

/**
 * Why an answer was refused.
 *
 * - BadPin: the pin is not a light block, or no validator set with its time
 * - BadAnswer: a field is missing or malformed
 * - Expired: the newest header that is trusted is older than the trusting period: pin again
 * - Old: the header is older than one that was verified before, or than maxAge
 * - BadHeader: it is of another chain, of the future, or not what its commit signs
 * - BadCommit: a signature is wrong, or less than two thirds of the validators signed
 * - Untrusted: the validators cannot be traced back to the pin
 * - BadProof: the answer is not what the header's app hash commits to
 *
 * @typedef {"BadPin" | "BadAnswer" | "Expired" | "Old" | "BadHeader" | "BadCommit" | "Untrusted" | "BadProof"} LightKind
 */

/** The light client refused an answer. */
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
