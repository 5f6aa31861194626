/** The coin of the node's own chain, through the daemon API. */

import { fromUnits } from "../decimal.ts";
import { parseExact } from "../exact.ts";
import { connection, daemon, type Connection } from "../node.ts";

export interface ChainCoin {
  name: string;
  address: string;
  /** In whole coins, exact. */
  balance: string;
}

const DECIMALS = 8;

let last: { of: Connection | null; coin: ChainCoin | null } | undefined;

/** Returns the last known coin of this node, so that a view can render it at once. */
export const lastChainCoin = (): ChainCoin | null => (last?.of === connection.peek() ? (last?.coin ?? null) : null);

/** Returns null if the node has no key and therefore no address. */
export async function chainCoin(): Promise<ChainCoin | null> {
  const of = connection.peek();
  const coin = await ask();
  last = { of, coin };
  return coin;
}

async function ask(): Promise<ChainCoin | null> {
  const { name, pubkey } = await daemon("getinfo");
  if (!pubkey) {
    return null;
  }
  const { myaddress: address } = await daemon("tokenaddress");
  // Integers above 2^53 would lose digits as JavaScript numbers.
  const answer = await connection.peek()?.raw.daemon(JSON.stringify({ jsonrpc: "1.0", id: 1, method: "getaddressbalance", params: [address] }));
  const { result } = parseExact(answer?.body ?? "{}") as { result?: { balance: string } };
  return result ? { name, address, balance: fromUnits(BigInt(result.balance), DECIMALS) } : null;
}
