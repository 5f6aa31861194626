/** Errors in the words of whoever uses the page: what happened, and what to do. */

import { DaemonError, NodeError, ProviderError, RpcError } from "obverse";

export interface Described {
  what: string;
  todo: string;
  kind: string;
  message: string;
  data: unknown;
  path: string;
}

type Words = readonly [what: string, todo: string];

const asked = "Check what you entered.";
const later = "Try again in a moment.";

/** By kind: what happened, what to do. The message of the node stands below, in the details. */
const words: Record<string, Words> = {
  // On the way to a node
  Unreachable: ["The node does not answer.", "Check that the node is running and that the address is right. If the node does not serve this page itself, start it with rpccors set to the origin of this page."],
  Timeout: ["The node timed out.", "It may still be running: check the result before you try again."],
  BadAnswer: ["This address is not an Obverse node.", "Check the address."],
  NotRunning: ["The node is not running.", "Start it again."],
  Crashed: ["The node in this page has failed.", "Start it again. Your data is safe up to the last answer."],
  WorkerFailed: ["The node in this page cannot start.", "Reload the page. If that does not help, this browser may be too old."],
  WasmError: ["The node could not be loaded.", "Check your network, then try again."],
  OwnerGone: ["The tab that ran the node was closed before it answered.", "It may have succeeded: check before you try again."],
  ConfigMismatch: ["Another tab is using a different wallet.", "Close the other tabs of this page, then try again."],
  StoreError: ["Browser storage is not available.", "Storage may be full, or disabled in private windows. Free some space, then try again."],
  ConfigError: ["The node does not accept this wallet.", "Check the words or the passphrase."],
  StartError: ["The node cannot start with this wallet.", "The words may be misspelled, or the data is from a different version."],
  ImportError: ["The file is not an export of an Obverse node, or it is incomplete.", "Nothing was changed. Choose another file."],
  // Who may call
  UserpassIsInvalid: ["Wrong password.", "It is rpc_password in the node's config."],
  UserpassIsNotSet: ["The node asks for its password.", "It is rpc_password in the node's config."],
  LocalHostOnly: ["The node allows this only from its own machine.", "Open the page there, or start the node with rpc_local_only=false."],
  Banned: ["Too many wrong passwords came from this address.", "Wait a while, or restart the node."],
  Refused: ["The node rejected the request.", "See the details."],
  // Calls
  InvalidRequest: ["Invalid request.", asked],
  NoSuchMethod: ["Unknown method.", "Check its name, or use a newer node."],
  UnsupportedMode: ["A node in a web page cannot do this.", "Use a native node for it."],
  InternalError: ["The node had an internal error.", later],
  Transport: ["The coin's servers do not answer.", `Check your network. ${later}`],
  RpcError: ["The coin's servers rejected the request.", later],
  NoSuchCoin: ["This coin is not active.", "Activate it first."],
  CoinIsNotActive: ["This coin is not active.", "Activate it first."],
  CoinNotFound: ["This coin is not active.", "Activate it first."],
  CoinNotSupported: ["Not supported for this coin.", ""],
  NotSupportedFor: ["Not supported for this coin.", ""],
  PlatformCoinIsNotActivated: ["This token's platform coin is not active.", "Activate that coin first."],
  PlatformCoinCreationError: ["The coin cannot be activated with these settings.", "See the details."],
  PlatformIsAlreadyActivated: ["This coin is already active.", ""],
  TokenIsAlreadyActivated: ["This token is already active.", ""],
  PlatformConfigIsNotFound: ["Unknown coin.", asked],
  TokenConfigIsNotFound: ["Unknown token.", asked],
  UnsupportedPlatformCoin: ["This token belongs to a different coin.", asked],
  PrivKeyNotAllowed: ["This needs a wallet with its own key.", "With an external wallet, sign there."],
  CouldNotFetchBalance: ["The balance could not be read.", later],
  // Lightning
  ConnectionError: ["The Lightning node could not be reached.", "Check its address."],
  NotConnected: ["This node is no longer connected.", ""],
  UnsupportedCoin: ["This is not a Lightning coin.", asked],
  L2IsAlreadyActivated: ["This coin is already active.", ""],
  L2ConfigIsNotFound: ["Unknown coin.", "The coin must be in the node's coins file."],
  UnexpectedL2Protocol: ["This is not a Lightning coin.", asked],
  L2ProtocolParseError: ["The node cannot read this coin's entry in its coins file.", "See the details."],
  IOError: ["The node's storage failed.", "Storage may be full: free some space, then try again."],
  TaskTimedOut: ["It was not ready in time.", later],
  // Sending
  NotSufficientBalance: ["Not enough coins.", "Send less, or leave room for the fee."],
  NotSufficientBaseCoinBalance: ["Not enough of the coin that pays the fee.", "Receive some of it first."],
  NotSufficientPlatformBalanceForFee: ["Not enough of the coin that pays the fee.", "Receive some of it first."],
  ZeroBalanceToWithdrawMax: ["Nothing to send.", ""],
  AmountTooLow: ["The amount is too small for this coin.", "Send more."],
  InvalidFeePolicy: ["Invalid fee for this coin.", asked],
  InvalidMemo: ["Invalid memo for this coin.", "Shorten it, or leave it empty."],
  InvalidAddress: ["Invalid address for this coin.", asked],
  AddressDecodingError: ["Invalid address for this coin.", asked],
  UnexpectedFromAddress: ["The transaction cannot be sent from this address.", asked],
  IBCError: ["The transfer to the other chain is not possible.", "Check the address and the channel."],
  SigningError: ["The transaction could not be signed.", "See the details."],
  TransactionRefused: ["The chain rejected the transaction.", "Nothing was sent. See the details."],
  SignatureDecodingError: ["Invalid signature for this coin.", asked],
  // NFTs
  TokenNotFoundInWallet: ["This NFT is not in the wallet.", "It was sent, or it was never in this wallet."],
  GetNftInfoError: ["This NFT is not in the wallet.", "It was sent, or it was never in this wallet."],
  UpdateSpamPhishingError: ["The anti-spam service does not answer.", later],
  NftHasNoImage: ["This NFT has no known picture.", ""],
  NftMayBeSpam: ["The NFT may be spam, so its picture is not fetched.", ""],
  DbError: ["The node's storage failed.", "Storage may be full: free some space, then try again."],
  // The browser's wallet
  WalletNotFound: ["This wallet was not found in this browser.", "Install its extension, such as Keplr for Cosmos chains and MetaMask for EVM networks, or allow it on this page. Then reload the page."],
  WalletRefused: ["You rejected this in the wallet.", "Nothing was done. To continue, try again and confirm in the wallet."],
  WalletTimeout: ["The wallet timed out.", "Open the extension: its request may still be pending. Reject it, or check its result, before you try again."],
  WalletWrongChain: ["The wallet does not support this chain.", "Add the chain in your wallet. For a Cosmos chain, enter a REST address when you activate the coin, so that Keplr can add it."],
  WalletSwitched: ["The wallet now uses a different account than this coin.", "Switch back in the wallet, or disable the coin and activate it again with the current account."],
  WalletGone: ["The tab with the browser's wallet was closed before it answered.", "Check in the wallet whether something was sent, then try again in this tab."],
  WalletFailed: ["The wallet failed.", "See the details. Try again, or reload the page."],
  InitializationError: ["The node is not set up for this.", "See the details."],
  SessionRequestError: ["The wallet could not be asked.", `Check that it is online. ${later}`],
  BroadcastExpected: ["This coin's wallet sends everything it signs.", "Let it send the transaction at once."],
  // The node's own data
  StorageIsNotInitialized: ["History is not enabled for this coin.", "Activate it again with its history."],
  StorageError: ["The node's storage failed.", "Storage may be full: free some space, then try again."],
  DatabaseError: ["The node's storage failed.", "Storage may be full: free some space, then try again."],
};

const full: Words = ["Browser storage for this page is full.", "Free some space on this device, or export your data and delete what you do not need. Nothing that was not confirmed is kept."];

const isQuota = (text: string) => /quota|no space|ENOSPC/i.test(text);

const others: Words = ["This export belongs to a wallet with a different recovery phrase.", "Nothing was changed. Restore that wallet first, then import."];

/** Of an export that is whole, and whose chain another key made. */
const isOthers = (text: string) => text.includes("its blocks are made by");

/** An error that a view words itself; the details are those of its cause, if it has one. */
export class Said extends Error {
  constructor(
    readonly what: string,
    readonly todo = "",
    cause?: unknown,
  ) {
    super(what, { cause });
  }
}

/** Of a hardware wallet: its own words say what its user has to do. */
const isOfDevice = (error: unknown) => error instanceof RpcError && ["HwError", "Timeout"].includes(error.kind);

/** What an error means. */
export function describe(error: unknown): Described {
  if (error instanceof Said) {
    const details = error.cause === undefined ? { kind: "", message: "", data: undefined, path: "" } : describe(error.cause);
    return { ...details, what: error.what, todo: error.todo };
  }
  const message = error instanceof Error ? error.message : String(error);
  const kind = error instanceof NodeError ? error.kind : error instanceof Error ? error.name : "";
  const data = error instanceof NodeError ? error.data : undefined;
  const path = error instanceof RpcError ? error.path : "";
  const [what, todo] = isQuota(`${kind} ${message}`) ? full : isOfDevice(error) ? [sentence(message), "Nothing was signed."] : kind === "ImportError" && isOthers(message) ? others : (words[kind] ?? unknown(error));
  return { what, todo, kind: error instanceof DaemonError && error.code ? `${kind} ${error.code}` : kind, message, data, path };
}

function unknown(error: unknown): Words {
  if (error instanceof DaemonError && error.status === 401) {
    return ["Wrong user or password for interface A.", "They are daemon.rpcuser and daemon.rpcpassword in the node's config."];
  }
  if (error instanceof DaemonError || error instanceof ProviderError) {
    return [sentence(error.message), ""];
  }
  return error instanceof NodeError ? [sentence(error.message), "See the details."] : ["Something went wrong in this page.", "Try again. If it happens again, reload the page."];
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
