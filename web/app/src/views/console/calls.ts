/** Previous calls, in memory only and without secrets and answers; locking the wallet removes them. */

import { effect, signal } from "@preact/signals";
import { connection } from "../../node.ts";
import type { Side } from "./document.ts";
import { redact } from "./secrets.ts";

export interface Made {
  n: number;
  side: Side;
  method: string;
  params: string;
  /** Whether secrets were removed from the parameters. */
  redacted: boolean;
  /** The kind of the error, or "". */
  kind: string;
  ms: number;
}

const KEEP = 50;

/** Newest first. */
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
