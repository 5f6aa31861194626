/** Parameters for activating a coin of an EVM network. */

import type { Methods } from "obverse";
import { chainOf } from "./catalog.ts";
import { policyOf } from "./keyplace.ts";
import type { Services, Settings } from "./remembered.ts";

/**
 * The swap contract that Komodo DeFi Framework uses on most networks. The node requires one,
 * validates the address and stores it for programs that swap. This page does not use it.
 */
const SWAPS = "0x9130b257D37A52E52F21054c4DA3450c72f595CE";

/** Returns the NFT provider in the node's form. Without an indexer, the node reads the chain itself. */
export const providerOf = ({ indexer, signed }: Services) => ({ provider: indexer === "" ? { type: "Chain" as const } : { type: "Indexer" as const, info: { url: indexer, ...(signed ? { gateway_proxy: true } : {}) } } });

interface Wanted extends Settings {
  ticker: string;
  tokens: string[];
  nfts?: Services | undefined;
}

/** Returns the parameters of an activation. */
export const evmRequest = ({ ticker, tokens, nodes, history, key, topic, nfts }: Wanted): Methods["enable_eth_with_tokens"]["params"] => ({
  ticker,
  nodes: nodes.map((url) => ({ url })),
  erc20_tokens_requests: tokens.map((token) => ({ ticker: token })),
  swap_contract_address: SWAPS,
  ...(history ? { tx_history: true } : {}),
  scan_policy: "do_not_scan", // the page uses only one address
  ...policyOf({ key, ...(topic === undefined ? {} : { topic }) }),
  ...(key === "browser" ? { rpc_mode: "Metamask" as const } : {}),
  ...(nfts ? { nft_req: providerOf(nfts) } : {}),
  ...(chainOf(ticker) ? {} : { mm2: 1 }),
});
