/** What goes wrong with Lightning nodes, in words for the field that it is about. */

import { RpcError } from "obverse";
import { Said } from "../../words.ts";

/** By field. "": nothing. */
export interface Wrong {
  ticker: string;
  name: string;
  port: string;
}

/** What is wrong with a port to listen on; "" if nothing is. */
export const portFault = (text: string): string => (/^\d{1,5}$/.test(text) && Number(text) <= 65535 ? "" : "A port is a number from 1 to 65535. 0 uses any free port.");

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");

/** What an activation found wrong in a field; null if it was something else. */
export function activationFault(error: unknown): Partial<Wrong> | null {
  if (!(error instanceof RpcError)) {
    return null;
  }
  const { kind, data } = error;
  switch (kind) {
    case "L2ConfigIsNotFound":
      return { ticker: "Unknown coin: it must be in the node's coins file." };
    case "UnexpectedL2Protocol":
      return { ticker: "This is not a Lightning coin." };
    case "L2ProtocolParseError":
      return { ticker: `The node cannot read this coin's entry in its coins file: ${(data as { error: string }).error}` };
    case "IOError":
      return /^cannot listen/.test(String(data)) ? { port: /in use/.test(String(data)) ? "Another program uses this port. Choose another one." : "The node cannot listen on this port. Choose another one, or check lightning_ip in its config." } : null;
    default:
      return null;
  }
}

/** Words that fit here better than the usual ones. */
export function worded(error: unknown): unknown {
  return error instanceof RpcError && error.is("PrivKeyNotAllowed")
    ? new Said("The node was started without a passphrase, which determines its Lightning node id.", "Set one in the node's config and restart the node.", error)
    : error;
}

const EXAMPLE = "Enter the public key of the node, then @, its host, a colon and its port.";

/** What is wrong with the parts of an address, by the node's names for them. */
const parts: Record<string, (reason: string) => string> = {
  "node address": (reason) => (/longer/.test(reason) ? sentence(reason) : EXAMPLE),
  "node pubkey": (reason) => `Invalid public key before the @: ${reason}.`,
  "socket address": (reason) => `After the @: ${reason}.`,
};

/** Why a connection failed. The first that fits, in the node's text. */
const reasons: readonly [RegExp, string][] = [
  [/no chain in common/, "It is a node of a different network."],
  [/^Handshake error/, "This address belongs to a different node, or not to a Lightning node. Check the public key and the port."],
  [/timed out/, "It did not answer within 10 seconds. Check the address, and that the node is running."],
  [/connection refused/, "Connection refused. Check the host and the port, and that the node is running."],
  [/no such host/, "Host not found. Check the spelling."],
  [/(network|host) is unreachable|no route/, "No route to this host from the node's machine. Check the host and the network."],
  [/unreachable/, "Unreachable. Check the host and the port, and that the node is running."],
  [/the node's own id/, "This is your own node."],
  [/too many/, "Your node has reached its maximum number of peers. Disconnect one first."],
  [/by the user/, "You have disconnected it."],
];

/** What is wrong with the address of a node, or why nobody could be reached there; null if it was something else. */
export function connectFault(error: unknown): string | null {
  if (!(error instanceof RpcError)) {
    return null;
  }
  if (error.is("InvalidRequest")) {
    const [, part = "", reason = ""] = /^Could not parse ([a-z ]+) from str (?:.*, err (.*)|.*)$/s.exec(String(error.data)) ?? [];
    return parts[part]?.(reason) ?? null;
  }
  if (error.is("ConnectionError")) {
    return reasons.find(([pattern]) => pattern.test(error.data) || pattern.test(error.message))?.[1] ?? null;
  }
  return null;
}

/** What is wrong with a public key; null if it was something else. */
export function keyFault(error: unknown): string | null {
  const [, reason] = /^Could not parse public key from str .*, err (.*)$/s.exec(error instanceof RpcError && error.is("InvalidRequest") ? String(error.data) : "") ?? [];
  return reason === undefined ? null : `Invalid public key: ${reason}.`;
}

export const NO_ADDRESS = EXAMPLE;
export const NO_KEY = "Enter the public key of the node: 66 hexadecimal digits.";
