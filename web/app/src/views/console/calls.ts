/** The calls that were made, in memory alone and without secrets and answers; locking the wallet forgets them. */

import { effect, signal } from "@preact/signals";
import { connection } from "../../node.ts";
import type { Side } from "./document.ts";
import { redact } from "./secrets.ts";

export interface Made {
  n: number;
  side: Side;
  method: string;
  params: string;
  /** Secrets were left out of the parameters. */
  redacted: boolean;
  /** The kind of error, or "". */
  kind: string;
  ms: number;
}

const KEEP = 50;

/** The newest first. */
export const made = signal<readonly Made[]>([]);

effect(() => {
  connection.value;
  made.value = [];
});

let count = 0;

export function remember(side: Side, method: string, params: string, kind: string, ms: number) {
  const { text, changed } = redact(params);
  made.value = [{ n: ++count, side, method, params: text, redacted: changed, kind, ms }, ...made.peek()].slice(0, KEEP);
}
