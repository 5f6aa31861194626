/** Estimates the strength of passwords. It contains a list of common passwords, so it is loaded only where one is chosen. */

import { ZxcvbnFactory } from "@zxcvbn-ts/core";
import { adjacencyGraphs, dictionary } from "@zxcvbn-ts/language-common";
import type { Text } from "./language.ts";
import { normalPassword } from "./session/crypto.ts";

export interface Strength {
  /** zxcvbn's score from 0 to 4: 1 is below a million guesses, 2 below a hundred million. */
  score: number;
  /** Why it is easy to guess; "" if the reason is not known. */
  reason: Text | "";
}

/** Characters that are evaluated: 256 of them could keep the page busy for seconds. */
const LOOKED_AT = 64;

const checker = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, maxLength: LOOKED_AT });

const common = "strength.common";
const keys = "strength.keys";
const repeats = "strength.repeats";
const dates = "strength.dates";

/** By the name of zxcvbn's warning. */
const reasons: Record<string, Text> = {
  straightRow: keys,
  keyPattern: keys,
  simpleRepeat: repeats,
  extendedRepeat: repeats,
  sequences: "strength.sequences",
  recentYears: dates,
  dates,
  topTen: common,
  topHundred: common,
  common,
  similarToCommon: "strength.similar",
  wordByItself: "strength.word",
  userInputs: "strength.name",
};

export function strengthOf(password: string): Strength {
  const { score, feedback } = checker.check(normalPassword(password), ["obverse", "wallet"]);
  return { score, reason: reasons[feedback.warning ?? ""] ?? "" };
}
