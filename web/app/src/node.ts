/**
 * The node in use: one in this page, or a native one. Views call it through rpc, daemon
 * and subscribe; both kinds have the same typed surface.
 */

import { signal } from "@preact/signals";
import { connect, init, NodeError, type Client, type Handle, type WalletInfo } from "obverse";
import { log } from "./log.ts";
import { recall, remember } from "./memory.ts";
import type { NativeNode, NativeSecret, PageSecret } from "./session/profile.ts";

/** A node that was started or connected to. */
export interface Connection {
  kind: "page" | "native";
  /** Of a native node; "" in the page. */
  url: string;
  rpc: Handle["rpc"];
  daemon: Handle["daemon"];
  subscribe: Handle["subscribe"];
  /** Whole bodies: what the console sends. */
  raw: Handle["raw"];
  /** Whether the daemon API can be called. */
  hasDaemon: boolean;
  /** The node in this page: export, import, status. */
  page: Handle | null;
  /** Ends the node in this page, or the client of a native one. */
  stop: () => Promise<void>;
}

/**
 * How the node is: "lost" is a native node that does not answer, which is asked again and
 * again; "failed" needs somebody to do something.
 */
export type NodeState = { is: "off" | "starting" | "on" | "lost" } | { is: "failed"; error: unknown };

export const connection = signal<Connection | null>(null);
export const state = signal<NodeState>({ is: "off" });

/** Counts how often the data of the node in this page were replaced: it is another one then, at the same connection. */
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

/** Listens to the events of a streamer, or with "*" to all. Gives what ends it. */
export const subscribe: Handle["subscribe"] = (streamer, listener) => current().subscribe(streamer, listener);

/** Counts starts and stops, so that what ends late knows that it is too late. */
let turn = 0;
let stopping: Promise<void> = Promise.resolve();

/** Ends the node, or leaves it to the other tabs. */
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

/** The relay that reaches wallets over WalletConnect, as its user set it. */
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

/** Has the user choose, when several wallets for EVM networks are in the page. */
const choose = async (wallets: WalletInfo[]) => (await import("./coins/walletchoice.tsx")).chooseWallet(wallets, connection);

/** The program of the node, loaded before there is a wallet; null: the node loads it itself. */
let prepared: Promise<WebAssembly.Module> | null = null;

/** Has the next nodes of this page take a program that is being loaded, until one runs. */
export const prepare = (module: Promise<WebAssembly.Module>): void => void (prepared = module);

const withProgram = async () => ((module) => (module ? { module } : {}))(await prepared?.catch(() => null));

/** Starts the node in this page with the data of a store; without a secret its keys are in another wallet. */
export const startPage = (secret: PageSecret | null, store: string): Promise<void> =>
  begin(async () => {
    const page = await init({ ...(await withProgram()), config: { ...configOf(secret), ...relayConfig(), dbdir: store }, log, wallets: { choose } });
    prepared = null;
    return watched({ kind: "page", url: "", hasDaemon: true, page, rpc: page.rpc, daemon: page.daemon, subscribe: page.subscribe, raw: page.raw, stop: page.stop });
  });

/** Does something with a node that has no data and ends at once. */
export async function withTrial<T>(config: object, act: (trial: Handle) => Promise<T>): Promise<T> {
  const trial = await init({ ...(await withProgram()), config: { gui: "obverse page", ...config, dbdir: "obverse-trial" }, storage: "memory", persist: false, log: () => {} });
  try {
    return await act(trial);
  } finally {
    await trial.stop();
  }
}

/** The public key that a secret gives. The error is why a node does not take the secret. */
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

/** The node answered, but nothing that is its daemon API. */
export class NoInterfaceA extends Error {
  constructor(cause: unknown) {
    super("the daemon API does not answer", { cause });
  }
}

/** Asks a native node what needs the passwords; the error says what is wrong. */
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

/** The same connection, whose calls tell how the node is. */
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
  // The daemon API of a native node is another port: its silence says nothing of the node.
  const watchA = plain.page ? watch : <T>(answer: Promise<T>) => answer;
  const seen: Connection = {
    ...plain,
    rpc: (method, ...params) => watch(plain.rpc(method, ...params)),
    daemon: (method, ...params) => watchA(plain.daemon(method, ...params)),
    raw: { call: (method, params) => watch(plain.raw.call(method, params)), rpc: (body) => watch(plain.raw.rpc(body)), daemon: (body) => watchA(plain.raw.daemon(body)) },
  };
  return seen;
}

const PULSE = 20_000; // ms between looks at a node that nobody calls
let pulse: ReturnType<typeof setInterval> | undefined;

/** Finds out whether the node is well still, while somebody looks at the page. */
async function feel() {
  if (state.peek().is === "on" && document.visibilityState === "visible") {
    await rpc("version").catch(() => {}); // how it is, is told by the state
  }
}

const WAITS = [2, 5, 15, 30]; // seconds between questions to a node that does not answer
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

/** Whether the browser has a network; false is certain, true is not. */
export const online = signal(navigator.onLine);
for (const event of ["online", "offline"]) {
  addEventListener(event, () => {
    online.value = navigator.onLine;
    if (state.peek().is === "lost" && online.value) {
      void askNow(0);
    }
  });
}

/** The address of this page when a node of ours serves it, else null. */
export async function servedBy(): Promise<string | null> {
  try {
    const answer = await fetch(new URL("livez", document.baseURI), { cache: "no-store", credentials: "omit" });
    const { status } = (await answer.json()) as { status?: unknown };
    return answer.ok && status === "alive" ? new URL(".", document.baseURI).href : null;
  } catch {
    return null;
  }
}
