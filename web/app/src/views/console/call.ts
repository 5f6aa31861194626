/** Calls of the console, whose parameters are sent as written. */

import { DaemonError, NodeError, RpcError } from "obverse";
import { noteDisabled } from "../../coins/remembered.ts";
import { pretty } from "../../exact.ts";
import { connection } from "../../node.ts";
import { profile } from "../../session/session.ts";
import type { Side } from "./document.ts";

export interface Outcome {
  status: number;
  /** The whole answer, formatted in lines. */
  text: string;
  /** Duration of the call. */
  ms: number;
  /** The error, if the answer is one. */
  error: NodeError | null;
}

/** Calls a method with parameters in JSON. It throws an error if there was no answer. */
export async function call(side: Side, method: string, params: string): Promise<Outcome> {
  const node = connection.peek();
  if (!node) {
    throw new NodeError("NotRunning", "no node is running");
  }
  const start = performance.now();
  const { status, body } = await (side === "B" ? node.raw.call(method, params) : node.raw.daemon(`{"jsonrpc":"1.0","id":1,"method":${JSON.stringify(method)},"params":${params}}`));
  const ms = performance.now() - start;
  const error = errorOf(side, status, body);
  if (side === "B" && method === "disable_coin" && !error) {
    const { coin, force_disable } = JSON.parse(params) as { coin: string; force_disable?: boolean };
    noteDisabled(coin, force_disable === true);
  }
  return { status, text: inLines(body), ms, error };
}

function inLines(body: string): string {
  try {
    JSON.parse(body);
    return pretty(body);
  } catch {
    return body;
  }
}

function errorOf(side: Side, status: number, body: string): NodeError | null {
  let answer: { error?: unknown; result?: unknown };
  try {
    answer = JSON.parse(body) as typeof answer;
  } catch {
    return side === "A" ? new DaemonError(status, null) : new RpcError(status, {});
  }
  const { error, result } = answer;
  if (side === "B") {
    return status === 200 && error === undefined ? null : new RpcError(status, answer);
  }
  if (error) {
    return new DaemonError(status, error as { code?: unknown; message?: unknown });
  }
  const refused = result as { result?: unknown; error?: unknown } | null | undefined;
  return refused?.result === "error" && typeof refused.error === "string" ? new DaemonError(status, { code: 0, message: refused.error }) : null;
}

/** Escapes a text for a shell's here-document, in which variables are expanded. */
const quoted = (text: string): string => text.replace(/[\\$`]/g, "\\$&");

/**
 * Returns the call as a shell command for a native node. It does not contain the password: the
 * shell takes it from a variable, or curl asks for it.
 */
export function curl(side: Side, method: string, params: string): string {
  const native = connection.peek()?.kind === "native" ? profile.peek()?.native : undefined;
  const name = JSON.stringify(method);
  if (side === "A") {
    const { url, user } = native?.daemon ?? { url: "http://127.0.0.1:7771/", user: "obverse" };
    return `curl --user '${user.replaceAll("'", "'\\''")}' --data-binary @- '${url}' <<'END'\n{"jsonrpc":"1.0","id":1,"method":${name},"params":${params}}\nEND\n`;
  }
  return `curl --data-binary @- '${native?.url ?? "http://127.0.0.1:7783/"}' <<END\n{"userpass":"$RPC_PASSWORD","mmrpc":"2.0","method":${quoted(name)},"params":${quoted(params)},"id":1}\nEND\n`;
}
