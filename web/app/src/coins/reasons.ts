/** Why an activation failed, in words, by what the node tells. */

import { RpcError } from "obverse";

/** What a server of the coin has done, or not. */
export interface ServerFault {
  url: string;
  what: string;
  todo: string;
  /** The node's words. */
  reason: string;
}

/** By what is in the node's words. */
const meanings: readonly [RegExp, (match: RegExpExecArray) => readonly [what: string, todo: string]][] = [
  [/chain id is "(.*?)", want "(.*?)"/, ([, got, want]) => [`It is a server of the chain ${got}, not of ${want}.`, "Remove it."]],
  [/CORS/, () => ["Unreachable, or it does not allow web pages (CORS).", "Check the address. A server without CORS works only with a native node."]],
  [/unreachable|connection refused|no such host/i, () => ["Unreachable.", "Check the address, and that the server is running."]],
  [/timed out/, () => ["It timed out.", "Try again, or use another server."]],
  [/redirect/, () => ["It points to another address.", "Enter that address."]],
  [/HTML page/, () => ["It is a web page, not a server of a chain.", "Check the address: many servers have their RPC at a separate path or host name."]],
  [/too large/, () => ["Its answer is too large.", "Check the address."]],
  [/HTTP status (401|403)/, () => ["It denied access.", "Its address may need a key, or a user and a password: https://user:password@…"]],
  [/HTTP status 429|retry after/, () => ["It received too many requests.", "Wait a while, or use another server."]],
  [/HTTP status 404/, () => ["It has nothing at this address.", "Check the path."]],
  [/HTTP status (\d+)/, ([, status]) => [`It failed with the status ${status}.`, "Try again later, or use another server."]],
  [/behind|catching up/, () => ["It does not have the newest blocks yet.", "Try again later, or use another server."]],
];

function meaning(url: string, reason: string, otherwise: string): ServerFault {
  for (const [pattern, words] of meanings) {
    const match = pattern.exec(reason);
    if (match) {
      const [what, todo] = words(match);
      return { url, what, todo, reason };
    }
  }
  return { url, what: "Its answer is invalid.", todo: otherwise, reason };
}

/** Of this machine, as the policy of the page has it. */
const own = /^(localhost|127\.0\.0\.1)$/;

/** What is wrong with the address of a server before anybody is asked; "" if nothing is. Empty lines are left out later. */
export function addressFault(given: string, inPage: boolean): string {
  const text = given.trim();
  const url = URL.canParse(text) ? new URL(text) : null;
  if (text === "" || (url?.protocol === "https:" && url.hostname !== "")) {
    return "";
  }
  if (!url || !/^http:\/\/./.test(url.href)) {
    return "The address must start with https:// or http://.";
  }
  return inPage && !own.test(url.hostname) ? "The node in this page can only use https:// addresses, and http:// on this machine. A native node can use this one." : "";
}

const all = /^(?:All the current rpc nodes are unavailable\.|Failed to get client version for all nodes) \((.*)\)$/s;

/** What each server did when none could be used; null if that was not why it failed. */
export function serverFaults(error: unknown): ServerFault[] | null {
  const list = error instanceof RpcError && error.kind === "Transport" ? all.exec(String(error.data)) : null;
  if (!list) {
    return null;
  }
  return (list[1] ?? "").split(/; (?=https?:\/\/)/).map((part) => {
    const [, url = "", reason = part] = /^(https?:\/\/\S+): (.*)$/s.exec(part) ?? [];
    return serverFault(url, reason);
  });
}

/** What a server of a coin did, by the node's words. */
export const serverFault = (url: string, reason: string): ServerFault => meaning(url, reason, "Check the address: it must be the chain's RPC address.");

/** What a service that looks up NFTs did, by the node's words; null if that was not why something failed. */
export function serviceFault(error: unknown): ServerFault | null {
  const data: unknown = error instanceof RpcError ? error.data : null;
  const nested = error instanceof RpcError && error.kind === "UpdateSpamPhishingError" ? (data as { error_data?: unknown } | null)?.error_data : undefined;
  const text = nested ?? (error instanceof RpcError && error.kind === "Transport" ? data : null);
  if (typeof text !== "string" || all.test(text)) {
    return null;
  }
  const [, status] = /^(?:[A-Z]+: )?Status code not in 2xx range from \S+: (\d+),/.exec(text) ?? [];
  const [, url = ""] = /(https?:\/\/[^\s]+?)(?=:?\s|$)/.exec(text) ?? [];
  // What a server says with its status is no reason of the node's.
  return { ...meaning(url, status === undefined ? text : `HTTP status ${status}`, "Check the address: it may belong to something else."), reason: text };
}

/** The reason why a coin cannot be made, which is the user's to mend; null if that was not why it failed. */
export function creationFault(error: unknown): string | null {
  if (!(error instanceof RpcError)) {
    return null;
  }
  if (error.is("TokenConfigIsNotFound")) {
    return `The node does not know the token ${error.data}. Check how it is written in the node's coins file.`;
  }
  return error.is("PlatformCoinCreationError") ? error.data.error : null;
}
