/** Obverse node, version 2.0. Made from its table of methods: changes here are lost. */

/** Parameters of `help`. */
export interface HelpParams {
  /** the method to explain */
  command?: string;
}

/** Result of `help`. */
export type HelpResult = string;

/** Parameters of `rpc.discover`. */
export type RpcDiscoverParams = Record<string, never>;

/** Result of `rpc.discover`. */
export type RpcDiscoverResult = Record<string, unknown>;

/** Parameters of `version`. */
export type VersionParams = Record<string, never>;

/** Result of `version`. */
export interface VersionResult {
  /** the version */
  result: string;
  /** when the program was built, if it knows */
  datetime: string;
}

/** Parameters of `stop`. */
export type StopParams = Record<string, never>;

/** Result of `stop`. */
export type StopResult = string;

/** Parameters of `get_public_key`. */
export type GetPublicKeyParams = Record<string, never>;

/** Result of `get_public_key`. */
export interface GetPublicKeyResult {
  /** compressed secp256k1 public key, 66 hexadecimal digits */
  public_key: string;
}

/** Parameters of `get_public_key_hash`. */
export type GetPublicKeyHashParams = Record<string, never>;

/** Result of `get_public_key_hash`. */
export interface GetPublicKeyHashResult {
  /** RIPEMD-160 of SHA-256 of the compressed public key, 40 hexadecimal digits */
  public_key_hash: string;
}

/** Parameters of `get_my_peer_id`. */
export type GetMyPeerIdParams = Record<string, never>;

/** Result of `get_my_peer_id`. */
export type GetMyPeerIdResult = string;

/** Parameters of `get_enabled_coins`. */
export type GetEnabledCoinsParams = Record<string, never>;

/** Result of `get_enabled_coins`. */
export interface GetEnabledCoinsResult {
  coins: Array<{
    /** as the coin was activated */
    ticker: string;
  }>;
}

/** Parameters of `disable_coin`. */
export interface DisableCoinParams {
  /** ticker */
  coin: string;
  /**
   * disable a platform's tokens with it
   * @default false
   */
  force_disable?: boolean;
}

/** Result of `disable_coin`. */
export interface DisableCoinResult {
  /** ticker as in the request */
  coin: string;
  /** always empty: this node keeps no orders */
  cancelled_orders: Array<string>;
  /** the coin works on for its tokens */
  passivized: boolean;
}

/** Parameters of `my_balance`. */
export interface MyBalanceParams {
  /** ticker */
  coin: string;
}

/** Result of `my_balance`. */
export interface MyBalanceResult {
  /** ticker as in the request */
  coin: string;
  /** what can be sent, a decimal number */
  balance: string;
  /** what is held but cannot be sent now, a decimal number */
  unspendable_balance: string;
  /** the coin's own address */
  address: string;
}

/** Parameters of `get_locked_amount`. */
export interface GetLockedAmountParams {
  /** ticker of an active coin */
  coin: string;
}

/** Result of `get_locked_amount`. */
export interface GetLockedAmountResult {
  /** ticker as in the request */
  coin: string;
  /** payments and fees that running swaps have yet to pay, in whole coins */
  locked_amount: {
    /** exactly, or rounded to 100 significant digits */
    decimal: string;
    /** numerator and denominator in lowest terms, each a pair of its sign (-1, 0 or 1) and its 32-bit digits, the least first */
    rational: Array<Array<number | Array<number>>>;
    /** numerator and denominator in lowest terms */
    fraction: {
      numer: string;
      denom: string;
    };
  };
}

/** Parameters of `stream::heartbeat::enable`. */
export interface StreamHeartbeatEnableParams {
  /**
   * the id of the client's event stream
   * @default 0
   */
  client_id?: number;
  /**
   * how often
   * @default {}
   */
  config?: {
    /**
     * the time between two events
     * @default 5
     */
    stream_interval_seconds?: number;
  };
}

/** Result of `stream::heartbeat::enable`. */
export interface StreamHeartbeatEnableResult {
  /** names the streamer in stream::disable, and is the _type of its events */
  streamer_id: string;
}

/** Parameters of `stream::disable`. */
export interface StreamDisableParams {
  /**
   * the id of the client's event stream
   * @default 0
   */
  client_id?: number;
  /** as the enabling method has given it */
  streamer_id: string;
}

/** Result of `stream::disable`. */
export interface StreamDisableResult {
  /** Success */
  result: string;
}

/** Parameters of `stream::ticket`. */
export interface StreamTicketParams {
  /**
   * the id of the client's event stream
   * @default 0
   */
  client_id?: number;
}

/** Result of `stream::ticket`. */
export interface StreamTicketResult {
  /** 32 hexadecimal digits; a secret until it is used */
  ticket: string;
  /** seconds for which it is good */
  expires_in: number;
}

/** Parameters of `add_node_to_version_stat`. */
export interface AddNodeToVersionStatParams {
  /** of your choice, at most 255 bytes; no two nodes have the same */
  name: string;
  /** an IPv4 or IPv6 address or a domain name, with a port if it is not the network's; a name is resolved each time */
  address: string;
  /** the node's libp2p peer id; no two nodes have the same */
  peer_id: string;
}

/** Result of `add_node_to_version_stat`. */
export type AddNodeToVersionStatResult = string;

/** Parameters of `remove_node_from_version_stat`. */
export interface RemoveNodeFromVersionStatParams {
  /** as it was given; that there is no such node is no error */
  name?: string;
}

/** Result of `remove_node_from_version_stat`. */
export type RemoveNodeFromVersionStatResult = string;

/** Parameters of `start_version_stat_collection`. */
export interface StartVersionStatCollectionParams {
  /** the time between the end of a round and the next one */
  interval?: number;
}

/** Result of `start_version_stat_collection`. */
export type StartVersionStatCollectionResult = string;

/** Parameters of `update_version_stat_collection`. */
export interface UpdateVersionStatCollectionParams {
  /** the time between the end of a round and the next one */
  interval?: number;
}

/** Result of `update_version_stat_collection`. */
export type UpdateVersionStatCollectionResult = string;

/** Parameters of `stop_version_stat_collection`. */
export type StopVersionStatCollectionParams = Record<string, never>;

/** Result of `stop_version_stat_collection`. */
export type StopVersionStatCollectionResult = string;

/** Parameters of `get_version_stat`. */
export interface GetVersionStatParams {
  /** of one node; without it all nodes */
  name?: string;
  /**
   * the earliest time, in seconds since 1970, included
   * @default 0
   */
  from?: number;
  /** the latest time, included */
  to?: number;
  /**
   * answers of a page, 1 to 1000
   * @default 100
   */
  limit?: number;
  /**
   * which page, from 1
   * @default 1
   */
  page?: number;
}

/** Result of `get_version_stat`. */
export interface GetVersionStatResult {
  stats: Array<{
    /** the node's when it was asked */
    name: string;
    /** what it answered; empty if it did not, or has no data */
    version: string;
    /** of the end of the round, in seconds since 1970 */
    timestamp: number;
    /** why there is no version; empty if there is one, or the node has no data */
    error: string;
  }>;
  /** answers on all pages */
  total: number;
  limit: number;
  page: number;
}

/** The parameters and the result of every method, by its name. */
export interface Methods {
  /**
   * List all methods, or explain one.
   *
   * Needs no userpass.
   */
  "help": { params: HelpParams; result: HelpResult };
  /** Describe all methods of this interface as an OpenRPC document. */
  "rpc.discover": { params: RpcDiscoverParams; result: RpcDiscoverResult };
  /**
   * Tell the version of the node.
   *
   * Needs no userpass.
   */
  "version": { params: VersionParams; result: VersionResult };
  /**
   * End the node.
   *
   * @throws `UnsupportedMode` the method cannot work on this target
   */
  "stop": { params: StopParams; result: StopResult };
  /** Show the public key of the node's passphrase. */
  "get_public_key": { params: GetPublicKeyParams; result: GetPublicKeyResult };
  /** Show the hash of the public key of the node's passphrase. */
  "get_public_key_hash": { params: GetPublicKeyHashParams; result: GetPublicKeyHashResult };
  /** Show the id by which other nodes know this one. */
  "get_my_peer_id": { params: GetMyPeerIdParams; result: GetMyPeerIdResult };
  /** List the active coins in the order of their activation. */
  "get_enabled_coins": { params: GetEnabledCoinsParams; result: GetEnabledCoinsResult };
  /**
   * Make a coin inactive.
   *
   * A platform coin with tokens becomes passive instead: it looks inactive and works on for its tokens. With force_disable its tokens become inactive with it.
   *
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `ActiveSwaps` swaps in progress need the coin: their ids
   */
  "disable_coin": { params: DisableCoinParams; result: DisableCoinResult };
  /**
   * Show the balance of a coin.
   *
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `Transport` a remote could not be reached, or answered wrongly
   */
  "my_balance": { params: MyBalanceParams; result: MyBalanceResult };
  /**
   * Show how much of a coin the swaps in progress still need.
   *
   * @throws `NoSuchCoin` the coin is not activated
   */
  "get_locked_amount": { params: GetLockedAmountParams; result: GetLockedAmountResult };
  /**
   * Send heartbeats to a client.
   *
   * The client has to have its event stream open: GET /event-stream?id=<client_id>. Each client has its own interval.
   *
   * @throws `EnableError` UnknownClient or ClientAlreadyListening
   */
  "stream::heartbeat::enable": { params: StreamHeartbeatEnableParams; result: StreamHeartbeatEnableResult };
  /**
   * Send no more events of a streamer to a client.
   *
   * @throws `DisableError` UnknownClient or StreamerNotFound
   */
  "stream::disable": { params: StreamDisableParams; result: StreamDisableResult };
  /**
   * Make a ticket with which a client on another machine opens its event stream.
   *
   * GET /event-stream?id=<client_id>&ticket=<ticket>. It is good for one connection. A browser's EventSource, which can send no credential, needs one.
   */
  "stream::ticket": { params: StreamTicketParams; result: StreamTicketResult };
  /**
   * Put a node on the list of those whose version is asked.
   *
   * @throws `PeerIdParseError` the peer id cannot be decoded: the id and the reason
   * @throws `InvalidAddress` the address is neither an IP address nor a domain name
   * @throws `DatabaseError` a name or a peer id is in the list already, or the store refuses
   * @throws `UnsupportedMode` the method cannot work on this target
   */
  "add_node_to_version_stat": { params: AddNodeToVersionStatParams; result: AddNodeToVersionStatResult };
  /**
   * Take a node off that list; what it answered stays.
   *
   * @throws `DatabaseError` a name or a peer id is in the list already, or the store refuses
   * @throws `UnsupportedMode` the method cannot work on this target
   */
  "remove_node_from_version_stat": { params: RemoveNodeFromVersionStatParams; result: RemoveNodeFromVersionStatResult };
  /**
   * Ask all nodes of the list for their version, again and again.
   *
   * @throws `AlreadyRunning` version statistics are being collected
   * @throws `CurrentlyStopping` the collection of version statistics is about to end
   * @throws `DatabaseError` a name or a peer id is in the list already, or the store refuses
   * @throws `UnsupportedMode` the method cannot work on this target
   */
  "start_version_stat_collection": { params: StartVersionStatCollectionParams; result: StartVersionStatCollectionResult };
  /**
   * Change the time between two rounds.
   *
   * The running round, and the time after it, are not changed.
   *
   * @throws `NotRunning` version statistics are not being collected
   * @throws `DatabaseError` a name or a peer id is in the list already, or the store refuses
   * @throws `UnsupportedMode` the method cannot work on this target
   */
  "update_version_stat_collection": { params: UpdateVersionStatCollectionParams; result: UpdateVersionStatCollectionResult };
  /**
   * Ask no more.
   *
   * @throws `NotRunning` version statistics are not being collected
   * @throws `DatabaseError` a name or a peer id is in the list already, or the store refuses
   * @throws `UnsupportedMode` the method cannot work on this target
   */
  "stop_version_stat_collection": { params: StopVersionStatCollectionParams; result: StopVersionStatCollectionResult };
  /**
   * Show what nodes answered, the newest first.
   *
   * The newest 100000 answers of all nodes together are kept.
   *
   * @throws `DatabaseError` a name or a peer id is in the list already, or the store refuses
   * @throws `UnsupportedMode` the method cannot work on this target
   */
  "get_version_stat": { params: GetVersionStatParams; result: GetVersionStatResult };
}

/** What can go wrong: the kind and its data. */
export type ErrorKind =
  /** Status 400: mmrpc is not 2.0. */
  | { error_type: "InvalidMmRpcVersion"; error_data: string }
  /** Status 400: the request, or a parameter in it, has not the form that the method takes. */
  | { error_type: "InvalidRequest"; error_data: string }
  /** Status 403: the caller is not on this machine and rpc_local_only is set. */
  | { error_type: "LocalHostOnly"; error_data?: undefined }
  /** Status 403: too many wrong passwords came from the caller's address; Retry-After says for how long. */
  | { error_type: "Banned"; error_data?: undefined }
  /** Status 403: the request has no userpass. */
  | { error_type: "UserpassIsNotSet"; error_data?: undefined }
  /** Status 403: the password is wrong; the data says how many attempts are left. */
  | { error_type: "UserpassIsInvalid"; error_data: {
    error_type: string;
    error_data: unknown;
  } }
  /** Status 400: there is no such method. */
  | { error_type: "NoSuchMethod"; error_data?: undefined }
  /** Status 500: the node failed; its log tells more. */
  | { error_type: "InternalError"; error_data: string }
  /** Status 405: the method cannot work on this target. */
  | { error_type: "UnsupportedMode"; error_data: string }
  /** Status 404: the coin is not activated. */
  | { error_type: "NoSuchCoin"; error_data: {
    coin: string;
  } }
  /** Status 400: the balance is too low for the swap. */
  | { error_type: "NotSufficientBalance"; error_data: {
    coin: string;
    available: string;
    required: string;
    locked_by_swaps?: string;
  } }
  /** Status 409: swaps in progress need the coin: their ids. */
  | { error_type: "ActiveSwaps"; error_data: Array<string> }
  /** Status 500: a remote could not be reached, or answered wrongly. */
  | { error_type: "Transport"; error_data: string }
  /** Status 400: the platform of the token or NFT network is not activated. */
  | { error_type: "PlatformCoinIsNotActivated"; error_data: string }
  /** Status 400: the platform coin is active. */
  | { error_type: "PlatformIsAlreadyActivated"; error_data: string }
  /** Status 400: the token or NFT network is active. */
  | { error_type: "TokenIsAlreadyActivated"; error_data: string }
  /** Status 400: the coins file has no such platform coin. */
  | { error_type: "PlatformConfigIsNotFound"; error_data: string }
  /** Status 400: the coins file has no such token. */
  | { error_type: "TokenConfigIsNotFound"; error_data: string }
  /** Status 500: the platform coin's protocol in the coins file cannot be read. */
  | { error_type: "CoinProtocolParseError"; error_data: {
    ticker: string;
    error: string;
  } }
  /** Status 500: the token's protocol in the coins file cannot be read. */
  | { error_type: "TokenProtocolParseError"; error_data: {
    ticker: string;
    error: string;
  } }
  /** Status 400: the coin is not a platform of the method's kind. */
  | { error_type: "UnexpectedPlatformProtocol"; error_data: {
    ticker: string;
    protocol: {
      type: string;
      protocol_data?: unknown;
    };
  } }
  /** Status 400: the token does not belong to a platform of this kind. */
  | { error_type: "UnexpectedTokenProtocol"; error_data: {
    ticker: string;
    protocol: {
      type: string;
      protocol_data?: unknown;
    };
  } }
  /** Status 500: the key cannot be derived as the method needs it. */
  | { error_type: "UnexpectedDerivationMethod"; error_data: string }
  /** Status 500: the policy of the private key is not one that this node has. */
  | { error_type: "PrivKeyNotAllowed"; error_data: string }
  /** Status 500: the platform coin could not be activated. */
  | { error_type: "PlatformCoinCreationError"; error_data: {
    ticker: string;
    error: string;
  } }
  /** Status 502: no node of the coin answered. */
  | { error_type: "Transport"; error_data: string }
  /** Status 500: a name or a peer id is in the list already, or the store refuses. */
  | { error_type: "DatabaseError"; error_data: string }
  /** Status 400: the peer id cannot be decoded: the id and the reason. */
  | { error_type: "PeerIdParseError"; error_data: Array<string> }
  /** Status 400: the address is neither an IP address nor a domain name. */
  | { error_type: "InvalidAddress"; error_data: string }
  /** Status 405: version statistics are not being collected. */
  | { error_type: "NotRunning"; error_data?: undefined }
  /** Status 405: version statistics are being collected. */
  | { error_type: "AlreadyRunning"; error_data?: undefined }
  /** Status 405: the collection of version statistics is about to end. */
  | { error_type: "CurrentlyStopping"; error_data?: undefined }
  /** Status 400: UnknownClient or ClientAlreadyListening. */
  | { error_type: "EnableError"; error_data: string }
  /** Status 400: UnknownClient or StreamerNotFound. */
  | { error_type: "DisableError"; error_data: string }
  /** Status 500: the Lightning node could not be reached. */
  | { error_type: "ConnectionError"; error_data: string }
  /** Status 500: the NFT could not be looked up; nested. */
  | { error_type: "GetNftInfoError"; error_data: {
    error_type: string;
    error_data: unknown;
  } };

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
