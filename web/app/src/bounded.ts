/**
 * Bounds on the answers of a native node. The page draws what it gets: lists that are longer than it asked for, and texts
 * that no honest node gives, would stop it.
 */

import { NodeError, type Handle } from "obverse";

/** Returns the error for an answer whose form the page does not know. */
export const badAnswer = (method: string): NodeError => new NodeError("BadAnswer", `${method}: unexpected form of the answer`);

const MAX_TEXT = 1 << 18; // characters: the longest transaction of an EVM network in hexadecimal
const MAX_LIST = 5000; // members
const MAX_DEPTH = 40;

/** Limits for texts of methods that return more: core/wallet/nft limits NFTs, core/chain/params limits transactions. */
const TEXTS: Record<string, number> = { get_nft_list: 1 << 16, get_nft_image: 8 << 20, getrawtransaction: 1 << 19, decoderawtransaction: 1 << 19 };
const LISTS: Record<string, number> = { get_enabled_coins: 100_000, tokenlist: 250_000, getrawtransaction: 20_000, decoderawtransaction: 20_000 };

/** Returns the answer if its lists and texts are within the limits and the lists are not longer than requested. @throws NodeError BadAnswer */
export function bounded<T>(method: string, params: object, answer: T): T {
  const { limit } = params as { limit?: unknown };
  const result: unknown = typeof limit === "number" && isObject(answer) ? Object.fromEntries(Object.entries(answer).map(([name, value]) => [name, Array.isArray(value) ? value.slice(0, limit) : value])) : answer;
  const [text, list] = [TEXTS[method] ?? MAX_TEXT, LISTS[method] ?? MAX_LIST];
  const check = (value: unknown, depth: number): void => {
    if (typeof value === "string" && value.length > text) {
      throw new NodeError("BadAnswer", `${method}: a text in the answer has more than ${text} characters`);
    }
    if (value !== null && typeof value === "object") {
      const names = Array.isArray(value) ? [] : Object.keys(value);
      const members: unknown[] = Array.isArray(value) ? value : Object.values(value);
      if (members.length > list) {
        throw new NodeError("BadAnswer", `${method}: a list in the answer has more than ${list} members`);
      }
      if (depth === MAX_DEPTH) {
        throw new NodeError("BadAnswer", `${method}: the answer is nested more than ${MAX_DEPTH} times`);
      }
      [names, members].forEach((all) => all.forEach((one) => check(one, depth + 1)));
    }
  };
  check(result, 0);
  return result as T;
}

/** Wraps the calls of a node so that their answers are checked by bounded. */
export const boundedRpc =
  (rpc: Handle["rpc"]): Handle["rpc"] =>
  async (method, ...params) =>
    bounded(method, params[0] ?? {}, await rpc(method, ...params));

/** Does the same for the daemon API. */
export const boundedDaemon =
  (daemon: Handle["daemon"]): Handle["daemon"] =>
  async (method, ...params) =>
    bounded(method, {}, await daemon(method, ...params));

const isObject = (value: unknown): value is object => value !== null && typeof value === "object" && !Array.isArray(value);
