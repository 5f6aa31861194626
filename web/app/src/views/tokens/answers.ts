/** Validates a node's answers about tokens: a malformed token is shown as unknown, and the others as they are. */

import { isDecimal } from "../../decimal.ts";
import { visible } from "../../visible.ts";
import type { Answer } from "./daemon.ts";

const isText = (value: unknown): value is string => typeof value === "string";
const isAmount = (value: unknown): value is string => isText(value) && isDecimal(value);

/** Reports whether a value is a token id. */
export const isId = (value: unknown): value is string => isText(value) && /^[0-9a-f]{64}$/.test(value);

export function isInfo(value: unknown): value is Answer<"tokeninfo"> {
  const { name, description, supply, owner, tokenid, data = "" } = (value ?? {}) as Partial<Answer<"tokeninfo">>;
  return [name, description, owner, tokenid, data].every(isText) && isAmount(supply);
}

export const isBalance = (value: unknown): value is Answer<"tokenbalance"> => isAmount(((value ?? {}) as Partial<Answer<"tokenbalance">>).balance);

const MAX_NAME = 100; // characters; komodod makes names of up to 32

/** Returns the name of a token for display. A transaction may have a longer one than nodes create. */
export const nameOf = ({ name }: Answer<"tokeninfo">): string => visible(name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name);
