/** What the node is asked for when a coin of an EVM network is activated. */

import type { Methods } from "obverse";
import { chainOf } from "./catalog.ts";
import { policyOf } from "./keyplace.ts";
import type { Services, Settings } from "./remembered.ts";

/**
 * The contract of swaps that Komodo DeFi Framework names for most networks. The node
 * wants one, checks that it is an address and keeps it for programs that swap; nothing in
 * this page does.
 */
const SWAPS = "0x9130b257D37A52E52F21054c4DA3450c72f595CE";

/** Where NFTs are looked up, as the node takes it: without an indexer in the chain itself. */
export const providerOf = ({ indexer, signed }: Services) => ({ provider: indexer === "" ? { type: "Chain" as const } : { type: "Indexer" as const, info: { url: indexer, ...(signed ? { gateway_proxy: true } : {}) } } });

interface Wanted extends Settings {
  ticker: string;
  tokens: string[];
  nfts?: Services | undefined;
}

/** The parameters of an activation. */
export const evmRequest = ({ ticker, tokens, nodes, history, key, topic, nfts }: Wanted): Methods["enable_eth_with_tokens"]["params"] => ({
  ticker,
  nodes: nodes.map((url) => ({ url })),
  erc20_tokens_requests: tokens.map((token) => ({ ticker: token })),
  swap_contract_address: SWAPS,
  ...(history ? { tx_history: true } : {}),
  scan_policy: "do_not_scan", // the page shows one address
  ...policyOf({ key, ...(topic === undefined ? {} : { topic }) }),
  ...(key === "browser" ? { rpc_mode: "Metamask" as const } : {}),
  ...(nfts ? { nft_req: providerOf(nfts) } : {}),
  ...(chainOf(ticker) ? {} : { mm2: 1 }),
});
