package mmrpc

const envelopeTypes = `
/** A request. */
export interface MmRpcRequest<M extends keyof Methods = keyof Methods> {
  /** The RPC password; methods that need none say so. */
  userpass?: string;
  mmrpc: "2.0";
  method: M;
  /** May be left out where no parameter is required. */
  params?: Methods[M]["params"];
  /** A whole number, repeated in the answer. */
  id?: number | null;
}

/** The answer to a request that went well. */
export interface MmRpcSuccess<M extends keyof Methods = keyof Methods> {
  mmrpc: "2.0";
  result: Methods[M]["result"];
  id: number | null;
}

/** The answer to a request that did not. */
export type MmRpcFailure = {
  mmrpc: "2.0";
  /** For people. */
  error: string;
  /** Files of the node that the error went through, from the outside in. */
  error_path: string;
  /** The same with lines. */
  error_trace: string;
  id: number | null;
} & ErrorKind;

/** Any answer to a request of a method. */
export type MmRpcResponse<M extends keyof Methods = keyof Methods> = MmRpcSuccess<M> | MmRpcFailure;
`

// eventTypes declares what core/event and the streamers of the areas send.
const eventTypes = `
/**
 * What a client is told: the data of each event on GET /event-stream?id=<client_id>.
 * There are no named events: an EventSource gets all of them by onmessage.
 */
export type NodeEvent =
  /** The client has its stream still: stream::heartbeat::enable. */
  | { _type: "HEARTBEAT"; message: Record<string, never> }
  /** Balances of the coin behind the colon, or of tokens on it, have changed: stream::balance::enable. Of an HD wallet all its addresses are listed, the coin's own first. */
  | { _type: ` + "`BALANCE:${string}`" + `; message: Array<{ ticker: string; address?: string; balance: { spendable: string; unspendable: string } }> }
  /** What is known of peers: stream::network::enable. */
  | { _type: "NETWORK"; message: { directly_connected_peers: object; gossip_mesh: object; gossip_peer_topics: object; gossip_topic_peers: object; relay_mesh: string[] } }
  /** The node ends: stream::shutdown_signal::enable. */
  | { _type: "SHUTDOWN_SIGNAL"; message: "SIGTERM" | "SIGINT" | "stop" }
  /** A transaction of the coin behind the colon is listed now, as in my_tx_history: stream::tx_history::enable. */
  | { _type: ` + "`TX_HISTORY:${string}`" + `; message: Methods["my_tx_history"]["result"]["transactions"][number] }
  /** What gas costs, as of get_eth_estimated_fee_per_gas: stream::fee_estimator::enable. */
  | { _type: ` + "`FEE_ESTIMATION:${string}`" + `; message: Methods["get_eth_estimated_fee_per_gas"]["result"] }
  /** Events were lost before this one, since the client took them too slowly or was away too long: how many. */
  | { _type: "ERROR:LAGGED"; message: { dropped: number } }
  /** The node does not know the client any more: it was away too long, or the node was started anew. It has to enable its streams again. */
  | { _type: "ERROR:FORGOTTEN"; message: Record<string, never> }
  /** Another connection of the same client has the stream now, and this one ends. */
  | { _type: "ERROR:TAKEN_OVER"; message: Record<string, never> }
  /** The source of the streamer whose id is behind the first colon failed; it is tried again. */
  | { _type: ` + "`ERROR:BALANCE:${string}` | `ERROR:TX_HISTORY:${string}` | `ERROR:FEE_ESTIMATION:${string}`" + `; message: { error: string } };
`
