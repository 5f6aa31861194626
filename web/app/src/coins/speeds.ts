/** What a transaction on an EVM network offers for gas, as its user wants it to be slow, normal or fast. */

import { RpcError, type Methods } from "obverse";
import { rpc } from "../node.ts";
import { isEvm } from "./family.ts";
import { sendsItself } from "./keyplace.ts";

export type Speed = "slow" | "normal" | "fast";

type Levels = Methods["get_eth_estimated_fee_per_gas"]["result"];
export type Fee = NonNullable<Methods["withdraw"]["params"]["fee"]>;

const LEVEL = { slow: "low", normal: "medium", fast: "high" } as const;

export const speedFee = (levels: Levels, speed: Speed) => levels[LEVEL[speed]];

/** Whether the user can choose: a wallet that sends what it signs has the fee itself. */
export const hasSpeeds = (ticker: string): boolean => isEvm(ticker) && !sendsItself(ticker);

/** The fee of a speed as it is now; undefined: what the node takes by itself. */
export async function feeOf(ticker: string, speed: Speed): Promise<Fee | undefined> {
  if (!hasSpeeds(ticker)) {
    return undefined;
  }
  try {
    const { max_fee_per_gas, max_priority_fee_per_gas } = speedFee(await rpc("get_eth_estimated_fee_per_gas", { coin: ticker }), speed);
    return { type: "EthGasEip1559", max_fee_per_gas, max_priority_fee_per_gas, gas_option: { type: "Calc" } };
  } catch (error) {
    if (error instanceof RpcError && (speed === "normal" || error.kind === "CoinNotSupported")) {
      return undefined;
    }
    throw error;
  }
}
