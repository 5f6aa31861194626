/**
 * Calls of the daemon API with exact numbers, as texts: amounts of tokens and coins
 * exceed the precision of floating point.
 */

import { DaemonError, NodeError, type DaemonMethods } from "obverse";
import { bounded } from "../../bounded.ts";
import { parseExact, type Exact } from "../../exact.ts";
import { connection } from "../../node.ts";

type Method = keyof DaemonMethods;
type Params<M extends Method> = DaemonMethods[M]["params"];

/** The result of a method, with texts for numbers. */
export type Answer<M extends Method> = Exact<DaemonMethods[M]["result"]>;

interface Envelope {
  result: unknown;
  error: { code?: unknown; message?: unknown } | null;
}

const isRefusal = (result: unknown): result is { error: string } => typeof result === "object" && result !== null && "result" in result && result.result === "error" && "error" in result && typeof result.error === "string";

/** Returns the result of an answer, or its error. */
function open<M extends Method>(status: number, answer: unknown): Answer<M> | DaemonError {
  const { result, error } = (answer ?? {}) as Partial<Envelope>;
  if (error) {
    return new DaemonError(status, error);
  }
  return isRefusal(result) ? new DaemonError(status, { code: 0, message: result.error }) : (result as Answer<M>);
}

async function post(method: string, calls: object): Promise<{ status: number; answer: unknown }> {
  const node = connection.peek();
  if (!node) {
    throw new NodeError("NotRunning", "no node is running");
  }
  const { status, body } = await node.raw.daemon(JSON.stringify(calls));
  if (body === "") {
    throw new DaemonError(status, null);
  }
  let answer: unknown;
  try {
    answer = parseExact(body);
  } catch {
    throw new NodeError("BadAnswer", "the answer is invalid JSON");
  }
  return { status, answer: bounded(method, {}, answer) };
}

/** Calls a method. The error is a DaemonError. */
export async function ask<M extends Method>(method: M, ...params: Params<M>): Promise<Answer<M>> {
  const { status, answer } = await post(method, { id: 1, method, params });
  const result = open<M>(status, answer);
  if (result instanceof DaemonError) {
    throw result;
  }
  return result;
}

/** Calls in one request; the node accepts 100. */
const BATCH = 100;

/** Calls a method once for each set of parameters. A failed call has a DaemonError in its place. */
export async function askEach<M extends Method>(method: M, each: readonly Params<M>[]): Promise<(Answer<M> | DaemonError)[]> {
  const results: (Answer<M> | DaemonError)[] = [];
  for (let done = 0; done < each.length; done += BATCH) {
    const { status, answer } = await post(method, each.slice(done, done + BATCH).map((params, id) => ({ id, method, params })));
    if (!Array.isArray(answer)) {
      const refused = open(status, answer);
      throw refused instanceof DaemonError ? refused : new NodeError("BadAnswer", "the answer is no batch");
    }
    results.push(...answer.slice(0, BATCH).map((one) => open<M>(status, one)));
  }
  return results;
}
