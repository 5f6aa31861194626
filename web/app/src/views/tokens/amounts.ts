/** Amounts of coins and tokens: a satoshi of the coin, 0.00000001, can be one token. */

import { fromUnits, toUnits } from "../../decimal.ts";
import { t } from "../../language.ts";
import { COIN_DECIMALS } from "./account.ts";

/** Converts coins to tokens: tokensOf("0.0001") is "10000". */
export function tokensOf(coins: string): string | null {
  const units = toUnits(coins, COIN_DECIMALS);
  return units === null ? null : units.toString();
}

/** Converts satoshis to coins. */
export const coinsOf = (satoshis: bigint): string => fromUnits(satoshis, COIN_DECIMALS);

/** Removes trailing zeros: the daemon's amounts have eight decimals. */
export function trim(coins: string): string {
  const units = toUnits(coins, COIN_DECIMALS);
  return units === null ? coins : coinsOf(units);
}

/** Returns what is wrong with an entered number of tokens; "" if nothing. */
export function wrongCount(text: string): string {
  if (!/^\d+$/.test(text)) {
    return t("tokens.wholenumber");
  }
  const count = BigInt(text);
  return count === 0n ? t("tokens.atleastone") : count >= 1n << 63n ? t("tokens.toolarge") : "";
}
