/** Errors in the words of whoever uses the page: what happened, and what to do. */

import { DaemonError, NodeError, RpcError } from "obverse";

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
  Unreachable: ["The node does not answer.", "See whether it runs and whether its address is right. If it is not at this page's own address, it has to be started with rpccors set to the origin of this page."],
  Timeout: ["The node took too long to answer.", "It may still be at work: look whether it was done before you try again."],
  BadAnswer: ["What answered is no Obverse node.", "Check the address."],
  NotRunning: ["The node is not running.", "Start it again."],
  Crashed: ["The node in this page has failed.", "Start it again. Your data are kept up to the last answer."],
  WorkerFailed: ["The node in this page cannot be started.", "Reload the page. If that does not help, this browser may be too old."],
  WasmError: ["The node's program could not be loaded.", "Check your network, then try again."],
  OwnerGone: ["The tab that ran the node was closed before it answered.", "It may have been done: look before you try again."],
  ConfigMismatch: ["Another tab runs another wallet.", "Close the other tabs of this page, then try again."],
  StoreError: ["The browser's storage does not work.", "It may be full, or forbidden in private windows. Free some space, then try again."],
  ConfigError: ["The node does not take this wallet.", "Check the words or the passphrase."],
  StartError: ["The node cannot be started with this wallet.", "The words may be misspelt, or the data may be of another version."],
  ImportError: ["The file is no export of an Obverse node, or not whole.", "Nothing was changed. Choose another file."],
  // Who may call
  UserpassIsInvalid: ["The node does not take this password.", "It is rpc_password in the node's config."],
  UserpassIsNotSet: ["The node asks for its password.", "It is rpc_password in the node's config."],
  LocalHostOnly: ["The node takes this from its own machine only.", "Open the page there, or start the node with rpc_local_only=false."],
  Banned: ["Too many wrong passwords came from this address.", "Wait a while, or restart the node."],
  Refused: ["The node refused the request.", "The details say why."],
  // Calls
  InvalidRequest: ["The node does not understand the request.", asked],
  NoSuchMethod: ["The node has no such method.", "Check its name, or use a newer node."],
  UnsupportedMode: ["A node in a page cannot do this.", "Use a native node for it."],
  InternalError: ["The node made a mistake.", later],
  Transport: ["The coin's servers do not answer.", `Check your network. ${later}`],
  RpcError: ["The coin's servers refused the request.", later],
  NoSuchCoin: ["This coin is not active.", "Activate it first."],
  CoinIsNotActive: ["This coin is not active.", "Activate it first."],
  CoinNotFound: ["This coin is not active.", "Activate it first."],
  CoinNotSupported: ["This coin cannot do that.", ""],
  NotSupportedFor: ["This coin cannot do that.", ""],
  PlatformCoinIsNotActivated: ["The coin that this token lives on is not active.", "Activate that coin first."],
  PlatformCoinCreationError: ["The coin cannot be activated like this.", "The details say why."],
  PlatformIsAlreadyActivated: ["This coin is active already.", ""],
  TokenIsAlreadyActivated: ["This token is active already.", ""],
  PlatformConfigIsNotFound: ["The node does not know this coin.", asked],
  TokenConfigIsNotFound: ["The node does not know this token.", asked],
  UnsupportedPlatformCoin: ["This token lives on another coin.", asked],
  PrivKeyNotAllowed: ["This needs a wallet with a key of its own.", "With an external wallet, let that one sign."],
  CouldNotFetchBalance: ["The balance could not be read.", later],
  // Lightning
  ConnectionError: ["The Lightning node could not be reached.", "Check its address."],
  NotConnected: ["This node is not connected any more.", ""],
  UnsupportedCoin: ["This coin is none of the Lightning network.", asked],
  L2IsAlreadyActivated: ["This coin is active already.", ""],
  L2ConfigIsNotFound: ["The node does not know this coin.", "It has to be in the node's coins file."],
  UnexpectedL2Protocol: ["This coin is none of the Lightning network.", asked],
  L2ProtocolParseError: ["The node cannot read this coin's entry in its coins file.", "The details say why."],
  IOError: ["The node's storage failed.", "It may be full: free some space, then try again."],
  TaskTimedOut: ["It was not ready in time.", later],
  // Sending
  NotSufficientBalance: ["There is not enough of the coin.", "Send less, or leave room for the fee."],
  NotSufficientBaseCoinBalance: ["There is not enough of the coin that pays the fee.", "Receive some of it first."],
  NotSufficientPlatformBalanceForFee: ["There is not enough of the coin that pays the fee.", "Receive some of it first."],
  ZeroBalanceToWithdrawMax: ["There is nothing to send.", ""],
  AmountTooLow: ["The amount is too small for this coin.", "Send more."],
  InvalidFeePolicy: ["The coin does not take this fee.", asked],
  InvalidMemo: ["The coin does not take this memo.", "Shorten it, or leave it out."],
  InvalidAddress: ["This is no address of the coin.", asked],
  AddressDecodingError: ["This is no address of the coin.", asked],
  UnexpectedFromAddress: ["The transaction cannot be sent from this address.", asked],
  IBCError: ["The transfer to the other chain is not possible.", "Check the address and the channel."],
  SigningError: ["The transaction could not be signed.", "The details say why."],
  TransactionRefused: ["The chain refused the transaction.", "Nothing was sent. The details say why."],
  SignatureDecodingError: ["This is no signature of the coin's kind.", asked],
  // NFTs
  TokenNotFoundInWallet: ["This NFT is not in the wallet.", "It was sent away, or it was never here."],
  GetNftInfoError: ["This NFT is not in the wallet.", "It was sent away, or it was never here."],
  UpdateSpamPhishingError: ["The service against spam does not answer.", later],
  NftHasNoImage: ["Nobody knows a picture of this NFT.", ""],
  NftMayBeSpam: ["The NFT may be spam, so its picture is not fetched.", ""],
  DbError: ["The node's storage failed.", "It may be full: free some space, then try again."],
  // The browser's wallet
  WalletNotFound: ["This page has no such wallet.", "Install its extension, such as Keplr for Cosmos chains and MetaMask for EVM networks, or allow it on this page. Then reload the page."],
  WalletRefused: ["The browser's wallet said no.", "Nothing was done. If you did not mean it, try again and confirm it there."],
  WalletTimeout: ["The browser's wallet did not answer in time.", "Open the extension: what it asks may still be open there. Refuse that, or see what came of it, before you try again."],
  WalletWrongChain: ["The browser's wallet cannot be used on this chain.", "Add the chain there; of a Cosmos chain, give a REST address when you activate the coin, so that Keplr can be told of it."],
  WalletSwitched: ["The browser's wallet uses another account now than the one of this coin.", "Switch back there, or disable the coin and activate it again with the account that you use now."],
  WalletGone: ["The tab with the browser's wallet was closed before it answered.", "Look in the wallet whether something was sent, then try again in this tab."],
  WalletFailed: ["The browser's wallet failed.", "The details say more. Try again, or reload the page."],
  BroadcastExpected: ["The wallet of this coin sends what it signs.", "Let it send the transaction at once."],
  // The node's own data
  StorageIsNotInitialized: ["The history of this coin is not kept.", "Activate it again with its history."],
  StorageError: ["The node's storage failed.", "It may be full: free some space, then try again."],
  DatabaseError: ["The node's storage failed.", "It may be full: free some space, then try again."],
};

const full: Words = ["The browser's storage for this page is full.", "Free some space on this device, or export your data and delete what you do not need. Nothing that was not confirmed is kept."];

const isQuota = (text: string) => /quota|no space|ENOSPC/i.test(text);

const others: Words = ["This export is of a wallet with other words.", "Nothing was changed. Restore that wallet first, then import."];

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
  const [what, todo] = isQuota(`${kind} ${message}`) ? full : kind === "ImportError" && isOthers(message) ? others : (words[kind] ?? unknown(error));
  return { what, todo, kind: error instanceof DaemonError && error.code ? `${kind} ${error.code}` : kind, message, data, path };
}

function unknown(error: unknown): Words {
  if (error instanceof DaemonError && error.status === 401) {
    return ["Interface A of the node does not take this user and password.", "They are rpcuser and rpcpassword in the node's config, below daemon."];
  }
  if (error instanceof DaemonError) {
    return [sentence(error.message), ""];
  }
  return error instanceof NodeError ? [sentence(error.message), "The details say more."] : ["Something in this page went wrong.", "Try again. If it happens again, reload the page."];
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
