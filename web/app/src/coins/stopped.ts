/**
 * Networks and NFT lists that the user has switched off in the settings: their servers are not used, and what is needed
 * to switch them on again is stored in this browser.
 */

import { effect, signal, untracked } from "@preact/signals";
import { recall, remember } from "../memory.ts";
import { connection } from "../node.ts";
import { disable } from "./activation.ts";
import { isNftNetwork, platformOf } from "./catalog.ts";
import { loadDirectory } from "./directory.ts";
import { holdings, nftNetworks } from "./holdings.ts";
import { servicesOf, settingsOf, whose } from "./remembered.ts";
import { activateNetwork, networkOf, tokenOf } from "./usual.ts";

interface Stopped {
  ticker: string;
  /** The tokens that were active on the network. */
  tokens: readonly string[];
}

const name = () => `stopped.${whose()}`;

const isStopped = (value: unknown): value is Stopped => typeof (value as Stopped | null)?.ticker === "string" && Array.isArray((value as Stopped).tokens);

function read(): Stopped[] {
  try {
    const list: unknown = JSON.parse(recall(name()) ?? "[]");
    return Array.isArray(list) ? list.filter(isStopped) : [];
  } catch {
    return [];
  }
}

const all = signal<readonly Stopped[]>([]);

effect(() => {
  connection.value;
  untracked(() => (all.value = read()));
});

function put(list: readonly Stopped[]) {
  remember(name(), JSON.stringify(list));
  all.value = list;
}

const isActive = (ticker: string): boolean => nftNetworks.value.includes(ticker) || (holdings.value ?? []).some((holding) => holding.ticker === ticker);

/** Returns what is switched off, except for what was activated again in another way. */
export const stopped = (): readonly string[] => all.value.map(({ ticker }) => ticker).filter((ticker) => !isActive(ticker));

/** Reports whether this browser can switch it on again; otherwise the activation form is needed. */
export const canResume = (ticker: string): boolean => (isNftNetwork(ticker) ? servicesOf(ticker) !== undefined : settingsOf(ticker)?.key === "own");

/** Switches off a network or its NFTs. */
export async function stop(ticker: string): Promise<void> {
  const tokens = [...(holdings.peek() ?? []).filter(({ platform }) => platform === ticker).map((token) => token.ticker), ...nftNetworks.peek().filter((nfts) => platformOf(nfts) === ticker)];
  await disable(ticker, true);
  put([...all.peek().filter((one) => one.ticker !== ticker), { ticker, tokens }]);
}

async function resumeNfts(ticker: string): Promise<void> {
  const [platform, services] = [platformOf(ticker), servicesOf(ticker)];
  if (platform !== null && services) {
    const { enableNfts } = await import("../nfts/networks.ts");
    await enableNfts(platform, services);
  }
}

/** Switches it on again with its former settings. */
export async function resume(ticker: string): Promise<void> {
  const settings = settingsOf(ticker);
  const { tokens = [] } = all.peek().find((one) => one.ticker === ticker) ?? {};
  if (isNftNetwork(ticker)) {
    await resumeNfts(ticker);
  } else if (settings) {
    await loadDirectory().catch(() => null);
    const network = networkOf(ticker);
    network && (await activateNetwork(network, tokens.flatMap((token) => tokenOf(token) ?? []), settings));
    await Promise.all(tokens.filter(isNftNetwork).map(resumeNfts));
  }
  put(all.peek().filter((one) => one.ticker !== ticker));
}
