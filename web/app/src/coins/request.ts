/**
 * Payment requests: texts such as ethereum:0x…@1/transfer?address=0x…&uint256=1 (EIP-681) or cosmos:cosmos1…?amount=1&memo=2 that are
 * pasted, scanned or in a link. A request is used as a whole, or it is rejected with the reason.
 */

import { fromUnits, isDecimal, plainDecimal } from "../decimal.ts";
import { t } from "../language.ts";
import { visible } from "../visible.ts";
import { isName, isSame, mistakeIn } from "./addresses.ts";
import type { Family } from "./catalog.ts";

/** The coin to be sent, as far as it matters for requests. */
export interface Payable {
  family: Family;
  /** Its symbol. */
  symbol: string;
  /** The URI schemes of its requests. */
  schemes: readonly string[];
  /** The chain id of an EVM network. */
  chain: string;
  network: string;
  /** The contract of a token on an EVM network. */
  contract: string | null;
  /** The decimals of a coin or token of an EVM network; undefined if not known. */
  decimals: number | undefined;
  isNft: boolean;
  /** Returns the symbol of the network's coin, or of the token with a contract; null if not known. */
  called: (contract: string | null) => string | null;
}

export interface Asked {
  to: string;
  /** A decimal number of coins; "" if the request names none. */
  amount: string;
  memo: string;
  /** The parts that are not used: the wallet chooses the fees itself and has no labels. */
  unused: string;
}

/** The error for a request that cannot be used. Its message is for the user. */
export class BadRequest extends Error {}

const refuse = (why: string): never => {
  throw new BadRequest(why);
};

const LONGEST = 4096; // characters
const SCHEME = /^([a-z][a-z0-9+.-]*):(?!\s)/i;
const UNUSED = ["gas", "gasLimit", "gasPrice", "label", "message"];
const MAX_UINT256 = 2n ** 256n - 1n;

/** Reports whether a text is a request rather than an address or a name. */
export const isRequest = (text: string): boolean => SCHEME.test(text.trim());

/** Returns the parameters after the question mark. Each must be known and occur once. */
function parameters(query: string, names: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const part of query.split("&").filter(Boolean)) {
    const [name = "", value = ""] = part.split(/=(.*)/s, 2).map(decoded);
    add(found, name, value, names);
  }
  return found;
}

function add(found: Map<string, string>, name: string, value: string, names: readonly string[]) {
  if (![...names, ...UNUSED].includes(name)) {
    refuse(t("request.parameter", { name }));
  }
  if (found.has(name)) {
    refuse(t("request.twice", { name }));
  }
  // The form and the review display a single line without invisible characters: nothing else may be signed.
  const printable = visible(value);
  found.set(name, /[\t\n\r]/.test(printable) && !UNUSED.includes(name) ? refuse(t("request.value", { name, value: printable })) : printable);
}

function decoded(text: string): string {
  try {
    return visible(decodeURIComponent(text));
  } catch {
    return refuse(t("request.form"));
  }
}

const unusedOf = (found: Map<string, string>): string => [...found].flatMap(([name, value]) => (UNUSED.includes(name) ? [`${name}=${value}`] : [])).join(", ");

/** Parses the request in a text. @throws BadRequest */
export function requestIn(text: string, coin: Payable): Asked {
  const bare = text.trim();
  const scheme = SCHEME.exec(bare)?.[1]?.toLowerCase() ?? "";
  if (!coin.schemes.includes(scheme)) {
    refuse(t("request.scheme", { scheme, coin: coin.symbol }));
  }
  const [path = "", query = ""] = bare.slice(scheme.length + 1).split(/\?(.*)/s, 2);
  if (bare.length > LONGEST || path === "" || path.startsWith("//")) {
    refuse(t("request.form"));
  }
  return coin.family === "evm" ? onEvm(path, query, coin) : onCosmos(path, query);
}

function onCosmos(to: string, query: string): Asked {
  const found = parameters(query, ["amount", "memo"]);
  return { to: decoded(to), amount: amountIn(found), memo: found.get("memo") ?? "", unused: unusedOf(found) };
}

/** Returns an amount as a decimal number. */
function amountIn(found: Map<string, string>): string {
  const amount = found.get("amount") ?? "";
  return amount === "" || isDecimal(amount) ? amount : refuse(t("request.value", { name: "amount", value: amount }));
}

function onEvm(path: string, query: string, coin: Payable): Asked {
  const [, target = "", at, name] = /^(?:pay-)?([^@/]+)(?:@([^/]*))?(?:\/(.*))?$/.exec(path) ?? refuse(t("request.form"));
  if (at !== undefined && chainOf(at) !== coin.chain) {
    refuse(t("send.otherchain", { chain: chainOf(at), network: coin.network }));
  }
  if (name !== undefined && name !== "transfer") {
    refuse(t("request.function", { name }));
  }
  const isTransfer = name !== undefined;
  const found = parameters(query, isTransfer ? ["address", "uint256", "value"] : ["value"]);
  const value = units(found, "value");
  const contract = isTransfer ? addressIn(target, "contract") : null;
  if (isTransfer && (value ?? 0n) !== 0n) {
    refuse(t("request.value", { name: "value", value: found.get("value") }));
  }
  const sum = isTransfer ? units(found, "uint256") : value;
  // A bare address does not name a coin.
  if ((isTransfer || sum !== null) && !(contract === null ? coin.contract === null : coin.contract !== null && isSame(coin.contract, contract))) {
    const called = coin.called(contract);
    refuse(called === null ? t("request.unknowntoken", { contract: contract ?? "", network: coin.network }) : t("request.othercoin", { coin: called, chosen: coin.symbol }));
  }
  if ((isTransfer || sum !== null) && coin.isNft) {
    refuse(t("request.nft"));
  }
  if (sum !== null && coin.decimals === undefined) {
    refuse(t("request.decimals", { coin: coin.symbol }));
  }
  const to = isTransfer ? addressIn(found.get("address") ?? "", "address") : target;
  return { to, amount: sum === null ? "" : fromUnits(sum, coin.decimals ?? 0), memo: "", unused: unusedOf(found) };
}

/** Returns the chain id of a network. Some requests write 0x89 for 137. */
function chainOf(text: string): string {
  return /^(\d{1,20}|0x[\da-f]{1,16})$/i.test(text) ? BigInt(text).toString() : refuse(t("request.value", { name: "chain", value: text }));
}

function addressIn(text: string, name: "contract" | "address"): string {
  return mistakeIn(text, true) === "" || (name === "address" && isName(text)) ? text : refuse(t("request.value", { name, value: text }));
}

/** Returns a number of smallest units, such as 2.014e18; null if the parameter is missing. */
function units(found: Map<string, string>, name: string): bigint | null {
  const text = found.get(name);
  if (text === undefined) {
    return null;
  }
  const plain = plainDecimal(text) ?? "";
  return /^\d+$/.test(plain) && BigInt(plain) <= MAX_UINT256 ? BigInt(plain) : refuse(t("request.value", { name, value: text }));
}

/** Parses the request in the query of a link of this page, #/send/ATOM?to=cosmos1…&amount=1&memo=2. @throws BadRequest */
export function requestOf(query: URLSearchParams, coin: Payable): Asked {
  const found = new Map<string, string>();
  for (const [name, value] of query) {
    add(found, name, value, coin.family === "evm" ? ["to", "amount"] : ["to", "amount", "memo"]);
  }
  const to = found.get("to") ?? "";
  return { to, amount: amountIn(found), memo: found.get("memo") ?? "", unused: unusedOf(found) };
}
