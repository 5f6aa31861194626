/** What a transaction of a history was, in words. */

import type { Methods } from "obverse";

export type Entry = Methods["my_tx_history"]["result"]["transactions"][number];

const kinds: Record<string, string> = {
  FeeForTokenTx: "Fee",
  StakingDelegation: "Staked",
  RemoveDelegation: "Unstaked",
  ClaimDelegationRewards: "Rewards",
};

const contracts: Record<string, string> = {
  SendHtlcAmount: "Locked in a contract",
  ClaimHtlcAmount: "Claimed from a contract",
  SignClaimHtlc: "Claimed a contract",
};

/** A few words, such as "Received". */
export function meaningOf({ transaction_type: type, my_balance_change: change, received_by_me, spent_by_me, from, to }: Entry): string {
  const out = change.startsWith("-");
  if (typeof type === "string" && kinds[type]) {
    return kinds[type];
  }
  if (typeof type === "object" && "CustomTendermintMsg" in type) {
    return contracts[type.CustomTendermintMsg.msg_type] ?? type.CustomTendermintMsg.msg_type;
  }
  if (spent_by_me !== "0" && received_by_me !== "0" && to.every((address) => from.includes(address))) {
    return "Sent to yourself";
  }
  const over = typeof type === "object" && "TendermintIBCTransfer" in type ? " over IBC" : "";
  return `${out ? "Sent" : "Received"}${over}`;
}

/** More about it, where the words alone leave a question. */
export function remarkOf({ transaction_type: type }: Entry): string {
  return type === "FeeForTokenTx" ? "The transaction moved a token (see the token's history), moved no coins, or failed and only its fee was paid." : "";
}
