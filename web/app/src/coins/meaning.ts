/** What a transaction of a history was, in words. */

import type { Methods } from "obverse";
import { t, type Text } from "../language.ts";

export type Entry = Methods["my_tx_history"]["result"]["transactions"][number];

const kinds: Record<string, Text> = {
  FeeForTokenTx: "meaning.fee",
  StakingDelegation: "meaning.staked",
  RemoveDelegation: "meaning.unstaked",
  ClaimDelegationRewards: "meaning.rewards",
};

const contracts: Record<string, Text> = {
  SendHtlcAmount: "meaning.locked",
  ClaimHtlcAmount: "meaning.claimed",
  SignClaimHtlc: "meaning.claimedone",
};

/** A few words, such as "Received". */
export function meaningOf({ transaction_type: type, my_balance_change: change, received_by_me, spent_by_me, from, to }: Entry): string {
  const out = change.startsWith("-");
  const kind = typeof type === "string" ? kinds[type] : undefined;
  if (kind) {
    return t(kind);
  }
  if (typeof type === "object" && "CustomTendermintMsg" in type) {
    const contract = contracts[type.CustomTendermintMsg.msg_type];
    return contract ? t(contract) : type.CustomTendermintMsg.msg_type;
  }
  if (spent_by_me !== "0" && received_by_me !== "0" && to.every((address) => from.includes(address))) {
    return t("meaning.toself");
  }
  if (typeof type === "object" && "TendermintIBCTransfer" in type) {
    return t(out ? "meaning.sentibc" : "meaning.receivedibc");
  }
  return t(out ? "meaning.sent" : "meaning.received");
}

/** More about it, where the words alone leave a question. */
export function remarkOf({ transaction_type: type }: Entry): string {
  return type === "FeeForTokenTx" ? t("meaning.feeabout") : "";
}
