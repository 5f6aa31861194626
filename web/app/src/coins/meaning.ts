/** Describes transactions of a history in words. */

import type { Methods } from "obverse";
import { t, type Text } from "../language.ts";
import { isSame } from "./addresses.ts";
import { directory } from "./directory.ts";

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

/** Matches a signed transaction that calls ERC-20's approve, up to the spender, and captures the amount. */
const APPROVE = /b844095ea7b3[0-9a-f]{64}([0-9a-f]{64})/;
/** Matches a call of ERC-20's transfer, which has a history entry of the token in addition to the one for its fee. */
const TRANSFER = /b844a9059cbb/;

/** Describes an EVM transaction that moved no coins; null if it only paid the fee of a token transfer. */
function callOf({ coin, from: [from = ""], to: [to = ""], tx_hex: hex }: Entry): string | null {
  if (isSame(from, to)) {
    return t("meaning.canceled");
  }
  const [, amount] = APPROVE.exec(hex) ?? [];
  if (amount !== undefined) {
    const symbol = directory.value?.tokens.find(({ platform, contract = "" }) => platform === coin && isSame(contract, to))?.symbol ?? t("meaning.atoken");
    return t(/^0+$/.test(amount) ? "meaning.revoked" : "meaning.approved", { token: symbol });
  }
  return TRANSFER.test(hex) || hex === "" ? null : t("meaning.call");
}

/** Returns a short description, such as "Received". */
export function meaningOf(entry: Entry): string {
  const { transaction_type: type, my_balance_change: change, received_by_me, spent_by_me, from, to } = entry;
  const call = type === "FeeForTokenTx" && entry.fee_details.type === "Eth" ? callOf(entry) : null;
  if (call !== null) {
    return call;
  }
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

/** Returns an explanation for types that need more than the short description. */
export function remarkOf({ transaction_type: type }: Entry): string {
  return type === "FeeForTokenTx" ? t("meaning.feeabout") : "";
}
