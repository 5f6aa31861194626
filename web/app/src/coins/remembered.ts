/**
 * What this browser remembers of the coins that its user activated, or that the node in
 * this page had active all the same: the node brings them back by itself after a restart,
 * and tells nobody which ones while it is at it. There is no secret in it: of servers'
 * addresses, users and passwords are left out.
 */

import { platformOf, type Family } from "./catalog.ts";
import { connection } from "../node.ts";
import type { KeyPlace } from "./keyplace.ts";
import { recall, recalled, remember } from "../memory.ts";
import { settingsName } from "../session/profile.ts";
import { profile } from "../session/session.ts";

export interface Remembered {
  ticker: string;
  /** Of a token: the ticker of its chain's coin. */
  platform: string | null;
  /** Of a token that was added by its contract. */
  contract?: string;
  /** It was not disabled since. */
  active: boolean;
  /** How a chain's coin was activated, if it was by this browser; a token has nothing of this. */
  settings?: Settings;
  /** Of the NFTs on a network: where they are looked up, if this browser was told. */
  services?: Services;
}

/** Where NFTs are looked up. */
export interface Services {
  indexer: string;
  /** The service against spam; "": none was given. */
  antispam: string;
  /** Requests are signed with the node's identity, for a gateway. */
  signed: boolean;
}

export interface Settings {
  nodes: string[];
  /** The REST address of a server, for a wallet that does not know the chain. */
  api: string;
  history: boolean;
  key: KeyPlace;
  /** Of the session with the wallet, where the key is "session". */
  topic?: string;
  /** Undefined: of a Cosmos chain, which was all that there was. */
  family?: Family;
}

/** Whose it is: each node, and each wallet in this page, has its own. */
export function whose(): string {
  const node = connection.peek();
  return node?.kind === "native" ? node.url : settingsName(profile.peek()?.page);
}

const name = () => `coins.${whose()}`;

function isRemembered(value: unknown): value is Remembered {
  const { ticker, settings, services } = (value ?? {}) as Partial<Remembered>;
  return typeof ticker === "string" && (settings === undefined || Array.isArray(settings.nodes)) && (services === undefined || typeof services.indexer === "string");
}

/** Settings as earlier pages wrote them had external instead of key. */
function withKey(coin: Remembered): Remembered {
  const { settings } = coin;
  if (!settings || settings.key) {
    return coin;
  }
  const { external, ...others } = settings as Settings & { external?: boolean };
  return { ...coin, settings: { ...others, key: external ? "browser" : "own" } };
}

type List = ReadonlyMap<string, Remembered>;

/** By ticker, in the order of the first activation. */
function parse(text: string | null): List {
  try {
    const list: unknown = JSON.parse(text ?? "[]");
    return new Map((Array.isArray(list) ? list.filter(isRemembered).map(withKey) : []).map((coin) => [coin.ticker, coin]));
  } catch {
    return new Map();
  }
}

const known = (): List => recalled(name(), parse);

/** What was activated, in the order of its first activation. */
export const remembered = (): readonly Remembered[] => [...known().values()];

/** What is remembered of a coin or a token. */
export const rememberedOf = (ticker: string): Remembered | undefined => known().get(ticker);

/** How a coin was activated the last time. */
export const settingsOf = (ticker: string): Settings | undefined => rememberedOf(ticker)?.settings;

/** Keeps coins in place of what was remembered of them. Another tab may have written since this one read. */
function put(coins: readonly Remembered[]) {
  const list = new Map(parse(recall(name())));
  coins.forEach((coin) => list.set(coin.ticker, coin));
  if (coins.length > 0) {
    remember(name(), JSON.stringify([...list.values()]));
  }
}

/** An address without the user and the password in it. */
function bare(address: string): string {
  try {
    const url = new URL(address);
    if (!url.username && !url.password) {
      return address;
    }
    url.username = url.password = "";
    return url.href;
  } catch {
    return address;
  }
}

/** A chain's coin was activated. */
export const noteCoin = (ticker: string, settings: Settings) => put([{ ticker, platform: null, active: true, settings: { ...settings, nodes: settings.nodes.map(bare) } }]);

/** A token was activated; contract: what named it to the node. */
export function noteToken(ticker: string, platform: string, contract = rememberedOf(ticker)?.contract) {
  put([{ ticker, platform, active: true, ...(contract !== undefined && { contract }) }]);
}

/** What the user has active here with keys of the wallet in use, for another account of it. */
export const ownCoins = (): Remembered[] => remembered().filter(({ active, platform, ticker, services }) => active && !services && (settingsOf(platform ?? ticker)?.key ?? "own") === "own");

/** Keeps what was active in another account, as what was active here before. */
export const noteBefore = (coins: readonly Remembered[]) => put(coins.map((coin) => ({ ...coin, active: false })));

/** Services with the users and passwords in their addresses, until the page is loaded anew. */
const whole = new Map<string, Services>();

/** The NFTs on a network were activated, or are looked up elsewhere from now on. */
export function noteNfts(ticker: string, platform: string, services: Services) {
  whole.set(`${name()} ${ticker}`, services);
  put([{ ticker, platform, active: true, services: { ...services, indexer: bare(services.indexer), antispam: bare(services.antispam) } }]);
}

/** Where the NFTs of a network were looked up the last time. */
export const servicesOf = (ticker: string): Services | undefined => whole.get(`${name()} ${ticker}`) ?? rememberedOf(ticker)?.services;

/**
 * The node has these active, by an import or because another program had it do so. What
 * is remembered stays as it is: the node may have answered before a coin was disabled.
 */
export function noteActive(tickers: readonly string[]) {
  put(tickers.filter((ticker) => !rememberedOf(ticker)).map((ticker) => ({ ticker, platform: platformOf(ticker), active: true })));
}

/** A coin was disabled, with its tokens if it had some and they do not stay. */
export function noteDisabled(ticker: string, withTokens: boolean) {
  const coin = rememberedOf(ticker) ?? { ticker, platform: platformOf(ticker) }; // lest a tab that looked before notes it
  const tokens = withTokens ? remembered().filter(({ platform }) => platform === ticker) : [];
  put([coin, ...tokens].map((one) => ({ ...one, active: false })));
}
