/** Validates the send form: messages by field. */

import { RpcError } from "obverse";
import { t } from "../language.ts";
import { entered, written } from "../money.ts";
import { compare, isDecimal } from "../decimal.ts";
import { isName, mistakeIn } from "./addresses.ts";
import { coinOf } from "./catalog.ts";
import { symbolOf } from "./names.ts";
import type { Draft } from "./sending.ts";

export type Faults = Partial<Record<"to" | "amount" | "memo" | "channel", string>>;

const places = (amount: string): number => amount.split(".")[1]?.replace(/0+$/, "").length ?? 0;

function amountFault({ amount, all, coin, nft }: Draft): string {
  if (nft) {
    return /^[1-9]\d*$/.test(amount.trim()) ? "" : t("send.nftwhole");
  }
  const text = entered(amount);
  const decimals = coinOf(coin)?.decimals;
  if (all) {
    return "";
  }
  if (amount.trim() === "") {
    return t("send.noamount");
  }
  if (text === null) {
    return /^[\d.,' ]*$/.test(amount.trim()) ? t("send.thousands") : t(amount.trim().startsWith("-") ? "send.toolittle" : "send.nonumber");
  }
  if (compare(text, "0") === 0) {
    return t("send.toolittle");
  }
  return decimals !== undefined && places(text) > decimals ? t("send.decimals", { coin: symbolOf(coin), decimals }) : "";
}


function addressFault(to: string, evm: boolean): string {
  if (isName(to)) {
    return ""; // the node knows the channel, or reports that it does not exist
  }
  if (mistakeIn(to, !evm) === "") {
    return t(evm ? "send.iscosmos" : "send.isevm");
  }
  const mistake = to === "" ? "" : mistakeIn(to, evm);
  if (mistake === "form") {
    return t(evm ? "send.formevm" : "send.formcosmos");
  }
  return to === "" ? t("send.noreceiver") : mistake && t("watch.checksum");
}

/** Returns the faults that can be found without the node. Only the node knows the available balance. */
export function faultsOf(draft: Draft, evm: boolean): Faults {
  const channel = draft.channel.trim();
  return {
    to: addressFault(draft.to.trim(), evm),
    amount: amountFault(draft),
    channel: channel === "" || /^(channel-)?\d+$/.test(channel) ? "" : t("send.badchannel"),
  };
}

/** Reports whether there are any faults. */
export const isAny = (faults: Faults): boolean => Object.values(faults).some(Boolean);

/**
 * Adds the likely faults, so that the user can correct everything at once: an amount
 * above the last known balance. On its own it does not stop the request to the node,
 * with a more recent balance.
 */
export function withLikely(faults: Faults, { coin, amount, all, nft }: Draft, spendable: string | undefined): Faults {
  const text = entered(amount);
  const short = isAny(faults) && !faults.amount && !all && !nft && spendable !== undefined && text !== null && compare(text, spendable) > 0;
  return short ? { ...faults, amount: lacks(coin, spendable, text) } : faults;
}

const lacks = (coin: string, available: string, required: string, withFee = false): string => t(withFee ? "send.lackswithfee" : "send.lacks", { available: written(available), coin: symbolOf(coin), required: written(required) });

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");

/** Returns the faults by field according to the node's error; null if it is not about a field. */
export function faultsIn(error: unknown, { amount, to }: Draft): Faults | null {
  if (!(error instanceof RpcError)) {
    return null;
  }
  if (isName(to) && namesFault(error)) {
    return { to: namesFault(error) };
  }
  if (error.is("InvalidAddress")) {
    return { to: error.data.startsWith("Invalid address checksum") ? t("watch.checksum") : sentence(error.data) };
  }
  if (error.is("InvalidMemo")) {
    return { memo: sentence(error.data) };
  }
  if (error.is("AmountTooLow")) {
    return { amount: t("send.minimum", { threshold: written(error.data.threshold) }) };
  }
  if (error.is("NotEnoughNftsAmount")) {
    return { amount: t("send.nftfew", { available: error.data.available }) };
  }
  if (error.is("NotSufficientBalance")) {
    const { coin, available, required } = error.data;
    const wanted = entered(amount);
    const more = wanted !== null && isDecimal(required) && compare(required, wanted) > 0;
    return { amount: lacks(coin, available, required, more) };
  }
  if (error.is("NotSufficientPlatformBalanceForFee")) {
    const { coin, available, required } = error.data;
    return { amount: t("send.lacksplatform", { coin: symbolOf(coin), required: written(required), available: written(available) }) };
  }
  if (error.is("ZeroBalanceToWithdrawMax")) {
    return { amount: t("fault.zerobalancetowithdrawmax") };
  }
  return error.is("IBCError") ? { channel: channelFault(error.data) } : null;
}

/** Returns why a name has no address; "" for other errors. */
function namesFault(error: RpcError): string {
  if (error.is("NameNotFound")) {
    return t("send.unregistered");
  }
  if (error.is("PlatformCoinIsNotActivated")) {
    return t("send.addnames", { coin: error.data });
  }
  return error.is("InvalidRequest") ? t("send.badname") : "";
}

interface ChannelData {
  IBCChannelCouldNotBeFound?: { address_prefix: string };
  IBCChannelMissingOnNode?: { channel_id: number };
  IBCChannelNotHealthy?: { channel_id: number; reason?: string };
}

function channelFault({ IBCChannelCouldNotBeFound: unknown, IBCChannelMissingOnNode: missing, IBCChannelNotHealthy: ill }: ChannelData): string {
  if (unknown) {
    return t("send.nochannel", { prefix: unknown.address_prefix });
  }
  if (missing) {
    return t("send.missingchannel", { channel: missing.channel_id });
  }
  return t("send.illchannel", { channel: ill?.channel_id, reason: ill?.reason ?? t("send.unhealthy") });
}
