/** What the node knows of a Lightning coin's peers. */

import type { Text } from "../../language.ts";
import { rpc } from "../../node.ts";

export interface Peer {
  id: string;
  /** host:port; "" if nobody knows. */
  address: string;
  /** waiting: to connect anew. */
  state: "connected" | "connecting" | "waiting";
  /** It has connected to this node. */
  inbound: boolean;
  /** Since when it is connected. */
  since: Date | null;
  /** Why a waiting one is not connected; "" if that is not known. */
  reason: string;
}

export interface Known {
  /** Of this node. */
  id: string;
  /** host:port where others can connect; "" if they cannot. */
  listening: string;
  peers: Peer[];
  trusted: string[];
}

export async function known(coin: string): Promise<Known> {
  const [list, { trusted_nodes: trusted }] = await Promise.all([rpc("lightning::nodes::list_peers", { coin }), rpc("lightning::nodes::list_trusted_nodes", { coin })]);
  const peers = list.peers.map(({ node_id: id, address, state, inbound, connected_since: since, reason = "" }): Peer => ({ id, address, state: state as Peer["state"], inbound, since: since === null ? null : new Date(since * 1000), reason }));
  return { id: list.own_node_id, listening: list.listening ?? "", peers, trusted };
}

/** An id, short: enough to tell a few nodes apart by ear. */
export const short = (id: string): string => id.slice(0, 8);

/** How it stands with a peer, for eyes and ears. */
export const stateWords: Record<Peer["state"], Text> = { connected: "lightning.isconnected", connecting: "lightning.isconnecting", waiting: "lightning.isreconnecting" };
