/** The chain of the daemon API, and the balance of the node's key. */

import { badAnswer } from "../../bounded.ts";
import { isDecimal } from "../../decimal.ts";
import { useEvery } from "../../ui/every.ts";
import { useLoad, type Load } from "../../ui/task.ts";
import { ask } from "./daemon.ts";

/** A public key without a known private key: tokens that are sent to it are burned. */
export const BURN_KEY = `02${"dead".repeat(16)}`;

/** Satoshis of a coin, each of which can become one token. */
export const COIN_DECIMALS = 8;

/** Maximum length of a name, a key or an address. */
const MAX_WORD = 200;

export interface Account {
  /** The name of the chain and of its coin. */
  coin: string;
  height: string;
  /** The coin balance of the node's key. */
  balance: string;
  /** The node's public key. */
  key: string;
  /** The address of its coins. */
  address: string;
  /** The address of its tokens. */
  holder: string;
  /** The address of the markers that list tokens. */
  marker: string;
  /** The address of burned tokens. */
  burned: string;
  /** Who creates blocks: this node automatically, this node on request, or another one. */
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

const [QUICK, SLOW] = [1000, 4000]; // ms between two requests

/**
 * Returns a value that changes with the chain's tip or the mempool, while the page is visible.
 * @param quick poll faster, since a change is expected
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
