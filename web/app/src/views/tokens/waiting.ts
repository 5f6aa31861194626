/** Tracks transactions that were broadcast here until they are in a block. */

import { effect, signal } from "@preact/signals";
import { DaemonError } from "obverse";
import { connection } from "../../node.ts";
import { ask } from "./daemon.ts";

export interface Sent {
  txid: string;
  /** In words: "Transfer of 5 TOKEN". */
  what: string;
  /** "gone": the node no longer has it. */
  is: "waiting" | "in a block" | "gone";
  /** The height of its block. */
  height: string;
}

const KEEP = 20;

/** Newest first. */
export const sent = signal<readonly Sent[]>([]);

effect(() => {
  connection.value; // reset when the node changes: another node has another chain
  sent.value = [];
});

const change = (txid: string, now: Partial<Sent>) => (sent.value = sent.peek().map((one) => (one.txid === txid ? { ...one, ...now } : one)));

/** Broadcasts a transaction and tracks it from then on. */
export async function broadcast(hex: string, what: string): Promise<string> {
  const txid = await ask("sendrawtransaction", hex);
  sent.value = [{ txid, what, is: "waiting" as const, height: "" }, ...sent.peek()].slice(0, KEEP);
  return txid;
}

async function look({ txid }: Sent) {
  try {
    const tx = await ask("getrawtransaction", txid, 1);
    if (typeof tx !== "string" && Number(tx.confirmations ?? 0) > 0) {
      change(txid, { is: "in a block", height: tx.height ?? "" });
    }
  } catch (error) {
    if (error instanceof DaemonError && error.code === -5) {
      change(txid, { is: "gone" });
    }
  }
}

/** Updates the state of the pending transactions. */
export const lookAtSent = (): Promise<unknown> => Promise.all(sent.peek().filter(({ is }) => is === "waiting").map(look));
