/** Gas prices of a transaction, for the speeds slow, normal and fast. */

import { RpcError, type Methods } from "obverse";
import { badAnswer } from "../bounded.ts";
import { isDecimal, product } from "../decimal.ts";
import { rpc } from "../node.ts";
import { platformOf } from "./catalog.ts";
import { loadDirectory, networkEntry } from "./directory.ts";
import { isEvm } from "./family.ts";
import { sendsItself } from "./keyplace.ts";

export const SPEEDS = ["slow", "normal", "fast"] as const;
export type Speed = (typeof SPEEDS)[number];

export type Fee = NonNullable<Methods["withdraw"]["params"]["fee"]>;

/** The cost of a speed. */
export interface Offer {
  /** The approximate cost of a transfer in coins of its network. */
  cost: string;
  /** The maximum price of a unit of gas in gwei; null if the price is not in a common unit. */
  price: string | null;
  /** The maximum waiting time in milliseconds, if the node knows it. */
  wait: number | null;
  fee: Fee;
}

const LEVEL = { slow: "low", normal: "medium", fast: "high" } as const;

/** Gas of a typical transfer: of a coin and of a token on an EVM network, and on a Cosmos chain. */
const COIN_GAS = "21000";
const TOKEN_GAS = "65000";
const COSMOS_GAS = "100000";

/** Reports whether the user can choose a speed. A wallet that sends what it signs sets the fee itself; for Cosmos chains the prices have to be known. */
export const hasSpeeds = (ticker: string): boolean => !sendsItself(ticker) && (isEvm(ticker) || networkEntry(ticker)?.gas_prices !== undefined);

/** Returns the current offers of a coin by speed. */
export async function offers(ticker: string): Promise<Record<Speed, Offer>> {
  const prices = networkEntry(ticker)?.gas_prices;
  const all = prices ? SPEEDS.map((_, at) => cosmosSpeed(ticker, prices[at] ?? "0")) : await evmSpeeds(ticker);
  return Object.fromEntries(SPEEDS.map((speed, at) => [speed, all[at]])) as Record<Speed, Offer>;
}

function cosmosSpeed(ticker: string, price: string): Offer {
  const unit = `0.${"1".padStart(networkEntry(ticker)?.decimals ?? 0, "0")}`;
  return { cost: product(product(price, COSMOS_GAS, 18), unit, 18), price: null, wait: null, fee: { type: "CosmosGas", gas_price: price } };
}

async function evmSpeeds(ticker: string): Promise<Offer[]> {
  const levels = await rpc("get_eth_estimated_fee_per_gas", { coin: ticker });
  return SPEEDS.map((speed) => {
    const { max_fee_per_gas: price, max_priority_fee_per_gas, max_wait_time: wait } = levels?.[LEVEL[speed]] ?? {};
    if (price === undefined || max_priority_fee_per_gas === undefined || ![price, max_priority_fee_per_gas].every(isDecimal)) {
      throw badAnswer("get_eth_estimated_fee_per_gas");
    }
    const cost = product(product(price, platformOf(ticker) ? TOKEN_GAS : COIN_GAS, 9), "0.000000001", 18);
    return { cost, price, wait, fee: { type: "EthGasEip1559", max_fee_per_gas: price, max_priority_fee_per_gas, gas_option: { type: "Calc" } } };
  });
}

/** Returns the current fee for a speed, or undefined if the node's default applies. */
export async function feeOf(ticker: string, speed: Speed): Promise<Fee | undefined> {
  await loadDirectory().catch(() => {}); // its prices are optional
  if (!hasSpeeds(ticker)) {
    return undefined;
  }
  try {
    return (await offers(ticker))[speed].fee;
  } catch (error) {
    if (error instanceof RpcError && (speed === "normal" || error.kind === "CoinNotSupported")) {
      return undefined;
    }
    throw error;
  }
}
