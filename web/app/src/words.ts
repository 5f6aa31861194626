/** Error messages for users: what happened and what to do. */

import { DaemonError, NodeError, ProviderError, RpcError } from "obverse";
import { t, type Text } from "./language.ts";

export interface Described {
  what: string;
  todo: string;
  kind: string;
  message: string;
  data: unknown;
  path: string;
}

type Words = readonly [what: string, todo: string];

/** By kind of error: the first sentence says what happened, the second what to do. The node's message is in the details. */
const texts: Record<string, Text> = {
  // Reaching a node
  Unreachable: "error.unreachable",
  Timeout: "error.timeout",
  BadAnswer: "error.badanswer",
  NotRunning: "error.notrunning",
  Crashed: "error.crashed",
  WorkerFailed: "error.workerfailed",
  WasmError: "error.wasmerror",
  OwnerGone: "error.ownergone",
  ConfigMismatch: "error.configmismatch",
  StoreError: "error.storeerror",
  ConfigError: "error.configerror",
  StartError: "error.starterror",
  ImportError: "error.importerror",
  // Access
  UserpassIsInvalid: "error.userpassisinvalid",
  UserpassIsNotSet: "error.userpassisnotset",
  LocalHostOnly: "error.localhostonly",
  Banned: "error.banned",
  Refused: "error.refused",
  // Calls
  InvalidRequest: "error.invalidrequest",
  NoSuchMethod: "error.nosuchmethod",
  UnsupportedMode: "error.unsupportedmode",
  InternalError: "error.internalerror",
  Transport: "error.transport",
  RpcError: "fault.rpcerror",
  NoSuchCoin: "fault.nosuchcoin",
  CoinIsNotActive: "fault.nosuchcoin",
  CoinNotFound: "fault.nosuchcoin",
  CoinNotSupported: "fault.coinnotsupported",
  NotSupportedFor: "fault.coinnotsupported",
  PlatformCoinIsNotActivated: "fault.platformcoinisnotactivated",
  PlatformCoinCreationError: "fault.platformcoincreationerror",
  PlatformIsAlreadyActivated: "fault.platformisalreadyactivated",
  TokenIsAlreadyActivated: "fault.tokenisalreadyactivated",
  PlatformConfigIsNotFound: "fault.platformconfigisnotfound",
  TokenConfigIsNotFound: "fault.tokenconfigisnotfound",
  UnsupportedPlatformCoin: "fault.unsupportedplatformcoin",
  PrivKeyNotAllowed: "fault.privkeynotallowed",
  CouldNotFetchBalance: "fault.couldnotfetchbalance",
  // Lightning
  ConnectionError: "fault.connectionerror",
  NotConnected: "fault.notconnected",
  UnsupportedCoin: "fault.unsupportedcoin",
  L2IsAlreadyActivated: "fault.platformisalreadyactivated",
  L2ConfigIsNotFound: "fault.l2configisnotfound",
  UnexpectedL2Protocol: "fault.unsupportedcoin",
  L2ProtocolParseError: "fault.l2protocolparseerror",
  IOError: "fault.ioerror",
  TaskTimedOut: "fault.tasktimedout",
  // Sending
  NotSufficientBalance: "fault.notsufficientbalance",
  NotSufficientBaseCoinBalance: "fault.notsufficientbasecoinbalance",
  NotSufficientPlatformBalanceForFee: "fault.notsufficientbasecoinbalance",
  ZeroBalanceToWithdrawMax: "fault.zerobalancetowithdrawmax",
  AmountTooLow: "fault.amounttoolow",
  InvalidFeePolicy: "fault.invalidfeepolicy",
  InvalidMemo: "fault.invalidmemo",
  InvalidAddress: "fault.invalidaddress",
  AddressDecodingError: "fault.invalidaddress",
  UnexpectedFromAddress: "fault.unexpectedfromaddress",
  IBCError: "fault.ibcerror",
  SigningError: "fault.signingerror",
  TransactionRefused: "fault.transactionrefused",
  SignatureDecodingError: "fault.signaturedecodingerror",
  // NFTs
  TokenNotFoundInWallet: "fault.tokennotfoundinwallet",
  GetNftInfoError: "fault.tokennotfoundinwallet",
  UpdateSpamPhishingError: "fault.updatespamphishingerror",
  NftHasNoImage: "fault.nfthasnoimage",
  NftMayBeSpam: "fault.nftmaybespam",
  DbError: "fault.ioerror",
  // The browser's wallet
  WalletNotFound: "fault.walletnotfound",
  WalletRefused: "fault.walletrefused",
  WalletTimeout: "fault.wallettimeout",
  WalletWrongChain: "fault.walletwrongchain",
  WalletSwitched: "fault.walletswitched",
  WalletGone: "fault.walletgone",
  WalletFailed: "fault.walletfailed",
  InitializationError: "fault.initializationerror",
  SessionRequestError: "fault.sessionrequesterror",
  BroadcastExpected: "fault.broadcastexpected",
  // WebCrypto
  OperationError: "error.decrypt",
  // The node's own data
  StorageIsNotInitialized: "fault.storageisnotinitialized",
  StorageError: "fault.ioerror",
  DatabaseError: "fault.ioerror",
};

const MAX_MESSAGE = 10_000; // characters

/** Truncates a text of a node: a very long one would keep the browser busy. */
export const cut = (text: string): string => (text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text);

const isQuota = (text: string) => /quota|no space|ENOSPC/i.test(text);


/** Reports whether a valid export belongs to a chain of another key. */
const isOthers = (text: string) => text.includes("its blocks are made by");

/** An error worded by a view; its details come from its cause. */
export class Said extends Error {
  constructor(
    readonly what: string,
    readonly todo = "",
    cause?: unknown,
  ) {
    super(what, { cause });
  }
}

/** Reports whether an error is of a hardware wallet: its message says what the user has to do. */
const isOfDevice = (error: unknown) => error instanceof RpcError && ["HwError", "Timeout"].includes(error.kind);

/** Returns the words for an error. */
export function describe(error: unknown): Described {
  if (error instanceof Said) {
    const details = error.cause === undefined ? { kind: "", message: "", data: undefined, path: "" } : describe(error.cause);
    return { ...details, what: error.what, todo: error.todo };
  }
  const message = error instanceof Error ? error.message : String(error);
  const kind = error instanceof NodeError ? error.kind : error instanceof Error ? error.name : "";
  const data = error instanceof NodeError ? error.data : undefined;
  const path = error instanceof RpcError ? error.path : "";
  const text = isQuota(`${kind} ${message}`) ? "error.full" : kind === "ImportError" && isOthers(message) ? "error.others" : texts[kind];
  const [what, todo] = isOfDevice(error) ? [sentence(message), t("error.unsigned")] : text ? saying(text) : unknown(error);
  return { what, todo, kind: error instanceof DaemonError && error.code ? `${kind} ${error.code}` : kind, message, data, path };
}

/** Splits a text into its two parts. */
function saying(name: Text): Words {
  const [, what = "", todo = ""] = /^(.*?[.!?])(?: (.*))?$/.exec(t(name) || t("error.page")) ?? [];
  return [what, todo];
}

function unknown(error: unknown): Words {
  if (error instanceof DaemonError && error.status === 401) {
    return saying("error.daemon");
  }
  if (error instanceof DaemonError || error instanceof ProviderError) {
    return [sentence(error.message), ""];
  }
  return error instanceof NodeError ? [sentence(error.message), t("error.see")] : saying("error.page");
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + cut(text.slice(1)) + (/[.!?]$/.test(text) ? "" : ".");
