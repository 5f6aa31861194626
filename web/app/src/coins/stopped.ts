/**
 * Networks and lists of NFTs that the user has switched off in the settings: no server is asked about them, and what it
 * takes to have them again is remembered in this browser.
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
  /** What was active on the network. */
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

/** What is off, but for what was activated again elsewhere. */
export const stopped = (): readonly string[] => all.value.map(({ ticker }) => ticker).filter((ticker) => !isActive(ticker));

/** Whether this browser can have it again by itself; otherwise the form for activations does. */
export const canResume = (ticker: string): boolean => (isNftNetwork(ticker) ? servicesOf(ticker) !== undefined : settingsOf(ticker)?.key === "own");

/** Ends what is asked about a network, or about NFTs. */
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

/** Has it again as it was. */
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
