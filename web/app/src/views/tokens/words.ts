/** Explains the daemon API's errors about tokens, and what to do. */

import { DaemonError, NodeError } from "obverse";
import { t, type Text } from "../../language.ts";
import { written } from "../../money.ts";
import { connection } from "../../node.ts";
import { Said } from "../../words.ts";
import type { Account } from "./account.ts";

const known: readonly (readonly [RegExp, what: Text, todo: Text])[] = [
  [/^to use CC contracts/, "tokens.keyless", "tokens.keylesstodo"],
  [/^this chain has no tokens/, "tokens.chainwithout", "tokens.chainwithouttodo"],
  [/^cant find tokenid/, "tokens.unknown", "tokens.checkid"],
  [/^tokenid isnt token creation txid/, "tokens.notcreation", "tokens.checktheid"],
  [/^the transaction is still in mempool/, "tokens.pending", "tokens.pendingtodo"],
  [/^invalid tokenid/, "tokens.invalidid", "tokens.invalididtodo"],
  [/^invalid pubkey/, "tokens.invalidkey", "tokens.invalidkeytodo"],
  [/^no token inputs/, "tokens.noinputs", "tokens.noinputstodo"],
  [/^insufficient token inputs/, "tokens.fewinputs", "tokens.fewinputstodo"],
  [/^token does not fit into what nodes relay/, "tokens.relay", "tokens.relaytodo"],
  [/^Token name must/, "tokens.badname", "tokens.badnametodo"],
  [/^Non-fungible data/, "tokens.baddata", "tokens.baddatatodo"],
  [/^TX decode failed/, "tokens.badtx", "tokens.badtxtodo"],
  [/^No information available about transaction/, "tokens.unknowntx", "tokens.unknowntxtodo"],
  [/mempool conflict|txn-mempool-conflict|missing inputs|bad-txns-inputs-spent/i, "tokens.conflict", "tokens.conflicttodo"],
  [/already in block chain|txn-already-known/, "tokens.sentbefore", "tokens.sentbeforetodo"],
  [/expir/i, "tokens.expired", "tokens.expiredtodo"],
];

/** Reports whether an error says that the node has no key, in which case trying again does not help. */
export const isKeyless = (error: unknown): boolean => error instanceof DaemonError && /^to use CC contracts/.test(error.message);

const AWAY = ["Unreachable", "Timeout"];

const SHORT = /^(cant find normal inputs|insufficient normal inputs|Insufficient funds)/;

/** Returns an error in better words if there are any, otherwise unchanged. */
export function worded(error: unknown, account: Account | null): unknown {
  if (!(error instanceof DaemonError)) {
    return error instanceof NodeError && AWAY.includes(error.kind) && connection.peek()?.kind === "native" ? new Said(t("tokens.silent"), t("tokens.silenttodo"), error) : error;
  }
  if (error.status === 401) {
    return new Said(t("tokens.wrongpassword"), t("tokens.wrongpasswordtodo"), error);
  }
  if (SHORT.test(error.message)) {
    return new Said(t("tokens.short", { coin: account?.coin ?? "coins" }), account ? coins(account) : "", error);
  }
  const [, what, todo] = known.find(([pattern]) => pattern.test(error.message)) ?? [];
  return what && todo ? new Said(t(what), t(todo), error) : error;
}

/** Explains how to get coins. */
function coins({ coin, balance, address, blocks }: Account): string {
  const have = t("tokens.balance", { balance: written(balance) });
  switch (blocks) {
    case "asked":
      return t("tokens.shortasked", { have });
    case "here":
      return t("tokens.shorthere", { have, coin, address });
    case "elsewhere":
      return t("tokens.shortelsewhere", { have, coin, address });
  }
}
