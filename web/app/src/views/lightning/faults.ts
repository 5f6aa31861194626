/** Errors of Lightning nodes, in words for the field that they concern. */

import { RpcError } from "obverse";
import { t, type Text } from "../../language.ts";
import { Said } from "../../words.ts";

/** Messages by field; "" for a valid field. */
export interface Wrong {
  ticker: string;
  name: string;
  port: string;
}

/** Returns what is wrong with a port to listen on; "" if nothing. */
export const portFault = (text: string): string => (/^\d{1,5}$/.test(text) && Number(text) <= 65535 ? "" : t("lightning.badport"));

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");

/** Returns the messages by field for an error of an activation; null if it concerns no field. */
export function activationFault(error: unknown): Partial<Wrong> | null {
  if (!(error instanceof RpcError)) {
    return null;
  }
  const { kind, data } = error;
  switch (kind) {
    case "L2ConfigIsNotFound":
      return { ticker: t("lightning.unknowncoin") };
    case "UnexpectedL2Protocol":
      return { ticker: t("lightning.notlightning") };
    case "L2ProtocolParseError":
      return { ticker: t("lightning.badentry", { error: (data as { error: string }).error }) };
    case "IOError":
      return /^cannot listen/.test(String(data)) ? { port: /in use/.test(String(data)) ? t("lightning.portused") : t("lightning.portfailed") } : null;
    default:
      return null;
  }
}

/** Replaces errors by more specific ones. */
export function worded(error: unknown): unknown {
  return error instanceof RpcError && error.is("PrivKeyNotAllowed")
    ? new Said(t("lightning.nokey"), t("lightning.nokeytodo"), error)
    : error;
}

/** Messages for the parts of an address, by the node's names for them. */
const parts: Record<string, (reason: string) => string> = {
  "node address": (reason) => (/longer/.test(reason) ? sentence(reason) : t("lightning.example")),
  "node pubkey": (reason) => t("lightning.badkeybefore", { reason }),
  "socket address": (reason) => t("lightning.badafter", { reason }),
};

/** Reasons of failed connections by a pattern of the node's text; the first match counts. */
const reasons: readonly [RegExp, Text][] = [
  [/no chain in common/, "lightning.othernetwork"],
  [/^Handshake error/, "lightning.othernode"],
  [/timed out/, "lightning.timeout"],
  [/connection refused/, "lightning.refused"],
  [/no such host/, "lightning.nohost"],
  [/(network|host) is unreachable|no route/, "lightning.noroute"],
  [/unreachable/, "lightning.unreachable"],
  [/the node's own id/, "lightning.self"],
  [/too many/, "lightning.toomany"],
  [/by the user/, "lightning.byuser"],
];

/** Returns what is wrong with the address of a node, or why it could not be reached; null for other errors. */
export function connectFault(error: unknown): string | null {
  if (!(error instanceof RpcError)) {
    return null;
  }
  if (error.is("InvalidRequest")) {
    const [, part = "", reason = ""] = /^Could not parse ([a-z ]+) from str (?:.*, err (.*)|.*)$/s.exec(String(error.data)) ?? [];
    return parts[part]?.(reason) ?? null;
  }
  if (error.is("ConnectionError")) {
    const reason = reasons.find(([pattern]) => pattern.test(error.data) || pattern.test(error.message))?.[1];
    return reason ? t(reason) : null;
  }
  return null;
}

/** Returns what is wrong with a public key; null for other errors. */
export function keyFault(error: unknown): string | null {
  const [, reason] = /^Could not parse public key from str .*, err (.*)$/s.exec(error instanceof RpcError && error.is("InvalidRequest") ? String(error.data) : "") ?? [];
  return reason === undefined ? null : t("lightning.badkey", { reason });
}

