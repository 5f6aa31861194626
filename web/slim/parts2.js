/**
 * The parts of the page's program that are loaded when one of their functions is called first: the packages that each
 * part has. A name with /... stands for the packages below it too.
 *
 * A part also gets the functions that nothing else calls. What runs as the program begins stays in it, and so does what
 * the runtime calls while it cannot wait: the comparisons and hashes of types.
 */

import { functionNames, referencesOf } from "./program.js";

/**
 * What each part has. A function that is in several belongs to the first of them. What works without a network is in
 * none, since a page may have lost its network when it needs the part.
 * @type {Record<string, Pattern[]>}
 */
export const parts = {
  device: ["obverse/core/wallet/signer/ledger", "obverse/core/wallet/signer/hardware", methodsOf("Trezor|TrezorConnection")],
  session: [
    ...["obverse/core/wallet/signer/walletconnect/...", methodsOf("Sessions")],
    ...["golang.org/x/crypto/chacha20", "golang.org/x/crypto/chacha20poly1305", "golang.org/x/crypto/internal/poly1305", "filippo.io/..."],
  ],
  dapp: ["obverse/core/wallet/dapp", "obverse/core/wallet/evm/dapp", "obverse/core/wallet/evm/eip712", "obverse/core/wallet/cosmos/dapp"],
  cosmos: ["obverse/core/wallet/cosmos/...", "obverse/core/wallet/signer/keplr", "github.com/btcsuite/btcd/btcutil/bech32", "google.golang.org/protobuf/...", methodsOf("Cosmos|ibcChannel|Staking")],
  hd: [
    "obverse/core/wallet/hd",
    /^(obverse\/core\/store\/table|slices)\..*obverse\/core\/wallet\/hd\./,
    /^obverse\/core\/wallet\/account\.\(\*\w+\)\.(view|HD|accounts|derive|From)(\.func\d+)?$/,
    /^obverse\/core\/wallet\/evm\.\(\*\w+\)\.(Owners|Used|held|SignMessageFrom)(\.func\d+)?$/,
    methodsOf("HD(?!Index)\\w*|hd\\w+|newAddress\\w*|newAccount\\w*|GapLimit|addressCount"),
    /^obverse\/core\/mmrpc(\/\w+)?\.(ViewH[De]\w+|HDFailure|signFrom|atParam|checkFrom|KnownAccount|AccountsOf)$/,
  ],
  nft: [
    ...["obverse/core/wallet/nft", methodsOf("EnableNFT|NFT\\w+|nft\\w+")],
    /^obverse\/core\/wallet\/evm(\/node)?\.(\(\*(Pool|Platform)\)\.)?(NFT(Moves|Amounts|Texts|sOf|Move\.read)|readWhole)(\.func\d+)*$/,
  ],
  lightning: ["obverse/core/wallet/lightning/...", methodsOf("Lightning|EnableLightning|lightning\\w+")],
  sending: [
    ...["obverse/core/wallet/evm/tx", "obverse/core/wallet/evm/wire", "obverse/core/wallet/evm/ens", "obverse/core/wallet/signer/eip1193"],
    methodsOf("Names|Tokens|Replacing|TokenProtocol|RawTransactions|gasNumber|payForGas|nftAmount"),
    /^obverse\/core\/wallet\/evm\/node\.(\(\*Pool\)\.(Raw|Symbol|Allowance|NFTOwner|NFTBalance)|read\[)/,
    /^obverse\/core\/wallet\/evm\.\(\*(Platform|Token|asset)\)\.(TokenInfo|WithdrawNFT|Allowance|Approve|SignRaw|RawTransaction)$/,
  ],
  history: [
    ...["obverse/core/wallet/account/txlog", "obverse/core/wallet/evm/history", methodsOf("historyIndexer")],
    /^(obverse\/core\/store\/table|slices)\..*obverse\/core\/wallet\/(account\/txlog|evm\/history)\./,
    /^obverse\/core\/wallet\/evm\/node\.\(\*Pool\)\.(Transfers|Mined|Blocks)/,
    /^obverse\/core\/wallet\/evm\.\(\*(asset|chain)\)\.(History|WatchHistory|view|remember|contracts)/,
  ],
  prices: ["obverse/core/wallet/price", methodsOf("Prices")],
  chain: ["obverse/core/daemon", "obverse/core/daemon/tokenchain", "obverse/core/chain/...", "github.com/dchest/blake2b", "crypto/sha1"],
  versions: ["obverse/core/versionstat", "encoding/base32", methodsOf("VersionStats|StatInterval")],
  wallets: [
    ...["obverse/core/key/wallets", "obverse/core/key/walletfile", "golang.org/x/crypto/argon2", "golang.org/x/crypto/blake2b"],
    methodsOf("Wallets"),
    /^main\.(walletFiles\.|\(\*(bridge\)\.derive|host\)\.kdf)$)/,
  ],
  spatial: ["github.com/tidwall/rtred/..."], // spatial indexes, which the store does not use
};

/**
 * Functions that stay: they run as a node starts, as a coin of another family is activated, or for another part.
 * @type {Pattern[]}
 */
const needed = [
  /^obverse\/core\/mmrpc(\/\w+)?\.(\(\*)?\w+\)?\.(Methods|JSONSchema)(\.func\d+)*$/,
  /^obverse\/core\/mmrpc(\/\w+)?\.(hdParams\.options|Staking\.queries(\.func\d+)*)$/,
  /^obverse\/core\/daemon\/tokenchain\.(Prepare|\(\*Node\)\.(headerRules|Waiting))$/,
  /^obverse\/core\/chain\/(params|pin)\./,
  /^obverse\/core\/mmrpc(\/\w+)?\.VersionStats\.guard$/,
  /^obverse\/core\/key\/wallets\.(New|Name|Name\.func\d+)$/,
  /^obverse\/core\/versionstat\.(answerTable|New|\(\*Collector\)\.Run|nodeTable|newMachine)$/,
  /^obverse\/core\/wallet\/signer\/ledger\.Over$/,
  /^obverse\/core\/wallet\/evm\/tx\.AddressOf$/,
  /^obverse\/core\/wallet\/signer\/(hardware|walletconnect\/(cosmos|evm)|eip1193)\.(\(\*(Provider|EVM|Cosmos)\)|Provider|EVM|Cosmos)\.Policy$/,
  /^obverse\/core\/wallet\/account\/txlog\.NewLogs$/,
  /^obverse\/core\/wallet\/hd\.New$/,
  /^obverse\/core\/wallet\/lightning\.(NewTrusted|Clip)$/,
  /^obverse\/core\/wallet\/lightning\/node\.\(\*Activator\)\.Supported$/,
  /^obverse\/core\/wallet\/nft\.New$/,
  /^obverse\/core\/wallet\/price\.New$/,
  /^obverse\/core\/wallet\/(cosmos|evm)\/tx\.CAIP2$/,
];

/** The functions of types of the node API. @param {string} types */
function methodsOf(types) {
  return new RegExp(`^obverse/core/mmrpc(?:/\\w+)?\\.(\\(\\*)?(${types})\\)?\\.`);
}

/** What the runtime needs, and functions that the linker or the runtime call in ways of their roots. */
const staying = /^((runtime|internal\/(runtime|abi|cpu|bytealg)|reflect|internal\/reflectlite|sync|syscall)[./]|go:|type:|\w+$|$)/;
const beginning = /\.(init(\.\d+)?|map\.init\.\d+)$/;

/** The package of a function. @param {string} name */
export function packageOf(name) {
  const plain = name.replace(/\[.*/s, "");
  const point = plain.indexOf(".", plain.lastIndexOf("/") + 1);
  return point < 0 ? "" : plain.slice(0, point);
}

/** @typedef {string | RegExp} Pattern a package, one with /... and those below it, or an expression for names of functions */

/** @param {string} name of a function @param {Pattern} pattern */
function matches(name, pattern) {
  if (typeof pattern !== "string") {
    return pattern.test(name);
  }
  return pattern.endsWith("/...") ? `${packageOf(name)}/`.startsWith(pattern.slice(0, -3)) : packageOf(name) === pattern;
}

/** All that can be reached by calls. @param {number[]} from @param {Set<number>[]} calls */
function reachable(from, calls) {
  const found = new Set(from);
  for (const index of found) {
    calls[index].forEach((called) => found.add(called));
  }
  return found;
}

/**
 * What split.js needs to know of a program.
 * @param {Uint8Array} module as the linker wrote it
 * @param {Record<string, Pattern[]>} [wanted]
 * @param {Pattern[]} [stay]
 * @returns {import("./split.js").Plan}
 */
export function planOf(module, wanted = parts, stay = wanted === parts ? needed : []) {
  const names = functionNames(module);
  const find = (/** @type {Pattern} */ pattern) => {
    const found = [...names.keys()].filter((index) => matches(names[index], pattern));
    if (found.length === 0) {
      throw new Error(`the program has no function of ${pattern}`);
    }
    return found;
  };
  const references = referencesOf(module);
  const roots = Object.entries(wanted).map(([part, patterns]) => /** @type {const} */ ([part, patterns.flatMap(find)]));
  const partOf = partsOf(names, references, roots, stay.flatMap(find));
  const [[enter], [fail]] = [find(/^obverse\/wasm\/parts\.enter$/), find(/^obverse\/wasm\/parts\.fail$/)];
  return { partOf, gated: gatedIn(partOf, references), names: Object.keys(wanted), enter, fail };
}

/** @typedef {ReturnType<typeof referencesOf>} References */

/** The functions of parts that may be called from elsewhere. @param {Map<number, string>} partOf @param {References} references */
function gatedIn(partOf, { calls, taken }) {
  const gated = new Set([...partOf.keys()].filter((index) => taken.has(index)));
  calls.forEach((called, index) => called.forEach((one) => partOf.has(one) && partOf.get(one) !== partOf.get(index) && gated.add(one)));
  return gated;
}

/**
 * The part that each function of a program belongs to, by its index; those without one stay.
 * @param {string[]} names
 * @param {References} references
 * @param {(readonly [part: string, indices: number[]])[]} roots
 * @param {number[]} stay
 */
function partsOf(names, { calls, taken }, roots, stay) {
  const first = reachable([...stay, ...[...names.keys()].filter((index) => beginning.test(names[index]))], calls);
  /** @type {Map<number, string>} */
  const found = new Map();
  const may = (/** @type {number} */ index) => !found.has(index) && !first.has(index) && !staying.test(names[index]);
  roots.forEach(([part, indices]) => indices.filter(may).forEach((index) => found.set(index, part)));
  entriesIn(calls, found, names).forEach((index) => {
    found.delete(index);
    first.add(index);
  });
  addCalled(calls, found, (index) => may(index) && !taken.has(index));
  return found;
}

/**
 * The functions of parts that other packages call, and that call nothing of their part.
 * @param {Set<number>[]} calls @param {Map<number, string>} found
 */
function entriesIn(calls, found, names) {
  const entries = new Set();
  calls.forEach((called, index) => called.forEach((one) => found.has(one) && found.get(one) !== found.get(index) && entries.add(one)));
  names.forEach((n,i)=>/^obverse\/core\/mmrpc\/\w+\.\w+\.Methods$/.test(n) && found.has(i) && entries.add(i));
  const leaves = new Set();
  for (const index of entries) {
    const own = new Set([index]);
    for (const one of own) {
      if (own.size > globalThis.K) break;
      calls[one].forEach((called) => found.get(called) === found.get(index) && own.add(called));
    }
    if (own.size <= globalThis.K) own.forEach((one) => leaves.add(one));
  }
  if (globalThis.SHOW) for (const i of leaves) console.log(names[i]);
  return leaves;
}

/** Adds to each part what only its functions call. @param {Set<number>[]} calls @param {Map<number, string>} found @param {(index: number) => boolean} may */
function addCalled(calls, found, may) {
  /** @type {Set<number>[]} */
  const callers = calls.map(() => new Set());
  calls.forEach((called, index) => called.forEach((one) => callers[one].add(index)));
  const waiting = new Set(found.keys());
  for (const index of waiting) {
    waiting.delete(index);
    for (const called of calls[index]) {
      const part = found.get(index) ?? "";
      if (may(called) && [...callers[called]].every((caller) => found.get(caller) === part)) {
        found.set(called, part);
        waiting.add(called);
      }
    }
  }
}
