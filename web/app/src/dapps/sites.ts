/**
 * The sites that the user has connected, with the accounts that each may see and request
 * signatures from. They are remembered while the wallet is open, for all its tabs, and belong to that wallet alone.
 */

import { signal } from "@preact/signals";
import { get, put } from "../session/db.ts";
import { sessionName, SITES } from "../session/kept.ts";
import { idOf } from "../session/profile.ts";
import { profile } from "../session/session.ts";
import { hear, tell } from "../session/tabs.ts";

/** An account of an active coin, in the node's form: core/wallet/dapp. */
export interface Account {
  chain: string;
  coin: string;
  address: string;
  pubkey?: string;
  policy: string;
}

export interface Site {
  origin: string;
  accounts: Account[];
}

/** Counts changes in all tabs. */
export const changes = signal(0);
hear({ sites: () => void changes.value++ });

interface Kept {
  session: string | undefined;
  /** The id of the wallet. */
  wallet: string;
  sites: Site[];
}

const wallet = (): string => idOf(profile.peek()?.page);

/** Returns all connected sites. */
export async function sites(): Promise<Site[]> {
  const [stored, session] = await Promise.all([get<Kept>(SITES), sessionName()]);
  return stored?.session === session && stored?.wallet === wallet() ? stored.sites : [];
}

/** Returns the accounts that a site may use. */
export const accountsOf = async (origin: string): Promise<Account[]> => (await sites()).find((site) => site.origin === origin)?.accounts ?? [];

async function keep(all: Site[]): Promise<void> {
  await put(SITES, { session: await sessionName(), wallet: wallet(), sites: all } satisfies Kept);
  changes.value++;
  tell("sites");
}

/** Lets a site use accounts, which replace its former accounts on the same chains. */
export async function connect(origin: string, added: readonly Account[]): Promise<void> {
  const all = await sites();
  const before = all.find((site) => site.origin === origin)?.accounts ?? [];
  const accounts = [...before.filter(({ chain }) => !added.some((one) => one.chain === chain)), ...added];
  await keep([...all.filter((site) => site.origin !== origin), { origin, accounts }]);
}

/** Disconnects a site. */
export const disconnect = async (origin: string): Promise<void> => keep((await sites()).filter((site) => site.origin !== origin));
