/**
 * Coins that the user activated in this browser, or that the node in this page had active.
 * The node restores active coins after a restart and lists them only once it has finished,
 * so the page stores their tickers. It stores no secrets: users and passwords in server
 * addresses are removed.
 */

import { platformOf, type Family, type KeyPlace } from "./catalog.ts";
import { connection } from "../node.ts";
import { recall, recalled, remember } from "../memory.ts";
import { settingsName } from "../session/profile.ts";
import { profile } from "../session/session.ts";

export interface Remembered {
  ticker: string;
  /** Of a token: the ticker of its chain's coin. */
  platform: string | null;
  /** Of a token that was added by its contract address. */
  contract?: string;
  /** Whether it was not disabled since. */
  active: boolean;
  /** How a chain's coin was activated, if it was by this browser; tokens have no settings. */
  settings?: Settings;
  /** Of the NFTs on a network: where they are looked up, if the user chose that in this browser. */
  services?: Services;
}

/** The services that NFTs are looked up at. */
export interface Services {
  indexer: string;
  /** The spam filter service; "" if none was given. */
  antispam: string;
  /** Whether requests are signed with the node's identity, for a gateway. */
  signed: boolean;
}

export interface Settings {
  nodes: string[];
  /** The REST address of a server, for wallets that do not know the chain. */
  api: string;
  history: boolean;
  key: KeyPlace;
  /** The topic of the session with the wallet, if the key is "session". */
  topic?: string;
  /** Undefined in old records: a Cosmos chain. */
  family?: Family;
}

/** Returns the name of the list: each node, and each wallet in this page, has its own. */
export function whose(): string {
  const node = connection.peek();
  return node?.kind === "native" ? node.url : settingsName(profile.peek()?.page);
}

const name = () => `coins.${whose()}`;

function isRemembered(value: unknown): value is Remembered {
  const { ticker, settings, services } = (value ?? {}) as Partial<Remembered>;
  return typeof ticker === "string" && (settings === undefined || Array.isArray(settings.nodes)) && (services === undefined || typeof services.indexer === "string");
}

/** Converts settings of earlier versions, which had external instead of key. */
function withKey(coin: Remembered): Remembered {
  const { settings } = coin;
  if (!settings || settings.key) {
    return coin;
  }
  const { external, ...others } = settings as Settings & { external?: boolean };
  return { ...coin, settings: { ...others, key: external ? "browser" : "own" } };
}

type List = ReadonlyMap<string, Remembered>;

/** Parses a list: by ticker, in the order of the first activation. */
function parse(text: string | null): List {
  try {
    const list: unknown = JSON.parse(text ?? "[]");
    return new Map((Array.isArray(list) ? list.filter(isRemembered).map(withKey) : []).map((coin) => [coin.ticker, coin]));
  } catch {
    return new Map();
  }
}

const known = (): List => recalled(name(), parse);

/** Returns the activated coins and tokens in the order of their first activation. */
export const remembered = (): readonly Remembered[] => [...known().values()];

/** Returns what is stored about a coin or a token. */
export const rememberedOf = (ticker: string): Remembered | undefined => known().get(ticker);

/** Returns the settings of a coin's last activation. */
export const settingsOf = (ticker: string): Settings | undefined => rememberedOf(ticker)?.settings;

/** Stores coins, replacing their former records. It reads the list again first, since another tab may have changed it. */
function put(coins: readonly Remembered[]) {
  const list = new Map(parse(recall(name())));
  coins.forEach((coin) => list.set(coin.ticker, coin));
  if (coins.length > 0) {
    remember(name(), JSON.stringify([...list.values()]));
  }
}

/** Returns an address without user and password. */
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

/** Stores that a chain's coin was activated. */
export const noteCoin = (ticker: string, settings: Settings) => put([{ ticker, platform: null, active: true, settings: { ...settings, nodes: settings.nodes.map(bare) } }]);

/** Stores that a token was activated. contract is the address by which it was activated. */
export function noteToken(ticker: string, platform: string, contract = rememberedOf(ticker)?.contract) {
  put([{ ticker, platform, active: true, ...(contract !== undefined && { contract }) }]);
}

/** Returns the active coins with keys of the wallet in use, for another account of it. */
export const restorableCoins = (): Remembered[] => remembered().filter(({ active, platform, ticker, services }) => active && !services && (settingsOf(platform ?? ticker)?.key ?? "own") === "own");

/** Stores the coins of another account as coins that were active here before. */
export const noteBefore = (coins: readonly Remembered[]) => put(coins.map((coin) => ({ ...coin, active: false })));

/** Services with the users and passwords in their addresses, in memory until the page is reloaded. */
const whole = new Map<string, Services>();

/** Stores that the NFTs on a network were activated, or that their services have changed. */
export function noteNfts(ticker: string, platform: string, services: Services) {
  whole.set(`${name()} ${ticker}`, services);
  put([{ ticker, platform, active: true, services: { ...services, indexer: bare(services.indexer), antispam: bare(services.antispam) } }]);
}

/** Returns the services at which the NFTs of a network were last looked up. */
export const servicesOf = (ticker: string): Services | undefined => whole.get(`${name()} ${ticker}`) ?? rememberedOf(ticker)?.services;

/**
 * Stores coins that the node has active because of an import or another client. Existing
 * records are unchanged: the node's answer may be older than the disabling of a coin.
 */
export function noteActive(tickers: readonly string[]) {
  put(tickers.filter((ticker) => !rememberedOf(ticker)).map((ticker) => ({ ticker, platform: platformOf(ticker), active: true })));
}

/** Stores that a coin was disabled, with its tokens if withTokens is set. */
export function noteDisabled(ticker: string, withTokens: boolean) {
  const coin = rememberedOf(ticker) ?? { ticker, platform: platformOf(ticker) }; // so that another tab with an older list does not store it as active
  const tokens = withTokens ? remembered().filter(({ platform }) => platform === ticker) : [];
  put([coin, ...tokens].map((one) => ({ ...one, active: false })));
}
