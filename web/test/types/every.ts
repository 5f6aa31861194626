// A program that calls methods of both APIs and must compile. It has every shape of parameters and
// results. A row for a method that does not exist is an error.
import { connect, DaemonError, init, NodeError, RpcError, type Client, type DaemonMethods, type EventOf, type Handle, type InitOptions, type Methods, type NodeEvent } from "obverse";
import { connect as connectHttp } from "obverse/http";
import { lightClient, LightError, type LightKind, type TokenBalance } from "obverse/light";
import { init as initHere } from "obverse/worker";
import { obverseWallet, ProviderError, type Account } from "obverse/wallet";
import initUpstream, { mm2_main, mm2_main_status, mm2_rpc, mm2_stop, mm2_version, LogLevel, MainStatus, StartupError } from "obverse/upstream";

type Node = Handle | Client;

const nodes = [{ url: "https://node.example/", ws_url: "wss://node.example/websocket" }];

const contract = "0x24ABE4c71FC658C91313b6552cd40cD808b3Ea80";
const provider = { provider: { type: "Indexer", info: { url: "https://indexer.example", gateway_proxy: false } } } as const;
const services = { url: "https://indexer.example", url_antispam: "https://antispam.example" };
const nft = { chain: "ETH", token_address: contract, token_id: "5" } as const;

/** Calls of the node API. */
export const rpc = {
  help: (node) => node.rpc("help", { command: "version" }),
  "rpc.discover": (node) => node.rpc("rpc.discover"),
  version: (node) => node.rpc("version"),
  stop: (node) => node.rpc("stop"),
  get_public_key: (node) => node.rpc("get_public_key"),
  get_public_key_hash: (node) => node.rpc("get_public_key_hash", {}),
  get_my_peer_id: (node) => node.rpc("get_my_peer_id"),
  get_enabled_coins: (node) => node.rpc("get_enabled_coins"),
  disable_coin: (node) => node.rpc("disable_coin", { coin: "IRIS", force_disable: true }),
  my_balance: (node) => node.rpc("my_balance", { coin: "IRIS" }),
  get_coin_nodes: (node) => node.rpc("get_coin_nodes", { coin: "IRIS" }),
  enable_tendermint_with_assets: (node) =>
    node.rpc("enable_tendermint_with_assets", {
      ticker: "IRIS",
      tokens_params: [{ ticker: "ATOM-IBC_IRIS", required_confirmations: 2 }],
      nodes,
      tx_history: true,
      path_to_address: { account_id: 0, chain: "External", address_id: 1 },
      priv_key_policy: "ContextPrivKey",
    }),
  "task::enable_tendermint::init": (node) => node.rpc("task::enable_tendermint::init", { ticker: "IRIS", tokens_params: [], nodes, priv_key_policy: "HardwareWallet" }),
  "task::enable_tendermint::status": (node) => node.rpc("task::enable_tendermint::status", { task_id: 1, forget_if_finished: false }),
  "task::enable_tendermint::cancel": (node) => node.rpc("task::enable_tendermint::cancel", { task_id: 1 }),
  "task::enable_tendermint::user_action": (node) => node.rpc("task::enable_tendermint::user_action", { task_id: 1, user_action: {} }),
  enable_tendermint_token: (node) => node.rpc("enable_tendermint_token", { ticker: "ATOM-IBC_IRIS", activation_params: { required_confirmations: 3 } }),
  enable_eth_with_tokens: (node) =>
    node.rpc("enable_eth_with_tokens", {
      ticker: "ETH",
      nodes,
      swap_contract_address: contract,
      erc20_tokens_requests: [{ ticker: "USDC-ERC20", required_confirmations: 2 }],
      nft_req: provider,
      rpc_mode: "Default",
      priv_key_policy: { type: "BrowserWallet" },
    }),
  "task::enable_eth::init": (node) =>
    node.rpc("task::enable_eth::init", { ticker: "ETH", nodes, swap_contract_address: contract, erc20_tokens_requests: [], priv_key_policy: "HardwareWallet" }),
  "task::enable_eth::status": (node) => node.rpc("task::enable_eth::status", { task_id: 1, forget_if_finished: false }),
  "task::enable_eth::cancel": (node) => node.rpc("task::enable_eth::cancel", { task_id: 1 }),
  "task::enable_eth::user_action": (node) => node.rpc("task::enable_eth::user_action", { task_id: 1, user_action: {} }),
  enable_erc20: (node) => node.rpc("enable_erc20", { ticker: "USDC-ERC20", activation_params: { required_confirmations: 3 } }),
  enable_nft: (node) => node.rpc("enable_nft", { ticker: "NFT_ETH", activation_params: provider }),
  refresh_nft_metadata: (node) => node.rpc("refresh_nft_metadata", { ...nft, ...services, gateway_proxy: true }),
  update_nft: (node) => node.rpc("update_nft", { chains: ["ETH", "POLYGON"], ...services }),
  get_nft_list: (node) => node.rpc("get_nft_list", { chains: ["AVALANCHE", "BSC", "FANTOM"], limit: 20, page_number: 2, protect_from_spam: true, filters: { exclude_spam: true, exclude_phishing: true } }),
  get_nft_metadata: (node) => node.rpc("get_nft_metadata", { ...nft, protect_from_spam: true }),
  get_nft_transfers: (node) => node.rpc("get_nft_transfers", { chains: ["ETH"], max: true, filters: { receive: true, from_date: 1700000000 } }),
  get_nft_scan: (node) => node.rpc("get_nft_scan", { chain: "ETH" }),
  get_nft_image: (node) => node.rpc("get_nft_image", { ...nft, protect_from_spam: false }),
  get_locked_amount: (node) => node.rpc("get_locked_amount", { coin: "IRIS" }),
  max_maker_vol: (node) => node.rpc("max_maker_vol", { coin: "IRIS" }),
  withdraw: (node) => node.rpc("withdraw", { coin: "IRIS", to: "iaa1", amount: "0.1", fee: { type: "CosmosGas", gas_price: "0.025", gas_limit: 100000 }, ibc_source_channel: "channel-12" }),
  "task::withdraw::init": (node) => node.rpc("task::withdraw::init", { coin: "IRIS", to: "iaa1", max: true, broadcast: true }),
  "task::withdraw::status": (node) => node.rpc("task::withdraw::status", { task_id: 1, forget_if_finished: false }),
  "task::withdraw::cancel": (node) => node.rpc("task::withdraw::cancel", { task_id: 1 }),
  "task::withdraw::user_action": (node) => node.rpc("task::withdraw::user_action", { task_id: 1, user_action: {} }),
  send_raw_transaction: (node) => node.rpc("send_raw_transaction", { coin: "IRIS", tx_hex: "00", wait: true, timeout: 60 }),
  sign_message: (node) => node.rpc("sign_message", { coin: "IRIS", message: "hello" }),
  verify_message: (node) => node.rpc("verify_message", { coin: "IRIS", message: "hello", signature: "x", address: "iaa1" }),
  my_tx_history: (node) => node.rpc("my_tx_history", { coin: "IRIS", limit: 10, paging_options: { PageNumber: 1 } }),
  "stream::heartbeat::enable": (node) => node.rpc("stream::heartbeat::enable", { config: { stream_interval_seconds: 1 } }),
  "stream::disable": (node) => node.rpc("stream::disable", { streamer_id: "HEARTBEAT" }),
  "stream::ticket": (node) => node.rpc("stream::ticket", { client_id: 1 }),
  "stream::balance::enable": (node) => node.rpc("stream::balance::enable", { coin: "IRIS" }),
  "task::enable_lightning::init": (node) => node.rpc("task::enable_lightning::init", { ticker: "tBTC-lightning", activation_params: { name: "mine", listening_port: 9735 } }),
  "task::enable_lightning::status": (node) => node.rpc("task::enable_lightning::status", { task_id: 1, forget_if_finished: false }),
  "task::enable_lightning::cancel": (node) => node.rpc("task::enable_lightning::cancel", { task_id: 1 }),
  "task::enable_lightning::user_action": (node) => node.rpc("task::enable_lightning::user_action", { task_id: 1, user_action: {} }),
  "lightning::nodes::connect_to_node": (node) => node.rpc("lightning::nodes::connect_to_node", { coin: "tBTC-lightning", node_address: `${key}@127.0.0.1:9735`, timeout: 2.5 }),
  "lightning::nodes::disconnect": (node) => node.rpc("lightning::nodes::disconnect", { coin: "tBTC-lightning", node_id: key }),
  "lightning::nodes::list_peers": (node) => node.rpc("lightning::nodes::list_peers", { coin: "tBTC-lightning" }),
  "lightning::nodes::add_trusted_node": (node) => node.rpc("lightning::nodes::add_trusted_node", { coin: "tBTC-lightning", node_id: key }),
  "lightning::nodes::remove_trusted_node": (node) => node.rpc("lightning::nodes::remove_trusted_node", { coin: "tBTC-lightning", node_id: key }),
  "lightning::nodes::list_trusted_nodes": (node) => node.rpc("lightning::nodes::list_trusted_nodes", { coin: "tBTC-lightning" }),
  add_node_to_version_stat: (node) => node.rpc("add_node_to_version_stat", { name: "seed", address: "168.119.236.241", peer_id: "12D3" }),
  remove_node_from_version_stat: (node) => node.rpc("remove_node_from_version_stat", { name: "seed" }),
  start_version_stat_collection: (node) => node.rpc("start_version_stat_collection", { interval: 600 }),
  update_version_stat_collection: (node) => node.rpc("update_version_stat_collection", { interval: 60 }),
  stop_version_stat_collection: (node) => node.rpc("stop_version_stat_collection"),
  get_version_stat: (node) => node.rpc("get_version_stat", { name: "seed", from: 0, limit: 10, page: 1 }),
} satisfies { [M in keyof Methods]?: (node: Node) => Promise<Methods[M]["result"]> };

const [id, address, key] = ["00".repeat(32), "RXL3YXG2ceaB6C5hfJcN4fvmLH2C34knhA", "02".repeat(33)];

/** Calls of the daemon API. */
export const daemon = {
  help: (node) => node.daemon("help", "getblock"),
  "rpc.discover": (node) => node.daemon("rpc.discover"),
  tokenaddress: (node) => node.daemon("tokenaddress", key),
  tokenbalance: (node) => node.daemon("tokenbalance", id, key),
  tokencreate: (node) => node.daemon("tokencreate", "MINE", "1000", "what it is", "00"),
  tokeninfo: (node) => node.daemon("tokeninfo", id, { prove: true }),
  tokenlist: (node) => node.daemon("tokenlist"),
  tokentransfer: (node) => node.daemon("tokentransfer", id, key, "12"),
  sendrawtransaction: (node) => node.daemon("sendrawtransaction", "00", true),
  decoderawtransaction: (node) => node.daemon("decoderawtransaction", "00"),
  getrawtransaction: (node) => node.daemon("getrawtransaction", id, 1),
  decodescript: (node) => node.daemon("decodescript", "00"),
  validateaddress: (node) => node.daemon("validateaddress", address),
  getblockcount: (node) => node.daemon("getblockcount"),
  getbestblockhash: (node) => node.daemon("getbestblockhash"),
  getblockhash: (node) => node.daemon("getblockhash", 1),
  getblockheader: (node) => node.daemon("getblockheader", id, true),
  getblock: (node) => node.daemon("getblock", "1", 2),
  getchaintips: (node) => node.daemon("getchaintips"),
  getlightblock: (node) => node.daemon("getlightblock", 5),
  getblockchaininfo: (node) => node.daemon("getblockchaininfo"),
  getmempoolinfo: (node) => node.daemon("getmempoolinfo"),
  getrawmempool: (node) => node.daemon("getrawmempool", true),
  gettxout: (node) => node.daemon("gettxout", id, 0, false),
  getaddressbalance: (node) => node.daemon("getaddressbalance", { addresses: [address] }),
  getaddressutxos: (node) => node.daemon("getaddressutxos", { addresses: [address], chainInfo: true }),
  getaddresstxids: (node) => node.daemon("getaddresstxids", address),
  getaddressdeltas: (node) => node.daemon("getaddressdeltas", { addresses: [address], start: 1, end: 2 }, 1),
  getbalance: (node) => node.daemon("getbalance", "*", 1),
  listunspent: (node) => node.daemon("listunspent", 1, 9999999, [address]),
  sendtoaddress: (node) => node.daemon("sendtoaddress", address, "0.5"),
  dumpprivkey: (node) => node.daemon("dumpprivkey", address),
  generate: (node) => node.daemon("generate", 1),
  getmininginfo: (node) => node.daemon("getmininginfo"),
  submitblock: (node) => node.daemon("submitblock", "00"),
  invalidateblock: (node) => node.daemon("invalidateblock", id),
  reconsiderblock: (node) => node.daemon("reconsiderblock", id),
  getinfo: (node) => node.daemon("getinfo"),
  stop: (node) => node.daemon("stop"),
  getnetworkinfo: (node) => node.daemon("getnetworkinfo"),
} satisfies { [M in keyof DaemonMethods]?: (node: Node) => Promise<DaemonMethods[M]["result"]> };

/** Results have typed fields. */
export async function results(node: Node): Promise<Array<string | number | boolean | null>> {
  const { public_key } = await node.rpc("get_public_key");
  const { locked_amount } = await node.rpc("get_locked_amount", { coin: "IRIS" });
  const { nodes: asked } = await node.rpc("get_coin_nodes", { coin: "IRIS" });
  const { transactions, sync_status } = await node.rpc("my_tx_history", { coin: "IRIS" });
  const { nfts, total } = await node.rpc("get_nft_list", { chains: ["ETH"] });
  const { eth_addresses_infos } = await rpc.enable_eth_with_tokens(node);
  const enabled = (await rpc.enable_nft(node)).nfts[`${contract},5`];
  const refreshed: null = await rpc.refresh_nft_metadata(node);
  const block = await node.daemon("getblock", 1);
  const pool = await node.daemon("getrawmempool");
  const out = await node.daemon("gettxout", id, 0);
  const { hex } = await node.daemon("tokencreate", "MINE", 1);
  return [
    public_key,
    locked_amount.fraction.numer,
    asked[0].state === "suspended" ? (asked[0].retry_at ?? 0) : (asked[0].reason ?? asked[0].url),
    transactions[0].fee_details.gas_limit,
    sync_status.state,
    nfts[0].uri_meta.image_url ?? total,
    eth_addresses_infos?.[contract].balances?.spendable ?? refreshed,
    enabled.amount,
    typeof block === "string" ? block : block.height,
    Array.isArray(pool) ? pool.length : pool[id].fee,
    out?.scriptPubKey.type ?? null,
    (await node.daemon("getinfo")).balance,
    await node.daemon("submitblock", hex),
  ];
}

/** Listeners have typed events. */
export function listen(node: Node, coin: string): Array<() => void> {
  const streamer: string = "HEARTBEAT";
  return [
    node.subscribe("HEARTBEAT", (event: EventOf<"HEARTBEAT">) => console.log(event._type)),
    node.subscribe("BALANCE:IRIS", (event) => console.log("error" in event.message ? event.message.error : event.message[0].balance.spendable)),
    node.subscribe(`BALANCE:${coin}`, (event) => console.log(event.message)),
    node.subscribe("*", (event) => event._type === "ERROR:LAGGED" && console.log(event.message.dropped)),
    node.subscribe(streamer, (event: NodeEvent) => console.log(event)),
  ];
}

/** Errors have kinds, and kinds determine the data. */
export async function errors(node: Node): Promise<string | number | undefined> {
  try {
    await node.rpc("my_balance", { coin: "IRIS" });
  } catch (error) {
    if (error instanceof RpcError) {
      return error.is("NoSuchCoin") ? error.data.coin : error.is("TransactionRefused") ? error.data.block_height : `${error.status} ${error.kind} ${error.trace}`;
    }
    return error instanceof DaemonError ? error.code : error instanceof NodeError ? error.kind : undefined;
  }
}

/** All ways to start or connect to a node. */
export async function start(module: WebAssembly.Module): Promise<Node[]> {
  const options: InitOptions = { config: { passphrase: "x", chain: { ac_name: "MINE" } }, module, storage: "indexeddb", persist: false, log: (level, line) => console.log(level, line) };
  const node: Handle = await init(options);
  const data: Uint8Array = await node.export();
  await node.import(data);
  const { status, body } = await node.raw.daemon('{"method":"getinfo"}');
  console.log(status, body, node.client, node.status().role, node.status().persisted);
  const native: Client = connect({ url: "http://127.0.0.1:7783", userpass: "x", daemon: { url: "http://127.0.0.1:7784", user: "a", password: "b" } });
  return [node, native, connectHttp({ url: new URL("http://127.0.0.1:7783") }), await initHere({ config: {}, wasmUrl: fetch("/obverse.wasm") })];
}

/** The wallet page as a wallet for a site. */
export async function site(): Promise<Account[] | number | string> {
  const wallet = obverseWallet({ url: new URL("https://wallet.example/"), chainId: 137, info: { name: "Mine" } });
  const end: () => void = wallet.announce();
  wallet.ethereum.on("accountsChanged", (accounts: string[]) => console.log(accounts)).removeListener("connect", end);
  try {
    const [from] = await wallet.ethereum.request({ method: "eth_requestAccounts" });
    await wallet.ethereum.request({ method: "personal_sign", params: ["0x00", from] });
    await wallet.keplr.enable(["cosmoshub-4"]);
    const { pubKey, bech32Address } = await wallet.keplr.getKey("cosmoshub-4");
    const { signature } = await wallet.keplr.getOfflineSigner("cosmoshub-4").signDirect(bech32Address, { bodyBytes: pubKey, authInfoBytes: pubKey, chainId: "cosmoshub-4", accountNumber: 7n });
    return signature.signature;
  } catch (error) {
    return error instanceof ProviderError ? error.code : 0;
  }
}

/** Verified answers. */
export async function light(node: Node, pin: DaemonMethods["getlightblock"]["result"]): Promise<TokenBalance | LightKind | string> {
  const client = lightClient({ pin, ask: (method, params) => node.daemon(method as "tokeninfo", ...(params as [string])), trustingPeriod: 3600, maxAge: 60 });
  try {
    const { name, supply } = await client.tokenInfo("00");
    const found = await client.tokenBalance("00", "02");
    const height: number = await client.update();
    return supply > found.balance + BigInt(height) ? found : name;
  } catch (error) {
    return error instanceof LightError ? (error.kind as LightKind) : JSON.stringify(client.trusted());
  }
}

/** The functions of Komodo DeFi Framework. */
export async function upstream(): Promise<string> {
  await initUpstream("/obverse.wasm");
  try {
    await mm2_main({ conf: { passphrase: "x" }, log_level: LogLevel.Warn }, (level: number, line: string) => console.log(level, line));
  } catch (error) {
    return error instanceof StartupError ? error.message : "";
  }
  const answer = mm2_main_status() === MainStatus.RpcIsUp ? await mm2_rpc({ method: "version" }) : undefined;
  await mm2_stop();
  return `${mm2_version().result} ${answer}`;
}
