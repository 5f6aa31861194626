/** What interface A's errors about tokens mean, and what to do. */

import { DaemonError, NodeError } from "obverse";
import { connection } from "../../node.ts";
import { Said } from "../../words.ts";
import type { Account } from "./account.ts";

const known: readonly (readonly [RegExp, string, string])[] = [
  [/^to use CC contracts/, "This node has no key, so that it can hold no tokens.", "Use a wallet whose keys are in this page, or a native node with a passphrase."],
  [/^this chain has no tokens/, "This chain has no tokens.", "It has to be started with ac_cc."],
  [/^cant find tokenid/, "There is no such token on this chain.", "Check its id."],
  [/^tokenid isnt token creation txid/, "This is a transaction that made no token.", "Check the id."],
  [/^the transaction is still in mempool/, "The token waits for its block.", "Look again in a moment."],
  [/^invalid tokenid/, "This is no id of a token.", "It has 64 hexadecimal digits."],
  [/^invalid pubkey/, "This is no public key.", "It has 66 hexadecimal digits and begins with 02 or 03. An address will not do."],
  [/^no token inputs/, "None of these tokens can be spent now.", "Tokens on their way can be spent when their block is there."],
  [/^insufficient token inputs/, "There are not that many tokens to spend.", "Send fewer. Tokens on their way, and those in very many small parts, do not count."],
  [/^token does not fit into what nodes relay/, "Name, description and data together are too long for nodes to pass on.", "Shorten the description or the data."],
  [/^Token name must/, "A name has 1 to 32 bytes.", "Letters beyond a to z can have several."],
  [/^Non-fungible data/, "The node does not take these data.", "They are 1 to 10001 bytes in hexadecimal."],
  [/^TX decode failed/, "This is no transaction.", "Paste all of its hexadecimal digits."],
  [/^No information available about transaction/, "This chain has no such transaction.", "Check its id. One that waited for too long is forgotten."],
  [/mempool conflict|txn-mempool-conflict|missing inputs|bad-txns-inputs-spent/i, "Another transaction has spent the same coins or tokens.", "Nothing was sent. Build it again: coins that come back from it can be spent then."],
  [/already in block chain|txn-already-known/, "This transaction was broadcast before.", "Nothing was sent twice."],
  [/expir/i, "This transaction has expired.", "Build it again."],
];

/** Whether an error is that the node has no key, which trying again does not help. */
export const isKeyless = (error: unknown): boolean => error instanceof DaemonError && /^to use CC contracts/.test(error.message);

const AWAY = ["Unreachable", "Timeout"];

const SHORT = /^(cant find normal inputs|insufficient normal inputs|Insufficient funds)/;

/** An error as it is, or in other words. */
export function worded(error: unknown, account: Account | null): unknown {
  if (!(error instanceof DaemonError)) {
    return error instanceof NodeError && AWAY.includes(error.kind) && connection.peek()?.kind === "native" ? new Said("Interface A of the node does not answer.", "See in the settings whether its address is right. Pages of another origin need rpccors.", error) : error;
  }
  if (error.status === 401) {
    return new Said("The node does not take the password of interface A.", "Connect to the node again in the settings: it is rpcpassword, below daemon in the node's config.", error);
  }
  if (SHORT.test(error.message)) {
    return new Said(`There are not enough ${account?.coin ?? "coins"} for it and its fee.`, account ? coins(account) : "", error);
  }
  const [, what, todo] = known.find(([pattern]) => pattern.test(error.message)) ?? [];
  return what === undefined ? error : new Said(what, todo, error);
}

/** How one comes by coins. */
function coins({ coin, balance, address, blocks }: Account): string {
  const have = `You have ${balance}.`;
  switch (blocks) {
    case "asked":
      return `${have} A block pays what the chain's parameters say; its coins can be spent 100 blocks later. The console's generate 101 makes so many.`;
    case "here":
      return `${have} Use less of it, or have somebody send ${coin} to ${address}. Coins of a new block, or of a transaction without one, may have to wait first.`;
    case "elsewhere":
      return `${have} Use less of it, or have somebody send ${coin} to ${address}.`;
  }
}
