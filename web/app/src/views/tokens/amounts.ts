/** Amounts of coins and of tokens: a satoshi of the coin, 0.00000001, can be one token. */

import { fromUnits, toUnits } from "../../decimal.ts";
import { t } from "../../language.ts";
import { COIN_DECIMALS } from "./account.ts";

/** How many tokens so many coins are: tokensOf("0.0001") is "10000". */
export function tokensOf(coins: string): string | null {
  const units = toUnits(coins, COIN_DECIMALS);
  return units === null ? null : units.toString();
}

/** A number of satoshis as coins. */
export const coinsOf = (satoshis: bigint): string => fromUnits(satoshis, COIN_DECIMALS);

/** Coins without the zeros behind: what the daemon gives has eight decimals. */
export function trim(coins: string): string {
  const units = toUnits(coins, COIN_DECIMALS);
  return units === null ? coins : coinsOf(units);
}

/** What is wrong with a number of tokens that the user entered; "" if nothing is. */
export function wrongCount(text: string): string {
  if (!/^\d+$/.test(text)) {
    return t("tokens.wholenumber");
  }
  const count = BigInt(text);
  return count === 0n ? t("tokens.atleastone") : count >= 1n << 63n ? t("tokens.toolarge") : "";
}
