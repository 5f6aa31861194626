/** Finds secrets in calls, and methods that return secrets. */

import { tokens } from "../../exact.ts";
import { t, type Text } from "../../language.ts";
import type { Side } from "./document.ts";

/** Keys whose values are secret in every method. */
const SECRET_KEY = /pass(word|phrase)|userpass|secret|seed|mnemonic|private|priv_?key(?!_policy)|^wif$|ticket/i;

/** Texts that are secret everywhere: WIF and extended private keys, mnemonics. */
const SECRET_TEXT = [/^[5KLU][1-9A-HJ-NP-Za-km-z]{50,51}$/, /^[xyz]prv[1-9A-HJ-NP-Za-km-z]{50,}$/, /^([a-z]{3,8} ){11,23}[a-z]{3,8}$/];

const isSecret = (text: string): boolean => SECRET_TEXT.some((pattern) => pattern.test(text));

/** A user and a password in an address. */
const USERINFO = /(:\/\/)[^/@\s"]*@/g;

/** Removes known secrets from parameters; changed reports whether there were any. */
export function redact(text: string): { text: string; changed: boolean } {
  let [out, at, depth, hidden, previous, key] = ["", 0, 0, 0, "", ""];
  for (const { kind, start, end } of tokens(text)) {
    const part = text.slice(start, end);
    out += text.slice(at, start);
    at = end;
    if (kind === "{" || kind === "[") {
      depth++;
      hidden ||= SECRET_KEY.test(key) ? depth : 0;
      key = "";
    } else if (kind === "}" || kind === "]") {
      hidden = hidden === depth ? 0 : hidden;
      depth--;
    }
    const isValue = (kind === "string" || kind === "plain") && !/^\s*:/.test(text.slice(end, end + 20));
    if (isValue && (hidden > 0 || SECRET_KEY.test(key) || (kind === "string" && isSecret(part.slice(1, -1))))) {
      out += '""';
    } else {
      out += isValue ? part.replace(USERINFO, "$1") : part;
    }
    if (kind === ":") {
      key = previous;
    } else if (isValue || kind === ",") {
      key = "";
    }
    previous = kind === "string" ? part.slice(1, -1) : "";
  }
  out += text.slice(at);
  return { text: out, changed: out !== text };
}

const warnings: Record<string, Text> = {
  "A dumpprivkey": "console.privatekey",
  "B stream::ticket": "console.ticket",
  "A stop": "console.stops",
  "B stop": "console.stops",
};

/** Returns a warning before a call; "" if the call needs no warning. */
export function warning(side: Side, method: string): string {
  const text = warnings[`${side} ${method}`] ?? (showsSecret(side, method) ? "console.maybesecret" : null);
  return text ? t(text) : "";
}

/** Reports whether the answer of a method is secret. */
export const showsSecret = (side: Side, method: string): boolean => `${side} ${method}` === "A dumpprivkey" || `${side} ${method}` === "B stream::ticket" || /priv|seed|mnemonic|secret|passphrase/i.test(method);
