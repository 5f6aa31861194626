/**
 * The current node: one in this page, or a native one. Views call it through rpc, daemon
 * and subscribe; both kinds have the same typed interface.
 */

import { signal } from "@preact/signals";
import { connect, init, NodeError, type Client, type Handle, type WalletInfo } from "obverse";
import { log } from "./log.ts";
import { recall, remember } from "./memory.ts";
import type { NativeNode, NativeSecret, PageSecret } from "./session/profile.ts";

/** A node that was started or connected to. */
export interface Connection {
  kind: "page" | "native";
  /** The URL of a native node; "" for the page's. */
  url: string;
  rpc: Handle["rpc"];
  daemon: Handle["daemon"];
  subscribe: Handle["subscribe"];
  /** Sends whole request bodies, for the console. */
  raw: Handle["raw"];
  /** Whether the daemon API is available. */
  hasDaemon: boolean;
  /** The node in this page, with export, import and status; null for a native node. */
  page: Handle | null;
  /** Stops the node in this page, or the client of a native one. */
  stop: () => Promise<void>;
}

/**
 * The state of the node: "lost" is a native node that does not respond and is tried
 * again; "failed" needs action by the user.
 */
export type NodeState = { is: "off" | "starting" | "on" | "lost" } | { is: "failed"; error: unknown };

export const connection = signal<Connection | null>(null);
export const state = signal<NodeState>({ is: "off" });

/** Counts replacements of the data of the node in this page: the connection stays the same, but the node is another. */
export const replaced = signal(0);

const current = (): Connection => {
  const now = connection.peek();
  if (!now) {
    throw new NodeError("NotRunning", "no node is running");
  }
  return now;
};

/** Calls a method of the node API: rpc("my_balance", {coin: "ATOM"}). */
export const rpc: Handle["rpc"] = async (method, ...params) => current().rpc(method, ...params);

/** Calls a method of the daemon API: daemon("tokenbalance", id). */
export const daemon: Handle["daemon"] = async (method, ...params) => current().daemon(method, ...params);

/** Subscribes to the events of a streamer, or with "*" to all. It returns a function that ends the subscription. */
export const subscribe: Handle["subscribe"] = (streamer, listener) => current().subscribe(streamer, listener);

/** Counts starts and stops, so that a late one can detect that it is out of date. */
let turn = 0;
let stopping: Promise<void> = Promise.resolve();

/** Stops the node, or leaves it to the other tabs. */
export function stop(): Promise<void> {
  turn++;
  clearTimeout(asking);
  clearInterval(pulse);
  const ended = connection.peek();
  connection.value = null;
  state.value = { is: "off" };
  if (ended) {
    stopping = Promise.all([stopping, ended.stop().catch(() => {})]).then(() => {});
  }
  return stopping;
}

async function begin(open: () => Promise<Connection>): Promise<void> {
  await stop();
  const mine = ++turn;
  state.value = { is: "starting" };
  try {
    const opened = await open();
    if (mine !== turn) {
      await opened.stop();
      return;
    }
    connection.value = opened;
    state.value = { is: "on" };
    pulse = setInterval(() => void feel(), PULSE);
  } catch (error) {
    if (mine === turn) {
      state.value = { is: "failed", error };
    }
  }
}

const configOf = (secret: PageSecret | null) => ({ gui: "obverse page", ...(secret && { passphrase: secret.passphrase, enable_hd: secret.hd }) });

/** The relay for WalletConnect, as set by the user. */
export const relay = {
  get: () => ({ project: recall("walletconnect.project") ?? "", url: recall("walletconnect.relay") ?? "" }),
  set: (project: string, url: string) => {
    remember("walletconnect.project", project);
    remember("walletconnect.relay", url);
  },
};

function relayConfig() {
  const { project, url } = relay.get();
  return project === "" ? {} : { walletconnect: { project_id: project, ...(url === "" ? {} : { relay_url: url }) } };
}

/** Has the user choose when the browser has several wallets for EVM networks. */
const choose = async (wallets: WalletInfo[]) => (await import("./coins/walletchoice.tsx")).chooseWallet(wallets, connection);

/** The node's program, loaded before there is a wallet; null if the node loads it itself. */
let prepared: Promise<WebAssembly.Module> | null = null;

/** Makes the next nodes of this page use a program that is being loaded, until one runs. */
export const prepare = (module: Promise<WebAssembly.Module>): void => void (prepared = module);

const withProgram = async () => ((module) => (module ? { module } : {}))(await prepared?.catch(() => null));

/** Starts the node in this page with the data of a store. Without a secret, another wallet has its keys. */
export const startPage = (secret: PageSecret | null, store: string): Promise<void> =>
  begin(async () => {
    const page = await init({ ...(await withProgram()), config: { ...configOf(secret), ...relayConfig(), dbdir: store }, log, wallets: { choose } });
    prepared = null;
    return watched({ kind: "page", url: "", hasDaemon: true, page, rpc: page.rpc, daemon: page.daemon, subscribe: page.subscribe, raw: page.raw, stop: page.stop });
  });

/** Runs a function with a temporary node that has no data. */
export async function withTrial<T>(config: object, act: (trial: Handle) => Promise<T>): Promise<T> {
  const trial = await init({ ...(await withProgram()), config: { gui: "obverse page", ...config, dbdir: "obverse-trial" }, storage: "memory", persist: false, log: () => {} });
  try {
    return await act(trial);
  } finally {
    await trial.stop();
  }
}

/** Returns the public key of a secret. The error says why a node does not accept the secret. */
export const publicKeyOf = (secret: PageSecret): Promise<string> => withTrial(configOf(secret), async (trial) => (await trial.rpc("get_public_key")).public_key);

/** Connects to a native node. */
export const startNative = (native: NativeNode, secret: NativeSecret): Promise<void> =>
  begin(async () => {
    const [client, { boundedRpc, boundedDaemon }] = [clientOf(native, secret), await import("./bounded.ts")];
    const opened = watched({ kind: "native", url: native.url, hasDaemon: native.daemon !== undefined && secret.daemonPassword !== undefined, page: null, rpc: boundedRpc(client.rpc), daemon: boundedDaemon(client.daemon), subscribe: client.subscribe, raw: client.raw, stop: client.stop });
    try {
      await client.rpc("get_enabled_coins");
    } catch (error) {
      await client.stop();
      throw error;
    }
    return opened;
  });

function clientOf({ url, daemon: a }: NativeNode, { password, daemonPassword }: NativeSecret): Client {
  return connect({ url, userpass: password, ...(a && daemonPassword !== undefined && { daemon: { url: a.url, user: a.user, password: daemonPassword } }) });
}

/** The error for a node that responded but whose daemon API did not. */
export class NoInterfaceA extends Error {
  constructor(cause: unknown) {
    super("the daemon API does not answer", { cause });
  }
}

/** Makes an authenticated request to a native node; the error says what is wrong. */
export async function tryNative(native: NativeNode, secret: NativeSecret): Promise<void> {
  const client = clientOf(native, secret);
  try {
    await client.rpc("get_enabled_coins");
    if (native.daemon && secret.daemonPassword !== undefined) {
      await client.daemon("getblockcount").catch((error: unknown) => {
        throw error instanceof NodeError && [...AWAY, "BadAnswer"].includes(error.kind) ? new NoInterfaceA(error) : error;
      });
    }
  } finally {
    await client.stop();
  }
}

const ENDED = ["NotRunning", "Crashed", "WorkerFailed"];
const AWAY = ["Unreachable", "Timeout"];

/** Returns the same connection with calls that update the state of the node. */
function watched(plain: Connection): Connection {
  const mine = () => connection.peek() === seen;
  const watch = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      const result = await answer;
      if (mine() && state.peek().is === "lost") {
        state.value = { is: "on" };
      }
      return result;
    } catch (error) {
      if (mine() && error instanceof NodeError) {
        if (AWAY.includes(error.kind)) {
          lose();
        } else if (plain.page && ENDED.includes(error.kind) && !plain.page.status().running) {
          state.value = { is: "failed", error };
        }
      }
      throw error;
    }
  };
  // The daemon API of a native node has another port: its errors say nothing about the node.
  const watchA = plain.page ? watch : <T>(answer: Promise<T>) => answer;
  const seen: Connection = {
    ...plain,
    rpc: (method, ...params) => watch(plain.rpc(method, ...params)),
    daemon: (method, ...params) => watchA(plain.daemon(method, ...params)),
    raw: { call: (method, params) => watch(plain.raw.call(method, params)), rpc: (body) => watch(plain.raw.rpc(body)), daemon: (body) => watchA(plain.raw.daemon(body)) },
  };
  return seen;
}

const PULSE = 20_000; // ms between checks of an idle node
let pulse: ReturnType<typeof setInterval> | undefined;

/** Checks the state of the node while the page is visible. */
async function feel() {
  if (state.peek().is === "on" && document.visibilityState === "visible") {
    await rpc("version").catch(() => {}); // the result is in the state
  }
}

const WAITS = [2, 5, 15, 30]; // seconds between attempts to reach a lost node
let asking: ReturnType<typeof setTimeout> | undefined;

function lose() {
  if (state.peek().is === "on") {
    state.value = { is: "lost" };
    ask(0);
  }
}

function ask(tries: number) {
  clearTimeout(asking);
  asking = setTimeout(() => void askNow(tries), (WAITS[Math.min(tries, WAITS.length - 1)] ?? 30) * 1000);
}

async function askNow(tries: number) {
  await rpc("version").catch(() => {});
  if (state.peek().is === "lost") {
    ask(tries + 1);
  }
}

/** Whether the browser is online; false is certain, true is not. */
export const online = signal(navigator.onLine);
for (const event of ["online", "offline"]) {
  addEventListener(event, () => {
    online.value = navigator.onLine;
    if (state.peek().is === "lost" && online.value) {
      void askNow(0);
    }
  });
}

/** Returns the address of this page if an Obverse node serves it, otherwise null. */
export async function servedBy(): Promise<string | null> {
  try {
    const answer = await fetch(new URL("livez", document.baseURI), { cache: "no-store", credentials: "omit" });
    const { status } = (await answer.json()) as { status?: unknown };
    return answer.ok && status === "alive" ? new URL(".", document.baseURI).href : null;
  } catch {
    return null;
  }
}
