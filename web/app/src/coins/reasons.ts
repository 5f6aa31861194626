/** Explains why an activation failed, based on the node's error. */

import { RpcError } from "obverse";
import { t, type Text } from "../language.ts";

/** A server of the coin and its error. */
export interface ServerFault {
  url: string;
  what: string;
  todo: string;
  /** The node's message. */
  reason: string;
}

/** Explanations by a pattern of the node's message; the groups are values of the text. */
const meanings: readonly (readonly [RegExp, what: Text, todo: Text])[] = [
  [/chain id is "(?<got>.*?)", want "(?<want>.*?)"/, "reasons.otherchain", "reasons.removeit"],
  [/CORS/, "reasons.cors", "reasons.corstodo"],
  [/unreachable|connection refused|no such host/i, "reasons.unreachable", "reasons.unreachabletodo"],
  [/timed out/, "reasons.timeout", "reasons.another"],
  [/redirect/, "reasons.redirect", "reasons.redirecttodo"],
  [/HTML page/, "reasons.html", "reasons.htmltodo"],
  [/too large/, "reasons.large", "reasons.check"],
  [/HTTP status (401|403)/, "reasons.denied", "reasons.deniedtodo"],
  [/HTTP status 429|retry after/, "reasons.limit", "reasons.limittodo"],
  [/HTTP status 404/, "reasons.notfound", "reasons.notfoundtodo"],
  [/HTTP status (?<status>\d+)/, "reasons.status", "reasons.later"],
  [/behind|catching up/, "reasons.behind", "reasons.later"],
];

function meaning(server: string, url: string, reason: string, otherwise: Text): ServerFault {
  for (const [pattern, what, todo] of meanings) {
    const match = pattern.exec(reason);
    if (match) {
      return { url, what: t(what, { ...match.groups, server }), todo: t(todo), reason };
    }
  }
  return { url, what: t("reasons.invalid", { server }), todo: t(otherwise), reason };
}

/** Hosts on this machine, which the page's content security policy allows. */
const localHost = /^(localhost|127\.0\.0\.1)$/;

/** Returns what is wrong with a server address before it is used; "" if nothing. Empty lines are dropped later. */
export function addressFault(given: string, inPage: boolean): string {
  const text = given.trim();
  const url = URL.canParse(text) ? new URL(text) : null;
  if (text === "" || (url?.protocol === "https:" && url.hostname !== "")) {
    return "";
  }
  if (!url || !/^http:\/\/./.test(url.href)) {
    return t("reasons.scheme");
  }
  return inPage && !localHost.test(url.hostname) ? t("reasons.insecure") : "";
}

const all = /^(?:All the current rpc nodes are unavailable\.|Failed to get client version for all nodes) \((.*)\)$/s;

/** Returns the error of each server when none could be used; null if the activation failed for another reason. */
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

/** Returns the error of a server of a coin, based on the node's message. */
export const serverFault = (url: string, reason: string): ServerFault => meaning(t("reasons.it"), url, reason, "reasons.rpcaddress");

/** Returns the error of an NFT service, based on the node's message; null if the operation failed for another reason. */
export function serviceFault(error: unknown): ServerFault | null {
  const data: unknown = error instanceof RpcError ? error.data : null;
  const nested = error instanceof RpcError && error.kind === "UpdateSpamPhishingError" ? (data as { error_data?: unknown } | null)?.error_data : undefined;
  const text = nested ?? (error instanceof RpcError && error.kind === "Transport" ? data : null);
  if (typeof text !== "string" || all.test(text)) {
    return null;
  }
  const [, status] = /^(?:[A-Z]+: )?Status code not in 2xx range from \S+: (\d+),/.exec(text) ?? [];
  const [, url = ""] = /(https?:\/\/[^\s]+?)(?=:?\s|$)/.exec(text) ?? [];
  const server = URL.canParse(url) ? t("reasons.serverat", { host: new URL(url).host }) : t("reasons.theserver");
  // The response body of a server with an error status is not a reason given by the node.
  return { ...meaning(server, url, status === undefined ? text : `HTTP status ${status}`, "reasons.elsewhere"), reason: text };
}

/** Returns the reason why a coin cannot be created, if the user can correct it; otherwise null. */
export function creationFault(error: unknown): string | null {
  if (!(error instanceof RpcError)) {
    return null;
  }
  if (error.is("TokenConfigIsNotFound")) {
    return t("reasons.unknowntoken", { token: error.data });
  }
  return error.is("PlatformCoinCreationError") ? error.data.error : null;
}
