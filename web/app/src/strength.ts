/** How hard a password is to guess. It has a list of common passwords, so it is loaded only where one is chosen. */

import { ZxcvbnFactory } from "@zxcvbn-ts/core";
import { adjacencyGraphs, dictionary } from "@zxcvbn-ts/language-common";
import { normalPassword } from "./session/crypto.ts";

export interface Strength {
  /** 0 to 4, as zxcvbn counts: 1 is below a million guesses, 2 below a hundred million. */
  score: number;
  /** Why it is easy to guess; "" if no reason is known. */
  reason: string;
}

/** Characters that are looked at: with 256 of them some passwords keep the page busy for seconds. */
const LOOKED_AT = 64;

const checker = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, maxLength: LOOKED_AT });

const common = "It is a common password.";
const keys = "Keys next to each other are easy to guess.";
const repeats = "Repeated characters are easy to guess.";
const dates = "Dates and years are easy to guess.";

/** By the name of zxcvbn's warning. */
const reasons: Record<string, string> = {
  straightRow: keys,
  keyPattern: keys,
  simpleRepeat: repeats,
  extendedRepeat: repeats,
  sequences: "Sequences such as abc or 123 are easy to guess.",
  recentYears: dates,
  dates,
  topTen: common,
  topHundred: common,
  common,
  similarToCommon: "It is similar to a common password.",
  wordByItself: "A single word is easy to guess.",
  userInputs: "This page's name is easy to guess.",
};

export function strengthOf(password: string): Strength {
  const { score, feedback } = checker.check(normalPassword(password), ["obverse", "wallet"]);
  return { score, reason: reasons[feedback.warning ?? ""] ?? "" };
}
