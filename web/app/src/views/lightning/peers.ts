/** The peers of a Lightning coin, according to the node. */

import type { Text } from "../../language.ts";
import { rpc } from "../../node.ts";

export interface Peer {
  id: string;
  /** host:port; "" if not known. */
  address: string;
  /** waiting: until the next attempt to connect. */
  state: "connected" | "connecting" | "waiting";
  /** Whether the peer has connected to this node. */
  inbound: boolean;
  /** When it connected. */
  since: Date | null;
  /** Why a waiting peer is not connected; "" if not known. */
  reason: string;
}

export interface Known {
  /** The id of this node. */
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

/** Returns a short form of an id that is enough to distinguish a few nodes. */
export const short = (id: string): string => id.slice(0, 8);

/** The states in words. */
export const stateWords: Record<Peer["state"], Text> = { connected: "lightning.isconnected", connecting: "lightning.isconnecting", waiting: "lightning.isreconnecting" };
