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
  /** when its commit was made, RFC 3339; empty if it does not know */
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

/** Parameters of `get_private_keys`. */
export interface GetPrivateKeysParams {
  /** tickers */
  coins: Array<string>;
  /** that of the node when absent: hd with enable_hd */
  mode?: "hd" | "iguana";
  /** first address; 0 when absent */
  start_index?: number;
  /** last address; start_index and 10 when absent */
  end_index?: number;
  /** 0 when absent */
  account_index?: number;
}

/** Result of `get_private_keys`. */
export type GetPrivateKeysResult = Array<{
  coin: string;
  /** in mode hd */
  addresses?: Array<{
    derivation_path: string;
    /** as the coin's family writes it */
    pubkey: string;
    address: string;
    /** as wallets of the coin's family import it */
    priv_key: string;
  }>;
}>;

/** Parameters of `get_addresses`. */
export interface GetAddressesParams {
  /** tickers, at most 1000 */
  coins: Array<string>;
  /** of an HD wallet; 0 when absent */
  account_index?: number;
}

/** Result of `get_addresses`. */
export interface GetAddressesResult {
  addresses: Array<{
    coin: string;
    address: string;
  }>;
  failed: Array<{
    coin: string;
    error: string;
  }>;
}

/** Parameters of `show_priv_key`. */
export interface ShowPrivKeyParams {
  /** ticker of an active coin */
  coin: string;
}

/** Result of `show_priv_key`. */
export interface ShowPrivKeyResult {
  coin: string;
  priv_key: string;
}

/** Parameters of `get_wallet_names`. */
export type GetWalletNamesParams = Record<string, never>;

/** Result of `get_wallet_names`. */
export interface GetWalletNamesResult {
  /** in alphabetical order */
  wallet_names: Array<string>;
  /** null: the node was started without one */
  activated_wallet: string | null;
}

/** Parameters of `get_mnemonic`. */
export interface GetMnemonicParams {
  format: "encrypted" | "plaintext";
  /**
   * of the wallet; needed for plaintext
   * @default ""
   */
  password?: string;
}

/** Result of `get_mnemonic`. */
export interface GetMnemonicResult {
  format: "encrypted" | "plaintext";
  /** the wallet's file */
  encrypted_mnemonic_data?: unknown;
  mnemonic?: string;
}

/** Parameters of `change_mnemonic_password`. */
export interface ChangeMnemonicPasswordParams {
  current_password: string;
  /** has to obey the rules for passwords, unless allow_weak_password lifts them */
  new_password: string;
}

/** Result of `change_mnemonic_password`. */
export type ChangeMnemonicPasswordResult = Record<string, unknown> | null;

/** Parameters of `delete_wallet`. */
export interface DeleteWalletParams {
  wallet_name: string;
  /** of that wallet */
  password: string;
}

/** Result of `delete_wallet`. */
export type DeleteWalletResult = Record<string, unknown> | null;

/** Parameters of `get_enabled_coins`. */
export type GetEnabledCoinsParams = Record<string, never>;

/** Result of `get_enabled_coins`. */
export interface GetEnabledCoinsResult {
  coins: Array<{
    /** as the coin was activated */
    ticker: string;
  }>;
  /** coins that are not in the list, since they are not restored after the start yet; absent: the list is complete */
  incomplete?: Array<{
    /** the chain or ticker whose items may be missing; absent: any */
    of?: string;
    /** NoAnswer (the servers could not be asked, or failed), TooMany (a limit cuts the list), NoLogs (nodes do not have older blocks, or their logs), InProgress (some are still to be loaded), NoIndexer (no history_indexer is set, without which what others sent of the network's own coin is not listed), Restoring (it was active when the node last ran, and is restored in the background) */
    reason: "NoAnswer" | "TooMany" | "NoLogs" | "InProgress" | "NoIndexer" | "Restoring";
    /** the last failure, in words */
    error?: string;
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

/** Parameters of `get_coin_nodes`. */
export interface GetCoinNodesParams {
  /** ticker of an active coin or token */
  coin: string;
}

/** Result of `get_coin_nodes`. */
export interface GetCoinNodesResult {
  /** ticker as in the request */
  coin: string;
  /** in the order of the activation, each once; last those whose URLs cannot be used */
  nodes: Array<{
    /** without user, password, query and what else may be a key */
    url: string;
    /** in_use; behind (in use, but others have newer blocks and are asked first); pending (it has not answered yet); left_out (it failed, its URL cannot be used, it is on another chain, or reports blocks that the others do not have); suspended (it asked to be left alone) */
    state: "in_use" | "behind" | "pending" | "left_out" | "suspended";
    /** why it is left_out or suspended, or behind; of a node in use: that another one contradicts it */
    reason?: string;
    /** left_out, suspended: when it is asked whether it is well again, in seconds since 1970 */
    retry_at?: number;
  }>;
}

/** Parameters of `test_coin_nodes`. */
export interface TestCoinNodesParams {
  /**
   * ticker of the network's coin, which need not be active; empty: nodes of any EVM network
   * @default ""
   */
  coin?: string;
  /** at most 32 */
  nodes: Array<{
    /** of JSON-RPC, http or https, for EVM networks also ws or wss; a user and a password in it are sent as a header */
    url: string;
    /**
     * kept; a browser wallet that does not know the chain receives it
     * @default ""
     */
    api_url?: string;
    /**
     * kept, and not used
     * @default ""
     */
    grpc_url?: string;
    /**
     * of the websocket, ws or wss; url with /websocket behind it when absent
     * @default ""
     */
    ws_url?: string;
    /**
     * requests are signed with the node's identity, for a gateway of Komodo DeFi Framework
     * @default false
     */
    gateway_proxy?: boolean;
    /**
     * another name of gateway_proxy
     * @default false
     */
    komodo_proxy?: boolean;
  }>;
}

/** Result of `test_coin_nodes`. */
export interface TestCoinNodesResult {
  /** in the order of the request */
  nodes: Array<{
    /** without user, password, query and what else may be a key */
    url: string;
    /** it can be used */
    ok: boolean;
    /** of the chain that it is on; absent: unknown */
    chain_id?: string;
    /** of its newest block; absent: unknown */
    height?: number;
    /** of its answer, in milliseconds */
    latency_ms: number;
    /** it does not have the newest blocks yet */
    behind?: boolean;
    /** why it cannot be used */
    reason?: string;
  }>;
}

/** Parameters of `validateaddress`. */
export interface ValidateaddressParams {
  /** ticker of an active coin */
  coin: string;
  address: string;
}

/** Result of `validateaddress`. */
export interface ValidateaddressResult {
  is_valid: boolean;
  /** why it is not valid */
  reason?: string;
}

/** Parameters of `convertaddress`. */
export interface ConvertaddressParams {
  /** ticker of an active coin */
  coin: string;
  /** the address */
  from: string;
  to_address_format: {
    /** mixedcase: as wallets show it, with the checksum of EIP-55 on EVM networks; singlecase: in lower case */
    format: "mixedcase" | "singlecase";
  };
}

/** Result of `convertaddress`. */
export interface ConvertaddressResult {
  address: string;
}

/** Parameters of `convert_utxo_address`. */
export interface ConvertUtxoAddressParams {
  /** in base58, as 1… of Bitcoin or R… of Komodo */
  address: string;
  /** ticker of a coin of the coins file */
  to_coin: string;
}

/** Result of `convert_utxo_address`. */
export type ConvertUtxoAddressResult = string;

/** Parameters of `enable_tendermint_with_assets`. */
export interface EnableTendermintWithAssetsParams {
  /** of the chain's coin, as ATOM, IRIS or OSMOSIS */
  ticker: string;
  /** whether the coin is expected to work; needed if the coins file does not say it */
  mm2?: number;
  /** tokens to activate with it; may be empty */
  tokens_params: Array<{
    /** of the token, as ATOM-IBC_IRIS */
    ticker: string;
    /** as of the platform; the coins file's, or else the platform's, when absent */
    required_confirmations?: number;
  }>;
  /** nodes of the chain, one or more */
  nodes: Array<{
    /** of JSON-RPC, http or https, for EVM networks also ws or wss; a user and a password in it are sent as a header */
    url: string;
    /**
     * kept; a browser wallet that does not know the chain receives it
     * @default ""
     */
    api_url?: string;
    /**
     * kept, and not used
     * @default ""
     */
    grpc_url?: string;
    /**
     * of the websocket, ws or wss; url with /websocket behind it when absent
     * @default ""
     */
    ws_url?: string;
    /**
     * requests are signed with the node's identity, for a gateway of Komodo DeFi Framework
     * @default false
     */
    gateway_proxy?: boolean;
    /**
     * another name of gateway_proxy
     * @default false
     */
    komodo_proxy?: boolean;
  }>;
  /**
   * load the transactions of the past in the background, for my_tx_history
   * @default false
   */
  tx_history?: boolean;
  /**
   * confirmations that a transaction needs before others rely on it
   * @default 3
   */
  required_confirmations?: number;
  /**
   * wait for a notarisation too; these chains have none, so it is only kept
   * @default false
   */
  requires_notarization?: boolean;
  /**
   * include balances; without them the answer comes sooner
   * @default true
   */
  get_balances?: boolean;
  /**
   * which address of an HD wallet is the coin's own
   * @default {}
   */
  path_to_address?: {
    /**
     * number of the account
     * @default 0
     */
    account_id?: number;
    /**
     * External for addresses that are shown to others, or Internal
     * @default "External"
     */
    chain?: "External" | "Internal";
    /**
     * number of the address
     * @default 0
     */
    address_id?: number;
  };
  /** whose key the coin uses: a policy's name, or an object with its type and data; ContextPrivKey, the node's own, when absent */
  priv_key_policy?: "ContextPrivKey" | "HardwareWallet" | "BrowserWallet" | "SessionWallet" | "WithPubkey" | {
    /** the name of a policy */
    type: "ContextPrivKey" | "HardwareWallet" | "BrowserWallet" | "SessionWallet" | "WithPubkey";
    /** the session's topic for SessionWallet, an object with pubkey and is_ledger_connection for WithPubkey, else absent */
    data?: unknown;
  };
  /** the policy when an external wallet signs; it goes before priv_key_policy, which must not contradict it; an object that names no policy is refused */
  activation_params?: {
    /** the policy */
    priv_key_policy?: "ContextPrivKey" | "HardwareWallet" | "BrowserWallet" | "SessionWallet" | "WithPubkey" | {
      /** the name of a policy */
      type: "ContextPrivKey" | "HardwareWallet" | "BrowserWallet" | "SessionWallet" | "WithPubkey";
      /** the session's topic for SessionWallet, an object with pubkey and is_ledger_connection for WithPubkey, else absent */
      data?: unknown;
    };
    /** the policy's name, another way to say it */
    type?: "ContextPrivKey" | "HardwareWallet" | "BrowserWallet" | "SessionWallet" | "WithPubkey";
    /** the policy's data, with type */
    params?: unknown;
    /** another name of params */
    data?: unknown;
    /** params of a session, another way to say it */
    session_topic?: unknown;
  };
}

/** Result of `enable_tendermint_with_assets`. */
export interface EnableTendermintWithAssetsResult {
  /** as in the request */
  ticker: string;
  /** the coin's own address, which is that of its tokens too */
  address: string;
  /** height of the newest block */
  current_block: number;
  /** with get_balances */
  balance?: {
    /** what can be sent, a decimal number */
    spendable: string;
    /** what is held but cannot be sent now, a decimal number */
    unspendable: string;
  };
  /** by ticker, with get_balances */
  tokens_balances?: Record<string, {
    /** what can be sent, a decimal number */
    spendable: string;
    /** what is held but cannot be sent now, a decimal number */
    unspendable: string;
  }>;
  /** the tokens, without get_balances */
  tokens_tickers?: Array<string>;
  /** tokens of the request that are not active, since the chain does not say what they have; absent: all are */
  failed_tokens?: Array<{
    /** as in the request */
    ticker: string;
    /** what the chain says of the token, or does not say */
    error: string;
  }>;
}

/** Parameters of `enable_tendermint_token`. */
export interface EnableTendermintTokenParams {
  /** of the token, as ATOM-IBC_IRIS */
  ticker: string;
  /**
   * how to activate it
   * @default {}
   */
  activation_params?: {
    /** a token has its platform's; another one than ContextPrivKey has to be that */
    priv_key_policy?: "ContextPrivKey" | "HardwareWallet" | "BrowserWallet" | "SessionWallet" | "WithPubkey" | {
      /** the name of a policy */
      type: "ContextPrivKey" | "HardwareWallet" | "BrowserWallet" | "SessionWallet" | "WithPubkey";
      /** the session's topic for SessionWallet, an object with pubkey and is_ledger_connection for WithPubkey, else absent */
      data?: unknown;
    };
    /** confirmations that a transaction needs before others rely on it; the coins file's, or else the platform's, when absent */
    required_confirmations?: number;
  };
}

/** Result of `enable_tendermint_token`. */
export interface EnableTendermintTokenResult {
  /** by address */
  balances: Record<string, {
    /** what can be sent, a decimal number */
    spendable: string;
    /** what is held but cannot be sent now, a decimal number */
    unspendable: string;
  }>;
  /** ticker */
  platform_coin: string;
}

/** Parameters of `task::enable_tendermint::init`. */
export interface TaskEnableTendermintInitParams {
  /** of the chain's coin, as ATOM, IRIS or OSMOSIS */
  ticker: string;
  /** whether the coin is expected to work; needed if the coins file does not say it */
  mm2?: number;
  /** tokens to activate with it; may be empty */
  tokens_params: Array<{
    /** of the token, as ATOM-IBC_IRIS */
    ticker: string;
    /** as of the platform; the coins file's, or else the platform's, when absent */
    required_confirmations?: number;
  }>;
  /** nodes of the chain, one or more */
  nodes: Array<{
    /** of JSON-RPC, http or https, for EVM networks also ws or wss; a user and a password in it are sent as a header */
    url: string;
    /**
     * kept; a browser wallet that does not know the chain receives it
     * @default ""
     */
    api_url?: string;
    /**
     * kept, and not used
     * @default ""
     */
    grpc_url?: string;
    /**
     * of the websocket, ws or wss; url with /websocket behind it when absent
     * @default ""
     */
    ws_url?: string;
    /**
     * requests are signed with the node's identity, for a gateway of Komodo DeFi Framework
     * @default false
     */
    gateway_proxy?: boolean;
    /**
     * another name of gateway_proxy
     * @default false
     */
    komodo_proxy?: boolean;
  }>;
  /**
   * load the transactions of the past in the background, for my_tx_history
   * @default false
   */
  tx_history?: boolean;
  /**
   * confirmations that a transaction needs before others rely on it
   * @default 3
   */
  required_confirmations?: number;
  /**
   * wait for a notarisation too; these chains have none, so it is only kept
   * @default false
   */
  requires_notarization?: boolean;
  /**
   * include balances; without them the answer comes sooner
   * @default true
   */
  get_balances?: boolean;
  /**
   * which address of an HD wallet is the coin's own
   * @default {}
   */
  path_to_address?: {
    /**
     * number of the account
     * @default 0
     */
    account_id?: number;
    /**
     * External for addresses that are shown to others, or Internal
     * @default "External"
     */
    chain?: "External" | "Internal";
    /**
     * number of the address
     * @default 0
     */
    address_id?: number;
  };
  /** whose key the coin uses: a policy's name, or an object with its type and data; ContextPrivKey, the node's own, when absent */
  priv_key_policy?: "ContextPrivKey" | "HardwareWallet" | "BrowserWallet" | "SessionWallet" | "WithPubkey" | {
    /** the name of a policy */
    type: "ContextPrivKey" | "HardwareWallet" | "BrowserWallet" | "SessionWallet" | "WithPubkey";
    /** the session's topic for SessionWallet, an object with pubkey and is_ledger_connection for WithPubkey, else absent */
    data?: unknown;
  };
  /** the policy when an external wallet signs; it goes before priv_key_policy, which must not contradict it; an object that names no policy is refused */
  activation_params?: {
    /** the policy */
    priv_key_policy?: "ContextPrivKey" | "HardwareWallet" | "BrowserWallet" | "SessionWallet" | "WithPubkey" | {
      /** the name of a policy */
      type: "ContextPrivKey" | "HardwareWallet" | "BrowserWallet" | "SessionWallet" | "WithPubkey";
      /** the session's topic for SessionWallet, an object with pubkey and is_ledger_connection for WithPubkey, else absent */
      data?: unknown;
    };
    /** the policy's name, another way to say it */
    type?: "ContextPrivKey" | "HardwareWallet" | "BrowserWallet" | "SessionWallet" | "WithPubkey";
    /** the policy's data, with type */
    params?: unknown;
    /** another name of params */
    data?: unknown;
    /** params of a session, another way to say it */
    session_topic?: unknown;
  };
}

/** Result of `task::enable_tendermint::init`. */
export interface TaskEnableTendermintInitResult {
  /** by which the other methods know it */
  task_id: number;
}

/** Parameters of `task::enable_tendermint::status`. */
export interface TaskEnableTendermintStatusParams {
  /** as init gave it */
  task_id: number;
  /**
   * a task that is ready is known no more afterwards
   * @default true
   */
  forget_if_finished?: boolean;
}

/** Result of `task::enable_tendermint::status`. */
export interface TaskEnableTendermintStatusResult {
  /** InProgress, UserActionRequired, Ok or Error */
  status: string;
  /** InProgress: what it does; UserActionRequired: what it asks; Ok: the result; Error: error, error_path, error_trace, error_type and error_data as in an answer */
  details: unknown;
}

/** Parameters of `task::enable_tendermint::cancel`. */
export interface TaskEnableTendermintCancelParams {
  /** as init gave it */
  task_id: number;
}

/** Result of `task::enable_tendermint::cancel`. */
export type TaskEnableTendermintCancelResult = string;

/** Parameters of `task::enable_tendermint::user_action`. */
export interface TaskEnableTendermintUserActionParams {
  /** as init gave it */
  task_id: number;
  /** the answer */
  user_action?: unknown;
}

/** Result of `task::enable_tendermint::user_action`. */
export type TaskEnableTendermintUserActionResult = string;

/** Parameters of `experimental::staking::delegate`. */
export interface ExperimentalStakingDelegateParams {
  /** ticker of an active chain's own coin */
  coin: string;
  staking_details: {
    type: "Cosmos";
    validator_address: string;
    /** how much, in whole coins, a decimal number; with max it does not count */
    amount?: string | number;
    /**
     * delegate: everything that the fee leaves; undelegate: everything that is staked with the validator
     * @default false
     */
    max?: boolean;
    /** the fee; it is estimated when absent */
    fee?: {
      type: "CosmosGas";
      /** of a unit of gas, in units of the chain's denom; a decimal number */
      gas_price: string | number;
      /** how much gas the transaction may use, all of which is paid for; the coin estimates it when absent */
      gas_limit?: number;
    } | {
      type: "EthGas";
      /** of a unit of gas, in billionths of a coin; a decimal number */
      gas_price: string | number;
      /** how much gas the transaction may use */
      gas: number;
    } | {
      type: "EthGasEip1559";
      /** of a unit of gas, in billionths of a coin, at most; a decimal number */
      max_fee_per_gas: string | number;
      /** of a unit of gas, in billionths of a coin, of that, beyond the network's own price; a decimal number */
      max_priority_fee_per_gas: string | number;
      /** how much gas; the coin estimates it when absent */
      gas_option?: {
        type: "Set";
        /** how much gas the transaction may use */
        gas: number;
      } | {
        type: "Calc";
      };
    };
    /** delegate: an address of an HD wallet; the coin's own when absent */
    withdraw_from?: {
      /** m/44'/118'/0'/0/0 */
      derivation_path: string;
    } | {
      account_id: number;
      chain: "External" | "Internal";
      address_id: number;
    };
    /**
     * a text that everybody can read on the chain
     * @default ""
     */
    memo?: string;
  };
}

/** Result of `experimental::staking::delegate`. */
export interface ExperimentalStakingDelegateResult {
  /** the signed transaction, in hexadecimal; empty if it is not known */
  tx_hex: string;
  tx_hash: string;
  /** addresses */
  from: Array<string>;
  /** addresses */
  to: Array<string>;
  /** what the transaction moves of the coin, with a fee in it; amounts are decimal numbers of whole coins */
  total_amount: string;
  /** with a fee in the coin */
  spent_by_me: string;
  received_by_me: string;
  /** what was received less what was spent */
  my_balance_change: string;
  /** 0: the transaction is in no block */
  block_height: number;
  /** of the block, in seconds since 1970; 0: not known */
  timestamp: number;
  fee_details: {
    /** of the chain: Tendermint or Eth */
    type: string;
    /** ticker of the coin that pays */
    coin: string;
    /** a decimal number of whole coins; of Eth the most that it may be */
    amount: string;
    gas_limit: number;
    /** Eth: gas_limit by another name */
    gas?: number;
    /** Eth: of a unit of gas, in whole coins, at most */
    gas_price?: string;
    /** Eth: gas_price by another name, where the network has a price of its own */
    max_fee_per_gas?: string;
    /** Eth: how much of it goes beyond the network's price, in whole coins */
    max_priority_fee_per_gas?: string;
    /** Eth: amount by another name */
    total_fee?: string;
    /** Eth: the part of amount that a rollup takes for keeping the transaction's data on another chain */
    data_fee?: string;
  };
  /** ticker */
  coin: string;
  /** unique among the entries of the coin */
  internal_id: string;
  /** what the transaction is for */
  transaction_type: "StandardTransfer" | "FeeForTokenTx" | "StakingDelegation" | "RemoveDelegation" | "ClaimDelegationRewards" | "NftTransfer" | {
    /** id of the token */
    TokenTransfer: string;
  } | {
    TendermintIBCTransfer: {
      /** id of the token: the SHA-256 of its denom in small letters, in hexadecimal; null if it is the platform's coin */
      token_id: string | null;
    };
  } | {
    CustomTendermintMsg: {
      msg_type: string;
      /** id of the token: the SHA-256 of its denom in small letters, in hexadecimal; null if it is the platform's coin */
      token_id: string | null;
    };
  };
  memo: string;
  /** the nodes executed the transaction on the latest state before it was signed, and it succeeded */
  simulated?: boolean;
}

/** Parameters of `experimental::staking::undelegate`. */
export interface ExperimentalStakingUndelegateParams {
  /** ticker of an active chain's own coin */
  coin: string;
  staking_details: {
    type: "Cosmos";
    validator_address: string;
    /** how much, in whole coins, a decimal number; with max it does not count */
    amount?: string | number;
    /**
     * delegate: everything that the fee leaves; undelegate: everything that is staked with the validator
     * @default false
     */
    max?: boolean;
    /** the fee; it is estimated when absent */
    fee?: {
      type: "CosmosGas";
      /** of a unit of gas, in units of the chain's denom; a decimal number */
      gas_price: string | number;
      /** how much gas the transaction may use, all of which is paid for; the coin estimates it when absent */
      gas_limit?: number;
    } | {
      type: "EthGas";
      /** of a unit of gas, in billionths of a coin; a decimal number */
      gas_price: string | number;
      /** how much gas the transaction may use */
      gas: number;
    } | {
      type: "EthGasEip1559";
      /** of a unit of gas, in billionths of a coin, at most; a decimal number */
      max_fee_per_gas: string | number;
      /** of a unit of gas, in billionths of a coin, of that, beyond the network's own price; a decimal number */
      max_priority_fee_per_gas: string | number;
      /** how much gas; the coin estimates it when absent */
      gas_option?: {
        type: "Set";
        /** how much gas the transaction may use */
        gas: number;
      } | {
        type: "Calc";
      };
    };
    /** delegate: an address of an HD wallet; the coin's own when absent */
    withdraw_from?: {
      /** m/44'/118'/0'/0/0 */
      derivation_path: string;
    } | {
      account_id: number;
      chain: "External" | "Internal";
      address_id: number;
    };
    /**
     * a text that everybody can read on the chain
     * @default ""
     */
    memo?: string;
  };
}

/** Result of `experimental::staking::undelegate`. */
export interface ExperimentalStakingUndelegateResult {
  /** the signed transaction, in hexadecimal; empty if it is not known */
  tx_hex: string;
  tx_hash: string;
  /** addresses */
  from: Array<string>;
  /** addresses */
  to: Array<string>;
  /** what the transaction moves of the coin, with a fee in it; amounts are decimal numbers of whole coins */
  total_amount: string;
  /** with a fee in the coin */
  spent_by_me: string;
  received_by_me: string;
  /** what was received less what was spent */
  my_balance_change: string;
  /** 0: the transaction is in no block */
  block_height: number;
  /** of the block, in seconds since 1970; 0: not known */
  timestamp: number;
  fee_details: {
    /** of the chain: Tendermint or Eth */
    type: string;
    /** ticker of the coin that pays */
    coin: string;
    /** a decimal number of whole coins; of Eth the most that it may be */
    amount: string;
    gas_limit: number;
    /** Eth: gas_limit by another name */
    gas?: number;
    /** Eth: of a unit of gas, in whole coins, at most */
    gas_price?: string;
    /** Eth: gas_price by another name, where the network has a price of its own */
    max_fee_per_gas?: string;
    /** Eth: how much of it goes beyond the network's price, in whole coins */
    max_priority_fee_per_gas?: string;
    /** Eth: amount by another name */
    total_fee?: string;
    /** Eth: the part of amount that a rollup takes for keeping the transaction's data on another chain */
    data_fee?: string;
  };
  /** ticker */
  coin: string;
  /** unique among the entries of the coin */
  internal_id: string;
  /** what the transaction is for */
  transaction_type: "StandardTransfer" | "FeeForTokenTx" | "StakingDelegation" | "RemoveDelegation" | "ClaimDelegationRewards" | "NftTransfer" | {
    /** id of the token */
    TokenTransfer: string;
  } | {
    TendermintIBCTransfer: {
      /** id of the token: the SHA-256 of its denom in small letters, in hexadecimal; null if it is the platform's coin */
      token_id: string | null;
    };
  } | {
    CustomTendermintMsg: {
      msg_type: string;
      /** id of the token: the SHA-256 of its denom in small letters, in hexadecimal; null if it is the platform's coin */
      token_id: string | null;
    };
  };
  memo: string;
  /** the nodes executed the transaction on the latest state before it was signed, and it succeeded */
  simulated?: boolean;
}

/** Parameters of `experimental::staking::claim_rewards`. */
export interface ExperimentalStakingClaimRewardsParams {
  /** ticker of an active chain's own coin */
  coin: string;
  claiming_details: {
    type: "Cosmos";
    validator_address: string;
    /**
     * claim a reward that is not above the fee, too
     * @default false
     */
    force?: boolean;
    /** the fee; it is estimated when absent */
    fee?: {
      type: "CosmosGas";
      /** of a unit of gas, in units of the chain's denom; a decimal number */
      gas_price: string | number;
      /** how much gas the transaction may use, all of which is paid for; the coin estimates it when absent */
      gas_limit?: number;
    } | {
      type: "EthGas";
      /** of a unit of gas, in billionths of a coin; a decimal number */
      gas_price: string | number;
      /** how much gas the transaction may use */
      gas: number;
    } | {
      type: "EthGasEip1559";
      /** of a unit of gas, in billionths of a coin, at most; a decimal number */
      max_fee_per_gas: string | number;
      /** of a unit of gas, in billionths of a coin, of that, beyond the network's own price; a decimal number */
      max_priority_fee_per_gas: string | number;
      /** how much gas; the coin estimates it when absent */
      gas_option?: {
        type: "Set";
        /** how much gas the transaction may use */
        gas: number;
      } | {
        type: "Calc";
      };
    };
    /**
     * a text that everybody can read on the chain
     * @default ""
     */
    memo?: string;
  };
}

/** Result of `experimental::staking::claim_rewards`. */
export interface ExperimentalStakingClaimRewardsResult {
  /** the signed transaction, in hexadecimal; empty if it is not known */
  tx_hex: string;
  tx_hash: string;
  /** addresses */
  from: Array<string>;
  /** addresses */
  to: Array<string>;
  /** what the transaction moves of the coin, with a fee in it; amounts are decimal numbers of whole coins */
  total_amount: string;
  /** with a fee in the coin */
  spent_by_me: string;
  received_by_me: string;
  /** what was received less what was spent */
  my_balance_change: string;
  /** 0: the transaction is in no block */
  block_height: number;
  /** of the block, in seconds since 1970; 0: not known */
  timestamp: number;
  fee_details: {
    /** of the chain: Tendermint or Eth */
    type: string;
    /** ticker of the coin that pays */
    coin: string;
    /** a decimal number of whole coins; of Eth the most that it may be */
    amount: string;
    gas_limit: number;
    /** Eth: gas_limit by another name */
    gas?: number;
    /** Eth: of a unit of gas, in whole coins, at most */
    gas_price?: string;
    /** Eth: gas_price by another name, where the network has a price of its own */
    max_fee_per_gas?: string;
    /** Eth: how much of it goes beyond the network's price, in whole coins */
    max_priority_fee_per_gas?: string;
    /** Eth: amount by another name */
    total_fee?: string;
    /** Eth: the part of amount that a rollup takes for keeping the transaction's data on another chain */
    data_fee?: string;
  };
  /** ticker */
  coin: string;
  /** unique among the entries of the coin */
  internal_id: string;
  /** what the transaction is for */
  transaction_type: "StandardTransfer" | "FeeForTokenTx" | "StakingDelegation" | "RemoveDelegation" | "ClaimDelegationRewards" | "NftTransfer" | {
    /** id of the token */
    TokenTransfer: string;
  } | {
    TendermintIBCTransfer: {
      /** id of the token: the SHA-256 of its denom in small letters, in hexadecimal; null if it is the platform's coin */
      token_id: string | null;
    };
  } | {
    CustomTendermintMsg: {
      msg_type: string;
      /** id of the token: the SHA-256 of its denom in small letters, in hexadecimal; null if it is the platform's coin */
      token_id: string | null;
    };
  };
  memo: string;
  /** the nodes executed the transaction on the latest state before it was signed, and it succeeded */
  simulated?: boolean;
}

/** Parameters of `experimental::staking::query::validators`. */
export interface ExperimentalStakingQueryValidatorsParams {
  /** ticker of an active chain's own coin */
  coin: string;
  info_details: {
    type: "Cosmos";
    /**
     * entries of a page; more than 200 counts as 200
     * @default 10
     */
    limit?: number;
    /**
     * from 1
     * @default 1
     */
    page_number?: number;
    /**
     * Bonded: those that make blocks
     * @default "Bonded"
     */
    filter_by_status?: "All" | "Bonded" | "Unbonded";
  };
}

/** Result of `experimental::staking::query::validators`. */
export interface ExperimentalStakingQueryValidatorsResult {
  validators: Array<{
    operator_address: string;
    consensus_pubkey: {
      "@type": string;
      /** base64 */
      key: string;
    } | null;
    jailed: boolean;
    /** 1 unbonded, 2 unbonding, 3 bonded */
    status: number;
    /** what is staked, in the smallest unit */
    tokens: string;
    /** with 18 digits after the point, which is left out */
    delegator_shares: string;
    description: {
      moniker: string;
      identity: string;
      website: string;
      security_contact: string;
      details: string;
    };
    unbonding_height: number;
    /** RFC 3339 */
    unbonding_time: string;
    commission: {
      commission_rates: {
        /** with 18 digits after the point, which is left out */
        rate: string;
        max_rate: string;
        max_change_rate: string;
      };
      /** RFC 3339 */
      update_time: string;
    };
    /** in the smallest unit */
    min_self_delegation: string;
  }>;
}

/** Parameters of `experimental::staking::query::delegations`. */
export interface ExperimentalStakingQueryDelegationsParams {
  /** ticker of an active chain's own coin */
  coin: string;
  info_details: {
    type: "Cosmos";
    /**
     * entries of a page; more than 200 counts as 200
     * @default 10
     */
    limit?: number;
    /**
     * from 1
     * @default 1
     */
    page_number?: number;
  };
}

/** Result of `experimental::staking::query::delegations`. */
export interface ExperimentalStakingQueryDelegationsResult {
  delegations: Array<{
    validator_address: string;
    /** in whole coins */
    delegated_amount: string;
    /** in whole coins, with parts of the smallest unit, which stay with the chain */
    reward_amount: string;
  }>;
}

/** Parameters of `experimental::staking::query::ongoing_undelegations`. */
export interface ExperimentalStakingQueryOngoingUndelegationsParams {
  /** ticker of an active chain's own coin */
  coin: string;
  info_details: {
    type: "Cosmos";
    /**
     * entries of a page; more than 200 counts as 200
     * @default 10
     */
    limit?: number;
    /**
     * from 1
     * @default 1
     */
    page_number?: number;
  };
}

/** Result of `experimental::staking::query::ongoing_undelegations`. */
export interface ExperimentalStakingQueryOngoingUndelegationsResult {
  ongoing_undelegations: Array<{
    validator_address: string;
    entries: Array<{
      /** of the block in which it began */
      creation_height: number;
      /** when the coins come back, RFC 3339 */
      completion_datetime: string;
      /** in whole coins */
      balance: string;
    }>;
  }>;
}

/** Parameters of `enable_eth_with_tokens`. */
export interface EnableEthWithTokensParams {
  /** of the network's coin, as ETH or MATIC */
  ticker: string;
  /** whether the coin is expected to work; needed if the coins file does not say it */
  mm2?: number;
  /**
   * nodes of the network, one or more
   * @default []
   */
  nodes?: Array<{
    /** of JSON-RPC, http or https, for EVM networks also ws or wss; a user and a password in it are sent as a header */
    url: string;
    /**
     * kept; a browser wallet that does not know the chain receives it
     * @default ""
     */
    api_url?: string;
    /**
     * kept, and not used
     * @default ""
     */
    grpc_url?: string;
    /**
     * of the websocket, ws or wss; url with /websocket behind it when absent
     * @default ""
     */
    ws_url?: string;
    /**
     * requests are signed with the node's identity, for a gateway of Komodo DeFi Framework
     * @default false
     */
    gateway_proxy?: boolean;
    /**
     * another name of gateway_proxy
     * @default false
     */
    komodo_proxy?: boolean;
  }>;
  /** of a network that the coins file does not have: it is active under ticker, and kept */
  network?: {
    /** as test_coin_nodes reports it; a node with another one is left out */
    chain_id: number;
    /**
     * for people
     * @default ""
     */
    name?: string;
  };
  /**
   * Metamask goes with the policy BrowserWallet and changes nothing; Http is an older name of Default
   * @default "Default"
   */
  rpc_mode?: "Default" | "Http" | "Metamask";
  /** the contract of swaps; it is checked and kept */
  swap_contract_address: string;
  /**
   * another contract of swaps; it is checked and kept
   * @default ""
   */
  fallback_swap_contract?: string;
  /** tokens to activate with it; may be empty */
  erc20_tokens_requests: Array<{
    /** of the token, as ATOM-IBC_IRIS */
    ticker: string;
    /** as of the platform; the coins file's, or else the platform's, when absent */
    required_confirmations?: number;
    /** of a token that the coins file does not have; it is active under ticker, and kept */
    protocol?: {
      type: "ERC20";
      protocol_data: {
        /** ticker of the network's coin */
        platform: string;
        /** 0x and 40 hexadecimal digits */
        contract_address: string;
      };
    };
  }>;
  /** activate the network's NFTs too, with the indexer that lists them; its ticker is NFT_ before the network's */
  nft_req?: {
    provider: {
      type: "Indexer" | "Chain";
      info?: {
        /** of the indexer, which an Indexer needs */
        url?: string;
        /** requests are signed with the node's identity, for a gateway */
        gateway_proxy?: boolean;
        /** of a Chain: contracts of ERC-721 with its enumeration, whose NFTs are listed too, however old; at most 20 */
        contracts?: Array<string>;
      };
    };
  };
  /** confirmations that a transaction needs before others rely on it; the coins file's, or else 1, when absent */
  required_confirmations?: number;
  /**
   * include balances; without them the answer comes sooner
   * @default true
   */
  get_balances?: boolean;
  /**
   * which address of an HD wallet is the coin's own
   * @default {}
   */
  path_to_address?: {
    /**
     * number of the account
     * @default 0
     */
    account_id?: number;
    /**
     * External for addresses that are shown to others, or Internal
     * @default "External"
     */
    chain?: "External" | "Internal";
    /**
     * number of the address
     * @default 0
     */
    address_id?: number;
  };
  /**
   * as set_swap_gas_fee_policy sets it
   * @default "Legacy"
   */
  swap_gas_fee_policy?: "Legacy" | "Low" | "Medium" | "High";
  /**
   * find the transactions of the address, see my_tx_history
   * @default false
   */
  tx_history?: boolean;
  /** who lists them for tx_history; without it they are what was sent from here, and the tokens' transfers in the nodes' logs */
  history_indexer?: {
    type: "Blockscout" | "Etherscan" | "EtherscanProxy";
    url: string;
    /** EtherscanProxy: for tokens */
    token_url?: string;
  };
  /**
   * when to look for used addresses of an HD wallet: scan, before each activation; scan_if_new_wallet, before the first
   * @default "scan_if_new_wallet"
   */
  scan_policy?: "do_not_scan" | "scan_if_new_wallet" | "scan";
  /** how many addresses of an HD wallet's account are known afterwards, at least */
  min_addresses_number?: number;
  /** how many unused addresses in a row end a scan; 20 when absent */
  gap_limit?: number;
  /** whose key the coin uses: a policy's name, or an object with its type and data; ContextPrivKey, the node's own, when absent */
  priv_key_policy?: "ContextPrivKey" | "HardwareWallet" | "BrowserWallet" | "SessionWallet" | "WithPubkey" | {
    /** the name of a policy */
    type: "ContextPrivKey" | "HardwareWallet" | "BrowserWallet" | "SessionWallet" | "WithPubkey";
    /** the session's topic for SessionWallet, an object with pubkey and is_ledger_connection for WithPubkey, else absent */
    data?: unknown;
  };
  /** the policy when an external wallet signs; it goes before priv_key_policy, which must not contradict it; an object that names no policy is refused */
  activation_params?: {
    /** the policy */
    priv_key_policy?: "ContextPrivKey" | "HardwareWallet" | "BrowserWallet" | "SessionWallet" | "WithPubkey" | {
      /** the name of a policy */
      type: "ContextPrivKey" | "HardwareWallet" | "BrowserWallet" | "SessionWallet" | "WithPubkey";
      /** the session's topic for SessionWallet, an object with pubkey and is_ledger_connection for WithPubkey, else absent */
      data?: unknown;
    };
    /** the policy's name, another way to say it */
    type?: "ContextPrivKey" | "HardwareWallet" | "BrowserWallet" | "SessionWallet" | "WithPubkey";
    /** the policy's data, with type */
    params?: unknown;
    /** another name of params */
    data?: unknown;
    /** params of a session, another way to say it */
    session_topic?: unknown;
  };
  /** not used: contracts of swaps of another kind */
  swap_v2_contracts?: unknown;
  /**
   * not used: whether others may finish swaps
   * @default false
   */
  contract_supports_watchers?: boolean;
  /**
   * not used: these networks have none
   * @default false
   */
  requires_notarization?: boolean;
  /** ignored: gas prices come from the nodes */
  gas_station_url?: unknown;
  /** not used, as gas_station_url */
  gas_station_decimals?: unknown;
  /** not used, as gas_station_url */
  gas_station_policy?: unknown;
}

/** Result of `enable_eth_with_tokens`. */
export interface EnableEthWithTokensResult {
  /** height of the newest block */
  current_block: number;
  /** with enable_hd and the node's key: as in the request */
  ticker?: string;
  /** with ticker: all accounts, whatever get_balances says */
  wallet_balance?: {
    /** HD */
    wallet_type: string;
    accounts: Array<{
      account_index: number;
      derivation_path: string;
      /** of all addresses, by ticker; without coins whose balance is unknown of one of them */
      total_balance: Record<string, {
        /** what can be sent, a decimal number */
        spendable: string;
        /** what is held but cannot be sent now, a decimal number */
        unspendable: string;
      }>;
      addresses: Array<{
        address: string;
        derivation_path: string;
        chain: "External" | "Internal";
        /** by ticker */
        balance: Record<string, {
          /** what can be sent, a decimal number */
          spendable: string;
          /** what is held but cannot be sent now, a decimal number */
          unspendable: string;
        }>;
        /** by ticker: why a balance is unknown, which balance then does not have */
        unknown_balance?: Record<string, string>;
      }>;
    }>;
  };
  /** without ticker: by address, which has EIP-55's checksum */
  eth_addresses_infos?: Record<string, {
    derivation_method: {
      /** Iguana: the node has one key, or HDWallet */
      type: string;
      /** HDWallet: path of the address */
      data?: string;
    };
    /** uncompressed, in hexadecimal; empty if a wallet outside the node does not show it */
    pubkey: string;
    /** with get_balances */
    balances?: {
      /** what can be sent, a decimal number */
      spendable: string;
      /** what is held but cannot be sent now, a decimal number */
      unspendable: string;
    };
  }>;
  /** without ticker: by the same address */
  erc20_addresses_infos?: Record<string, {
    derivation_method: {
      /** Iguana: the node has one key, or HDWallet */
      type: string;
      /** HDWallet: path of the address */
      data?: string;
    };
    /** uncompressed, in hexadecimal; empty if a wallet outside the node does not show it */
    pubkey: string;
    /** by ticker, with get_balances */
    balances?: Record<string, {
      /** what can be sent, a decimal number */
      spendable: string;
      /** what is held but cannot be sent now, a decimal number */
      unspendable: string;
    }>;
    /** the tokens, without get_balances */
    tickers?: Array<string>;
  }>;
  /** by address of the contract, a comma, and id, with nft_req */
  nfts_infos: Record<string, {
    /** of the contract */
    token_address: string;
    /** a decimal number of 256 bits */
    token_id: string;
    /** as ETH or POLYGON */
    chain: string;
    /** ERC721 or ERC1155 */
    contract_type: string;
    /** a decimal number of 256 bits */
    amount: string;
  }>;
  /** tokens of the request that are not active, since their contracts do not say what they have to; absent: all are */
  failed_tokens?: Array<{
    /** as in the request */
    ticker: string;
    /** what the chain says of the token, or does not say */
    error: string;
  }>;
}

/** Parameters of `enable_erc20`. */
export interface EnableErc20Params {
  /** of the token, as BAT-ERC20 */
  ticker: string;
  /**
   * how to activate it
   * @default {}
   */
  activation_params?: {
    /** a token has its platform's; another one than ContextPrivKey has to be that */
    priv_key_policy?: "ContextPrivKey" | "HardwareWallet" | "BrowserWallet" | "SessionWallet" | "WithPubkey" | {
      /** the name of a policy */
      type: "ContextPrivKey" | "HardwareWallet" | "BrowserWallet" | "SessionWallet" | "WithPubkey";
      /** the session's topic for SessionWallet, an object with pubkey and is_ledger_connection for WithPubkey, else absent */
      data?: unknown;
    };
    /** confirmations that a transaction needs before others rely on it; the coins file's, or else the platform's, when absent */
    required_confirmations?: number;
  };
  /** of a token that the coins file does not have; it is active under ticker, and kept */
  protocol?: {
    type: "ERC20";
    protocol_data: {
      /** ticker of the network's coin */
      platform: string;
      /** 0x and 40 hexadecimal digits */
      contract_address: string;
    };
  };
}

/** Result of `enable_erc20`. */
export interface EnableErc20Result {
  /** by address */
  balances: Record<string, {
    /** what can be sent, a decimal number */
    spendable: string;
    /** what is held but cannot be sent now, a decimal number */
    unspendable: string;
  }>;
  /** ticker */
  platform_coin: string;
  /** in small letters */
  token_contract_address: string;
  required_confirmations: number;
}

/** Parameters of `enable`. */
export interface EnableParams {
  /** ticker of a network's coin, or of a token, whose network is activated with it */
  coin: string;
  /** nodes of the network, one or more: URLs, or objects with a url */
  urls: Array<unknown>;
  /** the contract of swaps; it is checked and kept */
  swap_contract_address: string;
  /**
   * another contract of swaps; it is checked and kept
   * @default ""
   */
  fallback_swap_contract?: string;
  /** whether the coin is expected to work; needed if the coins file does not say it */
  mm2?: number;
  /** as of enable_eth_with_tokens */
  required_confirmations?: number;
  /**
   * as of enable_eth_with_tokens
   * @default false
   */
  tx_history?: boolean;
  /** not used: contracts of swaps of another kind */
  swap_v2_contracts?: unknown;
  /**
   * not used: whether others may finish swaps
   * @default false
   */
  contract_supports_watchers?: boolean;
  /**
   * not used: these networks have none
   * @default false
   */
  requires_notarization?: boolean;
  /** ignored: gas prices come from the nodes */
  gas_station_url?: unknown;
  /** not used, as gas_station_url */
  gas_station_decimals?: unknown;
  /** not used, as gas_station_url */
  gas_station_policy?: unknown;
}

/** Result of `enable`. */
export interface EnableResult {
  /** success */
  result: string;
  /** ticker as in the request */
  coin: string;
  /** what can be sent, a decimal number */
  balance: string;
  /** what is held but cannot be sent now, a decimal number */
  unspendable_balance: string;
  /** the coin's own address */
  address: string;
  required_confirmations: number;
  /** always false: these networks have none */
  requires_notarization: boolean;
}

/** Parameters of `task::enable_eth::init`. */
export interface TaskEnableEthInitParams {
  /** of the network's coin, as ETH or MATIC */
  ticker: string;
  /** whether the coin is expected to work; needed if the coins file does not say it */
  mm2?: number;
  /**
   * nodes of the network, one or more
   * @default []
   */
  nodes?: Array<{
    /** of JSON-RPC, http or https, for EVM networks also ws or wss; a user and a password in it are sent as a header */
    url: string;
    /**
     * kept; a browser wallet that does not know the chain receives it
     * @default ""
     */
    api_url?: string;
    /**
     * kept, and not used
     * @default ""
     */
    grpc_url?: string;
    /**
     * of the websocket, ws or wss; url with /websocket behind it when absent
     * @default ""
     */
    ws_url?: string;
    /**
     * requests are signed with the node's identity, for a gateway of Komodo DeFi Framework
     * @default false
     */
    gateway_proxy?: boolean;
    /**
     * another name of gateway_proxy
     * @default false
     */
    komodo_proxy?: boolean;
  }>;
  /** of a network that the coins file does not have: it is active under ticker, and kept */
  network?: {
    /** as test_coin_nodes reports it; a node with another one is left out */
    chain_id: number;
    /**
     * for people
     * @default ""
     */
    name?: string;
  };
  /**
   * Metamask goes with the policy BrowserWallet and changes nothing; Http is an older name of Default
   * @default "Default"
   */
  rpc_mode?: "Default" | "Http" | "Metamask";
  /** the contract of swaps; it is checked and kept */
  swap_contract_address: string;
  /**
   * another contract of swaps; it is checked and kept
   * @default ""
   */
  fallback_swap_contract?: string;
  /** tokens to activate with it; may be empty */
  erc20_tokens_requests: Array<{
    /** of the token, as ATOM-IBC_IRIS */
    ticker: string;
    /** as of the platform; the coins file's, or else the platform's, when absent */
    required_confirmations?: number;
    /** of a token that the coins file does not have; it is active under ticker, and kept */
    protocol?: {
      type: "ERC20";
      protocol_data: {
        /** ticker of the network's coin */
        platform: string;
        /** 0x and 40 hexadecimal digits */
        contract_address: string;
      };
    };
  }>;
  /** activate the network's NFTs too, with the indexer that lists them; its ticker is NFT_ before the network's */
  nft_req?: {
    provider: {
      type: "Indexer" | "Chain";
      info?: {
        /** of the indexer, which an Indexer needs */
        url?: string;
        /** requests are signed with the node's identity, for a gateway */
        gateway_proxy?: boolean;
        /** of a Chain: contracts of ERC-721 with its enumeration, whose NFTs are listed too, however old; at most 20 */
        contracts?: Array<string>;
      };
    };
  };
  /** confirmations that a transaction needs before others rely on it; the coins file's, or else 1, when absent */
  required_confirmations?: number;
  /**
   * include balances; without them the answer comes sooner
   * @default true
   */
  get_balances?: boolean;
  /**
   * which address of an HD wallet is the coin's own
   * @default {}
   */
  path_to_address?: {
    /**
     * number of the account
     * @default 0
     */
    account_id?: number;
    /**
     * External for addresses that are shown to others, or Internal
     * @default "External"
     */
    chain?: "External" | "Internal";
    /**
     * number of the address
     * @default 0
     */
    address_id?: number;
  };
  /**
   * as set_swap_gas_fee_policy sets it
   * @default "Legacy"
   */
  swap_gas_fee_policy?: "Legacy" | "Low" | "Medium" | "High";
  /**
   * find the transactions of the address, see my_tx_history
   * @default false
   */
  tx_history?: boolean;
  /** who lists them for tx_history; without it they are what was sent from here, and the tokens' transfers in the nodes' logs */
  history_indexer?: {
    type: "Blockscout" | "Etherscan" | "EtherscanProxy";
    url: string;
    /** EtherscanProxy: for tokens */
    token_url?: string;
  };
  /**
   * when to look for used addresses of an HD wallet: scan, before each activation; scan_if_new_wallet, before the first
   * @default "scan_if_new_wallet"
   */
  scan_policy?: "do_not_scan" | "scan_if_new_wallet" | "scan";
  /** how many addresses of an HD wallet's account are known afterwards, at least */
  min_addresses_number?: number;
  /** how many unused addresses in a row end a scan; 20 when absent */
  gap_limit?: number;
  /** whose key the coin uses: a policy's name, or an object with its type and data; ContextPrivKey, the node's own, when absent */
  priv_key_policy?: "ContextPrivKey" | "HardwareWallet" | "BrowserWallet" | "SessionWallet" | "WithPubkey" | {
    /** the name of a policy */
    type: "ContextPrivKey" | "HardwareWallet" | "BrowserWallet" | "SessionWallet" | "WithPubkey";
    /** the session's topic for SessionWallet, an object with pubkey and is_ledger_connection for WithPubkey, else absent */
    data?: unknown;
  };
  /** the policy when an external wallet signs; it goes before priv_key_policy, which must not contradict it; an object that names no policy is refused */
  activation_params?: {
    /** the policy */
    priv_key_policy?: "ContextPrivKey" | "HardwareWallet" | "BrowserWallet" | "SessionWallet" | "WithPubkey" | {
      /** the name of a policy */
      type: "ContextPrivKey" | "HardwareWallet" | "BrowserWallet" | "SessionWallet" | "WithPubkey";
      /** the session's topic for SessionWallet, an object with pubkey and is_ledger_connection for WithPubkey, else absent */
      data?: unknown;
    };
    /** the policy's name, another way to say it */
    type?: "ContextPrivKey" | "HardwareWallet" | "BrowserWallet" | "SessionWallet" | "WithPubkey";
    /** the policy's data, with type */
    params?: unknown;
    /** another name of params */
    data?: unknown;
    /** params of a session, another way to say it */
    session_topic?: unknown;
  };
  /** not used: contracts of swaps of another kind */
  swap_v2_contracts?: unknown;
  /**
   * not used: whether others may finish swaps
   * @default false
   */
  contract_supports_watchers?: boolean;
  /**
   * not used: these networks have none
   * @default false
   */
  requires_notarization?: boolean;
  /** ignored: gas prices come from the nodes */
  gas_station_url?: unknown;
  /** not used, as gas_station_url */
  gas_station_decimals?: unknown;
  /** not used, as gas_station_url */
  gas_station_policy?: unknown;
}

/** Result of `task::enable_eth::init`. */
export interface TaskEnableEthInitResult {
  /** by which the other methods know it */
  task_id: number;
}

/** Parameters of `task::enable_eth::status`. */
export interface TaskEnableEthStatusParams {
  /** as init gave it */
  task_id: number;
  /**
   * a task that is ready is known no more afterwards
   * @default true
   */
  forget_if_finished?: boolean;
}

/** Result of `task::enable_eth::status`. */
export interface TaskEnableEthStatusResult {
  /** InProgress, UserActionRequired, Ok or Error */
  status: string;
  /** InProgress: what it does; UserActionRequired: what it asks; Ok: the result; Error: error, error_path, error_trace, error_type and error_data as in an answer */
  details: unknown;
}

/** Parameters of `task::enable_eth::cancel`. */
export interface TaskEnableEthCancelParams {
  /** as init gave it */
  task_id: number;
}

/** Result of `task::enable_eth::cancel`. */
export type TaskEnableEthCancelResult = string;

/** Parameters of `task::enable_eth::user_action`. */
export interface TaskEnableEthUserActionParams {
  /** as init gave it */
  task_id: number;
  /** the answer */
  user_action?: unknown;
}

/** Result of `task::enable_eth::user_action`. */
export type TaskEnableEthUserActionResult = string;

/** Parameters of `task::enable_erc20::init`. */
export interface TaskEnableErc20InitParams {
  /** of the token, as BAT-ERC20 */
  ticker: string;
  /**
   * how to activate it
   * @default {}
   */
  activation_params?: {
    /** a token has its platform's; another one than ContextPrivKey has to be that */
    priv_key_policy?: "ContextPrivKey" | "HardwareWallet" | "BrowserWallet" | "SessionWallet" | "WithPubkey" | {
      /** the name of a policy */
      type: "ContextPrivKey" | "HardwareWallet" | "BrowserWallet" | "SessionWallet" | "WithPubkey";
      /** the session's topic for SessionWallet, an object with pubkey and is_ledger_connection for WithPubkey, else absent */
      data?: unknown;
    };
    /** confirmations that a transaction needs before others rely on it; the coins file's, or else the platform's, when absent */
    required_confirmations?: number;
  };
  /** of a token that the coins file does not have; it is active under ticker, and kept */
  protocol?: {
    type: "ERC20";
    protocol_data: {
      /** ticker of the network's coin */
      platform: string;
      /** 0x and 40 hexadecimal digits */
      contract_address: string;
    };
  };
}

/** Result of `task::enable_erc20::init`. */
export interface TaskEnableErc20InitResult {
  /** by which the other methods know it */
  task_id: number;
}

/** Parameters of `task::enable_erc20::status`. */
export interface TaskEnableErc20StatusParams {
  /** as init gave it */
  task_id: number;
  /**
   * a task that is ready is known no more afterwards
   * @default true
   */
  forget_if_finished?: boolean;
}

/** Result of `task::enable_erc20::status`. */
export interface TaskEnableErc20StatusResult {
  /** InProgress, UserActionRequired, Ok or Error */
  status: string;
  /** InProgress: what it does; UserActionRequired: what it asks; Ok: the result; Error: error, error_path, error_trace, error_type and error_data as in an answer */
  details: unknown;
}

/** Parameters of `task::enable_erc20::cancel`. */
export interface TaskEnableErc20CancelParams {
  /** as init gave it */
  task_id: number;
}

/** Result of `task::enable_erc20::cancel`. */
export type TaskEnableErc20CancelResult = string;

/** Parameters of `task::enable_erc20::user_action`. */
export interface TaskEnableErc20UserActionParams {
  /** as init gave it */
  task_id: number;
  /** the answer */
  user_action?: unknown;
}

/** Result of `task::enable_erc20::user_action`. */
export type TaskEnableErc20UserActionResult = string;

/** Parameters of `account_balance`. */
export interface AccountBalanceParams {
  /** ticker of an active coin or token */
  coin: string;
  /** number of the account */
  account_index: number;
  /** @default "External" */
  chain?: "External" | "Internal";
  /**
   * addresses of a page
   * @default 10
   */
  limit?: number;
  /** which page; the first when absent */
  paging_options?: {
    /** from 1 */
    PageNumber: number;
  } | {
    /** number of the address before the page */
    FromId: number;
  };
}

/** Result of `account_balance`. */
export interface AccountBalanceResult {
  account_index: number;
  derivation_path: string;
  addresses: Array<{
    address: string;
    derivation_path: string;
    chain: "External" | "Internal";
    /** by ticker */
    balance: Record<string, {
      /** what can be sent, a decimal number */
      spendable: string;
      /** what is held but cannot be sent now, a decimal number */
      unspendable: string;
    }>;
    /** by ticker: why a balance is unknown, which balance then does not have */
    unknown_balance?: Record<string, string>;
  }>;
  /** of the page's addresses, by ticker; without coins whose balance is unknown of one of them */
  page_balance: Record<string, {
    /** what can be sent, a decimal number */
    spendable: string;
    /** what is held but cannot be sent now, a decimal number */
    unspendable: string;
  }>;
  limit: number;
  /** addresses before the page */
  skipped: number;
  /** addresses of the chain that are known */
  total: number;
  total_pages: number;
  /** as in the request */
  paging_options: {
    /** from 1 */
    PageNumber: number;
  } | {
    /** number of the address before the page */
    FromId: number;
  };
}

/** Parameters of `get_new_address`. */
export interface GetNewAddressParams {
  /** ticker of an active coin or token */
  coin: string;
  /** number of the account */
  account_id: number;
  /** @default "External" */
  chain?: "External" | "Internal";
  /** how many unused addresses in a row there may be; that of the activation when absent */
  gap_limit?: number;
}

/** Result of `get_new_address`. */
export interface GetNewAddressResult {
  new_address: {
    address: string;
    derivation_path: string;
    chain: "External" | "Internal";
    /** by ticker */
    balance: Record<string, {
      /** what can be sent, a decimal number */
      spendable: string;
      /** what is held but cannot be sent now, a decimal number */
      unspendable: string;
    }>;
    /** by ticker: why a balance is unknown, which balance then does not have */
    unknown_balance?: Record<string, string>;
  };
}

/** Parameters of `task::account_balance::init`. */
export interface TaskAccountBalanceInitParams {
  /** ticker of an active coin or token */
  coin: string;
  /** number of the account */
  account_index: number;
}

/** Result of `task::account_balance::init`. */
export interface TaskAccountBalanceInitResult {
  /** by which the other methods know it */
  task_id: number;
}

/** Parameters of `task::account_balance::status`. */
export interface TaskAccountBalanceStatusParams {
  /** as init gave it */
  task_id: number;
  /**
   * a task that is ready is known no more afterwards
   * @default true
   */
  forget_if_finished?: boolean;
}

/** Result of `task::account_balance::status`. */
export interface TaskAccountBalanceStatusResult {
  /** InProgress, UserActionRequired, Ok or Error */
  status: string;
  /** InProgress: what it does; UserActionRequired: what it asks; Ok: the result; Error: error, error_path, error_trace, error_type and error_data as in an answer */
  details: unknown;
}

/** Parameters of `task::account_balance::cancel`. */
export interface TaskAccountBalanceCancelParams {
  /** as init gave it */
  task_id: number;
}

/** Result of `task::account_balance::cancel`. */
export type TaskAccountBalanceCancelResult = string;

/** Parameters of `task::get_new_address::init`. */
export interface TaskGetNewAddressInitParams {
  /** ticker of an active coin or token */
  coin: string;
  /** number of the account */
  account_id: number;
  /** @default "External" */
  chain?: "External" | "Internal";
  /** how many unused addresses in a row there may be; that of the activation when absent */
  gap_limit?: number;
}

/** Result of `task::get_new_address::init`. */
export interface TaskGetNewAddressInitResult {
  /** by which the other methods know it */
  task_id: number;
}

/** Parameters of `task::get_new_address::status`. */
export interface TaskGetNewAddressStatusParams {
  /** as init gave it */
  task_id: number;
  /**
   * a task that is ready is known no more afterwards
   * @default true
   */
  forget_if_finished?: boolean;
}

/** Result of `task::get_new_address::status`. */
export interface TaskGetNewAddressStatusResult {
  /** InProgress, UserActionRequired, Ok or Error */
  status: string;
  /** InProgress: what it does; UserActionRequired: what it asks; Ok: the result; Error: error, error_path, error_trace, error_type and error_data as in an answer */
  details: unknown;
}

/** Parameters of `task::get_new_address::cancel`. */
export interface TaskGetNewAddressCancelParams {
  /** as init gave it */
  task_id: number;
}

/** Result of `task::get_new_address::cancel`. */
export type TaskGetNewAddressCancelResult = string;

/** Parameters of `task::get_new_address::user_action`. */
export interface TaskGetNewAddressUserActionParams {
  /** as init gave it */
  task_id: number;
  /** the answer */
  user_action?: unknown;
}

/** Result of `task::get_new_address::user_action`. */
export type TaskGetNewAddressUserActionResult = string;

/** Parameters of `task::scan_for_new_addresses::init`. */
export interface TaskScanForNewAddressesInitParams {
  /** ticker of an active coin or token */
  coin: string;
  /** number of the account */
  account_index: number;
  /** how many unused addresses in a row end the scan; that of the activation when absent */
  gap_limit?: number;
}

/** Result of `task::scan_for_new_addresses::init`. */
export interface TaskScanForNewAddressesInitResult {
  /** by which the other methods know it */
  task_id: number;
}

/** Parameters of `task::scan_for_new_addresses::status`. */
export interface TaskScanForNewAddressesStatusParams {
  /** as init gave it */
  task_id: number;
  /**
   * a task that is ready is known no more afterwards
   * @default true
   */
  forget_if_finished?: boolean;
}

/** Result of `task::scan_for_new_addresses::status`. */
export interface TaskScanForNewAddressesStatusResult {
  /** InProgress, UserActionRequired, Ok or Error */
  status: string;
  /** InProgress: what it does; UserActionRequired: what it asks; Ok: the result; Error: error, error_path, error_trace, error_type and error_data as in an answer */
  details: unknown;
}

/** Parameters of `task::scan_for_new_addresses::cancel`. */
export interface TaskScanForNewAddressesCancelParams {
  /** as init gave it */
  task_id: number;
}

/** Result of `task::scan_for_new_addresses::cancel`. */
export type TaskScanForNewAddressesCancelResult = string;

/** Parameters of `task::create_new_account::init`. */
export interface TaskCreateNewAccountInitParams {
  /** ticker of an active coin or token */
  coin: string;
  /**
   * look for used addresses
   * @default true
   */
  scan?: boolean;
  /** how many unused addresses in a row end the scan; that of the activation when absent */
  gap_limit?: number;
  /** number of the account; the one after the last when absent */
  account_id?: number;
}

/** Result of `task::create_new_account::init`. */
export interface TaskCreateNewAccountInitResult {
  /** by which the other methods know it */
  task_id: number;
}

/** Parameters of `task::create_new_account::status`. */
export interface TaskCreateNewAccountStatusParams {
  /** as init gave it */
  task_id: number;
  /**
   * a task that is ready is known no more afterwards
   * @default true
   */
  forget_if_finished?: boolean;
}

/** Result of `task::create_new_account::status`. */
export interface TaskCreateNewAccountStatusResult {
  /** InProgress, UserActionRequired, Ok or Error */
  status: string;
  /** InProgress: what it does; UserActionRequired: what it asks; Ok: the result; Error: error, error_path, error_trace, error_type and error_data as in an answer */
  details: unknown;
}

/** Parameters of `task::create_new_account::cancel`. */
export interface TaskCreateNewAccountCancelParams {
  /** as init gave it */
  task_id: number;
}

/** Result of `task::create_new_account::cancel`. */
export type TaskCreateNewAccountCancelResult = string;

/** Parameters of `task::create_new_account::user_action`. */
export interface TaskCreateNewAccountUserActionParams {
  /** as init gave it */
  task_id: number;
  /** the answer */
  user_action?: unknown;
}

/** Result of `task::create_new_account::user_action`. */
export type TaskCreateNewAccountUserActionResult = string;

/** Parameters of `get_token_info`. */
export interface GetTokenInfoParams {
  protocol: {
    type: "ERC20";
    protocol_data: {
      /** ticker of the network's coin */
      platform: string;
      /** 0x and 40 hexadecimal digits */
      contract_address: string;
    };
  };
}

/** Result of `get_token_info`. */
export interface GetTokenInfoResult {
  /** the ticker by which the coins file has the contract; absent if it does not */
  config_ticker?: string;
  /** ERC20 */
  type: string;
  info: {
    /** the contract's own: anybody may call a token anything */
    symbol: string;
    decimals: number;
  };
}

/** Parameters of `find_tokens`. */
export interface FindTokensParams {
  /** ticker of an active EVM network's coin */
  coin: string;
  /** addresses, at most 1000 */
  contracts: Array<string>;
}

/** Result of `find_tokens`. */
export interface FindTokensResult {
  held: Array<{
    contract: string;
    /** a whole number above 0 */
    units: string;
  }>;
  failed: Array<{
    contract: string;
    error: string;
  }>;
}

/** Parameters of `get_token_allowance`. */
export interface GetTokenAllowanceParams {
  /** ticker of an active token */
  coin: string;
  /** address */
  spender: string;
}

/** Result of `get_token_allowance`. */
export type GetTokenAllowanceResult = string;

/** Parameters of `approve_token`. */
export interface ApproveTokenParams {
  /** ticker of an active token */
  coin: string;
  /** address */
  spender: string;
  /** how much, in whole coins, a decimal number */
  amount: string | number;
}

/** Result of `approve_token`. */
export type ApproveTokenResult = string;

/** Parameters of `withdraw_nft`. */
export interface WithdrawNftParams {
  /** withdraw_erc721, or withdraw_erc1155 for contracts that have several of an id */
  type: "withdraw_erc721" | "withdraw_erc1155";
  withdraw_data: {
    /** that holds the NFT */
    chain: "AVALANCHE" | "BSC" | "ETH" | "FANTOM" | "POLYGON";
    /** of the contract: 0x and 40 hexadecimal digits */
    token_address: string;
    /** a decimal number of 256 bits */
    token_id: string;
    /** address */
    to: string;
    /** withdraw_erc1155: how many, as a decimal number; 1 when absent */
    amount?: string | number;
    /**
     * withdraw_erc1155: all that the address has
     * @default false
     */
    max?: boolean;
    /** the fee; the network estimates it when absent */
    fee?: {
      type: "CosmosGas";
      /** of a unit of gas, in units of the chain's denom; a decimal number */
      gas_price: string | number;
      /** how much gas the transaction may use, all of which is paid for; the coin estimates it when absent */
      gas_limit?: number;
    } | {
      type: "EthGas";
      /** of a unit of gas, in billionths of a coin; a decimal number */
      gas_price: string | number;
      /** how much gas the transaction may use */
      gas: number;
    } | {
      type: "EthGasEip1559";
      /** of a unit of gas, in billionths of a coin, at most; a decimal number */
      max_fee_per_gas: string | number;
      /** of a unit of gas, in billionths of a coin, of that, beyond the network's own price; a decimal number */
      max_priority_fee_per_gas: string | number;
      /** how much gas; the coin estimates it when absent */
      gas_option?: {
        type: "Set";
        /** how much gas the transaction may use */
        gas: number;
      } | {
        type: "Calc";
      };
    };
  };
  /**
   * send the transaction too
   * @default false
   */
  broadcast?: boolean;
}

/** Result of `withdraw_nft`. */
export interface WithdrawNftResult {
  /** the signed transaction, in hexadecimal; empty if it is not known */
  tx_hex: string;
  tx_hash: string;
  /** addresses */
  from: Array<string>;
  /** addresses */
  to: Array<string>;
  /** ERC721 or ERC1155 */
  contract_type: string;
  /** of the contract, in small letters */
  token_address: string;
  token_id: string;
  /** how many NFTs */
  amount: string;
  fee_details: {
    /** of the chain: Tendermint or Eth */
    type: string;
    /** ticker of the coin that pays */
    coin: string;
    /** a decimal number of whole coins; of Eth the most that it may be */
    amount: string;
    gas_limit: number;
    /** Eth: gas_limit by another name */
    gas?: number;
    /** Eth: of a unit of gas, in whole coins, at most */
    gas_price?: string;
    /** Eth: gas_price by another name, where the network has a price of its own */
    max_fee_per_gas?: string;
    /** Eth: how much of it goes beyond the network's price, in whole coins */
    max_priority_fee_per_gas?: string;
    /** Eth: amount by another name */
    total_fee?: string;
    /** Eth: the part of amount that a rollup takes for keeping the transaction's data on another chain */
    data_fee?: string;
  };
  /** ticker of the chain's coin */
  coin: string;
  /** 0: the transaction is in no block */
  block_height: number;
  /** 0: not known */
  timestamp: number;
  /** always 0 */
  internal_id: number;
  /** what the transaction is for */
  transaction_type: "StandardTransfer" | "FeeForTokenTx" | "StakingDelegation" | "RemoveDelegation" | "ClaimDelegationRewards" | "NftTransfer" | {
    /** id of the token */
    TokenTransfer: string;
  } | {
    TendermintIBCTransfer: {
      /** id of the token: the SHA-256 of its denom in small letters, in hexadecimal; null if it is the platform's coin */
      token_id: string | null;
    };
  } | {
    CustomTendermintMsg: {
      msg_type: string;
      /** id of the token: the SHA-256 of its denom in small letters, in hexadecimal; null if it is the platform's coin */
      token_id: string | null;
    };
  };
}

/** Parameters of `get_swap_gas_fee_policy`. */
export interface GetSwapGasFeePolicyParams {
  /** ticker of an active coin of an EVM network */
  coin: string;
}

/** Result of `get_swap_gas_fee_policy`. */
export type GetSwapGasFeePolicyResult = "Legacy" | "Low" | "Medium" | "High";

/** Parameters of `set_swap_gas_fee_policy`. */
export interface SetSwapGasFeePolicyParams {
  /** ticker of an active coin of an EVM network */
  coin: string;
  /**
   * Legacy: the nodes' price of gas; the others are the levels of get_eth_estimated_fee_per_gas
   * @default "Legacy"
   */
  swap_gas_fee_policy?: "Legacy" | "Low" | "Medium" | "High";
}

/** Result of `set_swap_gas_fee_policy`. */
export type SetSwapGasFeePolicyResult = "Legacy" | "Low" | "Medium" | "High";

/** Parameters of `enable_nft`. */
export interface EnableNftParams {
  /** of the network of NFTs, as NFT_ETH or NFT_MATIC */
  ticker: string;
  /** who lists NFTs: an indexer, or with Chain the platform's own nodes */
  activation_params: {
    provider: {
      type: "Indexer" | "Chain";
      info?: {
        /** of the indexer, which an Indexer needs */
        url?: string;
        /** requests are signed with the node's identity, for a gateway */
        gateway_proxy?: boolean;
        /** of a Chain: contracts of ERC-721 with its enumeration, whose NFTs are listed too, however old; at most 20 */
        contracts?: Array<string>;
      };
    };
    /** the name of a policy, or an object with its type and data */
    priv_key_policy?: "ContextPrivKey" | "HardwareWallet" | "BrowserWallet" | "SessionWallet" | "WithPubkey" | {
      /** the name of a policy */
      type: "ContextPrivKey" | "HardwareWallet" | "BrowserWallet" | "SessionWallet" | "WithPubkey";
      /** the session's topic for SessionWallet, an object with pubkey and is_ledger_connection for WithPubkey, else absent */
      data?: unknown;
    };
  };
}

/** Result of `enable_nft`. */
export interface EnableNftResult {
  /** by address of the contract, a comma, and id */
  nfts: Record<string, {
    /** of the contract */
    token_address: string;
    /** a decimal number of 256 bits */
    token_id: string;
    /** as ETH or POLYGON */
    chain: string;
    /** ERC721 or ERC1155 */
    contract_type: string;
    /** a decimal number of 256 bits */
    amount: string;
  }>;
  /** ticker */
  platform_coin: string;
}

/** Parameters of `refresh_nft_metadata`. */
export interface RefreshNftMetadataParams {
  /** that holds the NFT */
  chain: "AVALANCHE" | "BSC" | "ETH" | "FANTOM" | "POLYGON";
  /** of the contract: 0x and 40 hexadecimal digits */
  token_address: string;
  /** a decimal number of 256 bits */
  token_id: string;
  /** of the indexer; required unless the network was activated with the provider Chain */
  url?: string;
  /** of the service against spam; required with url */
  url_antispam?: string;
  /**
   * requests are signed with the node's identity, for a gateway
   * @default false
   */
  gateway_proxy?: boolean;
  /**
   * another name of gateway_proxy
   * @default false
   */
  komodo_proxy?: boolean;
  /**
   * without url: fetch documents from where the authors of NFTs keep them, who see the address from which they are asked
   * @default true
   */
  fetch_metadata?: boolean;
}

/** Result of `refresh_nft_metadata`. */
export type RefreshNftMetadataResult = null;

/** Parameters of `update_nft`. */
export interface UpdateNftParams {
  /** whose networks of NFTs are active */
  chains: Array<"AVALANCHE" | "BSC" | "ETH" | "FANTOM" | "POLYGON">;
  /** without url, of one chain: contracts of ERC-721 with its enumeration, whose NFTs are listed from now on, however old; at most 20 */
  contracts?: Array<string>;
  /** of the indexer; required unless the network was activated with the provider Chain */
  url?: string;
  /** of the service against spam; required with url */
  url_antispam?: string;
  /**
   * requests are signed with the node's identity, for a gateway
   * @default false
   */
  gateway_proxy?: boolean;
  /**
   * another name of gateway_proxy
   * @default false
   */
  komodo_proxy?: boolean;
  /**
   * without url: fetch documents from where the authors of NFTs keep them, who see the address from which they are asked
   * @default true
   */
  fetch_metadata?: boolean;
}

/** Result of `update_nft`. */
export type UpdateNftResult = null;

/** Parameters of `get_nft_list`. */
export interface GetNftListParams {
  /** in this order */
  chains: Array<"AVALANCHE" | "BSC" | "ETH" | "FANTOM" | "POLYGON">;
  /**
   * all on one page: limit and page_number do not count
   * @default false
   */
  max?: boolean;
  /**
   * of a page; more than 10000 counts as 10000
   * @default 10
   */
  limit?: number;
  /** @default 1 */
  page_number?: number;
  /**
   * names with a link in them are replaced by a text that says so
   * @default false
   */
  protect_from_spam?: boolean;
  /**
   * what is left out
   * @default {}
   */
  filters?: {
    /**
     * what is possible spam
     * @default false
     */
    exclude_spam?: boolean;
    /**
     * what has to do with a domain that phishes
     * @default false
     */
    exclude_phishing?: boolean;
  };
}

/** Result of `get_nft_list`. */
export interface GetNftListResult {
  nfts: Array<{
    chain: string;
    /** of the contract */
    token_address: string;
    /** a decimal number of 256 bits */
    token_id: string;
    /** a decimal number of 256 bits */
    amount: string;
    /** address of the wallet */
    owner_of: string;
    /** the indexer's */
    token_hash: string | null;
    block_number_minted: number | null;
    /** in which the amount or the owner changed */
    block_number: number;
    /** ERC721 or ERC1155 */
    contract_type: string;
    /** of the collection */
    name: string | null;
    symbol: string | null;
    token_uri: string | null;
    token_domain: string | null;
    /** JSON of the NFT's author, without the documents in it */
    metadata: string | null;
    last_token_uri_sync: string | null;
    last_metadata_sync: string | null;
    minter_address: string | null;
    possible_spam: boolean;
    /** it has to do with a domain that phishes */
    possible_phishing: boolean;
    uri_meta: {
      /** as its author wrote it */
      image: string | null;
      /** for a browser */
      image_url: string | null;
      image_domain: string | null;
      name: string | null;
      description: string | null;
      /** any JSON, as the NFT's author wrote it */
      attributes: unknown;
      animation_url: string | null;
      animation_domain: string | null;
      external_url: string | null;
      external_domain: string | null;
      /** any JSON, as the NFT's author wrote it */
      image_details: unknown;
    };
  }>;
  /** NFTs before the page */
  skipped: number;
  /** NFTs on all pages */
  total: number;
  /** chains of which NFTs may be missing, and why; absent: the list is complete */
  incomplete?: Array<{
    /** the chain or ticker whose items may be missing; absent: any */
    of?: string;
    /** NoAnswer (the servers could not be asked, or failed), TooMany (a limit cuts the list), NoLogs (nodes do not have older blocks, or their logs), InProgress (some are still to be loaded), NoIndexer (no history_indexer is set, without which what others sent of the network's own coin is not listed), Restoring (it was active when the node last ran, and is restored in the background) */
    reason: "NoAnswer" | "TooMany" | "NoLogs" | "InProgress" | "NoIndexer" | "Restoring";
    /** the last failure, in words */
    error?: string;
  }>;
}

/** Parameters of `get_nft_metadata`. */
export interface GetNftMetadataParams {
  /** that holds the NFT */
  chain: "AVALANCHE" | "BSC" | "ETH" | "FANTOM" | "POLYGON";
  /** of the contract: 0x and 40 hexadecimal digits */
  token_address: string;
  /** a decimal number of 256 bits */
  token_id: string;
  /**
   * names with a link in them are replaced by a text that says so
   * @default false
   */
  protect_from_spam?: boolean;
}

/** Result of `get_nft_metadata`. */
export interface GetNftMetadataResult {
  chain: string;
  /** of the contract */
  token_address: string;
  /** a decimal number of 256 bits */
  token_id: string;
  /** a decimal number of 256 bits */
  amount: string;
  /** address of the wallet */
  owner_of: string;
  /** the indexer's */
  token_hash: string | null;
  block_number_minted: number | null;
  /** in which the amount or the owner changed */
  block_number: number;
  /** ERC721 or ERC1155 */
  contract_type: string;
  /** of the collection */
  name: string | null;
  symbol: string | null;
  token_uri: string | null;
  token_domain: string | null;
  /** JSON of the NFT's author, without the documents in it */
  metadata: string | null;
  last_token_uri_sync: string | null;
  last_metadata_sync: string | null;
  minter_address: string | null;
  possible_spam: boolean;
  /** it has to do with a domain that phishes */
  possible_phishing: boolean;
  uri_meta: {
    /** as its author wrote it */
    image: string | null;
    /** for a browser */
    image_url: string | null;
    image_domain: string | null;
    name: string | null;
    description: string | null;
    /** any JSON, as the NFT's author wrote it */
    attributes: unknown;
    animation_url: string | null;
    animation_domain: string | null;
    external_url: string | null;
    external_domain: string | null;
    /** any JSON, as the NFT's author wrote it */
    image_details: unknown;
  };
}

/** Parameters of `get_nft_transfers`. */
export interface GetNftTransfersParams {
  /** in this order */
  chains: Array<"AVALANCHE" | "BSC" | "ETH" | "FANTOM" | "POLYGON">;
  /**
   * all on one page: limit and page_number do not count
   * @default false
   */
  max?: boolean;
  /**
   * of a page; more than 10000 counts as 10000
   * @default 10
   */
  limit?: number;
  /** @default 1 */
  page_number?: number;
  /**
   * names with a link in them are replaced by a text that says so
   * @default false
   */
  protect_from_spam?: boolean;
  /**
   * what is left out
   * @default {}
   */
  filters?: {
    /**
     * what was received; with send, or without both, all
     * @default false
     */
    receive?: boolean;
    /**
     * what was sent
     * @default false
     */
    send?: boolean;
    /** at or after this time, in seconds since 1970 */
    from_date?: number;
    /** at or before this time, in seconds since 1970 */
    to_date?: number;
    /**
     * what is possible spam
     * @default false
     */
    exclude_spam?: boolean;
    /**
     * what has to do with a domain that phishes
     * @default false
     */
    exclude_phishing?: boolean;
  };
}

/** Result of `get_nft_transfers`. */
export interface GetNftTransfersResult {
  transfer_history: Array<{
    chain: string;
    block_hash: string | null;
    transaction_hash: string;
    transaction_index: number;
    log_index: number;
    /** that the transaction sent of the platform's coin, in its smallest unit */
    value: string | null;
    /** the indexer's word */
    transaction_type: string | null;
    /** of the contract */
    token_address: string;
    token_id: string;
    from_address: string;
    to_address: string;
    /** a decimal number of 256 bits */
    amount: string;
    /** the indexer's */
    verified: number;
    operator: string | null;
    possible_spam: boolean;
    block_number: number;
    /** in seconds since 1970 */
    block_timestamp: number;
    /** ERC721 or ERC1155 */
    contract_type: string;
    /** null if it has more than 1024 bytes: get_nft_metadata has it */
    token_uri: string | null;
    token_domain: string | null;
    collection_name: string | null;
    /** null if it has more than 1024 bytes: get_nft_metadata has it */
    image_url: string | null;
    image_domain: string | null;
    token_name: string | null;
    /** Receive or Send */
    status: string;
    possible_phishing: boolean;
  }>;
  /** transfers before the page */
  skipped: number;
  /** transfers on all pages */
  total: number;
  /** chains of which transfers may be missing, and why; absent: the list is complete */
  incomplete?: Array<{
    /** the chain or ticker whose items may be missing; absent: any */
    of?: string;
    /** NoAnswer (the servers could not be asked, or failed), TooMany (a limit cuts the list), NoLogs (nodes do not have older blocks, or their logs), InProgress (some are still to be loaded), NoIndexer (no history_indexer is set, without which what others sent of the network's own coin is not listed), Restoring (it was active when the node last ran, and is restored in the background) */
    reason: "NoAnswer" | "TooMany" | "NoLogs" | "InProgress" | "NoIndexer" | "Restoring";
    /** the last failure, in words */
    error?: string;
  }>;
}

/** Parameters of `get_nft_scan`. */
export interface GetNftScanParams {
  /** whose network of NFTs is active */
  chain: "AVALANCHE" | "BSC" | "ETH" | "FANTOM" | "POLYGON";
}

/** Result of `get_nft_scan`. */
export interface GetNftScanResult {
  chain: string;
  /** with which the network was activated: Indexer or Chain */
  provider: string;
  /** the oldest block that was searched; null: none was */
  from_block: number | null;
  /** the newest one */
  to_block: number | null;
  /** older blocks are not searched any more */
  complete: boolean;
  /** why they are not although there are some: NoLogs (the nodes do not have their logs) or TooMany (20,000 transfers are kept and 2,000 NFTs are listed; above that, of as many contracts as possible) */
  reason: string | null;
  /** that were named */
  contracts: Array<string>;
}

/** Parameters of `get_nft_image`. */
export interface GetNftImageParams {
  /** that holds the NFT */
  chain: "AVALANCHE" | "BSC" | "ETH" | "FANTOM" | "POLYGON";
  /** of the contract: 0x and 40 hexadecimal digits */
  token_address: string;
  /** a decimal number of 256 bits */
  token_id: string;
  /**
   * refuse that of possible spam: who fetches it tells its author where he is
   * @default true
   */
  protect_from_spam?: boolean;
}

/** Result of `get_nft_image`. */
export interface GetNftImageResult {
  /** image/png, image/jpeg, image/gif, image/webp or image/avif, by what it is */
  content_type: string;
  /** the picture, in base64 */
  data: string;
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

/** Parameters of `max_maker_vol`. */
export interface MaxMakerVolParams {
  /** ticker of an active coin */
  coin: string;
}

/** Result of `max_maker_vol`. */
export interface MaxMakerVolResult {
  /** ticker as in the request */
  coin: string;
  /** what can be offered, in whole coins */
  volume: {
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
  /** what can be spent */
  balance: {
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
  /** of the balance, what running swaps still need */
  locked_by_swaps: {
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

/** Parameters of `withdraw`. */
export interface WithdrawParams {
  /** ticker */
  coin: string;
  /** address */
  to: string;
  /** how much, in whole coins, a decimal number; with max it may be absent and does not count */
  amount?: string | number;
  /**
   * send everything that the fee leaves
   * @default false
   */
  max?: boolean;
  /** the fee; the coin estimates it when absent */
  fee?: {
    type: "CosmosGas";
    /** of a unit of gas, in units of the chain's denom; a decimal number */
    gas_price: string | number;
    /** how much gas the transaction may use, all of which is paid for; the coin estimates it when absent */
    gas_limit?: number;
  } | {
    type: "EthGas";
    /** of a unit of gas, in billionths of a coin; a decimal number */
    gas_price: string | number;
    /** how much gas the transaction may use */
    gas: number;
  } | {
    type: "EthGasEip1559";
    /** of a unit of gas, in billionths of a coin, at most; a decimal number */
    max_fee_per_gas: string | number;
    /** of a unit of gas, in billionths of a coin, of that, beyond the network's own price; a decimal number */
    max_priority_fee_per_gas: string | number;
    /** how much gas; the coin estimates it when absent */
    gas_option?: {
      type: "Set";
      /** how much gas the transaction may use */
      gas: number;
    } | {
      type: "Calc";
    };
  };
  /**
   * a text that everybody can read on the chain
   * @default ""
   */
  memo?: string;
  /** an address of an HD wallet; the coin's own when absent */
  from?: {
    /** m/44'/118'/0'/0/0 */
    derivation_path: string;
  } | {
    account_id: number;
    chain: "External" | "Internal";
    address_id: number;
  };
  /** the IBC channel to the address's chain, 12 or channel-12; from the coins file when absent */
  ibc_source_channel?: number | string;
  /**
   * send the transaction too
   * @default false
   */
  broadcast?: boolean;
}

/** Result of `withdraw`. */
export interface WithdrawResult {
  /** the signed transaction, in hexadecimal; empty if it is not known */
  tx_hex: string;
  tx_hash: string;
  /** addresses */
  from: Array<string>;
  /** addresses */
  to: Array<string>;
  /** what the transaction moves of the coin, with a fee in it; amounts are decimal numbers of whole coins */
  total_amount: string;
  /** with a fee in the coin */
  spent_by_me: string;
  received_by_me: string;
  /** what was received less what was spent */
  my_balance_change: string;
  /** 0: the transaction is in no block */
  block_height: number;
  /** of the block, in seconds since 1970; 0: not known */
  timestamp: number;
  fee_details: {
    /** of the chain: Tendermint or Eth */
    type: string;
    /** ticker of the coin that pays */
    coin: string;
    /** a decimal number of whole coins; of Eth the most that it may be */
    amount: string;
    gas_limit: number;
    /** Eth: gas_limit by another name */
    gas?: number;
    /** Eth: of a unit of gas, in whole coins, at most */
    gas_price?: string;
    /** Eth: gas_price by another name, where the network has a price of its own */
    max_fee_per_gas?: string;
    /** Eth: how much of it goes beyond the network's price, in whole coins */
    max_priority_fee_per_gas?: string;
    /** Eth: amount by another name */
    total_fee?: string;
    /** Eth: the part of amount that a rollup takes for keeping the transaction's data on another chain */
    data_fee?: string;
  };
  /** ticker */
  coin: string;
  /** unique among the entries of the coin */
  internal_id: string;
  /** what the transaction is for */
  transaction_type: "StandardTransfer" | "FeeForTokenTx" | "StakingDelegation" | "RemoveDelegation" | "ClaimDelegationRewards" | "NftTransfer" | {
    /** id of the token */
    TokenTransfer: string;
  } | {
    TendermintIBCTransfer: {
      /** id of the token: the SHA-256 of its denom in small letters, in hexadecimal; null if it is the platform's coin */
      token_id: string | null;
    };
  } | {
    CustomTendermintMsg: {
      msg_type: string;
      /** id of the token: the SHA-256 of its denom in small letters, in hexadecimal; null if it is the platform's coin */
      token_id: string | null;
    };
  };
  memo: string;
  /** the nodes executed the transaction on the latest state before it was signed, and it succeeded */
  simulated?: boolean;
}

/** Parameters of `send_raw_transaction`. */
export interface SendRawTransactionParams {
  /** ticker */
  coin: string;
  /** the signed transaction, in hexadecimal */
  tx_hex: string;
  /**
   * wait for as many confirmations as the coin requires
   * @default false
   */
  wait?: boolean;
  /**
   * wait for so many confirmations; 0: as wait says
   * @default 0
   */
  required_confirmations?: number;
  /**
   * how long to wait, in seconds
   * @default 300
   */
  timeout?: number;
}

/** Result of `send_raw_transaction`. */
export interface SendRawTransactionResult {
  tx_hash: string;
  /** of its block, if it was waited for */
  block_height?: number;
  /** 1: its block is the newest; if they were waited for */
  confirmations?: number;
}

/** Parameters of `task::withdraw::init`. */
export interface TaskWithdrawInitParams {
  /** ticker */
  coin: string;
  /** address */
  to: string;
  /** how much, in whole coins, a decimal number; with max it may be absent and does not count */
  amount?: string | number;
  /**
   * send everything that the fee leaves
   * @default false
   */
  max?: boolean;
  /** the fee; the coin estimates it when absent */
  fee?: {
    type: "CosmosGas";
    /** of a unit of gas, in units of the chain's denom; a decimal number */
    gas_price: string | number;
    /** how much gas the transaction may use, all of which is paid for; the coin estimates it when absent */
    gas_limit?: number;
  } | {
    type: "EthGas";
    /** of a unit of gas, in billionths of a coin; a decimal number */
    gas_price: string | number;
    /** how much gas the transaction may use */
    gas: number;
  } | {
    type: "EthGasEip1559";
    /** of a unit of gas, in billionths of a coin, at most; a decimal number */
    max_fee_per_gas: string | number;
    /** of a unit of gas, in billionths of a coin, of that, beyond the network's own price; a decimal number */
    max_priority_fee_per_gas: string | number;
    /** how much gas; the coin estimates it when absent */
    gas_option?: {
      type: "Set";
      /** how much gas the transaction may use */
      gas: number;
    } | {
      type: "Calc";
    };
  };
  /**
   * a text that everybody can read on the chain
   * @default ""
   */
  memo?: string;
  /** an address of an HD wallet; the coin's own when absent */
  from?: {
    /** m/44'/118'/0'/0/0 */
    derivation_path: string;
  } | {
    account_id: number;
    chain: "External" | "Internal";
    address_id: number;
  };
  /** the IBC channel to the address's chain, 12 or channel-12; from the coins file when absent */
  ibc_source_channel?: number | string;
  /**
   * send the transaction too
   * @default false
   */
  broadcast?: boolean;
}

/** Result of `task::withdraw::init`. */
export interface TaskWithdrawInitResult {
  /** by which the other methods know it */
  task_id: number;
}

/** Parameters of `task::withdraw::status`. */
export interface TaskWithdrawStatusParams {
  /** as init gave it */
  task_id: number;
  /**
   * a task that is ready is known no more afterwards
   * @default true
   */
  forget_if_finished?: boolean;
}

/** Result of `task::withdraw::status`. */
export interface TaskWithdrawStatusResult {
  /** InProgress, UserActionRequired, Ok or Error */
  status: string;
  /** InProgress: what it does; UserActionRequired: what it asks; Ok: the result; Error: error, error_path, error_trace, error_type and error_data as in an answer */
  details: unknown;
}

/** Parameters of `task::withdraw::cancel`. */
export interface TaskWithdrawCancelParams {
  /** as init gave it */
  task_id: number;
}

/** Result of `task::withdraw::cancel`. */
export type TaskWithdrawCancelResult = string;

/** Parameters of `task::withdraw::user_action`. */
export interface TaskWithdrawUserActionParams {
  /** as init gave it */
  task_id: number;
  /** the answer */
  user_action?: unknown;
}

/** Result of `task::withdraw::user_action`. */
export type TaskWithdrawUserActionResult = string;

/** Parameters of `replace_transaction`. */
export interface ReplaceTransactionParams {
  /** ticker of an active coin or token, which the transaction sends */
  coin: string;
  /** the signed transaction that waits, in hexadecimal */
  tx_hex: string;
  /**
   * send nothing in its place
   * @default false
   */
  cancel?: boolean;
}

/** Result of `replace_transaction`. */
export interface ReplaceTransactionResult {
  /** the signed transaction, in hexadecimal; empty if it is not known */
  tx_hex: string;
  tx_hash: string;
  /** addresses */
  from: Array<string>;
  /** addresses */
  to: Array<string>;
  /** what the transaction moves of the coin, with a fee in it; amounts are decimal numbers of whole coins */
  total_amount: string;
  /** with a fee in the coin */
  spent_by_me: string;
  received_by_me: string;
  /** what was received less what was spent */
  my_balance_change: string;
  /** 0: the transaction is in no block */
  block_height: number;
  /** of the block, in seconds since 1970; 0: not known */
  timestamp: number;
  fee_details: {
    /** of the chain: Tendermint or Eth */
    type: string;
    /** ticker of the coin that pays */
    coin: string;
    /** a decimal number of whole coins; of Eth the most that it may be */
    amount: string;
    gas_limit: number;
    /** Eth: gas_limit by another name */
    gas?: number;
    /** Eth: of a unit of gas, in whole coins, at most */
    gas_price?: string;
    /** Eth: gas_price by another name, where the network has a price of its own */
    max_fee_per_gas?: string;
    /** Eth: how much of it goes beyond the network's price, in whole coins */
    max_priority_fee_per_gas?: string;
    /** Eth: amount by another name */
    total_fee?: string;
    /** Eth: the part of amount that a rollup takes for keeping the transaction's data on another chain */
    data_fee?: string;
  };
  /** ticker */
  coin: string;
  /** unique among the entries of the coin */
  internal_id: string;
  /** what the transaction is for */
  transaction_type: "StandardTransfer" | "FeeForTokenTx" | "StakingDelegation" | "RemoveDelegation" | "ClaimDelegationRewards" | "NftTransfer" | {
    /** id of the token */
    TokenTransfer: string;
  } | {
    TendermintIBCTransfer: {
      /** id of the token: the SHA-256 of its denom in small letters, in hexadecimal; null if it is the platform's coin */
      token_id: string | null;
    };
  } | {
    CustomTendermintMsg: {
      msg_type: string;
      /** id of the token: the SHA-256 of its denom in small letters, in hexadecimal; null if it is the platform's coin */
      token_id: string | null;
    };
  };
  memo: string;
  /** the nodes executed the transaction on the latest state before it was signed, and it succeeded */
  simulated?: boolean;
}

/** Parameters of `is_contract`. */
export interface IsContractParams {
  /** ticker of an active coin or token of an EVM network */
  coin: string;
  address: string;
}

/** Result of `is_contract`. */
export interface IsContractResult {
  is_contract: boolean;
}

/** Parameters of `resolve_name`. */
export interface ResolveNameParams {
  /** ticker of an active coin or token, which is to be sent to the address */
  coin: string;
  /** like alice.eth or alice.cosmos */
  name: string;
}

/** Result of `resolve_name`. */
export interface ResolveNameResult {
  /** as in the request */
  coin: string;
  /** in the spelling in which it is registered */
  name: string;
  /** an address of the coin */
  address: string;
  /** ENS or ICNS */
  service: string;
}

/** Parameters of `get_raw_transaction`. */
export interface GetRawTransactionParams {
  /** ticker of an active coin */
  coin: string;
  /** 64 hexadecimal digits, with or without 0x */
  tx_hash: string;
}

/** Result of `get_raw_transaction`. */
export interface GetRawTransactionResult {
  /** the signed transaction, in hexadecimal */
  tx_hex: string;
}

/** Parameters of `sign_raw_transaction`. */
export interface SignRawTransactionParams {
  /** ticker of an active coin of an EVM network */
  coin: string;
  /** ETH */
  type: "ETH" | "UTXO";
  tx: {
    /** address; without it the transaction makes a contract */
    to?: string;
    /** how much of the network's coin, in whole coins, a decimal number; 0 when absent */
    value?: string | number;
    /** for a contract, in hexadecimal */
    data?: string;
    /** how much gas the transaction may use */
    gas_limit: number | string;
    /** the price of gas; from the nodes when absent, and then the answer has fee_details */
    pay_for_gas?: {
      tx_type: "Legacy";
      /** billionths of a coin */
      gas_price: string | number;
    } | {
      tx_type: "Eip1559";
      /** billionths of a coin */
      max_fee_per_gas: string | number;
      /** billionths of a coin */
      max_priority_fee_per_gas: string | number;
    };
  };
}

/** Result of `sign_raw_transaction`. */
export interface SignRawTransactionResult {
  /** the signed transaction, in hexadecimal */
  tx_hex: string;
  /** what the transaction may cost; absent with pay_for_gas */
  fee_details?: {
    /** of the chain: Tendermint or Eth */
    type: string;
    /** ticker of the coin that pays */
    coin: string;
    /** a decimal number of whole coins; of Eth the most that it may be */
    amount: string;
    gas_limit: number;
    /** Eth: gas_limit by another name */
    gas?: number;
    /** Eth: of a unit of gas, in whole coins, at most */
    gas_price?: string;
    /** Eth: gas_price by another name, where the network has a price of its own */
    max_fee_per_gas?: string;
    /** Eth: how much of it goes beyond the network's price, in whole coins */
    max_priority_fee_per_gas?: string;
    /** Eth: amount by another name */
    total_fee?: string;
    /** Eth: the part of amount that a rollup takes for keeping the transaction's data on another chain */
    data_fee?: string;
  };
}

/** Parameters of `get_eth_estimated_fee_per_gas`. */
export interface GetEthEstimatedFeePerGasParams {
  /** ticker of an active coin of an EVM network */
  coin: string;
  /** @default "Simple" */
  estimator_type?: "Simple" | "Provider";
}

/** Result of `get_eth_estimated_fee_per_gas`. */
export interface GetEthEstimatedFeePerGasResult {
  /** of the next block */
  base_fee: string;
  /** may wait */
  low: {
    max_priority_fee_per_gas: string;
    max_fee_per_gas: string;
    /** null: unknown */
    min_wait_time: number | null;
    /** null: unknown */
    max_wait_time: number | null;
  };
  medium: {
    max_priority_fee_per_gas: string;
    max_fee_per_gas: string;
    /** null: unknown */
    min_wait_time: number | null;
    /** null: unknown */
    max_wait_time: number | null;
  };
  /** in a hurry */
  high: {
    max_priority_fee_per_gas: string;
    max_fee_per_gas: string;
    /** null: unknown */
    min_wait_time: number | null;
    /** null: unknown */
    max_wait_time: number | null;
  };
  /** simple */
  source: string;
  /** up or down; empty: neither */
  base_fee_trend: string;
  /** empty: unknown */
  priority_fee_trend: string;
  /** Gwei */
  units: string;
}

/** Parameters of `sign_message`. */
export interface SignMessageParams {
  /** ticker of an active coin; its address signs */
  coin: string;
  /** any text but the empty one */
  message: string;
  /** which address of an HD wallet signs; the coin's own when absent */
  address?: {
    /** m/44'/118'/0'/0/0 */
    derivation_path: string;
  } | {
    account_id: number;
    chain: "External" | "Internal";
    address_id: number;
  };
}

/** Result of `sign_message`. */
export interface SignMessageResult {
  /** in the form that the coin's wallets have for it */
  signature: string;
  /** of the signer, in hexadecimal; for wallets that need it to verify */
  public_key?: string;
}

/** Parameters of `verify_message`. */
export interface VerifyMessageParams {
  /** ticker of an active coin */
  coin: string;
  /** the text */
  message: string;
  /** as sign_message gives it */
  signature: string;
  /** of whom it should be */
  address: string;
  /**
   * of the signer, in hexadecimal; the address is enough
   * @default ""
   */
  public_key?: string;
}

/** Result of `verify_message`. */
export interface VerifyMessageResult {
  is_valid: boolean;
}

/** Parameters of `my_tx_history`. */
export interface MyTxHistoryParams {
  /** ticker */
  coin: string;
  /**
   * transactions of a page; more than 10000 counts as 10000
   * @default 10
   */
  limit?: number;
  /** which page; the first when absent */
  paging_options?: {
    PageNumber: number;
  } | {
    /** internal_id of the transaction before the page */
    FromId: string;
  };
  /** whose transactions; those of the coin's own address when absent */
  target?: {
    type: "iguana" | "account_id" | "address_id";
  };
}

/** Result of `my_tx_history`. */
export interface MyTxHistoryResult {
  /** ticker as in the request */
  coin: string;
  /** as in the request */
  target: {
    type: "iguana" | "account_id" | "address_id";
  };
  /** height of the newest block */
  current_block: number;
  /** the newest first */
  transactions: Array<{
    /** the signed transaction, in hexadecimal; empty if it is not known */
    tx_hex: string;
    tx_hash: string;
    /** addresses */
    from: Array<string>;
    /** addresses */
    to: Array<string>;
    /** what the transaction moves of the coin, with a fee in it; amounts are decimal numbers of whole coins */
    total_amount: string;
    /** with a fee in the coin */
    spent_by_me: string;
    received_by_me: string;
    /** what was received less what was spent */
    my_balance_change: string;
    /** 0: the transaction is in no block */
    block_height: number;
    /** of the block, in seconds since 1970; 0: not known */
    timestamp: number;
    fee_details: {
      /** of the chain: Tendermint or Eth */
      type: string;
      /** ticker of the coin that pays */
      coin: string;
      /** a decimal number of whole coins; of Eth the most that it may be */
      amount: string;
      gas_limit: number;
      /** Eth: gas_limit by another name */
      gas?: number;
      /** Eth: of a unit of gas, in whole coins, at most */
      gas_price?: string;
      /** Eth: gas_price by another name, where the network has a price of its own */
      max_fee_per_gas?: string;
      /** Eth: how much of it goes beyond the network's price, in whole coins */
      max_priority_fee_per_gas?: string;
      /** Eth: amount by another name */
      total_fee?: string;
      /** Eth: the part of amount that a rollup takes for keeping the transaction's data on another chain */
      data_fee?: string;
    };
    /** ticker */
    coin: string;
    /** unique among the entries of the coin */
    internal_id: string;
    /** what the transaction is for */
    transaction_type: "StandardTransfer" | "FeeForTokenTx" | "StakingDelegation" | "RemoveDelegation" | "ClaimDelegationRewards" | "NftTransfer" | {
      /** id of the token */
      TokenTransfer: string;
    } | {
      TendermintIBCTransfer: {
        /** id of the token: the SHA-256 of its denom in small letters, in hexadecimal; null if it is the platform's coin */
        token_id: string | null;
      };
    } | {
      CustomTendermintMsg: {
        msg_type: string;
        /** id of the token: the SHA-256 of its denom in small letters, in hexadecimal; null if it is the platform's coin */
        token_id: string | null;
      };
    };
    memo: string;
    /** the nodes executed the transaction on the latest state before it was signed, and it succeeded */
    simulated?: boolean;
    /** blocks from the transaction's on, its own included */
    confirmations: number;
  }>;
  sync_status: {
    /** NotStarted, InProgress, Error (it is tried again) or Finished */
    state: string;
    /** with InProgress and Error */
    additional_info?: {
      /** InProgress: transactions that are known of and not loaded */
      transactions_left?: number;
      /** InProgress: blocks that are still to be searched, in the place of transactions_left */
      blocks_left?: number;
      /** Error: why */
      message?: string;
    };
  };
  /** transactions of a page */
  limit: number;
  /** transactions before the page */
  skipped: number;
  /** transactions that are loaded */
  total: number;
  total_pages: number;
  /** as in the request */
  paging_options: {
    PageNumber: number;
  } | {
    /** internal_id of the transaction before the page */
    FromId: string;
  };
  /** why transactions may be missing; absent: the list is complete */
  incomplete?: Array<{
    /** the chain or ticker whose items may be missing; absent: any */
    of?: string;
    /** NoAnswer (the servers could not be asked, or failed), TooMany (a limit cuts the list), NoLogs (nodes do not have older blocks, or their logs), InProgress (some are still to be loaded), NoIndexer (no history_indexer is set, without which what others sent of the network's own coin is not listed), Restoring (it was active when the node last ran, and is restored in the background) */
    reason: "NoAnswer" | "TooMany" | "NoLogs" | "InProgress" | "NoIndexer" | "Restoring";
    /** the last failure, in words */
    error?: string;
  }>;
  /** the lowest block that the coin's nodes still have: older transactions may be missing; absent if they have all */
  starts_at_height?: number;
}

/** Parameters of `get_prices`. */
export interface GetPricesParams {
  /** tickers, at most 250; they need not be active */
  coins: Array<string>;
  /**
   * currency of the prices, in small letters
   * @default "usd"
   */
  fiat?: "usd" | "eur" | "gbp" | "jpy" | "cny" | "inr" | "krw" | "brl" | "cad" | "aud" | "chf" | "rub" | "try" | "mxn" | "idr" | "thb" | "vnd" | "php" | "pln" | "sek" | "nok" | "dkk" | "czk" | "huf" | "ils" | "zar" | "aed" | "sar" | "sgd" | "hkd" | "twd" | "myr" | "nzd" | "uah" | "ngn" | "ars" | "clp" | "bdt" | "pkr" | "lkr" | "kwd" | "bhd" | "vef" | "gel" | "mmk" | "btc" | "eth" | "bnb";
  /**
   * ids of coins at the service by ticker, for coins whose id the node does not know; they go before those that it knows
   * @default {}
   */
  ids?: Record<string, string>;
}

/** Result of `get_prices`. */
export interface GetPricesResult {
  /** coingecko, komodo or off */
  service: string;
  /** who was asked; empty if the service is off */
  host: string;
  /** as in the request */
  fiat: string;
  /** by ticker as in the request */
  prices: Record<string, {
    /** of one coin, a decimal number */
    price: string;
    /** in percent since 24 hours before, a decimal number; absent: unknown */
    change_24h?: string;
    /** when the service knew it, in seconds since 1970; absent: unknown */
    time?: number;
  }>;
  /** tickers without a price */
  unknown: Array<string>;
}

/** Parameters of `get_prices_at`. */
export interface GetPricesAtParams {
  /** at most 500 */
  points: Array<{
    /** ticker */
    coin: string;
    /** in seconds since 1970 */
    time: number;
  }>;
  /**
   * currency of the prices, in small letters
   * @default "usd"
   */
  fiat?: "usd" | "eur" | "gbp" | "jpy" | "cny" | "inr" | "krw" | "brl" | "cad" | "aud" | "chf" | "rub" | "try" | "mxn" | "idr" | "thb" | "vnd" | "php" | "pln" | "sek" | "nok" | "dkk" | "czk" | "huf" | "ils" | "zar" | "aed" | "sar" | "sgd" | "hkd" | "twd" | "myr" | "nzd" | "uah" | "ngn" | "ars" | "clp" | "bdt" | "pkr" | "lkr" | "kwd" | "bhd" | "vef" | "gel" | "mmk" | "btc" | "eth" | "bnb";
  /**
   * ids of coins at the service by ticker, for coins whose id the node does not know; they go before those that it knows
   * @default {}
   */
  ids?: Record<string, string>;
}

/** Result of `get_prices_at`. */
export interface GetPricesAtResult {
  /** coingecko, komodo or off */
  service: string;
  /** who was asked; empty if the service is off */
  host: string;
  /** as in the request */
  fiat: string;
  /** in the order of the request */
  points: Array<{
    /** ticker */
    coin: string;
    /** in seconds since 1970 */
    time: number;
    /** of one coin, a decimal number; absent: unknown */
    price?: string;
    /** time of the price, in seconds since 1970 */
    at?: number;
  }>;
  /** the service failed for some of the points, which are unknown until a later call: why */
  incomplete?: string;
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
     * seconds between two events
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

/** Parameters of `stream::network::enable`. */
export interface StreamNetworkEnableParams {
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
     * seconds until the event, and between two
     * @default 5
     */
    stream_interval_seconds?: number;
    /**
     * send it again and again
     * @default false
     */
    always_send?: boolean;
  };
}

/** Result of `stream::network::enable`. */
export interface StreamNetworkEnableResult {
  /** names the streamer in stream::disable, and is the _type of its events */
  streamer_id: string;
}

/** Parameters of `stream::shutdown_signal::enable`. */
export interface StreamShutdownSignalEnableParams {
  /**
   * the id of the client's event stream
   * @default 0
   */
  client_id?: number;
}

/** Result of `stream::shutdown_signal::enable`. */
export interface StreamShutdownSignalEnableResult {
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

/** Parameters of `stream::balance::enable`. */
export interface StreamBalanceEnableParams {
  /** ticker of an active coin */
  coin: string;
  /**
   * the id of the client's event stream
   * @default 0
   */
  client_id?: number;
  /** nothing, or an object without members */
  config?: unknown;
}

/** Result of `stream::balance::enable`. */
export interface StreamBalanceEnableResult {
  /** names the streamer in stream::disable, and is the _type of its events */
  streamer_id: string;
}

/** Parameters of `stream::tx_history::enable`. */
export interface StreamTxHistoryEnableParams {
  /** ticker of an active coin */
  coin: string;
  /**
   * the id of the client's event stream
   * @default 0
   */
  client_id?: number;
  /** nothing, or an object without members */
  config?: unknown;
}

/** Result of `stream::tx_history::enable`. */
export interface StreamTxHistoryEnableResult {
  /** names the streamer in stream::disable, and is the _type of its events */
  streamer_id: string;
}

/** Parameters of `stream::fee_estimator::enable`. */
export interface StreamFeeEstimatorEnableParams {
  /** ticker of an active coin of an EVM network */
  coin: string;
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
     * seconds between two events
     * @default 15
     */
    estimate_every?: number;
    /**
     * as of get_eth_estimated_fee_per_gas
     * @default "Simple"
     */
    estimator_type?: "Simple" | "Provider";
  };
}

/** Result of `stream::fee_estimator::enable`. */
export interface StreamFeeEstimatorEnableResult {
  /** names the streamer in stream::disable, and is the _type of its events */
  streamer_id: string;
}

/** Parameters of `task::enable_lightning::init`. */
export interface TaskEnableLightningInitParams {
  /** of the Lightning coin, as tBTC-lightning */
  ticker: string;
  /** how to activate it */
  activation_params: {
    /** of the node, at most 32 bytes; kept, and not sent to peers, since the node does not announce itself */
    name: string;
    /**
     * where other nodes can connect, if the config has lightning_ip; 0: any free one
     * @default 9735
     */
    listening_port?: number;
    /**
     * of the node, six hexadecimal digits; kept as the name is
     * @default "000000"
     */
    color?: string;
    /**
     * kept, and not used
     * @default 5
     */
    payment_retries?: number;
    /** ContextPrivKey: there is no other here */
    priv_key_policy?: "ContextPrivKey" | "HardwareWallet" | "BrowserWallet" | "SessionWallet" | "WithPubkey" | {
      /** the name of a policy */
      type: "ContextPrivKey" | "HardwareWallet" | "BrowserWallet" | "SessionWallet" | "WithPubkey";
      /** the session's topic for SessionWallet, an object with pubkey and is_ledger_connection for WithPubkey, else absent */
      data?: unknown;
    };
    /**
     * kept, and not used: there are no channels to keep copies of
     * @default ""
     */
    backup_path?: string;
  };
}

/** Result of `task::enable_lightning::init`. */
export interface TaskEnableLightningInitResult {
  /** by which the other methods know it */
  task_id: number;
}

/** Parameters of `task::enable_lightning::status`. */
export interface TaskEnableLightningStatusParams {
  /** as init gave it */
  task_id: number;
  /**
   * a task that is ready is known no more afterwards
   * @default true
   */
  forget_if_finished?: boolean;
}

/** Result of `task::enable_lightning::status`. */
export interface TaskEnableLightningStatusResult {
  /** InProgress, UserActionRequired, Ok or Error */
  status: string;
  /** InProgress: what it does; UserActionRequired: what it asks; Ok: the result; Error: error, error_path, error_trace, error_type and error_data as in an answer */
  details: unknown;
}

/** Parameters of `task::enable_lightning::cancel`. */
export interface TaskEnableLightningCancelParams {
  /** as init gave it */
  task_id: number;
}

/** Result of `task::enable_lightning::cancel`. */
export type TaskEnableLightningCancelResult = string;

/** Parameters of `task::enable_lightning::user_action`. */
export interface TaskEnableLightningUserActionParams {
  /** as init gave it */
  task_id: number;
  /** the answer */
  user_action?: unknown;
}

/** Result of `task::enable_lightning::user_action`. */
export type TaskEnableLightningUserActionResult = string;

/** Parameters of `lightning::nodes::connect_to_node`. */
export interface LightningNodesConnectToNodeParams {
  /** ticker of a Lightning coin, as tBTC-lightning */
  coin: string;
  /** pubkey@host:port, where host is an IPv4 address, an IPv6 address in brackets or a domain name */
  node_address: string;
  /**
   * seconds after which it fails, more than 0 and at most 600
   * @default 10
   */
  timeout?: number;
}

/** Result of `lightning::nodes::connect_to_node`. */
export type LightningNodesConnectToNodeResult = string;

/** Parameters of `lightning::nodes::disconnect`. */
export interface LightningNodesDisconnectParams {
  /** ticker of a Lightning coin */
  coin: string;
  /** the node's public key, 66 hexadecimal digits */
  node_id: string;
}

/** Result of `lightning::nodes::disconnect`. */
export interface LightningNodesDisconnectResult {
  /** the node's id */
  disconnected_node: string;
}

/** Parameters of `lightning::nodes::list_peers`. */
export interface LightningNodesListPeersParams {
  /** ticker of a Lightning coin */
  coin: string;
}

/** Result of `lightning::nodes::list_peers`. */
export interface LightningNodesListPeersResult {
  /** this node's own id */
  own_node_id: string;
  /** host:port where other nodes can connect, if they can */
  listening?: string;
  /** by their ids */
  peers: Array<{
    node_id: string;
    /** host:port, where the user said it is, or where it connects from */
    address: string;
    /** it has connected to this node */
    inbound: boolean;
    /** seconds since 1970; null while it is not connected */
    connected_since: number | null;
    /** connected, connecting (for the first time) or waiting (to reconnect) */
    state: string;
    /** the connection is made again when it breaks */
    kept: boolean;
    /** why a waiting one is not connected */
    reason?: string;
  }>;
}

/** Parameters of `lightning::nodes::add_trusted_node`. */
export interface LightningNodesAddTrustedNodeParams {
  /** ticker of a Lightning coin */
  coin: string;
  /** the node's public key, 66 hexadecimal digits */
  node_id: string;
}

/** Result of `lightning::nodes::add_trusted_node`. */
export interface LightningNodesAddTrustedNodeResult {
  /** the node's id */
  added_node: string;
}

/** Parameters of `lightning::nodes::remove_trusted_node`. */
export interface LightningNodesRemoveTrustedNodeParams {
  /** ticker of a Lightning coin */
  coin: string;
  /** the node's public key, 66 hexadecimal digits */
  node_id: string;
}

/** Result of `lightning::nodes::remove_trusted_node`. */
export interface LightningNodesRemoveTrustedNodeResult {
  /** the node's id */
  removed_node: string;
}

/** Parameters of `lightning::nodes::list_trusted_nodes`. */
export interface LightningNodesListTrustedNodesParams {
  /** ticker of a Lightning coin */
  coin: string;
}

/** Result of `lightning::nodes::list_trusted_nodes`. */
export interface LightningNodesListTrustedNodesResult {
  /** ids of nodes */
  trusted_nodes: Array<string>;
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
  name: string;
}

/** Result of `remove_node_from_version_stat`. */
export type RemoveNodeFromVersionStatResult = string;

/** Parameters of `start_version_stat_collection`. */
export interface StartVersionStatCollectionParams {
  /** seconds between the end of a round and the next one */
  interval: number;
}

/** Result of `start_version_stat_collection`. */
export type StartVersionStatCollectionResult = string;

/** Parameters of `update_version_stat_collection`. */
export interface UpdateVersionStatCollectionParams {
  /** seconds between the end of a round and the next one */
  interval: number;
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

/** Parameters of `wc_new_connection`. */
export interface WcNewConnectionParams {
  /** by the names of families, cosmos and eip155: what the wallet must allow, or there is no session; {} for nothing */
  required_namespaces: Record<string, {
    /** as CAIP-2 names them: cosmos:cosmoshub-4, eip155:1; absent if the namespace is a chain itself */
    chains?: Array<string>;
    /** that the wallet can be asked for: cosmos_getAccounts, cosmos_signDirect and cosmos_signAmino; eth_sendTransaction and personal_sign */
    methods: Array<string>;
    /** that the wallet may send, such as accountsChanged */
    events?: Array<string>;
  }>;
  /** what the wallet may allow too */
  optional_namespaces?: Record<string, {
    /** as CAIP-2 names them: cosmos:cosmoshub-4, eip155:1; absent if the namespace is a chain itself */
    chains?: Array<string>;
    /** that the wallet can be asked for: cosmos_getAccounts, cosmos_signDirect and cosmos_signAmino; eth_sendTransaction and personal_sign */
    methods: Array<string>;
    /** that the wallet may send, such as accountsChanged */
    events?: Array<string>;
  }>;
}

/** Result of `wc_new_connection`. */
export interface WcNewConnectionResult {
  /** what the wallet is given: wc:…; it holds a key */
  url: string;
  /** url by another name */
  uri: string;
  /** of the proposal, for wc_get_session */
  pairing_topic: string;
}

/** Parameters of `wc_get_sessions`. */
export type WcGetSessionsParams = Record<string, never>;

/** Result of `wc_get_sessions`. */
export interface WcGetSessionsResult {
  sessions: Array<{
    /** names the session, for activations with the policy SessionWallet */
    topic: string;
    /** what the wallet says of itself */
    metadata: {
      description: string;
      url: string;
      /** URLs */
      icons: Array<string>;
      name: string;
    };
    /** of the proposal that the session came from */
    pairing_topic: string;
    /** what the wallet allows, by the names of families */
    namespaces: Record<string, {
      /** as CAIP-2 names them */
      chains: Array<string>;
      /** that the wallet can be asked for */
      methods: Array<string>;
      /** that the wallet may send */
      events: Array<string>;
      /** as CAIP-10 names them: chain:address */
      accounts: Array<string>;
    }>;
    /** when the session ends, in seconds since 1970 */
    expiry: number;
  }>;
}

/** Parameters of `wc_get_session`. */
export interface WcGetSessionParams {
  /** of the session */
  topic: string;
  /**
   * topic is that of the proposal which the session came from
   * @default false
   */
  with_pairing_topic?: boolean;
}

/** Result of `wc_get_session`. */
export interface WcGetSessionResult {
  /** null if no session matches */
  session: {
    /** names the session, for activations with the policy SessionWallet */
    topic: string;
    /** what the wallet says of itself */
    metadata: {
      description: string;
      url: string;
      /** URLs */
      icons: Array<string>;
      name: string;
    };
    /** of the proposal that the session came from */
    pairing_topic: string;
    /** what the wallet allows, by the names of families */
    namespaces: Record<string, {
      /** as CAIP-2 names them */
      chains: Array<string>;
      /** that the wallet can be asked for */
      methods: Array<string>;
      /** that the wallet may send */
      events: Array<string>;
      /** as CAIP-10 names them: chain:address */
      accounts: Array<string>;
    }>;
    /** when the session ends, in seconds since 1970 */
    expiry: number;
  } | null;
}

/** Parameters of `wc_ping_session`. */
export interface WcPingSessionParams {
  /** of the session */
  topic: string;
}

/** Result of `wc_ping_session`. */
export interface WcPingSessionResult {
  result: string;
  /** success */
  status: string;
}

/** Parameters of `wc_delete_session`. */
export interface WcDeleteSessionParams {
  /** of the session */
  topic: string;
}

/** Result of `wc_delete_session`. */
export interface WcDeleteSessionResult {
  /** success */
  result: string;
}

/** Parameters of `task::init_trezor::init`. */
export interface TaskInitTrezorInitParams {
  /**
   * of the wallet that is expected, 40 hexadecimal digits; another one is refused
   * @default ""
   */
  device_pubkey?: string;
}

/** Result of `task::init_trezor::init`. */
export interface TaskInitTrezorInitResult {
  /** by which the other methods know it */
  task_id: number;
}

/** Parameters of `task::init_trezor::status`. */
export interface TaskInitTrezorStatusParams {
  /** as init gave it */
  task_id: number;
  /**
   * a task that is ready is known no more afterwards
   * @default true
   */
  forget_if_finished?: boolean;
}

/** Result of `task::init_trezor::status`. */
export interface TaskInitTrezorStatusResult {
  /** InProgress, UserActionRequired, Ok or Error */
  status: string;
  /** InProgress: what it does; UserActionRequired: what it asks; Ok: the result; Error: error, error_path, error_trace, error_type and error_data as in an answer */
  details: unknown;
}

/** Parameters of `task::init_trezor::cancel`. */
export interface TaskInitTrezorCancelParams {
  /** as init gave it */
  task_id: number;
}

/** Result of `task::init_trezor::cancel`. */
export type TaskInitTrezorCancelResult = string;

/** Parameters of `task::init_trezor::user_action`. */
export interface TaskInitTrezorUserActionParams {
  /** as init gave it */
  task_id: number;
  /** the answer */
  user_action?: unknown;
}

/** Result of `task::init_trezor::user_action`. */
export type TaskInitTrezorUserActionResult = string;

/** Parameters of `trezor_connection_status`. */
export interface TrezorConnectionStatusParams {
  /**
   * of the wallet that is expected, 40 hexadecimal digits; another one is refused
   * @default ""
   */
  device_pubkey?: string;
}

/** Result of `trezor_connection_status`. */
export interface TrezorConnectionStatusResult {
  /** Connected or Unreachable */
  status: string;
}

/** Parameters of `my_orders`. */
export type MyOrdersParams = Record<string, never>;

/** Result of `my_orders`. */
export interface MyOrdersResult {
  maker_orders: Record<string, Record<string, unknown>>;
  taker_orders: Record<string, Record<string, unknown>>;
}

/** Parameters of `my_recent_swaps`. */
export type MyRecentSwapsParams = Record<string, never>;

/** Result of `my_recent_swaps`. */
export interface MyRecentSwapsResult {
  swaps: Array<Record<string, unknown>>;
  from_uuid: string | null;
  skipped: number;
  limit: number;
  total: number;
  page_number: number;
  total_pages: number;
  found_records: number;
}

/** Parameters of `active_swaps`. */
export type ActiveSwapsParams = Record<string, never>;

/** Result of `active_swaps`. */
export interface ActiveSwapsResult {
  uuids: Array<string>;
  statuses: Record<string, Record<string, unknown>>;
}

/** Parameters of `cancel_all_orders`. */
export type CancelAllOrdersParams = Record<string, never>;

/** Result of `cancel_all_orders`. */
export interface CancelAllOrdersResult {
  cancelled: Array<string>;
  currently_matching: Array<string>;
}

/** Parameters of `unban_pubkeys`. */
export type UnbanPubkeysParams = Record<string, never>;

/** Result of `unban_pubkeys`. */
export interface UnbanPubkeysResult {
  still_banned: Record<string, Record<string, unknown>>;
  unbanned: Record<string, Record<string, unknown>>;
  were_not_banned: Array<string>;
}

/** Parameters of `get_directly_connected_peers`. */
export type GetDirectlyConnectedPeersParams = Record<string, never>;

/** Result of `get_directly_connected_peers`. */
export type GetDirectlyConnectedPeersResult = Record<string, Array<string>>;

/** Parameters of `coins_needed_for_kick_start`. */
export type CoinsNeededForKickStartParams = Record<string, never>;

/** Result of `coins_needed_for_kick_start`. */
export type CoinsNeededForKickStartResult = Array<string>;

/** Parameters of `orderbook`. */
export type OrderbookParams = Record<string, never>;

/** Result of `orderbook`. */
export type OrderbookResult = Record<string, unknown>;

/** Parameters of `best_orders`. */
export type BestOrdersParams = Record<string, never>;

/** Result of `best_orders`. */
export type BestOrdersResult = Record<string, unknown>;

/** Parameters of `orderbook_depth`. */
export type OrderbookDepthParams = Record<string, never>;

/** Result of `orderbook_depth`. */
export type OrderbookDepthResult = Record<string, unknown>;

/** Parameters of `setprice`. */
export type SetpriceParams = Record<string, never>;

/** Result of `setprice`. */
export type SetpriceResult = Record<string, unknown>;

/** Parameters of `update_maker_order`. */
export type UpdateMakerOrderParams = Record<string, never>;

/** Result of `update_maker_order`. */
export type UpdateMakerOrderResult = Record<string, unknown>;

/** Parameters of `buy`. */
export type BuyParams = Record<string, never>;

/** Result of `buy`. */
export type BuyResult = Record<string, unknown>;

/** Parameters of `sell`. */
export type SellParams = Record<string, never>;

/** Result of `sell`. */
export type SellResult = Record<string, unknown>;

/** Parameters of `trade_preimage`. */
export type TradePreimageParams = Record<string, never>;

/** Result of `trade_preimage`. */
export type TradePreimageResult = Record<string, unknown>;

/** Parameters of `max_taker_vol`. */
export type MaxTakerVolParams = Record<string, never>;

/** Result of `max_taker_vol`. */
export type MaxTakerVolResult = Record<string, unknown>;

/** Parameters of `min_trading_vol`. */
export type MinTradingVolParams = Record<string, never>;

/** Result of `min_trading_vol`. */
export type MinTradingVolResult = Record<string, unknown>;

/** Parameters of `cancel_order`. */
export type CancelOrderParams = Record<string, never>;

/** Result of `cancel_order`. */
export type CancelOrderResult = Record<string, unknown>;

/** Parameters of `order_status`. */
export type OrderStatusParams = Record<string, never>;

/** Result of `order_status`. */
export type OrderStatusResult = Record<string, unknown>;

/** Parameters of `my_swap_status`. */
export type MySwapStatusParams = Record<string, never>;

/** Result of `my_swap_status`. */
export type MySwapStatusResult = Record<string, unknown>;

/** Parameters of `recover_funds_of_swap`. */
export type RecoverFundsOfSwapParams = Record<string, never>;

/** Result of `recover_funds_of_swap`. */
export type RecoverFundsOfSwapResult = Record<string, unknown>;

/** Parameters of `import_swaps`. */
export type ImportSwapsParams = Record<string, never>;

/** Result of `import_swaps`. */
export type ImportSwapsResult = Record<string, unknown>;

/** Parameters of `start_simple_market_maker_bot`. */
export type StartSimpleMarketMakerBotParams = Record<string, never>;

/** Result of `start_simple_market_maker_bot`. */
export type StartSimpleMarketMakerBotResult = Record<string, unknown>;

/** Parameters of `stop_simple_market_maker_bot`. */
export type StopSimpleMarketMakerBotParams = Record<string, never>;

/** Result of `stop_simple_market_maker_bot`. */
export type StopSimpleMarketMakerBotResult = Record<string, unknown>;

/** Parameters of `stream::orderbook::enable`. */
export type StreamOrderbookEnableParams = Record<string, never>;

/** Result of `stream::orderbook::enable`. */
export type StreamOrderbookEnableResult = Record<string, unknown>;

/** Parameters of `stream::swap_status::enable`. */
export type StreamSwapStatusEnableParams = Record<string, never>;

/** Result of `stream::swap_status::enable`. */
export type StreamSwapStatusEnableResult = Record<string, unknown>;

/** Parameters of `stream::order_status::enable`. */
export type StreamOrderStatusEnableParams = Record<string, never>;

/** Result of `stream::order_status::enable`. */
export type StreamOrderStatusEnableResult = Record<string, unknown>;

/** Parameters of `electrum`. */
export type ElectrumParams = Record<string, never>;

/** Result of `electrum`. */
export type ElectrumResult = Record<string, unknown>;

/** Parameters of `enable_bch_with_tokens`. */
export type EnableBchWithTokensParams = Record<string, never>;

/** Result of `enable_bch_with_tokens`. */
export type EnableBchWithTokensResult = Record<string, unknown>;

/** Parameters of `enable_slp`. */
export type EnableSlpParams = Record<string, never>;

/** Result of `enable_slp`. */
export type EnableSlpResult = Record<string, unknown>;

/** Parameters of `task::enable_utxo::init`. */
export type TaskEnableUtxoInitParams = Record<string, never>;

/** Result of `task::enable_utxo::init`. */
export type TaskEnableUtxoInitResult = Record<string, unknown>;

/** Parameters of `task::enable_utxo::status`. */
export type TaskEnableUtxoStatusParams = Record<string, never>;

/** Result of `task::enable_utxo::status`. */
export type TaskEnableUtxoStatusResult = Record<string, unknown>;

/** Parameters of `task::enable_utxo::user_action`. */
export type TaskEnableUtxoUserActionParams = Record<string, never>;

/** Result of `task::enable_utxo::user_action`. */
export type TaskEnableUtxoUserActionResult = Record<string, unknown>;

/** Parameters of `task::enable_utxo::cancel`. */
export type TaskEnableUtxoCancelParams = Record<string, never>;

/** Result of `task::enable_utxo::cancel`. */
export type TaskEnableUtxoCancelResult = Record<string, unknown>;

/** Parameters of `task::enable_qtum::init`. */
export type TaskEnableQtumInitParams = Record<string, never>;

/** Result of `task::enable_qtum::init`. */
export type TaskEnableQtumInitResult = Record<string, unknown>;

/** Parameters of `task::enable_qtum::status`. */
export type TaskEnableQtumStatusParams = Record<string, never>;

/** Result of `task::enable_qtum::status`. */
export type TaskEnableQtumStatusResult = Record<string, unknown>;

/** Parameters of `task::enable_qtum::user_action`. */
export type TaskEnableQtumUserActionParams = Record<string, never>;

/** Result of `task::enable_qtum::user_action`. */
export type TaskEnableQtumUserActionResult = Record<string, unknown>;

/** Parameters of `task::enable_qtum::cancel`. */
export type TaskEnableQtumCancelParams = Record<string, never>;

/** Result of `task::enable_qtum::cancel`. */
export type TaskEnableQtumCancelResult = Record<string, unknown>;

/** Parameters of `task::enable_bch::init`. */
export type TaskEnableBchInitParams = Record<string, never>;

/** Result of `task::enable_bch::init`. */
export type TaskEnableBchInitResult = Record<string, unknown>;

/** Parameters of `task::enable_bch::status`. */
export type TaskEnableBchStatusParams = Record<string, never>;

/** Result of `task::enable_bch::status`. */
export type TaskEnableBchStatusResult = Record<string, unknown>;

/** Parameters of `task::enable_bch::user_action`. */
export type TaskEnableBchUserActionParams = Record<string, never>;

/** Result of `task::enable_bch::user_action`. */
export type TaskEnableBchUserActionResult = Record<string, unknown>;

/** Parameters of `task::enable_bch::cancel`. */
export type TaskEnableBchCancelParams = Record<string, never>;

/** Result of `task::enable_bch::cancel`. */
export type TaskEnableBchCancelResult = Record<string, unknown>;

/** Parameters of `task::enable_z_coin::init`. */
export type TaskEnableZCoinInitParams = Record<string, never>;

/** Result of `task::enable_z_coin::init`. */
export type TaskEnableZCoinInitResult = Record<string, unknown>;

/** Parameters of `task::enable_z_coin::status`. */
export type TaskEnableZCoinStatusParams = Record<string, never>;

/** Result of `task::enable_z_coin::status`. */
export type TaskEnableZCoinStatusResult = Record<string, unknown>;

/** Parameters of `task::enable_z_coin::user_action`. */
export type TaskEnableZCoinUserActionParams = Record<string, never>;

/** Result of `task::enable_z_coin::user_action`. */
export type TaskEnableZCoinUserActionResult = Record<string, unknown>;

/** Parameters of `task::enable_z_coin::cancel`. */
export type TaskEnableZCoinCancelParams = Record<string, never>;

/** Result of `task::enable_z_coin::cancel`. */
export type TaskEnableZCoinCancelResult = Record<string, unknown>;

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
  /**
   * Show private keys of coins, which need not be active.
   *
   * Keep the answer secret: it is enough to spend the coins. In mode hd an entry has the keys of the addresses from start_index to end_index of one account; in mode iguana it has the node's one key.
   *
   * @throws `CoinConfigNotFound` the coins file has no such coin
   * @throws `InvalidHdRange` end_index is below start_index, or too large
   * @throws `HdRangeTooLarge` more than 100 addresses
   * @throws `InvalidParametersForMode` the parameters are of another mode than the node's
   * @throws `ProtocolParseError` keys of such coins are not shown, or the coin's entry is broken
   * @throws `KeyDerivationFailed` there is no key at the path, or the node has no passphrase
   */
  "get_private_keys": { params: GetPrivateKeysParams; result: GetPrivateKeysResult };
  /**
   * Show the node's own addresses of coins, which need not be active.
   *
   * No server is asked. A coin whose address cannot be shown is in failed, with the reason. Of an HD wallet it is the first address of the account.
   */
  "get_addresses": { params: GetAddressesParams; result: GetAddressesResult };
  /**
   * Show the private key of an active coin's address.
   *
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `PrivKeyNotAllowed` the policy of the private key is not one that this node has
   * @throws `KeyDerivationFailed` there is no key at the path, or the node has no passphrase
   */
  "show_priv_key": { params: ShowPrivKeyParams; result: ShowPrivKeyResult };
  /**
   * List the stored wallets, and which of them is open.
   *
   * @throws `WalletsStorageError` the wallet files cannot be read or written; the node's log has the cause
   */
  "get_wallet_names": { params: GetWalletNamesParams; result: GetWalletNamesResult };
  /**
   * Show the recovery phrase of the open wallet.
   *
   * Encrypted, the phrase has the form of the wallet's file, which opens as `passphrase` of a config with `wallet_name` and `wallet_password`. In plain text it needs the wallet's password.
   *
   * @throws `InvalidRequest` the request, or a parameter in it, has not the form that the method takes
   * @throws `InvalidPassword` the wallet's password is another one, or its file was altered
   * @throws `Internal` there is no open wallet, or the nodes of the coin gave no answer; the data says which
   * @throws `WalletsStorageError` the wallet files cannot be read or written; the node's log has the cause
   */
  "get_mnemonic": { params: GetMnemonicParams; result: GetMnemonicResult };
  /**
   * Encrypt the open wallet with another password.
   *
   * @throws `PasswordPolicyViolation` the new password is too weak
   * @throws `InvalidPassword` the wallet's password is another one, or its file was altered
   * @throws `Internal` there is no open wallet, or the nodes of the coin gave no answer; the data says which
   * @throws `WalletsStorageError` the wallet files cannot be read or written; the node's log has the cause
   */
  "change_mnemonic_password": { params: ChangeMnemonicPasswordParams; result: ChangeMnemonicPasswordResult };
  /**
   * Delete a wallet that is not open.
   *
   * Only its file is deleted: the data of its coins stay.
   *
   * @throws `InvalidRequest` the request, or a parameter in it, has not the form that the method takes
   * @throws `InvalidPassword` the wallet's password is another one, or its file was altered
   * @throws `WalletsStorageError` the wallet files cannot be read or written; the node's log has the cause
   */
  "delete_wallet": { params: DeleteWalletParams; result: DeleteWalletResult };
  /**
   * List the active coins in the order of their activation.
   *
   * Without "mmrpc" the result is a list of {address, ticker}.
   */
  "get_enabled_coins": { params: GetEnabledCoinsParams; result: GetEnabledCoinsResult };
  /**
   * Make a coin inactive.
   *
   * A platform coin with tokens becomes passive instead: it looks inactive and works on for its tokens. With force_disable its tokens become inactive with it. A coin that is being activated is none yet (NoSuchCoin): its activation is cancelled.
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
   * Show how the nodes do that a coin was activated with.
   *
   * Nobody is asked for it: it is what the coin's own calls have found out, and changes with them. A coin works as long as one node does. A token has the nodes of its platform. NFT networks and Lightning coins have none: the peers of those are in lightning::nodes::list_peers.
   *
   * @throws `NoSuchCoin` the coin is not activated
   */
  "get_coin_nodes": { params: GetCoinNodesParams; result: GetCoinNodesResult };
  /**
   * Test nodes of a network, before a coin uses them.
   *
   * Each node is asked once for its chain and its newest block, all at the same time and from where this node is: in a page, a node whose server forbids pages (CORS) fails here too. Nothing is kept.
   *
   * @throws `PlatformConfigIsNotFound` the coins file has no such platform coin
   * @throws `CoinProtocolParseError` the platform coin's protocol in the coins file cannot be read
   * @throws `UnexpectedPlatformProtocol` the coin is not a platform of the method's kind
   */
  "test_coin_nodes": { params: TestCoinNodesParams; result: TestCoinNodesResult };
  /**
   * Check whether a text is an address of a coin.
   *
   * @throws `NoSuchCoin` the coin is not activated
   */
  "validateaddress": { params: ValidateaddressParams; result: ValidateaddressResult };
  /**
   * Write an address in another spelling.
   *
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `AddressDecodingError` not an address of the coin
   */
  "convertaddress": { params: ConvertaddressParams; result: ConvertaddressResult };
  /**
   * Show the address of the same key in another coin of the kind of Bitcoin.
   *
   * The coin has to be in the coins file and need not be active. An address of a script (P2SH) is refused: what is sent to it in another coin is lost.
   *
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `AddressDecodingError` not an address of the coin
   */
  "convert_utxo_address": { params: ConvertUtxoAddressParams; result: ConvertUtxoAddressResult };
  /**
   * Activate a chain of the Cosmos family, with IBC assets on it.
   *
   * When it fails, nothing is activated. A token whose balance the chain refuses to say is left out, and named in failed_tokens. A node that does not answer, or that is on another chain, is left out as long as another one answers. What was active is activated again, in the background, when the node is started the next time; until the user has enabled it again in that run, this method replaces its nodes and parameters.
   *
   * @throws `PlatformIsAlreadyActivated` the platform coin is active
   * @throws `PlatformConfigIsNotFound` the coins file has no such platform coin
   * @throws `CoinProtocolParseError` the platform coin's protocol in the coins file cannot be read
   * @throws `UnexpectedPlatformProtocol` the coin is not a platform of the method's kind
   * @throws `PlatformCoinCreationError` the platform coin could not be activated
   * @throws `UnexpectedDerivationMethod` the key cannot be derived as the method needs it
   * @throws `TokenConfigIsNotFound` the coins file has no such token
   * @throws `TokenProtocolParseError` the token's protocol in the coins file cannot be read
   * @throws `UnexpectedTokenProtocol` the token does not belong to a platform of this kind
   * @throws `Transport` no node of the coin answered
   * @throws `PrivKeyNotAllowed` the policy of the private key is not one that this node has
   * @throws `WalletNotFound` the page has no such wallet, or the node no such session with one
   * @throws `WalletRefused` the wallet's user said no, or did not allow the method in the session
   * @throws `WalletTimeout` the wallet's user, or the relay to the wallet, did not answer in time
   * @throws `WalletWrongChain` the wallet has no account on the coin's chain
   * @throws `WalletSwitched` the wallet has switched to another account than that of the coin, which has to be activated again
   * @throws `WalletGone` the page with the wallet was closed, the call came from none, or the session with the wallet ended meanwhile
   * @throws `WalletFailed` the wallet failed, or answered what makes no sense
   * @throws `HwError` the hardware wallet failed or refused; nested: the reason, and what its user can do
   * @throws `Timeout` the hardware wallet, or its user, did not answer in time
   */
  "enable_tendermint_with_assets": { params: EnableTendermintWithAssetsParams; result: EnableTendermintWithAssetsResult };
  /**
   * Activate an IBC asset on a chain that is active.
   *
   * @throws `TokenIsAlreadyActivated` the token or NFT network is active
   * @throws `TokenConfigIsNotFound` the coins file has no such token
   * @throws `TokenProtocolParseError` the token's protocol in the coins file cannot be read
   * @throws `UnexpectedTokenProtocol` the token does not belong to a platform of this kind
   * @throws `PlatformCoinIsNotActivated` the platform of the token or NFT network is not activated
   * @throws `UnsupportedPlatformCoin` the token's platform is activated, and is no platform of the method's kind
   * @throws `CouldNotFetchBalance` the token's balance could not be read from the nodes
   */
  "enable_tendermint_token": { params: EnableTendermintTokenParams; result: EnableTendermintTokenResult };
  /**
   * Begin to activate a chain of the Cosmos family, with IBC assets on it.
   *
   * As enable_tendermint_with_assets, for callers that show what a hardware wallet or a browser's wallet waits for.
   *
   * @throws `PlatformIsAlreadyActivated` the platform coin is active
   * @throws `PlatformConfigIsNotFound` the coins file has no such platform coin
   * @throws `CoinProtocolParseError` the platform coin's protocol in the coins file cannot be read
   * @throws `UnexpectedPlatformProtocol` the coin is not a platform of the method's kind
   * @throws `PlatformCoinCreationError` the platform coin could not be activated
   * @throws `UnexpectedDerivationMethod` the key cannot be derived as the method needs it
   * @throws `TokenConfigIsNotFound` the coins file has no such token
   * @throws `TokenProtocolParseError` the token's protocol in the coins file cannot be read
   * @throws `UnexpectedTokenProtocol` the token does not belong to a platform of this kind
   * @throws `Transport` no node of the coin answered
   * @throws `PrivKeyNotAllowed` the policy of the private key is not one that this node has
   * @throws `WalletNotFound` the page has no such wallet, or the node no such session with one
   * @throws `WalletRefused` the wallet's user said no, or did not allow the method in the session
   * @throws `WalletTimeout` the wallet's user, or the relay to the wallet, did not answer in time
   * @throws `WalletWrongChain` the wallet has no account on the coin's chain
   * @throws `WalletSwitched` the wallet has switched to another account than that of the coin, which has to be activated again
   * @throws `WalletGone` the page with the wallet was closed, the call came from none, or the session with the wallet ended meanwhile
   * @throws `WalletFailed` the wallet failed, or answered what makes no sense
   * @throws `HwError` the hardware wallet failed or refused; nested: the reason, and what its user can do
   * @throws `Timeout` the hardware wallet, or its user, did not answer in time
   */
  "task::enable_tendermint::init": { params: TaskEnableTendermintInitParams; result: TaskEnableTendermintInitResult };
  /**
   * Show the progress of the activation of a chain of the Cosmos family.
   *
   * In progress, details are ActivatingCoin, WaitingForTrezorToConnect (a hardware wallet has to be plugged in, unlocked, or its app opened) or FollowHwDeviceInstructions (its user has to confirm). With Ok, they are the result of enable_tendermint_with_assets. Errors in details are those of init, and TaskTimedOut.
   *
   * @throws `NoSuchTask` there is no such task of this method, or it was forgotten: its number
   */
  "task::enable_tendermint::status": { params: TaskEnableTendermintStatusParams; result: TaskEnableTendermintStatusResult };
  /**
   * End the activation of a chain of the Cosmos family that is not ready.
   *
   * @throws `NoSuchTask` there is no such task to cancel, or it was forgotten: its number
   * @throws `TaskFinished` the task has ended: its number
   */
  "task::enable_tendermint::cancel": { params: TaskEnableTendermintCancelParams; result: TaskEnableTendermintCancelResult };
  /**
   * Answer what the activation of a chain of the Cosmos family asks.
   *
   * A Trezor may ask: EnterTrezorPin is answered with {action_type: TrezorPin, pin}, where pin are the places of the PIN's digits in the matrix that the device shows, as on a number pad; EnterTrezorPassphrase with {action_type: TrezorPassphrase, passphrase}, or without a passphrase to enter it on the device. An answer to a task that asks nothing is an InternalError.
   *
   * @throws `NoSuchTask` there is no such task of this method, or it was forgotten: its number
   */
  "task::enable_tendermint::user_action": { params: TaskEnableTendermintUserActionParams; result: TaskEnableTendermintUserActionResult };
  /**
   * Make and sign a transaction that stakes coins with a validator.
   *
   * It is sent by send_raw_transaction with its tx_hex. Rewards that the validator owes already are paid out with it.
   *
   * @throws `CoinDoesntSupportDelegation` the coin is not staked with validators
   * @throws `InvalidPayload` a parameter of staking makes no sense
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `NotSufficientBalance` the balance is too low for what was asked
   * @throws `NotSufficientPlatformBalanceForFee` the balance of the coin that pays the fee is too low
   * @throws `ZeroBalanceToWithdrawMax` there is nothing of which to send everything
   * @throws `BroadcastExpected` the coin's wallet sends what it signs, and broadcast is not set
   * @throws `AmountTooLow` the amount is less than can be sent
   * @throws `InvalidAddress` invalid address: of a peer, neither an IP address nor a domain name; of a coin, not one that it can be sent to
   * @throws `InvalidFeePolicy` the fee is not of a kind that the coin takes, or too low
   * @throws `InvalidFee` the chosen price of gas is below the network's base fee
   * @throws `InvalidMemo` the chain does not take the memo
   * @throws `UnexpectedFromAddress` from is not an address of the coin's
   * @throws `UnknownAccount` the account was not created
   * @throws `IBCError` the IBC channel to the address's chain is not known, closed or expired
   * @throws `SigningError` the wallet did not sign, or not what it was asked to
   * @throws `TransactionRefused` the chain does not take the transaction, or it failed in its block
   * @throws `Transport` no node of the coin answered
   * @throws `PrivKeyNotAllowed` the policy of the private key is not one that this node has
   * @throws `WalletNotFound` the page has no such wallet, or the node no such session with one
   * @throws `WalletRefused` the wallet's user said no, or did not allow the method in the session
   * @throws `WalletTimeout` the wallet's user, or the relay to the wallet, did not answer in time
   * @throws `WalletWrongChain` the wallet has no account on the coin's chain
   * @throws `WalletSwitched` the wallet has switched to another account than that of the coin, which has to be activated again
   * @throws `WalletGone` the page with the wallet was closed, the call came from none, or the session with the wallet ended meanwhile
   * @throws `WalletFailed` the wallet failed, or answered what makes no sense
   * @throws `HwError` the hardware wallet failed or refused; nested: the reason, and what its user can do
   * @throws `Timeout` the hardware wallet, or its user, did not answer in time
   */
  "experimental::staking::delegate": { params: ExperimentalStakingDelegateParams; result: ExperimentalStakingDelegateResult };
  /**
   * Make and sign a transaction that takes staked coins back.
   *
   * It is sent by send_raw_transaction with its tx_hex. The chain gives them back after its unbonding time.
   *
   * @throws `CanNotUndelegate` the address has staked nothing with the validator
   * @throws `TooMuchToUndelegate` less is staked with the validator than is asked back
   * @throws `CoinDoesntSupportDelegation` the coin is not staked with validators
   * @throws `InvalidPayload` a parameter of staking makes no sense
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `NotSufficientBalance` the balance is too low for what was asked
   * @throws `NotSufficientPlatformBalanceForFee` the balance of the coin that pays the fee is too low
   * @throws `ZeroBalanceToWithdrawMax` there is nothing of which to send everything
   * @throws `BroadcastExpected` the coin's wallet sends what it signs, and broadcast is not set
   * @throws `AmountTooLow` the amount is less than can be sent
   * @throws `InvalidAddress` invalid address: of a peer, neither an IP address nor a domain name; of a coin, not one that it can be sent to
   * @throws `InvalidFeePolicy` the fee is not of a kind that the coin takes, or too low
   * @throws `InvalidFee` the chosen price of gas is below the network's base fee
   * @throws `InvalidMemo` the chain does not take the memo
   * @throws `UnexpectedFromAddress` from is not an address of the coin's
   * @throws `UnknownAccount` the account was not created
   * @throws `IBCError` the IBC channel to the address's chain is not known, closed or expired
   * @throws `SigningError` the wallet did not sign, or not what it was asked to
   * @throws `TransactionRefused` the chain does not take the transaction, or it failed in its block
   * @throws `Transport` no node of the coin answered
   * @throws `PrivKeyNotAllowed` the policy of the private key is not one that this node has
   * @throws `WalletNotFound` the page has no such wallet, or the node no such session with one
   * @throws `WalletRefused` the wallet's user said no, or did not allow the method in the session
   * @throws `WalletTimeout` the wallet's user, or the relay to the wallet, did not answer in time
   * @throws `WalletWrongChain` the wallet has no account on the coin's chain
   * @throws `WalletSwitched` the wallet has switched to another account than that of the coin, which has to be activated again
   * @throws `WalletGone` the page with the wallet was closed, the call came from none, or the session with the wallet ended meanwhile
   * @throws `WalletFailed` the wallet failed, or answered what makes no sense
   * @throws `HwError` the hardware wallet failed or refused; nested: the reason, and what its user can do
   * @throws `Timeout` the hardware wallet, or its user, did not answer in time
   */
  "experimental::staking::undelegate": { params: ExperimentalStakingUndelegateParams; result: ExperimentalStakingUndelegateResult };
  /**
   * Make and sign a transaction that takes the rewards of a validator.
   *
   * It is sent by send_raw_transaction with its tx_hex. A reward that is not above the fee is refused without force.
   *
   * @throws `NothingToClaim` the validator owes no reward
   * @throws `UnprofitableReward` the reward is not above the fee of claiming it; force claims it anyway
   * @throws `CoinDoesntSupportDelegation` the coin is not staked with validators
   * @throws `InvalidPayload` a parameter of staking makes no sense
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `NotSufficientBalance` the balance is too low for what was asked
   * @throws `NotSufficientPlatformBalanceForFee` the balance of the coin that pays the fee is too low
   * @throws `ZeroBalanceToWithdrawMax` there is nothing of which to send everything
   * @throws `BroadcastExpected` the coin's wallet sends what it signs, and broadcast is not set
   * @throws `AmountTooLow` the amount is less than can be sent
   * @throws `InvalidAddress` invalid address: of a peer, neither an IP address nor a domain name; of a coin, not one that it can be sent to
   * @throws `InvalidFeePolicy` the fee is not of a kind that the coin takes, or too low
   * @throws `InvalidFee` the chosen price of gas is below the network's base fee
   * @throws `InvalidMemo` the chain does not take the memo
   * @throws `UnexpectedFromAddress` from is not an address of the coin's
   * @throws `UnknownAccount` the account was not created
   * @throws `IBCError` the IBC channel to the address's chain is not known, closed or expired
   * @throws `SigningError` the wallet did not sign, or not what it was asked to
   * @throws `TransactionRefused` the chain does not take the transaction, or it failed in its block
   * @throws `Transport` no node of the coin answered
   * @throws `PrivKeyNotAllowed` the policy of the private key is not one that this node has
   * @throws `WalletNotFound` the page has no such wallet, or the node no such session with one
   * @throws `WalletRefused` the wallet's user said no, or did not allow the method in the session
   * @throws `WalletTimeout` the wallet's user, or the relay to the wallet, did not answer in time
   * @throws `WalletWrongChain` the wallet has no account on the coin's chain
   * @throws `WalletSwitched` the wallet has switched to another account than that of the coin, which has to be activated again
   * @throws `WalletGone` the page with the wallet was closed, the call came from none, or the session with the wallet ended meanwhile
   * @throws `WalletFailed` the wallet failed, or answered what makes no sense
   * @throws `HwError` the hardware wallet failed or refused; nested: the reason, and what its user can do
   * @throws `Timeout` the hardware wallet, or its user, did not answer in time
   */
  "experimental::staking::claim_rewards": { params: ExperimentalStakingClaimRewardsParams; result: ExperimentalStakingClaimRewardsResult };
  /**
   * List the validators of a coin's chain.
   *
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `CoinDoesntSupportDelegation` the coin is not staked with validators
   * @throws `Transport` no node of the coin answered
   */
  "experimental::staking::query::validators": { params: ExperimentalStakingQueryValidatorsParams; result: ExperimentalStakingQueryValidatorsResult };
  /**
   * List what the coin's own address has staked, with the rewards.
   *
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `CoinDoesntSupportDelegation` the coin is not staked with validators
   * @throws `Transport` no node of the coin answered
   */
  "experimental::staking::query::delegations": { params: ExperimentalStakingQueryDelegationsParams; result: ExperimentalStakingQueryDelegationsResult };
  /**
   * List what the coin's own address has taken back and not got yet.
   *
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `CoinDoesntSupportDelegation` the coin is not staked with validators
   * @throws `Transport` no node of the coin answered
   */
  "experimental::staking::query::ongoing_undelegations": { params: ExperimentalStakingQueryOngoingUndelegationsParams; result: ExperimentalStakingQueryOngoingUndelegationsResult };
  /**
   * Activate an EVM network, with ERC-20 tokens and NFTs on it.
   *
   * When it fails, nothing is activated. A token whose contract does not say its balance or decimals is left out, and named in failed_tokens. A node that does not answer, or that is on another network, is left out as long as another one answers. What was active is activated again, in the background, when the node is started the next time; until the user has enabled it again in that run, this method replaces its nodes and parameters.
   *
   * @throws `PlatformIsAlreadyActivated` the platform coin is active
   * @throws `PlatformConfigIsNotFound` the coins file has no such platform coin
   * @throws `CoinProtocolParseError` the platform coin's protocol in the coins file cannot be read
   * @throws `UnexpectedPlatformProtocol` the coin is not a platform of the method's kind
   * @throws `PlatformCoinCreationError` the platform coin could not be activated
   * @throws `UnexpectedDerivationMethod` the key cannot be derived as the method needs it
   * @throws `InvalidPayload` a parameter of the activation makes no sense
   * @throws `AtLeastOneNodeRequired` the list of nodes is empty
   * @throws `TokenConfigIsNotFound` the coins file has no such token
   * @throws `TokenProtocolParseError` the token's protocol in the coins file cannot be read
   * @throws `UnexpectedTokenProtocol` the token does not belong to a platform of this kind
   * @throws `UnsupportedPlatformCoin` the token's platform is activated, and is no platform of the method's kind
   * @throws `CustomTokenError` the coins file has the custom token's ticker or contract, or the contract is active by another ticker
   * @throws `CouldNotFetchBalance` the token's address is not an ERC-20 contract
   * @throws `Transport` no node of the coin answered
   * @throws `DbError` what is kept of NFTs cannot be read or changed
   * @throws `PrivKeyNotAllowed` the policy of the private key is not one that this node has
   * @throws `WalletNotFound` the page has no such wallet, or the node no such session with one
   * @throws `WalletRefused` the wallet's user said no, or did not allow the method in the session
   * @throws `WalletTimeout` the wallet's user, or the relay to the wallet, did not answer in time
   * @throws `WalletWrongChain` the wallet has no account on the coin's chain
   * @throws `WalletSwitched` the wallet has switched to another account than that of the coin, which has to be activated again
   * @throws `WalletGone` the page with the wallet was closed, the call came from none, or the session with the wallet ended meanwhile
   * @throws `WalletFailed` the wallet failed, or answered what makes no sense
   * @throws `HwError` the hardware wallet failed or refused; nested: the reason, and what its user can do
   * @throws `Timeout` the hardware wallet, or its user, did not answer in time
   */
  "enable_eth_with_tokens": { params: EnableEthWithTokensParams; result: EnableEthWithTokensResult };
  /**
   * Activate an ERC-20 token on a network that is active.
   *
   * With protocol, the token need not be in the coins file: its decimals are read from the contract, see get_token_info. It has its ticker from then on, also after a restart, until it is disabled.
   *
   * @throws `TokenIsAlreadyActivated` the token or NFT network is active
   * @throws `TokenConfigIsNotFound` the coins file has no such token
   * @throws `TokenProtocolParseError` the token's protocol in the coins file cannot be read
   * @throws `UnexpectedTokenProtocol` the token does not belong to a platform of this kind
   * @throws `PlatformCoinIsNotActivated` the platform of the token or NFT network is not activated
   * @throws `UnsupportedPlatformCoin` the token's platform is activated, and is no platform of the method's kind
   * @throws `CustomTokenError` the coins file has the custom token's ticker or contract, or the contract is active by another ticker
   * @throws `CouldNotFetchBalance` the token's balance could not be read from the nodes
   * @throws `CouldNotFetchBalance` the token's address is not an ERC-20 contract
   * @throws `TokenProtocolParseError` the request's protocol of the token cannot be read
   */
  "enable_erc20": { params: EnableErc20Params; result: EnableErc20Result };
  /**
   * Activate a coin of an EVM network, as older clients do.
   *
   * @throws `PlatformIsAlreadyActivated` the platform coin is active
   * @throws `PlatformConfigIsNotFound` the coins file has no such platform coin
   * @throws `CoinProtocolParseError` the platform coin's protocol in the coins file cannot be read
   * @throws `UnexpectedPlatformProtocol` the coin is not a platform of the method's kind
   * @throws `PlatformCoinCreationError` the platform coin could not be activated
   * @throws `UnexpectedDerivationMethod` the key cannot be derived as the method needs it
   * @throws `InvalidPayload` a parameter of the activation makes no sense
   * @throws `AtLeastOneNodeRequired` the list of nodes is empty
   * @throws `TokenConfigIsNotFound` the coins file has no such token
   * @throws `TokenProtocolParseError` the token's protocol in the coins file cannot be read
   * @throws `UnexpectedTokenProtocol` the token does not belong to a platform of this kind
   * @throws `UnsupportedPlatformCoin` the token's platform is activated, and is no platform of the method's kind
   * @throws `CustomTokenError` the coins file has the custom token's ticker or contract, or the contract is active by another ticker
   * @throws `CouldNotFetchBalance` the token's address is not an ERC-20 contract
   * @throws `Transport` no node of the coin answered
   * @throws `DbError` what is kept of NFTs cannot be read or changed
   * @throws `PrivKeyNotAllowed` the policy of the private key is not one that this node has
   * @throws `WalletNotFound` the page has no such wallet, or the node no such session with one
   * @throws `WalletRefused` the wallet's user said no, or did not allow the method in the session
   * @throws `WalletTimeout` the wallet's user, or the relay to the wallet, did not answer in time
   * @throws `WalletWrongChain` the wallet has no account on the coin's chain
   * @throws `WalletSwitched` the wallet has switched to another account than that of the coin, which has to be activated again
   * @throws `WalletGone` the page with the wallet was closed, the call came from none, or the session with the wallet ended meanwhile
   * @throws `WalletFailed` the wallet failed, or answered what makes no sense
   * @throws `HwError` the hardware wallet failed or refused; nested: the reason, and what its user can do
   * @throws `Timeout` the hardware wallet, or its user, did not answer in time
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `Transport` a remote could not be reached, or answered wrongly
   */
  "enable": { params: EnableParams; result: EnableResult };
  /**
   * Begin to activate an EVM network, with ERC-20 tokens and NFTs on it.
   *
   * As enable_eth_with_tokens, for callers that show what a hardware wallet or a browser's wallet waits for.
   *
   * @throws `PlatformIsAlreadyActivated` the platform coin is active
   * @throws `PlatformConfigIsNotFound` the coins file has no such platform coin
   * @throws `CoinProtocolParseError` the platform coin's protocol in the coins file cannot be read
   * @throws `UnexpectedPlatformProtocol` the coin is not a platform of the method's kind
   * @throws `PlatformCoinCreationError` the platform coin could not be activated
   * @throws `UnexpectedDerivationMethod` the key cannot be derived as the method needs it
   * @throws `InvalidPayload` a parameter of the activation makes no sense
   * @throws `AtLeastOneNodeRequired` the list of nodes is empty
   * @throws `TokenConfigIsNotFound` the coins file has no such token
   * @throws `TokenProtocolParseError` the token's protocol in the coins file cannot be read
   * @throws `UnexpectedTokenProtocol` the token does not belong to a platform of this kind
   * @throws `UnsupportedPlatformCoin` the token's platform is activated, and is no platform of the method's kind
   * @throws `CustomTokenError` the coins file has the custom token's ticker or contract, or the contract is active by another ticker
   * @throws `CouldNotFetchBalance` the token's address is not an ERC-20 contract
   * @throws `Transport` no node of the coin answered
   * @throws `DbError` what is kept of NFTs cannot be read or changed
   * @throws `PrivKeyNotAllowed` the policy of the private key is not one that this node has
   * @throws `WalletNotFound` the page has no such wallet, or the node no such session with one
   * @throws `WalletRefused` the wallet's user said no, or did not allow the method in the session
   * @throws `WalletTimeout` the wallet's user, or the relay to the wallet, did not answer in time
   * @throws `WalletWrongChain` the wallet has no account on the coin's chain
   * @throws `WalletSwitched` the wallet has switched to another account than that of the coin, which has to be activated again
   * @throws `WalletGone` the page with the wallet was closed, the call came from none, or the session with the wallet ended meanwhile
   * @throws `WalletFailed` the wallet failed, or answered what makes no sense
   * @throws `HwError` the hardware wallet failed or refused; nested: the reason, and what its user can do
   * @throws `Timeout` the hardware wallet, or its user, did not answer in time
   */
  "task::enable_eth::init": { params: TaskEnableEthInitParams; result: TaskEnableEthInitResult };
  /**
   * Show the progress of the activation of an EVM network.
   *
   * In progress, details are ActivatingCoin, WaitingForTrezorToConnect (a hardware wallet has to be plugged in, unlocked, or its app opened) or FollowHwDeviceInstructions (its user has to confirm). With Ok, they are the result of enable_eth_with_tokens. Errors in details are those of init, and TaskTimedOut.
   *
   * @throws `NoSuchTask` there is no such task of this method, or it was forgotten: its number
   */
  "task::enable_eth::status": { params: TaskEnableEthStatusParams; result: TaskEnableEthStatusResult };
  /**
   * End the activation of an EVM network that is not ready.
   *
   * @throws `NoSuchTask` there is no such task to cancel, or it was forgotten: its number
   * @throws `TaskFinished` the task has ended: its number
   */
  "task::enable_eth::cancel": { params: TaskEnableEthCancelParams; result: TaskEnableEthCancelResult };
  /**
   * Answer what the activation of an EVM network asks.
   *
   * A Trezor may ask: EnterTrezorPin is answered with {action_type: TrezorPin, pin}, where pin are the places of the PIN's digits in the matrix that the device shows, as on a number pad; EnterTrezorPassphrase with {action_type: TrezorPassphrase, passphrase}, or without a passphrase to enter it on the device. An answer to a task that asks nothing is an InternalError.
   *
   * @throws `NoSuchTask` there is no such task of this method, or it was forgotten: its number
   */
  "task::enable_eth::user_action": { params: TaskEnableEthUserActionParams; result: TaskEnableEthUserActionResult };
  /**
   * Begin to activate an ERC-20 token on a network that is active.
   *
   * As enable_erc20, with the balances of all accounts of an HD wallet.
   *
   * @throws `TokenIsAlreadyActivated` the token or NFT network is active
   * @throws `TokenProtocolParseError` the request's protocol of the token cannot be read
   */
  "task::enable_erc20::init": { params: TaskEnableErc20InitParams; result: TaskEnableErc20InitResult };
  /**
   * Show the progress of the activation of an ERC-20 token.
   *
   * In progress, details are ActivatingCoin. With Ok, they are ticker, platform_coin, token_contract_address, current_block, required_confirmations and wallet_balance: {wallet_type: HD, accounts} as of enable_eth_with_tokens, or {wallet_type: Iguana, address, balance}. Errors in details are those of enable_erc20, and TaskTimedOut.
   *
   * @throws `NoSuchTask` there is no such task of this method, or it was forgotten: its number
   */
  "task::enable_erc20::status": { params: TaskEnableErc20StatusParams; result: TaskEnableErc20StatusResult };
  /**
   * End the activation of an ERC-20 token that is not ready.
   *
   * @throws `NoSuchTask` there is no such task to cancel, or it was forgotten: its number
   * @throws `TaskFinished` the task has ended: its number
   */
  "task::enable_erc20::cancel": { params: TaskEnableErc20CancelParams; result: TaskEnableErc20CancelResult };
  /**
   * Answer what the activation of an ERC-20 token asks.
   *
   * A Trezor may ask: EnterTrezorPin is answered with {action_type: TrezorPin, pin}, where pin are the places of the PIN's digits in the matrix that the device shows, as on a number pad; EnterTrezorPassphrase with {action_type: TrezorPassphrase, passphrase}, or without a passphrase to enter it on the device. An answer to a task that asks nothing is an InternalError.
   *
   * @throws `NoSuchTask` there is no such task of this method, or it was forgotten: its number
   */
  "task::enable_erc20::user_action": { params: TaskEnableErc20UserActionParams; result: TaskEnableErc20UserActionResult };
  /**
   * Show what the known addresses of an account hold, page by page.
   *
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `CoinIsActivatedNotWithHDWallet` the coin has one address: the node was started without enable_hd, or the key is in a wallet or a device
   * @throws `UnknownAccount` the account was not created
   * @throws `ErrorDerivingAddress` there is no address at the path
   * @throws `WalletStorageError` the known accounts cannot be read or written
   * @throws `Transport` a remote could not be reached, or answered wrongly
   * @throws `PrivKeyNotAllowed` the policy of the private key is not one that this node has
   * @throws `WalletNotFound` the page has no such wallet, or the node no such session with one
   * @throws `WalletRefused` the wallet's user said no, or did not allow the method in the session
   * @throws `WalletTimeout` the wallet's user, or the relay to the wallet, did not answer in time
   * @throws `WalletWrongChain` the wallet has no account on the coin's chain
   * @throws `WalletSwitched` the wallet has switched to another account than that of the coin, which has to be activated again
   * @throws `WalletGone` the page with the wallet was closed, the call came from none, or the session with the wallet ended meanwhile
   * @throws `WalletFailed` the wallet failed, or answered what makes no sense
   * @throws `HwError` the hardware wallet failed or refused; nested: the reason, and what its user can do
   * @throws `Timeout` the hardware wallet, or its user, did not answer in time
   */
  "account_balance": { params: AccountBalanceParams; result: AccountBalanceResult };
  /**
   * Make the next address of an account known.
   *
   * While as many of the last ones as the gap limit are unused it is refused: wallets that find addresses by themselves would not look so far.
   *
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `CoinIsActivatedNotWithHDWallet` the coin has one address: the node was started without enable_hd, or the key is in a wallet or a device
   * @throws `UnknownAccount` the account was not created
   * @throws `ErrorDerivingAddress` there is no address at the path
   * @throws `WalletStorageError` the known accounts cannot be read or written
   * @throws `Transport` a remote could not be reached, or answered wrongly
   * @throws `PrivKeyNotAllowed` the policy of the private key is not one that this node has
   * @throws `WalletNotFound` the page has no such wallet, or the node no such session with one
   * @throws `WalletRefused` the wallet's user said no, or did not allow the method in the session
   * @throws `WalletTimeout` the wallet's user, or the relay to the wallet, did not answer in time
   * @throws `WalletWrongChain` the wallet has no account on the coin's chain
   * @throws `WalletSwitched` the wallet has switched to another account than that of the coin, which has to be activated again
   * @throws `WalletGone` the page with the wallet was closed, the call came from none, or the session with the wallet ended meanwhile
   * @throws `WalletFailed` the wallet failed, or answered what makes no sense
   * @throws `HwError` the hardware wallet failed or refused; nested: the reason, and what its user can do
   * @throws `Timeout` the hardware wallet, or its user, did not answer in time
   * @throws `EmptyAddressesLimitReached` as many of the last addresses as the gap limit are unused
   * @throws `AddressLimitReached` the account has as many addresses as it can have
   */
  "get_new_address": { params: GetNewAddressParams; result: GetNewAddressResult };
  /**
   * Begin to ask what the known addresses of an account hold.
   *
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `CoinIsActivatedNotWithHDWallet` the coin has one address: the node was started without enable_hd, or the key is in a wallet or a device
   * @throws `UnknownAccount` the account was not created
   * @throws `ErrorDerivingAddress` there is no address at the path
   * @throws `WalletStorageError` the known accounts cannot be read or written
   * @throws `Transport` a remote could not be reached, or answered wrongly
   * @throws `PrivKeyNotAllowed` the policy of the private key is not one that this node has
   * @throws `WalletNotFound` the page has no such wallet, or the node no such session with one
   * @throws `WalletRefused` the wallet's user said no, or did not allow the method in the session
   * @throws `WalletTimeout` the wallet's user, or the relay to the wallet, did not answer in time
   * @throws `WalletWrongChain` the wallet has no account on the coin's chain
   * @throws `WalletSwitched` the wallet has switched to another account than that of the coin, which has to be activated again
   * @throws `WalletGone` the page with the wallet was closed, the call came from none, or the session with the wallet ended meanwhile
   * @throws `WalletFailed` the wallet failed, or answered what makes no sense
   * @throws `HwError` the hardware wallet failed or refused; nested: the reason, and what its user can do
   * @throws `Timeout` the hardware wallet, or its user, did not answer in time
   */
  "task::account_balance::init": { params: TaskAccountBalanceInitParams; result: TaskAccountBalanceInitResult };
  /**
   * Show the progress of a question for an account's balance.
   *
   * In progress, details are RequestingAccountBalance. With Ok, they are account_index, derivation_path, total_balance and addresses, as in the accounts of enable_eth_with_tokens. Errors in details are those of init, and TaskTimedOut.
   *
   * @throws `NoSuchTask` there is no such task of this method, or it was forgotten: its number
   */
  "task::account_balance::status": { params: TaskAccountBalanceStatusParams; result: TaskAccountBalanceStatusResult };
  /**
   * End a question for an account's balance that is not ready.
   *
   * @throws `NoSuchTask` there is no such task to cancel, or it was forgotten: its number
   * @throws `TaskFinished` the task has ended: its number
   */
  "task::account_balance::cancel": { params: TaskAccountBalanceCancelParams; result: TaskAccountBalanceCancelResult };
  /**
   * Begin to make the next address of an account known.
   *
   * As get_new_address.
   *
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `CoinIsActivatedNotWithHDWallet` the coin has one address: the node was started without enable_hd, or the key is in a wallet or a device
   * @throws `UnknownAccount` the account was not created
   * @throws `ErrorDerivingAddress` there is no address at the path
   * @throws `WalletStorageError` the known accounts cannot be read or written
   * @throws `Transport` a remote could not be reached, or answered wrongly
   * @throws `PrivKeyNotAllowed` the policy of the private key is not one that this node has
   * @throws `WalletNotFound` the page has no such wallet, or the node no such session with one
   * @throws `WalletRefused` the wallet's user said no, or did not allow the method in the session
   * @throws `WalletTimeout` the wallet's user, or the relay to the wallet, did not answer in time
   * @throws `WalletWrongChain` the wallet has no account on the coin's chain
   * @throws `WalletSwitched` the wallet has switched to another account than that of the coin, which has to be activated again
   * @throws `WalletGone` the page with the wallet was closed, the call came from none, or the session with the wallet ended meanwhile
   * @throws `WalletFailed` the wallet failed, or answered what makes no sense
   * @throws `HwError` the hardware wallet failed or refused; nested: the reason, and what its user can do
   * @throws `Timeout` the hardware wallet, or its user, did not answer in time
   * @throws `EmptyAddressesLimitReached` as many of the last addresses as the gap limit are unused
   * @throws `AddressLimitReached` the account has as many addresses as it can have
   */
  "task::get_new_address::init": { params: TaskGetNewAddressInitParams; result: TaskGetNewAddressInitResult };
  /**
   * Show the progress of a new address.
   *
   * In progress, details are RequestingAccountBalance. With Ok, they are the result of get_new_address. Errors in details are those of init, and TaskTimedOut.
   *
   * @throws `NoSuchTask` there is no such task of this method, or it was forgotten: its number
   */
  "task::get_new_address::status": { params: TaskGetNewAddressStatusParams; result: TaskGetNewAddressStatusResult };
  /**
   * End a new address that is not ready.
   *
   * @throws `NoSuchTask` there is no such task to cancel, or it was forgotten: its number
   * @throws `TaskFinished` the task has ended: its number
   */
  "task::get_new_address::cancel": { params: TaskGetNewAddressCancelParams; result: TaskGetNewAddressCancelResult };
  /**
   * Answer what a new address asks.
   *
   * A Trezor may ask: EnterTrezorPin is answered with {action_type: TrezorPin, pin}, where pin are the places of the PIN's digits in the matrix that the device shows, as on a number pad; EnterTrezorPassphrase with {action_type: TrezorPassphrase, passphrase}, or without a passphrase to enter it on the device. An answer to a task that asks nothing is an InternalError.
   *
   * @throws `NoSuchTask` there is no such task of this method, or it was forgotten: its number
   */
  "task::get_new_address::user_action": { params: TaskGetNewAddressUserActionParams; result: TaskGetNewAddressUserActionResult };
  /**
   * Begin to look for used addresses of an account.
   *
   * From the last known address on, until as many in a row as the gap limit are unused. What is found is known afterwards, and so are the unused addresses before it. Internal addresses are not looked for: these chains have no change.
   *
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `CoinIsActivatedNotWithHDWallet` the coin has one address: the node was started without enable_hd, or the key is in a wallet or a device
   * @throws `UnknownAccount` the account was not created
   * @throws `ErrorDerivingAddress` there is no address at the path
   * @throws `WalletStorageError` the known accounts cannot be read or written
   * @throws `Transport` a remote could not be reached, or answered wrongly
   * @throws `PrivKeyNotAllowed` the policy of the private key is not one that this node has
   * @throws `WalletNotFound` the page has no such wallet, or the node no such session with one
   * @throws `WalletRefused` the wallet's user said no, or did not allow the method in the session
   * @throws `WalletTimeout` the wallet's user, or the relay to the wallet, did not answer in time
   * @throws `WalletWrongChain` the wallet has no account on the coin's chain
   * @throws `WalletSwitched` the wallet has switched to another account than that of the coin, which has to be activated again
   * @throws `WalletGone` the page with the wallet was closed, the call came from none, or the session with the wallet ended meanwhile
   * @throws `WalletFailed` the wallet failed, or answered what makes no sense
   * @throws `HwError` the hardware wallet failed or refused; nested: the reason, and what its user can do
   * @throws `Timeout` the hardware wallet, or its user, did not answer in time
   */
  "task::scan_for_new_addresses::init": { params: TaskScanForNewAddressesInitParams; result: TaskScanForNewAddressesInitResult };
  /**
   * Show the progress of a scan for addresses.
   *
   * In progress, details are InProgress. With Ok, they are account_index, derivation_path and new_addresses. Errors in details are those of init, and TaskTimedOut.
   *
   * @throws `NoSuchTask` there is no such task of this method, or it was forgotten: its number
   */
  "task::scan_for_new_addresses::status": { params: TaskScanForNewAddressesStatusParams; result: TaskScanForNewAddressesStatusResult };
  /**
   * End a scan for addresses that is not ready.
   *
   * @throws `NoSuchTask` there is no such task to cancel, or it was forgotten: its number
   * @throws `TaskFinished` the task has ended: its number
   */
  "task::scan_for_new_addresses::cancel": { params: TaskScanForNewAddressesCancelParams; result: TaskScanForNewAddressesCancelResult };
  /**
   * Begin to create an account.
   *
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `CoinIsActivatedNotWithHDWallet` the coin has one address: the node was started without enable_hd, or the key is in a wallet or a device
   * @throws `UnknownAccount` the account was not created
   * @throws `ErrorDerivingAddress` there is no address at the path
   * @throws `WalletStorageError` the known accounts cannot be read or written
   * @throws `Transport` a remote could not be reached, or answered wrongly
   * @throws `PrivKeyNotAllowed` the policy of the private key is not one that this node has
   * @throws `WalletNotFound` the page has no such wallet, or the node no such session with one
   * @throws `WalletRefused` the wallet's user said no, or did not allow the method in the session
   * @throws `WalletTimeout` the wallet's user, or the relay to the wallet, did not answer in time
   * @throws `WalletWrongChain` the wallet has no account on the coin's chain
   * @throws `WalletSwitched` the wallet has switched to another account than that of the coin, which has to be activated again
   * @throws `WalletGone` the page with the wallet was closed, the call came from none, or the session with the wallet ended meanwhile
   * @throws `WalletFailed` the wallet failed, or answered what makes no sense
   * @throws `HwError` the hardware wallet failed or refused; nested: the reason, and what its user can do
   * @throws `Timeout` the hardware wallet, or its user, did not answer in time
   * @throws `AccountLimitReached` the coin has as many accounts as it can have
   */
  "task::create_new_account::init": { params: TaskCreateNewAccountInitParams; result: TaskCreateNewAccountInitResult };
  /**
   * Show the progress of a new account.
   *
   * In progress, details are RequestingAccountBalance. With Ok, they are the account, as those of enable_eth_with_tokens. Errors in details are those of init, and TaskTimedOut.
   *
   * @throws `NoSuchTask` there is no such task of this method, or it was forgotten: its number
   */
  "task::create_new_account::status": { params: TaskCreateNewAccountStatusParams; result: TaskCreateNewAccountStatusResult };
  /**
   * End a new account that is not ready.
   *
   * @throws `NoSuchTask` there is no such task to cancel, or it was forgotten: its number
   * @throws `TaskFinished` the task has ended: its number
   */
  "task::create_new_account::cancel": { params: TaskCreateNewAccountCancelParams; result: TaskCreateNewAccountCancelResult };
  /**
   * Answer what a new account asks.
   *
   * A Trezor may ask: EnterTrezorPin is answered with {action_type: TrezorPin, pin}, where pin are the places of the PIN's digits in the matrix that the device shows, as on a number pad; EnterTrezorPassphrase with {action_type: TrezorPassphrase, passphrase}, or without a passphrase to enter it on the device. An answer to a task that asks nothing is an InternalError.
   *
   * @throws `NoSuchTask` there is no such task of this method, or it was forgotten: its number
   */
  "task::create_new_account::user_action": { params: TaskCreateNewAccountUserActionParams; result: TaskCreateNewAccountUserActionResult };
  /**
   * Ask a token's contract for its symbol and its decimals.
   *
   * The token need be neither active nor in the coins file; its platform is active. With its protocol enable_erc20 makes it active.
   *
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `UnsupportedTokenProtocol` the platform has no tokens with contracts
   * @throws `RetrieveInfoError` the token cannot be read from its contract
   * @throws `RetrieveInfoError` the address is not an ERC-20 contract
   */
  "get_token_info": { params: GetTokenInfoParams; result: GetTokenInfoResult };
  /**
   * Find which ERC-20 contracts the own address of a network's coin has tokens of.
   *
   * The contracts need be neither active nor in the coins file. units is the contract's own number, without decimals; a contract that does not answer as a token is in failed.
   *
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `UnsupportedTokenProtocol` the platform has no tokens with contracts
   * @throws `RetrieveInfoError` the token cannot be read from its contract
   */
  "find_tokens": { params: FindTokensParams; result: FindTokensResult };
  /**
   * Show how much of an ERC-20 token a spender may take from the coin's own address.
   *
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `CoinNotSupported` the coin is no ERC-20 token
   * @throws `InvalidParam` a parameter makes no sense for the coin
   * @throws `Web3RpcError` the contract, or the nodes, did not answer as they should
   * @throws `Web3RpcError` the contract refuses the call
   */
  "get_token_allowance": { params: GetTokenAllowanceParams; result: GetTokenAllowanceResult };
  /**
   * Let a spender take an amount of an ERC-20 token from the coin's own address.
   *
   * The transaction is sent; the result is its hash. The amount takes the place of what was approved before; 0 revokes it.
   *
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `CoinNotSupported` the coin is no ERC-20 token
   * @throws `InvalidParam` a parameter makes no sense for the coin
   * @throws `Web3RpcError` the contract, or the nodes, did not answer as they should
   * @throws `Web3RpcError` the contract refuses the call
   * @throws `TransactionError` the transaction was not made or not sent
   * @throws `TransactionRefused` the chain does not take the transaction, or it failed in its block
   * @throws `PrivKeyNotAllowed` the policy of the private key is not one that this node has
   * @throws `WalletNotFound` the page has no such wallet, or the node no such session with one
   * @throws `WalletRefused` the wallet's user said no, or did not allow the method in the session
   * @throws `WalletTimeout` the wallet's user, or the relay to the wallet, did not answer in time
   * @throws `WalletWrongChain` the wallet has no account on the coin's chain
   * @throws `WalletSwitched` the wallet has switched to another account than that of the coin, which has to be activated again
   * @throws `WalletGone` the page with the wallet was closed, the call came from none, or the session with the wallet ended meanwhile
   * @throws `WalletFailed` the wallet failed, or answered what makes no sense
   * @throws `HwError` the hardware wallet failed or refused; nested: the reason, and what its user can do
   * @throws `Timeout` the hardware wallet, or its user, did not answer in time
   */
  "approve_token": { params: ApproveTokenParams; result: ApproveTokenResult };
  /**
   * Make and sign a transaction that sends NFTs.
   *
   * The chain's coin is active; its own address has the NFT, which is asked of the contract. send_raw_transaction sends the transaction, or broadcast, which a wallet of EIP-1193 needs.
   *
   * @throws `CoinDoesntSupportNftWithdraw` the chain's coin is not of an EVM network
   * @throws `MyAddressNotNftOwner` the NFT belongs to another address
   * @throws `NotEnoughNftsAmount` the address has too few NFTs of the id
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `NotSufficientBalance` the balance is too low for what was asked
   * @throws `NotSufficientPlatformBalanceForFee` the balance of the coin that pays the fee is too low
   * @throws `ZeroBalanceToWithdrawMax` there is nothing of which to send everything
   * @throws `BroadcastExpected` the coin's wallet sends what it signs, and broadcast is not set
   * @throws `AmountTooLow` the amount is less than can be sent
   * @throws `InvalidAddress` invalid address: of a peer, neither an IP address nor a domain name; of a coin, not one that it can be sent to
   * @throws `InvalidFeePolicy` the fee is not of a kind that the coin takes, or too low
   * @throws `InvalidFee` the chosen price of gas is below the network's base fee
   * @throws `InvalidMemo` the chain does not take the memo
   * @throws `UnexpectedFromAddress` from is not an address of the coin's
   * @throws `UnknownAccount` the account was not created
   * @throws `IBCError` the IBC channel to the address's chain is not known, closed or expired
   * @throws `SigningError` the wallet did not sign, or not what it was asked to
   * @throws `TransactionRefused` the chain does not take the transaction, or it failed in its block
   * @throws `Transport` no node of the coin answered
   * @throws `PrivKeyNotAllowed` the policy of the private key is not one that this node has
   * @throws `WalletNotFound` the page has no such wallet, or the node no such session with one
   * @throws `WalletRefused` the wallet's user said no, or did not allow the method in the session
   * @throws `WalletTimeout` the wallet's user, or the relay to the wallet, did not answer in time
   * @throws `WalletWrongChain` the wallet has no account on the coin's chain
   * @throws `WalletSwitched` the wallet has switched to another account than that of the coin, which has to be activated again
   * @throws `WalletGone` the page with the wallet was closed, the call came from none, or the session with the wallet ended meanwhile
   * @throws `WalletFailed` the wallet failed, or answered what makes no sense
   * @throws `HwError` the hardware wallet failed or refused; nested: the reason, and what its user can do
   * @throws `Timeout` the hardware wallet, or its user, did not answer in time
   */
  "withdraw_nft": { params: WithdrawNftParams; result: WithdrawNftResult };
  /**
   * Show what swaps of a coin offer for gas.
   *
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `NotSupported` the coin has no gas: its ticker
   */
  "get_swap_gas_fee_policy": { params: GetSwapGasFeePolicyParams; result: GetSwapGasFeePolicyResult };
  /**
   * Set what swaps of a coin offer for gas, for as long as the coin is active.
   *
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `NotSupported` the coin has no gas: its ticker
   */
  "set_swap_gas_fee_policy": { params: SetSwapGasFeePolicyParams; result: SetSwapGasFeePolicyResult };
  /**
   * Activate the network of NFTs on an EVM network that is active, and list what its address holds.
   *
   * The indexer's list is read to its end and kept; an item that makes no sense is left out, and the log says how many were. With the provider Chain no indexer is asked, but the platform's nodes: the logs of the newest blocks are searched for what came to the address, and what it still has is listed. update_nft searches older blocks, and get_nft_scan says how far the search is. What was active is activated again, with the list that is kept, when the node is started the next time; until the user has enabled it again in that run, this method replaces its provider.
   *
   * @throws `TokenIsAlreadyActivated` the token or NFT network is active
   * @throws `TokenConfigIsNotFound` the coins file has no such token
   * @throws `TokenProtocolParseError` the token's protocol in the coins file cannot be read
   * @throws `UnexpectedTokenProtocol` the token does not belong to a platform of this kind
   * @throws `PlatformCoinIsNotActivated` the platform of the token or NFT network is not activated
   * @throws `UnsupportedPlatformCoin` the token's platform is activated, and is no platform of the method's kind
   * @throws `Transport` a remote could not be reached, or answered wrongly
   * @throws `DbError` what is kept of NFTs cannot be read or changed
   */
  "enable_nft": { params: EnableNftParams; result: EnableNftResult };
  /**
   * Refresh an NFT of the wallet: its metadata, and whether it is spam.
   *
   * The indexer's metadata, what the NFT's URI leads to, and the scans of its contract and domains change what is kept of the NFT and of its transfers in one step. When a service fails, nothing is changed.
   *
   * @throws `GetNftInfoError` the NFT could not be looked up; nested
   * @throws `Transport` a remote could not be reached, or answered wrongly
   * @throws `UpdateSpamPhishingError` the service against spam did not scan contracts or domains; nested
   * @throws `DbError` what is kept of NFTs cannot be read or changed
   */
  "refresh_nft_metadata": { params: RefreshNftMetadataParams; result: RefreshNftMetadataResult };
  /**
   * Refresh the list of what the wallet holds on some chains, with the transfers since the last time.
   *
   * Contracts and domains of all NFTs are scanned. A chain that fails keeps what it had, and does not keep the others from being updated. Without url the chain itself is searched, for up to 10 seconds: new blocks first, then older ones, from where the call before ended. Texts and documents of NFTs that were found are read from their contracts, and with fetch_metadata from where the contracts say that they are.
   *
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `Transport` a remote could not be reached, or answered wrongly
   * @throws `UpdateSpamPhishingError` the service against spam did not scan contracts or domains; nested
   * @throws `DbError` what is kept of NFTs cannot be read or changed
   */
  "update_nft": { params: UpdateNftParams; result: UpdateNftResult };
  /**
   * List the NFTs that are kept, chain by chain and the newest first.
   *
   * @throws `DbError` what is kept of NFTs cannot be read or changed
   */
  "get_nft_list": { params: GetNftListParams; result: GetNftListResult };
  /**
   * Tell what is kept of one NFT.
   *
   * @throws `TokenNotFoundInWallet` the NFT is not in the wallet
   * @throws `DbError` what is kept of NFTs cannot be read or changed
   */
  "get_nft_metadata": { params: GetNftMetadataParams; result: GetNftMetadataResult };
  /**
   * List the transfers of NFTs that are kept, chain by chain and the newest first.
   *
   * They are loaded by update_nft.
   *
   * @throws `DbError` what is kept of NFTs cannot be read or changed
   */
  "get_nft_transfers": { params: GetNftTransfersParams; result: GetNftTransfersResult };
  /**
   * Say how far a chain was searched for the NFTs of the wallet.
   *
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `DbError` what is kept of NFTs cannot be read or changed
   */
  "get_nft_scan": { params: GetNftScanParams; result: GetNftScanResult };
  /**
   * Fetch the picture of an NFT of the wallet.
   *
   * PNG, JPEG, GIF, WebP and AVIF pictures of up to 4 MiB are handed on, whatever their server calls them; SVG and HTML never are. It is fetched from the public internet, from IPFS gateways, or from hosts that the config allows, and redirects are not followed.
   *
   * @throws `TokenNotFoundInWallet` the NFT is not in the wallet
   * @throws `NftHasNoImage` the NFT has no known picture, or one of an unsupported kind
   * @throws `NftMayBeSpam` the NFT may be spam, so that its picture is not fetched
   * @throws `Transport` a remote could not be reached, or answered wrongly
   * @throws `DbError` what is kept of NFTs cannot be read or changed
   */
  "get_nft_image": { params: GetNftImageParams; result: GetNftImageResult };
  /**
   * Show how much of a coin the swaps in progress still need.
   *
   * @throws `NoSuchCoin` the coin is not activated
   */
  "get_locked_amount": { params: GetLockedAmountParams; result: GetLockedAmountResult };
  /**
   * Show how much of a coin a maker's order can offer.
   *
   * The volume is the balance without what the swaps in progress lock and without the fee of the transaction that pays. Where another coin pays the fee, its balance has to do for it.
   *
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `NotSufficientBalance` the balance is too low for what was asked
   * @throws `NotSufficientBaseCoinBalance` the balance of the coin that pays the fee is too low
   * @throws `Transport` a remote could not be reached, or answered wrongly
   * @throws `TransactionRefused` the chain does not take the transaction, or it failed in its block
   * @throws `PrivKeyNotAllowed` the policy of the private key is not one that this node has
   */
  "max_maker_vol": { params: MaxMakerVolParams; result: MaxMakerVolResult };
  /**
   * Make and sign a transaction that sends coins.
   *
   * It is sent by send_raw_transaction with its tx_hex, or at once with broadcast. Coins of the Cosmos family are sent to addresses of other chains over IBC. A wallet of EIP-1193 sends what it signs, so that broadcast is required; tx_hex is then empty if no node of the coin has the transaction after ten seconds.
   *
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `NotSufficientBalance` the balance is too low for what was asked
   * @throws `NotSufficientPlatformBalanceForFee` the balance of the coin that pays the fee is too low
   * @throws `ZeroBalanceToWithdrawMax` there is nothing of which to send everything
   * @throws `BroadcastExpected` the coin's wallet sends what it signs, and broadcast is not set
   * @throws `AmountTooLow` the amount is less than can be sent
   * @throws `InvalidAddress` invalid address: of a peer, neither an IP address nor a domain name; of a coin, not one that it can be sent to
   * @throws `InvalidFeePolicy` the fee is not of a kind that the coin takes, or too low
   * @throws `InvalidFee` the chosen price of gas is below the network's base fee
   * @throws `InvalidMemo` the chain does not take the memo
   * @throws `UnexpectedFromAddress` from is not an address of the coin's
   * @throws `UnknownAccount` the account was not created
   * @throws `IBCError` the IBC channel to the address's chain is not known, closed or expired
   * @throws `SigningError` the wallet did not sign, or not what it was asked to
   * @throws `TransactionRefused` the chain does not take the transaction, or it failed in its block
   * @throws `Transport` no node of the coin answered
   * @throws `PrivKeyNotAllowed` the policy of the private key is not one that this node has
   * @throws `WalletNotFound` the page has no such wallet, or the node no such session with one
   * @throws `WalletRefused` the wallet's user said no, or did not allow the method in the session
   * @throws `WalletTimeout` the wallet's user, or the relay to the wallet, did not answer in time
   * @throws `WalletWrongChain` the wallet has no account on the coin's chain
   * @throws `WalletSwitched` the wallet has switched to another account than that of the coin, which has to be activated again
   * @throws `WalletGone` the page with the wallet was closed, the call came from none, or the session with the wallet ended meanwhile
   * @throws `WalletFailed` the wallet failed, or answered what makes no sense
   * @throws `HwError` the hardware wallet failed or refused; nested: the reason, and what its user can do
   * @throws `Timeout` the hardware wallet, or its user, did not answer in time
   */
  "withdraw": { params: WithdrawParams; result: WithdrawResult };
  /**
   * Send a signed transaction to the coin's nodes.
   *
   * A transaction that the nodes know already is no error. With wait, or required_confirmations, the answer comes when the transaction is so deep in the chain, or has failed there.
   *
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `TransactionRefused` the chain does not take the transaction, or it failed in its block
   * @throws `Transport` no node of the coin answered
   */
  "send_raw_transaction": { params: SendRawTransactionParams; result: SendRawTransactionResult };
  /**
   * Begin to make and sign a transaction that sends coins.
   *
   * As withdraw, for callers that show what a hardware wallet waits for.
   *
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `NotSufficientBalance` the balance is too low for what was asked
   * @throws `NotSufficientPlatformBalanceForFee` the balance of the coin that pays the fee is too low
   * @throws `ZeroBalanceToWithdrawMax` there is nothing of which to send everything
   * @throws `BroadcastExpected` the coin's wallet sends what it signs, and broadcast is not set
   * @throws `AmountTooLow` the amount is less than can be sent
   * @throws `InvalidAddress` invalid address: of a peer, neither an IP address nor a domain name; of a coin, not one that it can be sent to
   * @throws `InvalidFeePolicy` the fee is not of a kind that the coin takes, or too low
   * @throws `InvalidFee` the chosen price of gas is below the network's base fee
   * @throws `InvalidMemo` the chain does not take the memo
   * @throws `UnexpectedFromAddress` from is not an address of the coin's
   * @throws `UnknownAccount` the account was not created
   * @throws `IBCError` the IBC channel to the address's chain is not known, closed or expired
   * @throws `SigningError` the wallet did not sign, or not what it was asked to
   * @throws `TransactionRefused` the chain does not take the transaction, or it failed in its block
   * @throws `Transport` no node of the coin answered
   * @throws `PrivKeyNotAllowed` the policy of the private key is not one that this node has
   * @throws `WalletNotFound` the page has no such wallet, or the node no such session with one
   * @throws `WalletRefused` the wallet's user said no, or did not allow the method in the session
   * @throws `WalletTimeout` the wallet's user, or the relay to the wallet, did not answer in time
   * @throws `WalletWrongChain` the wallet has no account on the coin's chain
   * @throws `WalletSwitched` the wallet has switched to another account than that of the coin, which has to be activated again
   * @throws `WalletGone` the page with the wallet was closed, the call came from none, or the session with the wallet ended meanwhile
   * @throws `WalletFailed` the wallet failed, or answered what makes no sense
   * @throws `HwError` the hardware wallet failed or refused; nested: the reason, and what its user can do
   * @throws `Timeout` the hardware wallet, or its user, did not answer in time
   */
  "task::withdraw::init": { params: TaskWithdrawInitParams; result: TaskWithdrawInitResult };
  /**
   * Show the progress of a transaction.
   *
   * In progress, details are GeneratingTransaction, WaitingForTrezorToConnect (a hardware wallet has to be plugged in, unlocked, or its app opened), FollowHwDeviceInstructions (its user has to confirm) or Finishing. With Ok, they are the result of withdraw. Errors in details are those of withdraw, and TaskTimedOut.
   *
   * @throws `NoSuchTask` there is no such task of this method, or it was forgotten: its number
   */
  "task::withdraw::status": { params: TaskWithdrawStatusParams; result: TaskWithdrawStatusResult };
  /**
   * End a transaction that is not ready.
   *
   * @throws `NoSuchTask` there is no such task to cancel, or it was forgotten: its number
   * @throws `TaskFinished` the task has ended: its number
   */
  "task::withdraw::cancel": { params: TaskWithdrawCancelParams; result: TaskWithdrawCancelResult };
  /**
   * Answer what a transaction asks.
   *
   * A Trezor may ask: EnterTrezorPin is answered with {action_type: TrezorPin, pin}, where pin are the places of the PIN's digits in the matrix that the device shows, as on a number pad; EnterTrezorPassphrase with {action_type: TrezorPassphrase, passphrase}, or without a passphrase to enter it on the device. An answer to a task that asks nothing is an InternalError.
   *
   * @throws `NoSuchTask` there is no such task of this method, or it was forgotten: its number
   */
  "task::withdraw::user_action": { params: TaskWithdrawUserActionParams; result: TaskWithdrawUserActionResult };
  /**
   * Make and sign a transaction that takes the place of one that waits for its block.
   *
   * Coins of EVM networks only. It has the nonce of the other one, which the coin's own address sent, and a fee that is an eighth higher at least: the same transfer once more, or with cancel one of nothing to the own address. send_raw_transaction sends it. Either of the two may be confirmed, never both. Komodo DeFi Framework has no such method.
   *
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `CoinNotSupported` the coin has no such stream
   * @throws `NotSufficientPlatformBalanceForFee` the balance of the coin that pays the fee is too low
   * @throws `SigningError` the wallet did not sign, or not what it was asked to
   * @throws `TransactionRefused` the chain does not take the transaction, or it failed in its block
   * @throws `Transport` no node of the coin answered
   * @throws `PrivKeyNotAllowed` the policy of the private key is not one that this node has
   * @throws `WalletNotFound` the page has no such wallet, or the node no such session with one
   * @throws `WalletRefused` the wallet's user said no, or did not allow the method in the session
   * @throws `WalletTimeout` the wallet's user, or the relay to the wallet, did not answer in time
   * @throws `WalletWrongChain` the wallet has no account on the coin's chain
   * @throws `WalletSwitched` the wallet has switched to another account than that of the coin, which has to be activated again
   * @throws `WalletGone` the page with the wallet was closed, the call came from none, or the session with the wallet ended meanwhile
   * @throws `WalletFailed` the wallet failed, or answered what makes no sense
   * @throws `HwError` the hardware wallet failed or refused; nested: the reason, and what its user can do
   * @throws `Timeout` the hardware wallet, or its user, did not answer in time
   */
  "replace_transaction": { params: ReplaceTransactionParams; result: ReplaceTransactionResult };
  /**
   * Report whether an address of an EVM network is that of a contract.
   *
   * A contract may be unable to give away what it receives. An account that a contract acts for (EIP-7702) is not one: its owner has the key. Komodo DeFi Framework has no such method.
   *
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `CoinNotSupported` the coin has no such stream
   * @throws `InvalidAddress` invalid address: of a peer, neither an IP address nor a domain name; of a coin, not one that it can be sent to
   * @throws `Transport` no node of the coin answered
   */
  "is_contract": { params: IsContractParams; result: IsContractResult };
  /**
   * Find the address that a name stands for.
   *
   * Coins of EVM networks take names of ENS (alice.eth), which Ethereum's nodes know: ETH has to be active. Coins of Cosmos chains take names of ICNS that end in the prefix of their addresses (alice.cosmos), which Osmosis's nodes know: OSMOSIS has to be active. All nodes in use are asked, and have to agree. Names with other letters than a to z are refused.
   *
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `PlatformCoinIsNotActivated` the platform of the token or NFT network is not activated
   * @throws `NameNotFound` the name stands for no address of the coin
   * @throws `CoinNotSupported` the coin has no such stream
   * @throws `Transport` a remote could not be reached, or answered wrongly
   */
  "resolve_name": { params: ResolveNameParams; result: ResolveNameResult };
  /**
   * Find a transaction by its hash, and show it as it was signed.
   *
   * The hash proves that the nodes gave that transaction.
   *
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `InvalidHashError` the hash is not 64 hexadecimal digits
   * @throws `HashNotExist` the coin's nodes do not have the transaction
   * @throws `NotImplemented` the coin has no such transactions
   * @throws `InternalError` the node failed; see its log
   * @throws `Transport` no node of the coin answered
   */
  "get_raw_transaction": { params: GetRawTransactionParams; result: GetRawTransactionResult };
  /**
   * Sign a transaction of an EVM network that the caller has put together.
   *
   * It gets the address's next nonce, which is not reserved for it, and is not sent: send_raw_transaction does that. What it does is not checked: neither the balance nor whether a contract takes the call. Without pay_for_gas a fee that is as high as withdraw with broadcast would refuse is refused.
   *
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `InvalidParam` a parameter makes no sense for the coin
   * @throws `NotImplemented` the coin has no such transactions
   * @throws `SigningError` the wallet did not sign
   * @throws `Transport` no node of the coin answered
   * @throws `PrivKeyNotAllowed` the policy of the private key is not one that this node has
   * @throws `WalletNotFound` the page has no such wallet, or the node no such session with one
   * @throws `WalletRefused` the wallet's user said no, or did not allow the method in the session
   * @throws `WalletTimeout` the wallet's user, or the relay to the wallet, did not answer in time
   * @throws `WalletWrongChain` the wallet has no account on the coin's chain
   * @throws `WalletSwitched` the wallet has switched to another account than that of the coin, which has to be activated again
   * @throws `WalletGone` the page with the wallet was closed, the call came from none, or the session with the wallet ended meanwhile
   * @throws `WalletFailed` the wallet failed, or answered what makes no sense
   * @throws `HwError` the hardware wallet failed or refused; nested: the reason, and what its user can do
   * @throws `Timeout` the hardware wallet, or its user, did not answer in time
   */
  "sign_raw_transaction": { params: SignRawTransactionParams; result: SignRawTransactionResult };
  /**
   * Estimate gas fees of an EVM network at three levels.
   *
   * Tips are those that a quarter, half and three quarters of the transactions of the last five blocks stayed below. Maximal fees do while the base fee rises as fast as it can for one, three and six blocks. The node estimates by itself (Simple): with estimator_type Provider too.
   *
   * @throws `CoinNotFound` the coin is not activated
   * @throws `CoinNotSupported` the coin has no such stream
   * @throws `Internal` there is no open wallet, or the nodes of the coin gave no answer; the data says which
   */
  "get_eth_estimated_fee_per_gas": { params: GetEthEstimatedFeePerGasParams; result: GetEthEstimatedFeePerGasResult };
  /**
   * Sign a text with the key of a coin's address.
   *
   * With coins of the Cosmos family the signature is that of ADR-036, as browser wallets give it: base64 of 64 bytes. Such a signature is of no use on a chain.
   *
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `UnknownAccount` the account was not created
   * @throws `SigningError` the wallet did not sign, or not what it was asked to
   * @throws `PrivKeyNotAllowed` the policy of the private key is not one that this node has
   * @throws `WalletNotFound` the page has no such wallet, or the node no such session with one
   * @throws `WalletRefused` the wallet's user said no, or did not allow the method in the session
   * @throws `WalletTimeout` the wallet's user, or the relay to the wallet, did not answer in time
   * @throws `WalletWrongChain` the wallet has no account on the coin's chain
   * @throws `WalletSwitched` the wallet has switched to another account than that of the coin, which has to be activated again
   * @throws `WalletGone` the page with the wallet was closed, the call came from none, or the session with the wallet ended meanwhile
   * @throws `WalletFailed` the wallet failed, or answered what makes no sense
   * @throws `HwError` the hardware wallet failed or refused; nested: the reason, and what its user can do
   * @throws `Timeout` the hardware wallet, or its user, did not answer in time
   */
  "sign_message": { params: SignMessageParams; result: SignMessageResult };
  /**
   * Check that the owner of an address signed a text.
   *
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `SignatureDecodingError` the signature is none
   * @throws `AddressDecodingError` not an address of the coin
   */
  "verify_message": { params: VerifyMessageParams; result: VerifyMessageResult };
  /**
   * List the transactions of a coin's own address, the newest first.
   *
   * The coin has to be activated with tx_history. The list is loaded in the background and kept; sync_status shows how far that is. A transaction that did several things is listed once for each, and what it cost is in the first of them or, with tokens, listed with the platform's coin as FeeForTokenTx; so are failed transactions. Over all of them, my_balance_change sums up to what they changed of the balance. On EVM networks, whose nodes have no such list, the transactions are those that history_indexer names, or else what was sent from here and the transfers of active tokens; coins that contracts send are not among them.
   *
   * @throws `CoinIsNotActive` the coin is not activated: its ticker
   * @throws `InvalidTarget` the coin has no such set of addresses
   * @throws `NotSupportedFor` the coin has no history: its ticker
   * @throws `StorageIsNotInitialized` the coin was activated without tx_history
   * @throws `StorageError` the stored history cannot be read
   * @throws `RpcError` no node of the coin tells the current block
   */
  "my_tx_history": { params: MyTxHistoryParams; result: MyTxHistoryResult };
  /**
   * What coins are worth now.
   *
   * Prices are decimal numbers, exactly as the service sent them. The node keeps prices for a minute and asks for all that it needs at once, when this method is called and at no other time. With prices.service off in the config nothing is sent, and no price is known.
   *
   * @throws `Transport` a remote could not be reached, or answered wrongly
   */
  "get_prices": { params: GetPricesParams; result: GetPricesResult };
  /**
   * What coins were worth at past times.
   *
   * The price nearest to each time: of the same hour within the last 90 days, of the same day within the last year. Older prices, and those of a service without a past (komodo), are unknown.
   *
   * @throws `Transport` a remote could not be reached, or answered wrongly
   */
  "get_prices_at": { params: GetPricesAtParams; result: GetPricesAtResult };
  /**
   * Send heartbeats to a client.
   *
   * The client has to have its event stream open: GET /event-stream?id=<client_id>. Each client has its own interval.
   *
   * @throws `EnableError` UnknownClient, ClientAlreadyListening, or what is wrong with the config
   */
  "stream::heartbeat::enable": { params: StreamHeartbeatEnableParams; result: StreamHeartbeatEnableResult };
  /**
   * Stream the peers of the order network: always none.
   *
   * The event comes once, after one interval, and with always_send at each interval.
   *
   * @throws `EnableError` UnknownClient, ClientAlreadyListening, or what is wrong with the config
   */
  "stream::network::enable": { params: StreamNetworkEnableParams; result: StreamNetworkEnableResult };
  /**
   * Stream the end of the node.
   *
   * The event's message is SIGTERM, SIGINT, or stop when a client has asked for the end. The stream ends after it.
   *
   * @throws `EnableError` UnknownClient, ClientAlreadyListening, or what is wrong with the config
   * @throws `UnsupportedMode` the method cannot work on this target
   */
  "stream::shutdown_signal::enable": { params: StreamShutdownSignalEnableParams; result: StreamShutdownSignalEnableResult };
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
   * Stream changes of a coin's balance.
   *
   * The client has to have its event stream open: GET /event-stream?id=<client_id>. An event is a list of those balances that have changed, of the coin and of the active tokens on it, and once that of a token that is activated later: [{"ticker":…,"balance":{"spendable":…,"unspendable":…}}]. Of an HD wallet it lists all known addresses, with address, the coin's own first.
   *
   * @throws `CoinNotFound` the coin is not activated
   * @throws `CoinNotSupported` the coin has no such stream
   * @throws `EnableError` UnknownClient, ClientAlreadyListening, or what is wrong with the config
   */
  "stream::balance::enable": { params: StreamBalanceEnableParams; result: StreamBalanceEnableResult };
  /**
   * Stream each transaction of a coin once my_tx_history lists it.
   *
   * The coin has to be activated with tx_history. An event is one transaction, as in my_tx_history. While a history is loaded for the first time, its old transactions are sent too.
   *
   * @throws `CoinNotFound` the coin is not activated
   * @throws `CoinNotSupported` the coin has no such stream
   * @throws `EnableError` UnknownClient, ClientAlreadyListening, or what is wrong with the config
   */
  "stream::tx_history::enable": { params: StreamTxHistoryEnableParams; result: StreamTxHistoryEnableResult };
  /**
   * Stream gas prices.
   *
   * An event is what get_eth_estimated_fee_per_gas answers. The interval of the first client that listens to a coin holds for all.
   *
   * @throws `CoinNotFound` the coin is not activated
   * @throws `CoinNotSupported` the coin has no such stream
   * @throws `EnableError` UnknownClient, ClientAlreadyListening, or what is wrong with the config
   */
  "stream::fee_estimator::enable": { params: StreamFeeEstimatorEnableParams; result: StreamFeeEstimatorEnableResult };
  /**
   * Begin to activate a Lightning coin.
   *
   * Its node id follows from the passphrase. It has peers, opens no channel and makes no payment: its balance is 0, and its platform coin need not be active. It is activated again when the node is started the next time.
   *
   * @throws `L2IsAlreadyActivated` the Lightning coin is active
   * @throws `L2ConfigIsNotFound` the coins file has no such Lightning coin
   * @throws `L2ProtocolParseError` the Lightning coin's protocol in the coins file cannot be read
   * @throws `UnexpectedL2Protocol` the coin is no Lightning coin
   * @throws `PrivKeyNotAllowed` the policy of the private key is not one that this node has
   * @throws `UnsupportedMode` the method cannot work on this target
   */
  "task::enable_lightning::init": { params: TaskEnableLightningInitParams; result: TaskEnableLightningInitResult };
  /**
   * Show the progress of the activation of a Lightning coin.
   *
   * With Ok, details are {platform_coin, address, balance: {spendable, unspendable}}, where address is the node's id, and listening, host:port where other nodes can connect, if they can. Errors in details are those of init, IOError and TaskTimedOut.
   *
   * @throws `NoSuchTask` there is no such task of this method, or it was forgotten: its number
   * @throws `UnsupportedMode` the method cannot work on this target
   */
  "task::enable_lightning::status": { params: TaskEnableLightningStatusParams; result: TaskEnableLightningStatusResult };
  /**
   * End the activation of a Lightning coin that is not ready.
   *
   * @throws `NoSuchTask` there is no such task to cancel, or it was forgotten: its number
   * @throws `TaskFinished` the task has ended: its number
   * @throws `UnsupportedMode` the method cannot work on this target
   */
  "task::enable_lightning::cancel": { params: TaskEnableLightningCancelParams; result: TaskEnableLightningCancelResult };
  /**
   * Answer what the activation of a Lightning coin asks.
   *
   * A Trezor may ask: EnterTrezorPin is answered with {action_type: TrezorPin, pin}, where pin are the places of the PIN's digits in the matrix that the device shows, as on a number pad; EnterTrezorPassphrase with {action_type: TrezorPassphrase, passphrase}, or without a passphrase to enter it on the device. An answer to a task that asks nothing is an InternalError.
   *
   * @throws `NoSuchTask` there is no such task of this method, or it was forgotten: its number
   * @throws `UnsupportedMode` the method cannot work on this target
   */
  "task::enable_lightning::user_action": { params: TaskEnableLightningUserActionParams; result: TaskEnableLightningUserActionResult };
  /**
   * Connect a Lightning coin's node to another one.
   *
   * The answer comes when both have said what they are. The connection is kept, and made again when it breaks, until lightning::nodes::disconnect or the end of the program.
   *
   * @throws `ConnectionError` the Lightning node could not be reached
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `UnsupportedCoin` the coin is no Lightning coin: its ticker
   * @throws `UnsupportedMode` the method cannot work on this target
   */
  "lightning::nodes::connect_to_node": { params: LightningNodesConnectToNodeParams; result: LightningNodesConnectToNodeResult };
  /**
   * End the connection to a Lightning node, or the attempts to make one.
   *
   * @throws `NotConnected` there is no connection to the Lightning node: its id
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `UnsupportedCoin` the coin is no Lightning coin: its ticker
   * @throws `UnsupportedMode` the method cannot work on this target
   */
  "lightning::nodes::disconnect": { params: LightningNodesDisconnectParams; result: LightningNodesDisconnectResult };
  /**
   * List the Lightning nodes that are connected, or are to be.
   *
   * And tell who this node is itself.
   *
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `UnsupportedCoin` the coin is no Lightning coin: its ticker
   * @throws `UnsupportedMode` the method cannot work on this target
   */
  "lightning::nodes::list_peers": { params: LightningNodesListPeersParams; result: LightningNodesListPeersResult };
  /**
   * Trust a Lightning node.
   *
   * That it is trusted already is no error. It changes nothing about connections: who trusts a node would take channels from it before the chain has confirmed them.
   *
   * @throws `IOError` the store refuses, or a port cannot be listened on
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `UnsupportedCoin` the coin is no Lightning coin: its ticker
   * @throws `UnsupportedMode` the method cannot work on this target
   */
  "lightning::nodes::add_trusted_node": { params: LightningNodesAddTrustedNodeParams; result: LightningNodesAddTrustedNodeResult };
  /**
   * Trust a Lightning node no longer.
   *
   * That it was not trusted is no error.
   *
   * @throws `IOError` the store refuses, or a port cannot be listened on
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `UnsupportedCoin` the coin is no Lightning coin: its ticker
   * @throws `UnsupportedMode` the method cannot work on this target
   */
  "lightning::nodes::remove_trusted_node": { params: LightningNodesRemoveTrustedNodeParams; result: LightningNodesRemoveTrustedNodeResult };
  /**
   * List the Lightning nodes that are trusted, by their ids.
   *
   * @throws `IOError` the store refuses, or a port cannot be listened on
   * @throws `NoSuchCoin` the coin is not activated
   * @throws `UnsupportedCoin` the coin is no Lightning coin: its ticker
   * @throws `UnsupportedMode` the method cannot work on this target
   */
  "lightning::nodes::list_trusted_nodes": { params: LightningNodesListTrustedNodesParams; result: LightningNodesListTrustedNodesResult };
  /**
   * Put a node on the list of those whose version is asked.
   *
   * @throws `PeerIdParseError` the peer id cannot be decoded: the id and the reason
   * @throws `InvalidAddress` invalid address: of a peer, neither an IP address nor a domain name; of a coin, not one that it can be sent to
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
  /**
   * Propose a session to a WalletConnect wallet.
   *
   * The answer comes when the relay has the proposal. Show the URI as a QR code, or give it to the wallet: who gets it first can agree, for five minutes. wc_get_session with the pairing's topic shows the session once the wallet agreed.
   *
   * @throws `InitializationError` no session can be proposed: the node has no project id, or the relay does not answer
   */
  "wc_new_connection": { params: WcNewConnectionParams; result: WcNewConnectionResult };
  /**
   * List the sessions with wallets, the oldest first.
   *
   * @throws `InitializationError` no session can be proposed: the node has no project id, or the relay does not answer
   */
  "wc_get_sessions": { params: WcGetSessionsParams; result: WcGetSessionsResult };
  /**
   * Show a session with a wallet.
   *
   * The session is null if it expired, was deleted, or the wallet has not agreed yet.
   *
   * @throws `InitializationError` no session can be proposed: the node has no project id, or the relay does not answer
   */
  "wc_get_session": { params: WcGetSessionParams; result: WcGetSessionResult };
  /**
   * Ask whether the wallet of a session can be reached.
   *
   * A wallet has 30 seconds to answer. A phone that is locked often does not.
   *
   * @throws `SessionRequestError` there is no such session, or its wallet did not answer
   * @throws `InitializationError` no session can be proposed: the node has no project id, or the relay does not answer
   */
  "wc_ping_session": { params: WcPingSessionParams; result: WcPingSessionResult };
  /**
   * End a session with a wallet.
   *
   * The wallet is notified as soon as the relay can be reached. Coins activated with the session stay active and can no longer sign.
   *
   * @throws `SessionRequestError` there is no such session, or its wallet did not answer
   * @throws `InitializationError` no session can be proposed: the node has no project id, or the relay does not answer
   */
  "wc_delete_session": { params: WcDeleteSessionParams; result: WcDeleteSessionResult };
  /**
   * Begin to connect to a Trezor.
   *
   * Its PIN and passphrase are asked for through the task, as far as they are not entered on the device. Nothing is kept of them. Coins are then activated with the policy HardwareWallet.
   *
   * @throws `HwContextInitializingAlready` another task connects to the hardware wallet
   * @throws `HwError` the hardware wallet failed or refused; nested: the reason, and what its user can do
   * @throws `Timeout` the hardware wallet, or its user, did not answer in time
   */
  "task::init_trezor::init": { params: TaskInitTrezorInitParams; result: TaskInitTrezorInitResult };
  /**
   * Show the progress of the connection to a Trezor.
   *
   * In progress, details are Initializing, WaitingForTrezorToConnect (for 5 minutes) or FollowHwDeviceInstructions. The user is asked with EnterTrezorPin and EnterTrezorPassphrase (for 10 minutes each). With Ok, they are {type, model, device_name, device_id, device_pubkey}, where device_pubkey names the device's wallet: each passphrase leads to one. Errors in details are HwError, UnexpectedUserAction, Timeout and TaskTimedOut.
   *
   * @throws `NoSuchTask` there is no such task of this method, or it was forgotten: its number
   */
  "task::init_trezor::status": { params: TaskInitTrezorStatusParams; result: TaskInitTrezorStatusResult };
  /**
   * End the connection to a Trezor that is not ready.
   *
   * @throws `NoSuchTask` there is no such task to cancel, or it was forgotten: its number
   * @throws `TaskFinished` the task has ended: its number
   */
  "task::init_trezor::cancel": { params: TaskInitTrezorCancelParams; result: TaskInitTrezorCancelResult };
  /**
   * Answer what the connection to a Trezor asks.
   *
   * A Trezor may ask: EnterTrezorPin is answered with {action_type: TrezorPin, pin}, where pin are the places of the PIN's digits in the matrix that the device shows, as on a number pad; EnterTrezorPassphrase with {action_type: TrezorPassphrase, passphrase}, or without a passphrase to enter it on the device. An answer to a task that asks nothing is an InternalError.
   *
   * @throws `NoSuchTask` there is no such task of this method, or it was forgotten: its number
   */
  "task::init_trezor::user_action": { params: TaskInitTrezorUserActionParams; result: TaskInitTrezorUserActionResult };
  /**
   * Show whether the Trezor is still connected.
   *
   * It is Connected or Unreachable. The device is not disturbed.
   *
   * @throws `TrezorNotInitialized` no Trezor was connected since the node was started
   * @throws `FoundUnexpectedDevice` another Trezor, or another of its wallets, was connected
   * @throws `HwError` the hardware wallet failed or refused; nested: the reason, and what its user can do
   * @throws `Timeout` the hardware wallet, or its user, did not answer in time
   */
  "trezor_connection_status": { params: TrezorConnectionStatusParams; result: TrezorConnectionStatusResult };
  /** List the node's orders: always none. */
  "my_orders": { params: MyOrdersParams; result: MyOrdersResult };
  /** List the node's swaps: always none. */
  "my_recent_swaps": { params: MyRecentSwapsParams; result: MyRecentSwapsResult };
  /** List the swaps in progress: always none. */
  "active_swaps": { params: ActiveSwapsParams; result: ActiveSwapsResult };
  /** Cancel the node's orders: there are never any. */
  "cancel_all_orders": { params: CancelAllOrdersParams; result: CancelAllOrdersResult };
  /** Let banned traders in again: there are never any. */
  "unban_pubkeys": { params: UnbanPubkeysParams; result: UnbanPubkeysResult };
  /** List the peers of the order network: always none. */
  "get_directly_connected_peers": { params: GetDirectlyConnectedPeersParams; result: GetDirectlyConnectedPeersResult };
  /** List the coins that swaps in progress need: always none. */
  "coins_needed_for_kick_start": { params: CoinsNeededForKickStartParams; result: CoinsNeededForKickStartResult };
  /**
   * Show the orders of a pair: refused.
   *
   * @throws `SwapsNotSupported` the node makes no orders and no swaps; the data is the method
   */
  "orderbook": { params: OrderbookParams; result: OrderbookResult };
  /**
   * Show the best orders for a coin: refused.
   *
   * @throws `SwapsNotSupported` the node makes no orders and no swaps; the data is the method
   */
  "best_orders": { params: BestOrdersParams; result: BestOrdersResult };
  /**
   * Count the orders of pairs: refused.
   *
   * @throws `SwapsNotSupported` the node makes no orders and no swaps; the data is the method
   */
  "orderbook_depth": { params: OrderbookDepthParams; result: OrderbookDepthResult };
  /**
   * Place a maker order: refused.
   *
   * @throws `SwapsNotSupported` the node makes no orders and no swaps; the data is the method
   */
  "setprice": { params: SetpriceParams; result: SetpriceResult };
  /**
   * Change a maker order: refused.
   *
   * @throws `SwapsNotSupported` the node makes no orders and no swaps; the data is the method
   */
  "update_maker_order": { params: UpdateMakerOrderParams; result: UpdateMakerOrderResult };
  /**
   * Place a taker order that buys: refused.
   *
   * @throws `SwapsNotSupported` the node makes no orders and no swaps; the data is the method
   */
  "buy": { params: BuyParams; result: BuyResult };
  /**
   * Place a taker order that sells: refused.
   *
   * @throws `SwapsNotSupported` the node makes no orders and no swaps; the data is the method
   */
  "sell": { params: SellParams; result: SellResult };
  /**
   * Show what a trade would cost: refused.
   *
   * @throws `SwapsNotSupported` the node makes no orders and no swaps; the data is the method
   */
  "trade_preimage": { params: TradePreimageParams; result: TradePreimageResult };
  /**
   * Show how much of a coin a taker's order can offer: refused.
   *
   * @throws `SwapsNotSupported` the node makes no orders and no swaps; the data is the method
   */
  "max_taker_vol": { params: MaxTakerVolParams; result: MaxTakerVolResult };
  /**
   * Show the least volume of a trade: refused.
   *
   * @throws `SwapsNotSupported` the node makes no orders and no swaps; the data is the method
   */
  "min_trading_vol": { params: MinTradingVolParams; result: MinTradingVolResult };
  /**
   * Cancel an order: refused.
   *
   * @throws `SwapsNotSupported` the node makes no orders and no swaps; the data is the method
   */
  "cancel_order": { params: CancelOrderParams; result: CancelOrderResult };
  /**
   * Show an order: refused.
   *
   * @throws `SwapsNotSupported` the node makes no orders and no swaps; the data is the method
   */
  "order_status": { params: OrderStatusParams; result: OrderStatusResult };
  /**
   * Show a swap: refused.
   *
   * @throws `SwapsNotSupported` the node makes no orders and no swaps; the data is the method
   */
  "my_swap_status": { params: MySwapStatusParams; result: MySwapStatusResult };
  /**
   * Take back what a failed swap holds: refused.
   *
   * @throws `SwapsNotSupported` the node makes no orders and no swaps; the data is the method
   */
  "recover_funds_of_swap": { params: RecoverFundsOfSwapParams; result: RecoverFundsOfSwapResult };
  /**
   * Import swaps of another node: refused.
   *
   * @throws `SwapsNotSupported` the node makes no orders and no swaps; the data is the method
   */
  "import_swaps": { params: ImportSwapsParams; result: ImportSwapsResult };
  /**
   * Begin to place orders by rules: refused.
   *
   * @throws `SwapsNotSupported` the node makes no orders and no swaps; the data is the method
   */
  "start_simple_market_maker_bot": { params: StartSimpleMarketMakerBotParams; result: StartSimpleMarketMakerBotResult };
  /**
   * Stop to place orders by rules: refused.
   *
   * @throws `SwapsNotSupported` the node makes no orders and no swaps; the data is the method
   */
  "stop_simple_market_maker_bot": { params: StopSimpleMarketMakerBotParams; result: StopSimpleMarketMakerBotResult };
  /**
   * Subscribe to the orders of a pair: refused.
   *
   * @throws `SwapsNotSupported` the node makes no orders and no swaps; the data is the method
   */
  "stream::orderbook::enable": { params: StreamOrderbookEnableParams; result: StreamOrderbookEnableResult };
  /**
   * Subscribe to the states of swaps: refused.
   *
   * @throws `SwapsNotSupported` the node makes no orders and no swaps; the data is the method
   */
  "stream::swap_status::enable": { params: StreamSwapStatusEnableParams; result: StreamSwapStatusEnableResult };
  /**
   * Subscribe to the states of orders: refused.
   *
   * @throws `SwapsNotSupported` the node makes no orders and no swaps; the data is the method
   */
  "stream::order_status::enable": { params: StreamOrderStatusEnableParams; result: StreamOrderStatusEnableResult };
  /**
   * Activate a UTXO coin by Electrum servers: refused.
   *
   * @throws `UtxoNotSupported` the node has no UTXO coins; the data is the method
   */
  "electrum": { params: ElectrumParams; result: ElectrumResult };
  /**
   * Activate Bitcoin Cash and its tokens: refused.
   *
   * @throws `UtxoNotSupported` the node has no UTXO coins; the data is the method
   */
  "enable_bch_with_tokens": { params: EnableBchWithTokensParams; result: EnableBchWithTokensResult };
  /**
   * Activate a token of Bitcoin Cash: refused.
   *
   * @throws `UtxoNotSupported` the node has no UTXO coins; the data is the method
   */
  "enable_slp": { params: EnableSlpParams; result: EnableSlpResult };
  /**
   * Activate a UTXO coin: refused.
   *
   * @throws `UtxoNotSupported` the node has no UTXO coins; the data is the method
   */
  "task::enable_utxo::init": { params: TaskEnableUtxoInitParams; result: TaskEnableUtxoInitResult };
  /**
   * Ask for the activation of a UTXO coin: refused.
   *
   * @throws `UtxoNotSupported` the node has no UTXO coins; the data is the method
   */
  "task::enable_utxo::status": { params: TaskEnableUtxoStatusParams; result: TaskEnableUtxoStatusResult };
  /**
   * Answer what the activation of a UTXO coin asks for: refused.
   *
   * @throws `UtxoNotSupported` the node has no UTXO coins; the data is the method
   */
  "task::enable_utxo::user_action": { params: TaskEnableUtxoUserActionParams; result: TaskEnableUtxoUserActionResult };
  /**
   * Cancel the activation of a UTXO coin: refused.
   *
   * @throws `UtxoNotSupported` the node has no UTXO coins; the data is the method
   */
  "task::enable_utxo::cancel": { params: TaskEnableUtxoCancelParams; result: TaskEnableUtxoCancelResult };
  /**
   * Activate Qtum: refused.
   *
   * @throws `UtxoNotSupported` the node has no UTXO coins; the data is the method
   */
  "task::enable_qtum::init": { params: TaskEnableQtumInitParams; result: TaskEnableQtumInitResult };
  /**
   * Ask for the activation of Qtum: refused.
   *
   * @throws `UtxoNotSupported` the node has no UTXO coins; the data is the method
   */
  "task::enable_qtum::status": { params: TaskEnableQtumStatusParams; result: TaskEnableQtumStatusResult };
  /**
   * Answer what the activation of Qtum asks for: refused.
   *
   * @throws `UtxoNotSupported` the node has no UTXO coins; the data is the method
   */
  "task::enable_qtum::user_action": { params: TaskEnableQtumUserActionParams; result: TaskEnableQtumUserActionResult };
  /**
   * Cancel the activation of Qtum: refused.
   *
   * @throws `UtxoNotSupported` the node has no UTXO coins; the data is the method
   */
  "task::enable_qtum::cancel": { params: TaskEnableQtumCancelParams; result: TaskEnableQtumCancelResult };
  /**
   * Activate Bitcoin Cash: refused.
   *
   * @throws `UtxoNotSupported` the node has no UTXO coins; the data is the method
   */
  "task::enable_bch::init": { params: TaskEnableBchInitParams; result: TaskEnableBchInitResult };
  /**
   * Ask for the activation of Bitcoin Cash: refused.
   *
   * @throws `UtxoNotSupported` the node has no UTXO coins; the data is the method
   */
  "task::enable_bch::status": { params: TaskEnableBchStatusParams; result: TaskEnableBchStatusResult };
  /**
   * Answer what the activation of Bitcoin Cash asks for: refused.
   *
   * @throws `UtxoNotSupported` the node has no UTXO coins; the data is the method
   */
  "task::enable_bch::user_action": { params: TaskEnableBchUserActionParams; result: TaskEnableBchUserActionResult };
  /**
   * Cancel the activation of Bitcoin Cash: refused.
   *
   * @throws `UtxoNotSupported` the node has no UTXO coins; the data is the method
   */
  "task::enable_bch::cancel": { params: TaskEnableBchCancelParams; result: TaskEnableBchCancelResult };
  /**
   * Activate a coin with shielded transactions: refused.
   *
   * @throws `UtxoNotSupported` the node has no UTXO coins; the data is the method
   */
  "task::enable_z_coin::init": { params: TaskEnableZCoinInitParams; result: TaskEnableZCoinInitResult };
  /**
   * Ask for the activation of a coin with shielded transactions: refused.
   *
   * @throws `UtxoNotSupported` the node has no UTXO coins; the data is the method
   */
  "task::enable_z_coin::status": { params: TaskEnableZCoinStatusParams; result: TaskEnableZCoinStatusResult };
  /**
   * Answer what the activation of a coin with shielded transactions asks for: refused.
   *
   * @throws `UtxoNotSupported` the node has no UTXO coins; the data is the method
   */
  "task::enable_z_coin::user_action": { params: TaskEnableZCoinUserActionParams; result: TaskEnableZCoinUserActionResult };
  /**
   * Cancel the activation of a coin with shielded transactions: refused.
   *
   * @throws `UtxoNotSupported` the node has no UTXO coins; the data is the method
   */
  "task::enable_z_coin::cancel": { params: TaskEnableZCoinCancelParams; result: TaskEnableZCoinCancelResult };
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
  /** Status 500: the node failed; see its log. */
  | { error_type: "InternalError"; error_data: string }
  /** Status 405: the method cannot work on this target. */
  | { error_type: "UnsupportedMode"; error_data: string }
  /** Status 404: the coin is not activated. */
  | { error_type: "NoSuchCoin"; error_data: {
    coin: string;
  } }
  /** Status 400: the balance is too low for what was asked. */
  | { error_type: "NotSufficientBalance"; error_data: {
    coin: string;
    available: string;
    required: string;
    locked_by_swaps?: string;
  } }
  /** Status 400: the balance of the coin that pays the fee is too low. */
  | { error_type: "NotSufficientBaseCoinBalance"; error_data: {
    coin: string;
    available: string;
    required: string;
    locked_by_swaps?: string;
  } }
  /** Status 409: swaps in progress need the coin: their ids. */
  | { error_type: "ActiveSwaps"; error_data: Array<string> }
  /** Status 501: the node makes no orders and no swaps; the data is the method. */
  | { error_type: "SwapsNotSupported"; error_data: string }
  /** Status 501: the node has no UTXO coins; the data is the method. */
  | { error_type: "UtxoNotSupported"; error_data: string }
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
  /** Status 400: the list of nodes is empty. */
  | { error_type: "AtLeastOneNodeRequired"; error_data: string }
  /** Status 400: a parameter of the activation makes no sense. */
  | { error_type: "InvalidPayload"; error_data: string }
  /** Status 500: the token's platform is activated, and is no platform of the method's kind. */
  | { error_type: "UnsupportedPlatformCoin"; error_data: {
    platform_coin_ticker: string;
    token_ticker: string;
  } }
  /** Status 500: the token's balance could not be read from the nodes. */
  | { error_type: "CouldNotFetchBalance"; error_data: string }
  /** Status 400: the token's address is not an ERC-20 contract. */
  | { error_type: "CouldNotFetchBalance"; error_data: string }
  /** Status 400: the coins file has the custom token's ticker or contract, or the contract is active by another ticker. */
  | { error_type: "CustomTokenError"; error_data: {
    /** the coins file has the ticker */
    DuplicateTickerInConfig?: {
      ticker_in_config: string;
    };
    /** the coins file has the contract */
    DuplicateContractInConfig?: {
      ticker_in_config: string;
    };
    /** the contract is active */
    TokenWithSameContractAlreadyActivated?: {
      ticker: string;
      contract_address: string;
    };
  } }
  /** Status 400: the platform has no tokens with contracts. */
  | { error_type: "UnsupportedTokenProtocol"; error_data: {
    protocol: string;
  } }
  /** Status 500: the token cannot be read from its contract. */
  | { error_type: "RetrieveInfoError"; error_data: string }
  /** Status 400: the address is not an ERC-20 contract. */
  | { error_type: "RetrieveInfoError"; error_data: string }
  /** Status 400: the request's protocol of the token cannot be read. */
  | { error_type: "TokenProtocolParseError"; error_data: {
    ticker: string;
    error: string;
  } }
  /** Status 400: the coin is no ERC-20 token. */
  | { error_type: "CoinNotSupported"; error_data: {
    coin: string;
  } }
  /** Status 400: a parameter makes no sense for the coin. */
  | { error_type: "InvalidParam"; error_data: string }
  /** Status 500: the transaction was not made or not sent. */
  | { error_type: "TransactionError"; error_data: string }
  /** Status 500: the contract, or the nodes, did not answer as they should. */
  | { error_type: "Web3RpcError"; error_data: string }
  /** Status 400: the contract refuses the call. */
  | { error_type: "Web3RpcError"; error_data: string }
  /** Status 400: the coin has no gas: its ticker. */
  | { error_type: "NotSupported"; error_data: string }
  /** Status 400: the chain's coin is not of an EVM network. */
  | { error_type: "CoinDoesntSupportNftWithdraw"; error_data: {
    coin: string;
  } }
  /** Status 400: the NFT belongs to another address. */
  | { error_type: "MyAddressNotNftOwner"; error_data: {
    my_address: string;
    token_owner: string;
  } }
  /** Status 400: the address has too few NFTs of the id. */
  | { error_type: "NotEnoughNftsAmount"; error_data: {
    token_address: string;
    token_id: string;
    available: string;
    required: string;
  } }
  /** Status 400: the hash is not 64 hexadecimal digits. */
  | { error_type: "InvalidHashError"; error_data: string }
  /** Status 400: the coin's nodes do not have the transaction. */
  | { error_type: "HashNotExist"; error_data: string }
  /** Status 501: the coin has no such transactions. */
  | { error_type: "NotImplemented"; error_data: {
    coin: string;
  } }
  /** Status 500: the wallet did not sign. */
  | { error_type: "SigningError"; error_data: string }
  /** Status 400: the balance of the coin that pays the fee is too low. */
  | { error_type: "NotSufficientPlatformBalanceForFee"; error_data: {
    coin: string;
    available: string;
    required: string;
    locked_by_swaps?: string;
  } }
  /** Status 400: there is nothing of which to send everything. */
  | { error_type: "ZeroBalanceToWithdrawMax"; error_data?: undefined }
  /** Status 400: the coin's wallet sends what it signs, and broadcast is not set. */
  | { error_type: "BroadcastExpected"; error_data: string }
  /** Status 400: the amount is less than can be sent. */
  | { error_type: "AmountTooLow"; error_data: {
    amount: string;
    threshold: string;
  } }
  /** Status 400: the fee is not of a kind that the coin takes, or too low. */
  | { error_type: "InvalidFeePolicy"; error_data: string }
  /** Status 400: the chosen price of gas is below the network's base fee. */
  | { error_type: "InvalidFee"; error_data: {
    reason: string;
    details: {
      provided_fee_cap_gwei: string;
      required_base_fee_gwei: string;
    };
  } }
  /** Status 400: the chain does not take the memo. */
  | { error_type: "InvalidMemo"; error_data: string }
  /** Status 400: from is not an address of the coin's. */
  | { error_type: "UnexpectedFromAddress"; error_data: string }
  /** Status 400: the IBC channel to the address's chain is not known, closed or expired. */
  | { error_type: "IBCError"; error_data: {
    /** no channel is configured to the chain of addresses with this prefix */
    IBCChannelCouldNotBeFound?: {
      address_prefix: string;
    };
    /** channel not found on the chain */
    IBCChannelMissingOnNode?: {
      channel_id: number;
      reason?: string;
    };
    /** what is sent over this channel does not arrive */
    IBCChannelNotHealthy?: {
      channel_id: number;
      reason?: string;
    };
  } }
  /** Status 400: the wallet did not sign, or not what it was asked to. */
  | { error_type: "SigningError"; error_data: string }
  /** Status 400: the chain does not take the transaction, or it failed in its block. */
  | { error_type: "TransactionRefused"; error_data: {
    /** the chain's own number for the reason, within codespace */
    code: number;
    codespace: string;
    /** the chain's own words */
    log: string;
    tx_hash: string;
    /** of the block in which the transaction failed, 0 if it got into none */
    block_height: number;
  } }
  /** Status 400: the signature is none. */
  | { error_type: "SignatureDecodingError"; error_data: string }
  /** Status 400: not an address of the coin. */
  | { error_type: "AddressDecodingError"; error_data: string }
  /** Status 404: the page has no such wallet, or the node no such session with one. */
  | { error_type: "WalletNotFound"; error_data: string }
  /** Status 400: the wallet's user said no, or did not allow the method in the session. */
  | { error_type: "WalletRefused"; error_data: string }
  /** Status 408: the wallet's user, or the relay to the wallet, did not answer in time. */
  | { error_type: "WalletTimeout"; error_data: string }
  /** Status 400: the wallet has no account on the coin's chain. */
  | { error_type: "WalletWrongChain"; error_data: string }
  /** Status 409: the wallet has switched to another account than that of the coin, which has to be activated again. */
  | { error_type: "WalletSwitched"; error_data: string }
  /** Status 410: the page with the wallet was closed, the call came from none, or the session with the wallet ended meanwhile. */
  | { error_type: "WalletGone"; error_data: string }
  /** Status 502: the wallet failed, or answered what makes no sense. */
  | { error_type: "WalletFailed"; error_data: string }
  /** Status 410: the hardware wallet failed or refused; nested: the reason, and what its user can do. */
  | { error_type: "HwError"; error_data: {
    error_type: string;
    error_data: unknown;
  } }
  /** Status 408: the hardware wallet, or its user, did not answer in time. */
  | { error_type: "Timeout"; error_data: string }
  /** Status 400: another task connects to the hardware wallet. */
  | { error_type: "HwContextInitializingAlready"; error_data?: undefined }
  /** Status 400: the task asked its user for something else: what. */
  | { error_type: "UnexpectedUserAction"; error_data: {
    expected: string;
  } }
  /** Status 400: no Trezor was connected since the node was started. */
  | { error_type: "TrezorNotInitialized"; error_data?: undefined }
  /** Status 500: another Trezor, or another of its wallets, was connected. */
  | { error_type: "FoundUnexpectedDevice"; error_data?: undefined }
  /** Status 400: no session can be proposed: the node has no project id, or the relay does not answer. */
  | { error_type: "InitializationError"; error_data: string }
  /** Status 500: there is no such session, or its wallet did not answer. */
  | { error_type: "SessionRequestError"; error_data: string }
  /** Status 400: the coins file has no such coin. */
  | { error_type: "CoinConfigNotFound"; error_data: string }
  /** Status 400: end_index is below start_index, or too large. */
  | { error_type: "InvalidHdRange"; error_data: {
    start_index: number;
    end_index: number;
  } }
  /** Status 400: more than 100 addresses. */
  | { error_type: "HdRangeTooLarge"; error_data?: undefined }
  /** Status 400: the parameters are of another mode than the node's. */
  | { error_type: "InvalidParametersForMode"; error_data: string }
  /** Status 400: keys of such coins are not shown, or the coin's entry is broken. */
  | { error_type: "ProtocolParseError"; error_data: {
    ticker: string;
    error: string;
  } }
  /** Status 500: there is no key at the path, or the node has no passphrase. */
  | { error_type: "KeyDerivationFailed"; error_data: string }
  /** Status 400: the coin is not activated. */
  | { error_type: "NoSuchCoin"; error_data: {
    coin: string;
  } }
  /** Status 400: the coin has one address: the node was started without enable_hd, or the key is in a wallet or a device. */
  | { error_type: "CoinIsActivatedNotWithHDWallet"; error_data?: undefined }
  /** Status 400: the account was not created. */
  | { error_type: "UnknownAccount"; error_data: {
    account_id: number;
  } }
  /** Status 400: there is no address at the path. */
  | { error_type: "ErrorDerivingAddress"; error_data: string }
  /** Status 400: as many of the last addresses as the gap limit are unused. */
  | { error_type: "EmptyAddressesLimitReached"; error_data: {
    gap_limit: number;
  } }
  /** Status 400: the account has as many addresses as it can have. */
  | { error_type: "AddressLimitReached"; error_data: {
    max_addresses_number: number;
  } }
  /** Status 400: the coin has as many accounts as it can have. */
  | { error_type: "AccountLimitReached"; error_data: {
    max_accounts_number: number;
  } }
  /** Status 500: the known accounts cannot be read or written. */
  | { error_type: "WalletStorageError"; error_data: string }
  /** Status 400: the wallet's password is another one, or its file was altered. */
  | { error_type: "InvalidPassword"; error_data: string }
  /** Status 400: the new password is too weak. */
  | { error_type: "PasswordPolicyViolation"; error_data: string }
  /** Status 500: the wallet files cannot be read or written; the node's log has the cause. */
  | { error_type: "WalletsStorageError"; error_data: string }
  /** Status 500: there is no open wallet, or the nodes of the coin gave no answer; the data says which. */
  | { error_type: "Internal"; error_data: string }
  /** Status 404: the coin is not activated: its ticker. */
  | { error_type: "CoinIsNotActive"; error_data: string }
  /** Status 400: the coin has no such set of addresses. */
  | { error_type: "InvalidTarget"; error_data: string }
  /** Status 400: the coin has no history: its ticker. */
  | { error_type: "NotSupportedFor"; error_data: string }
  /** Status 500: the coin was activated without tx_history. */
  | { error_type: "StorageIsNotInitialized"; error_data: string }
  /** Status 500: the stored history cannot be read. */
  | { error_type: "StorageError"; error_data: string }
  /** Status 500: no node of the coin tells the current block. */
  | { error_type: "RpcError"; error_data: string }
  /** Status 500: a name or a peer id is in the list already, or the store refuses. */
  | { error_type: "DatabaseError"; error_data: string }
  /** Status 400: the peer id cannot be decoded: the id and the reason. */
  | { error_type: "PeerIdParseError"; error_data: Array<string> }
  /** Status 400: invalid address: of a peer, neither an IP address nor a domain name; of a coin, not one that it can be sent to. */
  | { error_type: "InvalidAddress"; error_data: string }
  /** Status 405: version statistics are not being collected. */
  | { error_type: "NotRunning"; error_data?: undefined }
  /** Status 405: version statistics are being collected. */
  | { error_type: "AlreadyRunning"; error_data?: undefined }
  /** Status 405: the collection of version statistics is about to end. */
  | { error_type: "CurrentlyStopping"; error_data?: undefined }
  /** Status 400: UnknownClient, ClientAlreadyListening, or what is wrong with the config. */
  | { error_type: "EnableError"; error_data: string }
  /** Status 400: UnknownClient or StreamerNotFound. */
  | { error_type: "DisableError"; error_data: string }
  /** Status 404: the coin is not activated. */
  | { error_type: "CoinNotFound"; error_data?: undefined }
  /** Status 501: the coin has no such stream. */
  | { error_type: "CoinNotSupported"; error_data?: undefined }
  /** Status 500: the Lightning node could not be reached. */
  | { error_type: "ConnectionError"; error_data: string }
  /** Status 400: the coin is no Lightning coin: its ticker. */
  | { error_type: "UnsupportedCoin"; error_data: string }
  /** Status 400: there is no connection to the Lightning node: its id. */
  | { error_type: "NotConnected"; error_data: string }
  /** Status 500: the store refuses, or a port cannot be listened on. */
  | { error_type: "IOError"; error_data: string }
  /** Status 400: the Lightning coin is active. */
  | { error_type: "L2IsAlreadyActivated"; error_data: string }
  /** Status 400: the coins file has no such Lightning coin. */
  | { error_type: "L2ConfigIsNotFound"; error_data: string }
  /** Status 500: the Lightning coin's protocol in the coins file cannot be read. */
  | { error_type: "L2ProtocolParseError"; error_data: {
    ticker: string;
    error: string;
  } }
  /** Status 400: the coin is no Lightning coin. */
  | { error_type: "UnexpectedL2Protocol"; error_data: {
    ticker: string;
    protocol: {
      type: string;
      protocol_data?: unknown;
    };
  } }
  /** Status 400: the coin is not staked with validators. */
  | { error_type: "CoinDoesntSupportDelegation"; error_data: {
    coin: string;
  } }
  /** Status 400: the address has staked nothing with the validator. */
  | { error_type: "CanNotUndelegate"; error_data: {
    delegator_addr: string;
    validator_addr: string;
  } }
  /** Status 400: less is staked with the validator than is asked back. */
  | { error_type: "TooMuchToUndelegate"; error_data: {
    available: string;
    requested: string;
  } }
  /** Status 400: the reward is not above the fee of claiming it; force claims it anyway. */
  | { error_type: "UnprofitableReward"; error_data: {
    reward: string;
    fee: string;
  } }
  /** Status 400: a parameter of staking makes no sense. */
  | { error_type: "InvalidPayload"; error_data: {
    reason: string;
  } }
  /** Status 400: the validator owes no reward. */
  | { error_type: "NothingToClaim"; error_data: {
    coin: string;
  } }
  /** Status 404: the name stands for no address of the coin. */
  | { error_type: "NameNotFound"; error_data: string }
  /** Status 400: there is no such task of this method, or it was forgotten: its number. */
  | { error_type: "NoSuchTask"; error_data: number }
  /** Status 404: there is no such task to cancel, or it was forgotten: its number. */
  | { error_type: "NoSuchTask"; error_data: number }
  /** Status 409: the task has ended: its number. */
  | { error_type: "TaskFinished"; error_data: number }
  /** Status 408: the task timed out. */
  | { error_type: "TaskTimedOut"; error_data: {
    /** what it was given */
    duration: {
      secs: number;
      nanos: number;
    };
  } }
  /** Status 500: the NFT could not be looked up; nested. */
  | { error_type: "GetNftInfoError"; error_data: {
    error_type: string;
    error_data: unknown;
  } }
  /** Status 500: the NFT is not in the wallet. */
  | { error_type: "TokenNotFoundInWallet"; error_data: {
    token_address: string;
    token_id: string;
  } }
  /** Status 500: the service against spam did not scan contracts or domains; nested. */
  | { error_type: "UpdateSpamPhishingError"; error_data: {
    error_type: string;
    error_data: unknown;
  } }
  /** Status 500: what is kept of NFTs cannot be read or changed. */
  | { error_type: "DbError"; error_data: string }
  /** Status 404: the NFT has no known picture, or one of an unsupported kind. */
  | { error_type: "NftHasNoImage"; error_data: {
    token_address: string;
    token_id: string;
  } }
  /** Status 400: the NFT may be spam, so that its picture is not fetched. */
  | { error_type: "NftMayBeSpam"; error_data: {
    token_address: string;
    token_id: string;
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

/**
 * What a client is told: the data of each event on GET /event-stream?id=<client_id>.
 * There are no named events: an EventSource gets all of them by onmessage.
 */
export type NodeEvent =
  /** The client has its stream still: stream::heartbeat::enable. */
  | { _type: "HEARTBEAT"; message: Record<string, never> }
  /** Balances of the coin behind the colon, or of tokens on it, have changed: stream::balance::enable. Of an HD wallet all its addresses are listed, the coin's own first. */
  | { _type: `BALANCE:${string}`; message: Array<{ ticker: string; address?: string; balance: { spendable: string; unspendable: string } }> }
  /** What is known of peers: stream::network::enable. */
  | { _type: "NETWORK"; message: { directly_connected_peers: object; gossip_mesh: object; gossip_peer_topics: object; gossip_topic_peers: object; relay_mesh: string[] } }
  /** The node ends: stream::shutdown_signal::enable. */
  | { _type: "SHUTDOWN_SIGNAL"; message: "SIGTERM" | "SIGINT" | "stop" }
  /** A transaction of the coin behind the colon is listed now, as in my_tx_history: stream::tx_history::enable. */
  | { _type: `TX_HISTORY:${string}`; message: Methods["my_tx_history"]["result"]["transactions"][number] }
  /** What gas costs, as of get_eth_estimated_fee_per_gas: stream::fee_estimator::enable. */
  | { _type: `FEE_ESTIMATION:${string}`; message: Methods["get_eth_estimated_fee_per_gas"]["result"] }
  /** Events were lost before this one, since the client took them too slowly or was away too long: how many. */
  | { _type: "ERROR:LAGGED"; message: { dropped: number } }
  /** The node does not know the client any more: it was away too long, or the node was started anew. It has to enable its streams again. */
  | { _type: "ERROR:FORGOTTEN"; message: Record<string, never> }
  /** Another connection of the same client has the stream now, and this one ends. */
  | { _type: "ERROR:TAKEN_OVER"; message: Record<string, never> }
  /** The source of the streamer whose id is behind the first colon failed; it is tried again. */
  | { _type: `ERROR:BALANCE:${string}` | `ERROR:TX_HISTORY:${string}` | `ERROR:FEE_ESTIMATION:${string}`; message: { error: string } };
