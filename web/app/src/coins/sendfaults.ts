/** What is wrong with what is to be sent, in words, and to which field it belongs. */

import { RpcError } from "obverse";
import { compare, isDecimal, typed } from "../decimal.ts";
import { isName, mistakeIn } from "./addresses.ts";
import { coinOf } from "./catalog.ts";
import { symbolOf } from "./names.ts";
import type { Draft } from "./sending.ts";

export type Faults = Partial<Record<"to" | "amount" | "memo" | "channel", string>>;

const places = (amount: string): number => amount.split(".")[1]?.replace(/0+$/, "").length ?? 0;

function amountFault({ amount, all, coin }: Draft): string {
  const text = typed(amount);
  const decimals = coinOf(coin)?.decimals;
  if (all) {
    return "";
  }
  if (amount.trim() === "") {
    return "Enter an amount.";
  }
  if (text === null) {
    return /^[\d.,' ]*$/.test(amount.trim()) ? "Write it without signs between the thousands: 1234.5" : amount.trim().startsWith("-") ? TOO_LITTLE : "Enter a number, such as 1.5.";
  }
  if (compare(text, "0") === 0) {
    return TOO_LITTLE;
  }
  return decimals !== undefined && places(text) > decimals ? `${symbolOf(coin)} has ${decimals} decimals at most.` : "";
}

const TOO_LITTLE = "Enter an amount above zero.";

/** What the node says of a Cosmos address; of an EVM one it says it in another's words. */
const CHECKSUM = "The address has a mistake in it: its checksum is wrong.";

function addressFault(to: string, evm: boolean): string {
  if (isName(to)) {
    return ""; // the node knows it, or says so
  }
  if (mistakeIn(to, !evm) === "") {
    return evm ? "This is an address of a Cosmos chain. Addresses of EVM networks are 0x and 40 hexadecimal digits." : "This is an address of EVM networks. Addresses of Cosmos chains begin with a prefix, such as cosmos1.";
  }
  const mistake = to === "" ? "" : mistakeIn(to, evm);
  if (mistake === "form") {
    return evm ? "An address is 0x and 40 hexadecimal digits." : "Invalid address for a Cosmos chain.";
  }
  return to === "" ? "Enter an address or a name." : mistake && CHECKSUM;
}

/** What can be told before the node is asked. It alone knows what there is to send. */
export function faultsOf(draft: Draft, evm: boolean): Faults {
  const channel = draft.channel.trim();
  return {
    to: addressFault(draft.to.trim(), evm),
    amount: amountFault(draft),
    channel: channel === "" || /^(channel-)?\d+$/.test(channel) ? "" : "A channel is a number, such as 12 or channel-12.",
  };
}

/** Whether anything is wrong. */
export const isAny = (faults: Faults): boolean => Object.values(faults).some(Boolean);

/**
 * With what is likely to be wrong besides, so that all of it is mended at once: an amount
 * that is more than there was when the balance was told last. Alone it keeps nobody from
 * asking the node, which knows better.
 */
export function withLikely(faults: Faults, { coin, amount, all }: Draft, spendable: string | undefined): Faults {
  const text = typed(amount);
  const short = isAny(faults) && !faults.amount && !all && spendable !== undefined && text !== null && compare(text, spendable) > 0;
  return short ? { ...faults, amount: sentence(lacks(coin, spendable, text)) } : faults;
}

const lacks = (coin: string, available: string, required: string): string => `You only have ${available} ${symbolOf(coin)}, and this needs ${required}`;

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");

/** What the node says is wrong with a field; null if it says something else. */
export function faultsIn(error: unknown, { amount, to }: Draft): Faults | null {
  if (!(error instanceof RpcError)) {
    return null;
  }
  if (isName(to) && namesFault(error)) {
    return { to: namesFault(error) };
  }
  if (error.is("InvalidAddress")) {
    return { to: error.data.startsWith("Invalid address checksum") ? CHECKSUM : sentence(error.data) };
  }
  if (error.is("InvalidMemo")) {
    return { memo: sentence(error.data) };
  }
  if (error.is("AmountTooLow")) {
    return { amount: `The minimum is ${error.data.threshold}.` };
  }
  if (error.is("NotSufficientBalance")) {
    const { coin, available, required } = error.data;
    const wanted = typed(amount);
    const more = wanted !== null && isDecimal(required) && compare(required, wanted) > 0;
    return { amount: sentence(lacks(coin, available, required) + (more ? " with its fee" : "")) };
  }
  if (error.is("NotSufficientPlatformBalanceForFee")) {
    const { coin, available, required } = error.data;
    return { amount: `The fee is paid in ${symbolOf(coin)}: it needs ${required}, and there are ${available}.` };
  }
  if (error.is("ZeroBalanceToWithdrawMax")) {
    return { amount: "Nothing to send." };
  }
  return error.is("IBCError") ? { channel: channelFault(error.data) } : null;
}

/** Why a name has no address; "" if something else is wrong. */
function namesFault(error: RpcError): string {
  if (error.is("NameNotFound")) {
    return "No address is registered under this name for this network.";
  }
  if (error.is("PlatformCoinIsNotActivated")) {
    return `Add ${error.data} to use such names: its servers know them.`;
  }
  return error.is("InvalidRequest") ? "Only the letters a to z, digits and hyphens are supported in names. Enter the address instead." : "";
}

interface ChannelData {
  IBCChannelCouldNotBeFound?: { address_prefix: string };
  IBCChannelMissingOnNode?: { channel_id: number };
  IBCChannelNotHealthy?: { channel_id: number; reason?: string };
}

function channelFault({ IBCChannelCouldNotBeFound: unknown, IBCChannelMissingOnNode: missing, IBCChannelNotHealthy: ill }: ChannelData): string {
  if (unknown) {
    return `The node knows no channel to the chain whose addresses begin with ${unknown.address_prefix}1. Enter the channel.`;
  }
  if (missing) {
    return `The chain has no channel-${missing.channel_id}.`;
  }
  return `What is sent over channel-${ill?.channel_id} does not arrive now: ${ill?.reason ?? "it is not healthy"}. Take another channel.`;
}
