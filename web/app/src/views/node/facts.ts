/** The state of the current node. Values that cannot be requested are null. */

import { connection, rpc, daemon, type Connection } from "../../node.ts";
import { storage } from "../../storage.ts";

export interface Chain {
  name: string;
  height: number;
  /** Unconfirmed transactions. */
  waiting: number;
  /** The other nodes of the chain that it is connected to. */
  connections: number;
}

/** The health report of a native node for pages that it serves itself. */
export interface Health {
  ready: boolean;
  /** Why it is not healthy. */
  reason: string;
  /** When its process started. */
  since: Date | null;
}

export interface Facts {
  version: string;
  /** When that version was built. */
  made: string;
  coins: string[];
  peerId: string | null;
  chain: Chain | null;
  health: Health | null;
  /** Size of the data of a node in this page, in bytes. */
  bytes: number | null;
}

const orNull = <T>(promise: Promise<T>): Promise<T | null> => promise.catch(() => null);

export async function facts(): Promise<Facts> {
  const node = connection.peek();
  const [version, coins, peerId, chain, health, persisted] = await Promise.all([
    rpc("version"),
    rpc("get_enabled_coins"),
    orNull(rpc("get_my_peer_id")),
    node?.hasDaemon ? orNull(chainOf()) : null,
    node?.kind === "native" ? orNull(healthOf(node)) : null,
    node?.kind === "page" ? orNull(storage()) : null,
  ]);
  return { version: version.result, made: version.datetime, coins: coins.coins.map(({ ticker }) => ticker), peerId, chain, health, bytes: persisted?.used ?? null };
}

async function chainOf(): Promise<Chain> {
  const [info, pool] = await Promise.all([daemon("getinfo"), daemon("getmempoolinfo")]);
  return { name: info.name, height: info.blocks, waiting: pool.size, connections: info.connections };
}

/** Browsers let the page read the health report only of the node that serves it. */
async function healthOf({ url }: Connection): Promise<Health | null> {
  if (new URL(url).origin !== location.origin) {
    return null;
  }
  const [ready, metrics] = await Promise.all([fetch(new URL("/readyz", url)), fetch(new URL("/metrics", url))]);
  const { reason = "" } = (await ready.json()) as { reason?: string };
  const [, seconds] = /^process_start_time_seconds (\S+)$/m.exec(metrics.ok ? await metrics.text() : "") ?? [];
  return { ready: ready.ok, reason, since: seconds === undefined ? null : new Date(Number(seconds) * 1000) };
}
