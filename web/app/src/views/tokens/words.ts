/** What interface A's errors about tokens mean, and what to do. */

import { DaemonError, NodeError } from "obverse";
import { connection } from "../../node.ts";
import { Said } from "../../words.ts";
import type { Account } from "./account.ts";

const known: readonly (readonly [RegExp, string, string])[] = [
  [/^to use CC contracts/, "This node has no key, so it cannot hold tokens.", "Use a wallet with keys in this page, or a native node with a passphrase."],
  [/^this chain has no tokens/, "This chain has no tokens.", "The chain must be started with ac_cc."],
  [/^cant find tokenid/, "This token does not exist on this chain.", "Check its id."],
  [/^tokenid isnt token creation txid/, "This transaction did not create a token.", "Check the id."],
  [/^the transaction is still in mempool/, "The token is waiting for its block.", "Check again in a moment."],
  [/^invalid tokenid/, "Invalid token id.", "An id has 64 hexadecimal digits."],
  [/^invalid pubkey/, "Invalid public key.", "A public key has 66 hexadecimal digits and starts with 02 or 03. An address does not work here."],
  [/^no token inputs/, "None of these tokens can be spent now.", "Unconfirmed tokens can be spent once they are in a block."],
  [/^insufficient token inputs/, "Not enough tokens to spend.", "Send fewer. Unconfirmed tokens, and tokens in very many small parts, cannot be spent."],
  [/^token does not fit into what nodes relay/, "Name, description and data together are too long to be relayed.", "Shorten the description or the data."],
  [/^Token name must/, "A name has 1 to 32 bytes.", "Letters outside a to z use several bytes."],
  [/^Non-fungible data/, "Invalid data.", "They are 1 to 10001 bytes in hexadecimal."],
  [/^TX decode failed/, "Invalid transaction.", "Paste the complete hexadecimal text."],
  [/^No information available about transaction/, "This transaction does not exist on this chain.", "Check the id. A transaction that waits too long is dropped."],
  [/mempool conflict|txn-mempool-conflict|missing inputs|bad-txns-inputs-spent/i, "Another transaction has spent the same coins or tokens.", "Nothing was sent. Create the transaction again."],
  [/already in block chain|txn-already-known/, "This transaction was already sent.", "It was not sent twice."],
  [/expir/i, "This transaction has expired.", "Build it again."],
];

/** Whether an error is that the node has no key, which trying again does not help. */
export const isKeyless = (error: unknown): boolean => error instanceof DaemonError && /^to use CC contracts/.test(error.message);

const AWAY = ["Unreachable", "Timeout"];

const SHORT = /^(cant find normal inputs|insufficient normal inputs|Insufficient funds)/;

/** An error as it is, or in other words. */
export function worded(error: unknown, account: Account | null): unknown {
  if (!(error instanceof DaemonError)) {
    return error instanceof NodeError && AWAY.includes(error.kind) && connection.peek()?.kind === "native" ? new Said("Interface A of the node does not answer.", "Check its address in the settings. Pages of another origin need rpccors.", error) : error;
  }
  if (error.status === 401) {
    return new Said("Wrong password for interface A.", "Connect to the node again in the settings. The password is daemon.rpcpassword in the node's config.", error);
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
