/** The networks whose NFTs the node supports, and their activation. */

import { signal } from "@preact/signals";
import { RpcError, type Methods } from "obverse";
import { nftNetworkOf } from "../coins/catalog.ts";
import { providerOf } from "../coins/evm.ts";
import { refresh } from "../coins/holdings.ts";
import { noteNfts, type Services } from "../coins/remembered.ts";
import { rpc } from "../node.ts";

/** A chain's name in the node's methods. */
export type ChainName = Methods["get_nft_metadata"]["params"]["chain"];

/** By the ticker of the network's coin. */
const chains: Record<string, ChainName> = { ETH: "ETH", MATIC: "POLYGON", BNB: "BSC", AVAX: "AVALANCHE", FTM: "FANTOM" };

/** Reports whether the node can list NFTs of a network, by the ticker of its coin. */
export const hasNfts = (platform: string): boolean => platform in chains;

/** Returns the node's name for a network with NFTs. */
export const chainName = (platform: string): ChainName => chains[platform] ?? "ETH";

/** Counts changes of the NFT lists made outside their view. */
export const turned = signal(0);

/** No services. */
export const NONE: Services = { indexer: "", antispam: "", signed: false };

/** Has the node list the NFTs of an active network's address. */
export async function enableNfts(platform: string, services: Services): Promise<void> {
  const ticker = nftNetworkOf(platform);
  try {
    await rpc("enable_nft", { ticker, activation_params: providerOf(services) });
  } catch (error) {
    if (!(error instanceof RpcError && error.kind === "TokenIsAlreadyActivated")) {
      throw error;
    }
  }
  noteNfts(ticker, platform, services);
  await refresh();
}

/** Returns services in the form of refresh_nft_metadata and update_nft. web: without an indexer, whether documents are fetched from hosts that authors chose. */
export const servicesRequest = ({ indexer, antispam, signed }: Services, web: boolean) => ({
  ...(indexer ? { url: indexer } : { fetch_metadata: web }),
  ...(antispam ? { url_antispam: antispam } : {}),
  ...(signed ? { gateway_proxy: true } : {}),
});

/** Returns how far the chain was searched, if it is read directly; null also for a node that cannot do that. */
export async function searchOf(platform: string) {
  const scan = await rpc("get_nft_scan", { chain: chainName(platform) }).catch(() => null);
  return scan?.provider === "Chain" ? scan : null;
}
