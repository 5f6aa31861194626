/** The chain of the daemon API, and what the node's own key has on it. */

import { badAnswer } from "../../bounded.ts";
import { isDecimal } from "../../decimal.ts";
import { useEvery } from "../../ui/every.ts";
import { useLoad, type Load } from "../../ui/task.ts";
import { ask } from "./daemon.ts";

/** The key that nobody has: tokens that are sent to it are burned. */
export const BURN_KEY = `02${"dead".repeat(16)}`;

/** Satoshis of a coin, of which each can become one token. */
export const COIN_DECIMALS = 8;

/** Characters of a name, a key or an address, at most. */
const MAX_WORD = 200;

export interface Account {
  /** The chain's name, which is its coin's too. */
  coin: string;
  height: string;
  /** Coins of the node's key. */
  balance: string;
  /** The node's public key. */
  key: string;
  /** Where its coins are. */
  address: string;
  /** Where its tokens are. */
  holder: string;
  /** Where the markers are that list tokens. */
  marker: string;
  /** Where burned tokens are. */
  burned: string;
  /** Who makes blocks: the node by itself, the node when it is asked, or another one. */
  blocks: "here" | "asked" | "elsewhere";
}

export async function account(): Promise<Account> {
  const [info, addresses, mining] = await Promise.all([ask("getinfo"), ask("tokenaddress", BURN_KEY), ask("getmininginfo")]);
  const isShort = (text: unknown) => typeof text === "string" && text.length <= MAX_WORD;
  if (![info?.name, info?.blocks, info?.balance, info?.pubkey ?? "", addresses?.myaddress].every(isShort) || !isDecimal(info.balance) || !mining) {
    throw badAnswer("getinfo");
  }
  return {
    coin: info.name,
    height: info.blocks,
    balance: info.balance,
    key: info.pubkey ?? "",
    address: addresses.myaddress,
    holder: addresses["myCCAddress(Tokens)"],
    marker: addresses.TokensCCAddress,
    burned: addresses["PubkeyCCaddress(Tokens)"] ?? "",
    blocks: mining.generate ? "here" : mining.chain === "regtest" ? "asked" : "elsewhere",
  };
}

const [QUICK, SLOW] = [1000, 4000]; // ms between two looks

/**
 * Changes whenever the chain or what waits for a block does, while the page is looked at.
 * @param quick something is about to happen
 */
export function useTip(quick: boolean): string {
  const turn = useEvery(quick ? QUICK : SLOW);
  const tip = useLoad(async () => {
    const [block, pool] = await Promise.all([ask("getbestblockhash"), ask("getmempoolinfo")]);
    return `${block} ${pool.size}`;
  }, [], turn);
  return tip.value.value ?? "";
}

export const useAccount = (tip: string): Load<Account> => useLoad(account, [tip]);
