/** Obverse token daemon, version 1.0. Made from its table of methods: changes here are lost. */

/** Parameters of `help`, in their order. */
export type HelpParams = [
  /** the method to explain */
  command?: string,
];

/** Result of `help`. */
export type HelpResult = string;

/** Parameters of `rpc.discover`, in their order. */
export type RpcDiscoverParams = [];

/** Result of `rpc.discover`. */
export type RpcDiscoverResult = Record<string, unknown>;

/** Parameters of `tokenaddress`, in their order. */
export type TokenaddressParams = [
  /** whose address in the module to show too */
  pubkey?: string,
];

/** Result of `tokenaddress`. */
export interface TokenaddressResult {
  /** success */
  result: string;
  /** the module's own condition address, where markers are */
  TokensCCAddress: string;
  TokensCCBalance: number;
  TokensNormalAddress: string;
  TokensNormalBalance: number;
  /** that of the public key in the request */
  "PubkeyCCaddress(Tokens)"?: string;
  "PubkeyCCbalance(Tokens)"?: number;
  /** that of the node's own key */
  "myCCAddress(Tokens)": string;
  "myCCbalance(Tokens)": number;
  /** the node's ordinary address */
  myaddress: string;
  mybalance: number;
}

/** Parameters of `tokenbalance`, in their order. */
export type TokenbalanceParams = [
  /** the token's id */
  tokenid: string,
  /** the owner, by default the node itself */
  pubkey?: string,
  /** {"prove":true} asks for a proof, where several validators make the blocks */
  options?: {
    prove?: boolean;
  },
];

/** Result of `tokenbalance`. */
export interface TokenbalanceResult {
  /** success */
  result: string;
  /** where the owner's fungible tokens are */
  CCaddress: string;
  tokenid: string;
  /** tokens in the chain that the mempool does not spend; a proven one counts those too */
  balance: number;
  /** what verifies the balance without trust in the node, for obverse/light */
  proof?: unknown;
}

/** Parameters of `tokencreate`, in their order. */
export type TokencreateParams = [
  /** at most 32 bytes */
  name: string,
  /** coins to turn into tokens: one coin makes 100,000,000, so that 1,000,000 tokens are 0.01 */
  supply: string | number,
  /** at most 4096 bytes; nodes relay less */
  description?: string,
  /** in hexadecimal, for a non-fungible token of supply 0.00000001; its first byte is the code that guards the token: tokens with f1 and f3 can be transferred, those with other codes never, and 00 and f2, with which no key would hold the token, are refused */
  data?: string,
];

/** Result of `tokencreate`. */
export interface TokencreateResult {
  /** success */
  result: string;
  /** the signed transaction, for sendrawtransaction */
  hex: string;
}

/** Parameters of `tokeninfo`, in their order. */
export type TokeninfoParams = [
  /** the token's id */
  tokenid: string,
  /** {"prove":true} asks for a proof, where several validators make the blocks */
  options?: {
    prove?: boolean;
  },
];

/** Result of `tokeninfo`. */
export interface TokeninfoResult {
  /** success */
  result: string;
  tokenid: string;
  /** the creator's public key */
  owner: string;
  name: string;
  /** coins that the creation turned into tokens, with eight decimals */
  supply: string;
  description: string;
  /** of a non-fungible token */
  data?: string;
  /** yes if it came from another chain */
  IsImported?: string;
  /** the chain that it came from */
  sourceChain?: string;
  /** its id there */
  sourceTokenId?: string;
  /** what verifies the answer without trust in the node, for obverse/light */
  proof?: unknown;
}

/** Parameters of `tokenlist`, in their order. */
export type TokenlistParams = [
  /** ours: the last token of the page before, empty for the first page; without this and limit all tokens are listed */
  after?: string,
  /** tokens of this page at most, 1 to 10000 */
  limit?: number,
];

/** Result of `tokenlist`. */
export type TokenlistResult = Array<string>;

/** Parameters of `tokentransfer`, in their order. */
export type TokentransferParams = [
  /** the token's id */
  tokenid: string,
  /** public key of the new owner, whose node shows it in getinfo as pubkey */
  destpubkey: string,
  /** a whole number of tokens */
  amount: string | number,
];

/** Result of `tokentransfer`. */
export interface TokentransferResult {
  /** success */
  result: string;
  /** the signed transaction, for sendrawtransaction */
  hex: string;
}

/** Parameters of `sendrawtransaction`, in their order. */
export type SendrawtransactionParams = [
  /** the transaction in hexadecimal */
  hexstring: string,
  /** take it even if its fee looks like a mistake */
  allowhighfees?: boolean,
];

/** Result of `sendrawtransaction`. */
export type SendrawtransactionResult = string;

/** Parameters of `decoderawtransaction`, in their order. */
export type DecoderawtransactionParams = [
  /** the transaction in hexadecimal */
  hexstring: string,
];

/** Result of `decoderawtransaction`. */
export interface DecoderawtransactionResult {
  txid: string;
  overwintered: boolean;
  version: number;
  last_notarized_height?: number;
  /** of an overwintered transaction, like the expiry height */
  versiongroupid?: string;
  locktime: number;
  /** the last height at which a block may hold it, 0 for no limit */
  expiryheight?: number;
  vin: Array<{
    coinbase?: string;
    txid?: string;
    vout?: number;
    address?: string;
    scriptSig?: {
      asm: string;
      hex: string;
    };
    value?: number;
    valueSat?: number;
    sequence: number;
  }>;
  vout: Array<{
    value: number;
    valueZat?: number;
    valueSat?: number;
    n: number;
    scriptPubKey: {
      asm: string;
      hex?: string;
      /** signatures that it takes to spend */
      reqSigs?: number;
      /** nonstandard, pubkey, pubkeyhash, scripthash, multisig, nulldata or cryptocondition */
      type: string;
      addresses?: Array<string>;
    };
    spentTxId?: string;
    spentIndex?: number;
    /** -1 while the spending transaction waits for a block */
    spentHeight?: number;
  }>;
  vjoinsplit: Array<{
    vpub_old: number;
    vpub_oldZat: number;
    vpub_new: number;
    vpub_newZat: number;
    anchor: string;
    nullifiers: Array<string>;
    commitments: Array<string>;
    onetimePubKey: string;
    randomSeed: string;
    macs: Array<string>;
    proof: string;
    ciphertexts: Array<string>;
  }>;
  /** of a Sapling transaction, like the shielded lists */
  valueBalance?: number;
  vShieldedSpend?: Array<{
    cv: string;
    anchor: string;
    nullifier: string;
    rk: string;
    proof: string;
    spendAuthSig: string;
  }>;
  vShieldedOutput?: Array<{
    cv: string;
    cmu: string;
    ephemeralKey: string;
    encCiphertext: string;
    outCiphertext: string;
    proof: string;
  }>;
  bindingSig?: string;
}

/** Parameters of `getrawtransaction`, in their order. */
export type GetrawtransactionParams = [
  /** the transaction's id */
  txid: string,
  /** 0 for the bytes, anything else for what they say */
  verbose?: number,
];

/** Result of `getrawtransaction`. */
export type GetrawtransactionResult = string | {
  hex: string;
  txid: string;
  overwintered: boolean;
  version: number;
  last_notarized_height?: number;
  /** of an overwintered transaction, like the expiry height */
  versiongroupid?: string;
  locktime: number;
  /** the last height at which a block may hold it, 0 for no limit */
  expiryheight?: number;
  vin: Array<{
    coinbase?: string;
    txid?: string;
    vout?: number;
    address?: string;
    scriptSig?: {
      asm: string;
      hex: string;
    };
    value?: number;
    valueSat?: number;
    sequence: number;
  }>;
  vout: Array<{
    value: number;
    valueZat?: number;
    valueSat?: number;
    n: number;
    scriptPubKey: {
      asm: string;
      hex?: string;
      /** signatures that it takes to spend */
      reqSigs?: number;
      /** nonstandard, pubkey, pubkeyhash, scripthash, multisig, nulldata or cryptocondition */
      type: string;
      addresses?: Array<string>;
    };
    spentTxId?: string;
    spentIndex?: number;
    /** -1 while the spending transaction waits for a block */
    spentHeight?: number;
  }>;
  vjoinsplit: Array<{
    vpub_old: number;
    vpub_oldZat: number;
    vpub_new: number;
    vpub_newZat: number;
    anchor: string;
    nullifiers: Array<string>;
    commitments: Array<string>;
    onetimePubKey: string;
    randomSeed: string;
    macs: Array<string>;
    proof: string;
    ciphertexts: Array<string>;
  }>;
  /** of a Sapling transaction, like the shielded lists */
  valueBalance?: number;
  vShieldedSpend?: Array<{
    cv: string;
    anchor: string;
    nullifier: string;
    rk: string;
    proof: string;
    spendAuthSig: string;
  }>;
  vShieldedOutput?: Array<{
    cv: string;
    cmu: string;
    ephemeralKey: string;
    encCiphertext: string;
    outCiphertext: string;
    proof: string;
  }>;
  bindingSig?: string;
  blockhash?: string;
  height?: number;
  confirmations?: number;
  /** blocks from its own up to the tip; equal to confirmations, since nothing is notarised */
  rawconfirmations?: number;
  /** of the block, Unix seconds */
  time?: number;
  blocktime?: number;
};

/** Parameters of `decodescript`, in their order. */
export type DecodescriptParams = [
  /** the script in hexadecimal */
  hex: string,
];

/** Result of `decodescript`. */
export interface DecodescriptResult {
  asm: string;
  hex?: string;
  /** signatures that it takes to spend */
  reqSigs?: number;
  /** nonstandard, pubkey, pubkeyhash, scripthash, multisig, nulldata or cryptocondition */
  type: string;
  addresses?: Array<string>;
  /** the address of outputs for which this is the redeem script */
  p2sh: string;
}

/** Parameters of `validateaddress`, in their order. */
export type ValidateaddressParams = [
  /** the address to look at */
  komodoaddress: string,
];

/** Result of `validateaddress`. */
export interface ValidateaddressResult {
  isvalid: boolean;
  address?: string;
  scriptPubKey?: string;
  /** the staking segment, 0 to 63 */
  segid?: number;
  ismine?: boolean;
  iswatchonly?: boolean;
  isscript?: boolean;
  pubkey?: string;
  iscompressed?: boolean;
  account?: string;
}

/** Parameters of `getblockcount`, in their order. */
export type GetblockcountParams = [];

/** Result of `getblockcount`. */
export type GetblockcountResult = number;

/** Parameters of `getbestblockhash`, in their order. */
export type GetbestblockhashParams = [];

/** Result of `getbestblockhash`. */
export type GetbestblockhashResult = string;

/** Parameters of `getblockhash`, in their order. */
export type GetblockhashParams = [
  /** 0 is the genesis block */
  height: number,
];

/** Result of `getblockhash`. */
export type GetblockhashResult = string;

/** Parameters of `getblockheader`, in their order. */
export type GetblockheaderParams = [
  /** hash or height */
  block: string | number,
  /**
   * false: the bytes in hexadecimal
   * @default true
   */
  verbose?: boolean,
];

/** Result of `getblockheader`. */
export type GetblockheaderResult = string | {
  last_notarized_height: number;
  hash: string;
  confirmations: number;
  rawconfirmations: number;
  height: number;
  version: number;
  merkleroot: string;
  finalsaplingroot: string;
  time: number;
  nonce: string;
  solution: string;
  bits: string;
  difficulty: number;
  chainwork: string;
  segid: number;
  previousblockhash?: string;
  nextblockhash?: string;
};

/** Parameters of `getblock`, in their order. */
export type GetblockParams = [
  /** hash or height */
  block: string | number,
  /**
   * 0 (or false): bytes in hexadecimal, 1 (or true): with txids, 2: with transactions
   * @default 1
   */
  verbosity?: number | boolean,
];

/** Result of `getblock`. */
export type GetblockResult = string | {
  last_notarized_height: number;
  hash: string;
  confirmations: number;
  rawconfirmations: number;
  /** in bytes */
  size: number;
  height: number;
  version: number;
  merkleroot: string;
  segid: number;
  finalsaplingroot: string;
  /** txids, or transactions as decoderawtransaction shows them */
  tx: Array<string> | Array<{
    txid: string;
    overwintered: boolean;
    version: number;
    last_notarized_height?: number;
    /** of an overwintered transaction, like the expiry height */
    versiongroupid?: string;
    locktime: number;
    /** the last height at which a block may hold it, 0 for no limit */
    expiryheight?: number;
    vin: Array<{
      coinbase?: string;
      txid?: string;
      vout?: number;
      address?: string;
      scriptSig?: {
        asm: string;
        hex: string;
      };
      value?: number;
      valueSat?: number;
      sequence: number;
    }>;
    vout: Array<{
      value: number;
      valueZat?: number;
      valueSat?: number;
      n: number;
      scriptPubKey: {
        asm: string;
        hex?: string;
        /** signatures that it takes to spend */
        reqSigs?: number;
        /** nonstandard, pubkey, pubkeyhash, scripthash, multisig, nulldata or cryptocondition */
        type: string;
        addresses?: Array<string>;
      };
      spentTxId?: string;
      spentIndex?: number;
      /** -1 while the spending transaction waits for a block */
      spentHeight?: number;
    }>;
    vjoinsplit: Array<{
      vpub_old: number;
      vpub_oldZat: number;
      vpub_new: number;
      vpub_newZat: number;
      anchor: string;
      nullifiers: Array<string>;
      commitments: Array<string>;
      onetimePubKey: string;
      randomSeed: string;
      macs: Array<string>;
      proof: string;
      ciphertexts: Array<string>;
    }>;
    /** of a Sapling transaction, like the shielded lists */
    valueBalance?: number;
    vShieldedSpend?: Array<{
      cv: string;
      anchor: string;
      nullifier: string;
      rk: string;
      proof: string;
      spendAuthSig: string;
    }>;
    vShieldedOutput?: Array<{
      cv: string;
      cmu: string;
      ephemeralKey: string;
      encCiphertext: string;
      outCiphertext: string;
      proof: string;
    }>;
    bindingSig?: string;
  }>;
  time: number;
  nonce: string;
  /** on a solo chain the producer's signature */
  solution: string;
  bits: string;
  difficulty: number;
  chainwork: string;
  anchor: string;
  chainSupply: {
    id?: string;
    monitored: boolean;
    chainValue?: number;
    chainValueZat?: number;
    /** what the block added */
    valueDelta?: number;
    valueDeltaZat?: number;
  };
  valuePools: Array<{
    id?: string;
    monitored: boolean;
    chainValue?: number;
    chainValueZat?: number;
    /** what the block added */
    valueDelta?: number;
    valueDeltaZat?: number;
  }>;
  previousblockhash?: string;
  nextblockhash?: string;
};

/** Parameters of `getchaintips`, in their order. */
export type GetchaintipsParams = [];

/** Result of `getchaintips`. */
export type GetchaintipsResult = Array<{
  height: number;
  hash: string;
  /** blocks that are not part of the chain */
  branchlen: number;
  /** active, valid-fork or invalid */
  status: string;
}>;

/** Parameters of `getblockchaininfo`, in their order. */
export type GetblockchaininfoParams = [];

/** Result of `getblockchaininfo`. */
export interface GetblockchaininfoResult {
  /** main or regtest */
  chain: string;
  /** the height of the chain */
  blocks: number;
  synced: boolean;
  headers: number;
  bestblockhash: string;
  difficulty: number;
  verificationprogress: number;
  chainwork: string;
  pruned: boolean;
  commitments: number;
  chainSupply: {
    id?: string;
    monitored: boolean;
    chainValue?: number;
    chainValueZat?: number;
    /** what the block added */
    valueDelta?: number;
    valueDeltaZat?: number;
  };
  valuePools: Array<{
    id?: string;
    monitored: boolean;
    chainValue?: number;
    chainValueZat?: number;
    /** what the block added */
    valueDelta?: number;
    valueDeltaZat?: number;
  }>;
  softforks: Array<{
    id: string;
    version: number;
    enforce: {
      status: boolean;
      found: number;
      required: number;
      window: number;
    };
    reject: {
      status: boolean;
      found: number;
      required: number;
      window: number;
    };
  }>;
  /** by consensus branch */
  upgrades: Record<string, {
    name: string;
    activationheight: number;
    /** pending or active */
    status: string;
    info: string;
  }>;
  /** the consensus branches of the last and the next block */
  consensus: {
    chaintip: string;
    nextblock: string;
  };
}

/** Parameters of `getlightblock`, in their order. */
export type GetlightblockParams = [
  /** of the consensus engine, by default the newest */
  height?: number,
];

/** Result of `getlightblock`. */
export interface GetlightblockResult {
  signed_header: {
    /** with the app hash of the height before */
    header: unknown;
    /** the validators' signatures */
    commit: unknown;
  };
  /** of the same height */
  validator_set: unknown;
}

/** Parameters of `getmempoolinfo`, in their order. */
export type GetmempoolinfoParams = [];

/** Result of `getmempoolinfo`. */
export interface GetmempoolinfoResult {
  /** transactions */
  size: number;
  bytes: number;
  /** bytes of memory, roughly */
  usage: number;
  /** always true: nothing here learns of a transaction later */
  fullyNotified: boolean;
}

/** Parameters of `getrawmempool`, in their order. */
export type GetrawmempoolParams = [
  /** an object by txid instead of a list */
  verbose?: boolean,
];

/** Result of `getrawmempool`. */
export type GetrawmempoolResult = Array<string> | Record<string, {
  /** in bytes */
  size: number;
  fee: number;
  /** when it came, in Unix seconds */
  time: number;
  /** of the chain when it came */
  height: number;
  /** always 0: there are no priorities */
  startingpriority: number;
  currentpriority: number;
  /** transactions that wait too and that it spends from */
  depends: Array<string>;
}>;

/** Parameters of `gettxout`, in their order. */
export type GettxoutParams = [
  txid: string,
  /** the output's number */
  n: number,
  /**
   * count what waits for a block as done
   * @default true
   */
  includemempool?: boolean,
];

/** Result of `gettxout`. */
export type GettxoutResult = {
  bestblock: string;
  confirmations: number;
  rawconfirmations: number;
  value: number;
  scriptPubKey: {
    asm: string;
    hex?: string;
    /** signatures that it takes to spend */
    reqSigs?: number;
    /** nonstandard, pubkey, pubkeyhash, scripthash, multisig, nulldata or cryptocondition */
    type: string;
    addresses?: Array<string>;
  };
  /** of the transaction */
  version: number;
  coinbase: boolean;
} | null;

/** Parameters of `getaddressbalance`, in their order. */
export type GetaddressbalanceParams = [
  /** an address, or an object that lists addresses */
  addresses: string | {
    addresses: Array<string>;
    start?: number;
    end?: number;
    chainInfo?: boolean;
  },
  /** its presence asks for crypto-condition outputs */
  ccvout?: unknown,
];

/** Result of `getaddressbalance`. */
export interface GetaddressbalanceResult {
  /** satoshis */
  balance: number;
  /** satoshis, change included */
  received: number;
}

/** Parameters of `getaddressutxos`, in their order. */
export type GetaddressutxosParams = [
  /** an address, or an object that lists addresses */
  addresses: string | {
    addresses: Array<string>;
    start?: number;
    end?: number;
    chainInfo?: boolean;
  },
  /** its presence asks for crypto-condition outputs */
  ccvout?: unknown,
];

/** Result of `getaddressutxos`. */
export type GetaddressutxosResult = Array<{
  address: string;
  txid: string;
  outputIndex: number;
  script: string;
  satoshis: number;
  height: number;
}> | {
  utxos: Array<{
    address: string;
    txid: string;
    outputIndex: number;
    script: string;
    satoshis: number;
    height: number;
  }>;
  /** of the last block */
  hash: string;
  height: number;
};

/** Parameters of `getaddresstxids`, in their order. */
export type GetaddresstxidsParams = [
  /** an address, or an object that lists addresses */
  addresses: string | {
    addresses: Array<string>;
    start?: number;
    end?: number;
    chainInfo?: boolean;
  },
  /** its presence asks for crypto-condition outputs */
  ccvout?: unknown,
];

/** Result of `getaddresstxids`. */
export type GetaddresstxidsResult = Array<string>;

/** Parameters of `getaddressdeltas`, in their order. */
export type GetaddressdeltasParams = [
  addresses: {
    addresses: Array<string>;
    start?: number;
    end?: number;
    chainInfo?: boolean;
  },
  /** its presence asks for crypto-condition outputs */
  ccvout?: unknown,
];

/** Result of `getaddressdeltas`. */
export type GetaddressdeltasResult = Array<{
  /** negative when spent */
  satoshis: number;
  txid: string;
  /** of the output, or of the input that spends */
  index: number;
  /** of the transaction in its block */
  blockindex: number;
  height: number;
  address: string;
}> | {
  deltas: Array<{
    /** negative when spent */
    satoshis: number;
    txid: string;
    /** of the output, or of the input that spends */
    index: number;
    /** of the transaction in its block */
    blockindex: number;
    height: number;
    address: string;
  }>;
  start: {
    hash: string;
    height: number;
  };
  end: {
    hash: string;
    height: number;
  };
};

/** Parameters of `getbalance`, in their order. */
export type GetbalanceParams = [
  /** * or empty */
  account?: string,
  /**
   * confirmations that a coin must have
   * @default 1
   */
  minconf?: number,
  /** nothing is only watched here */
  includeWatchonly?: boolean,
];

/** Result of `getbalance`. */
export type GetbalanceResult = number;

/** Parameters of `listunspent`, in their order. */
export type ListunspentParams = [
  /** @default 1 */
  minconf?: number,
  /** @default 9999999 */
  maxconf?: number,
  /** list only coins of these */
  addresses?: Array<string>,
];

/** Result of `listunspent`. */
export type ListunspentResult = Array<{
  txid: string;
  vout: number;
  /** of a coinbase */
  generated: boolean;
  address: string;
  segid: number;
  account: string;
  amount: number;
  interest?: number;
  scriptPubKey: string;
  rawconfirmations: number;
  confirmations: number;
  spendable: boolean;
}>;

/** Parameters of `sendtoaddress`, in their order. */
export type SendtoaddressParams = [
  address: string,
  /** in coins */
  amount: string | number,
  comment?: string,
  comment_to?: string,
  /** only false */
  subtractfeefromamount?: boolean,
];

/** Result of `sendtoaddress`. */
export type SendtoaddressResult = string;

/** Parameters of `dumpprivkey`, in their order. */
export type DumpprivkeyParams = [
  address: string,
];

/** Result of `dumpprivkey`. */
export type DumpprivkeyResult = string;

/** Parameters of `generate`, in their order. */
export type GenerateParams = [
  numblocks: number,
];

/** Result of `generate`. */
export type GenerateResult = Array<string>;

/** Parameters of `getmininginfo`, in their order. */
export type GetmininginfoParams = [];

/** Result of `getmininginfo`. */
export interface GetmininginfoResult {
  /** the height of the chain */
  blocks: number;
  /** of the last block as its maker estimated it, in bytes */
  currentblocksize: number;
  /** transactions of the last block other than its coinbase */
  currentblocktx: number;
  difficulty: number;
  errors: string;
  genproclimit: number;
  localsolps: number;
  networksolps: number;
  networkhashps: number;
  /** transactions that wait for a block */
  pooledtx: number;
  testnet: boolean;
  chain: string;
  staking: boolean;
  /** blocks are made without being asked for */
  generate: boolean;
  numthreads: number;
}

/** Parameters of `submitblock`, in their order. */
export type SubmitblockParams = [
  /** the block in hexadecimal */
  hexdata: string,
  /** ignored */
  jsonparametersobject?: unknown,
];

/** Result of `submitblock`. */
export type SubmitblockResult = string | null;

/** Parameters of `invalidateblock`, in their order. */
export type InvalidateblockParams = [
  hash: string,
];

/** Result of `invalidateblock`. */
export type InvalidateblockResult = null;

/** Parameters of `reconsiderblock`, in their order. */
export type ReconsiderblockParams = [
  hash: string,
];

/** Result of `reconsiderblock`. */
export type ReconsiderblockResult = null;

/** Parameters of `getinfo`, in their order. */
export type GetinfoParams = [];

/** Result of `getinfo`. */
export interface GetinfoResult {
  version: number;
  protocolversion: number;
  KMDversion: string;
  synced: boolean;
  notarized: number;
  prevMoMheight: number;
  notarizedhash: string;
  notarizedtxid: string;
  notarizedtxid_height: string;
  KMDnotarized_height: number;
  notarized_confirms: number;
  walletversion: number;
  /** of the node's key */
  balance: number;
  /** the height of the chain */
  blocks: number;
  /** height of the peers; a solo chain has no peers */
  longestchain: number;
  tiptime: number;
  difficulty: number;
  keypoololdest: number;
  /** the node has one key and makes no others */
  keypoolsize: number;
  paytxfee: number;
  /** from which height Sapling's rules hold; -1 if that is not known yet */
  sapling: number;
  timeoffset: number;
  connections: number;
  proxy: string;
  testnet: boolean;
  /** coins per 1000 bytes */
  relayfee: number;
  errors: string;
  /** of the node's key */
  pubkey?: string;
  /** ac_cc */
  CCid?: number;
  name: string;
  /** the port for other validators; 0 where one node makes the blocks */
  p2pport: number;
  /** the port that the node listens on */
  rpcport: number;
  magic: number;
  /** ac_supply, in coins */
  premine: number;
  eras?: number;
  reward?: string;
  halving?: string;
  decay?: string;
  endsubsidy?: string;
  notarypay?: string;
  /** ac_perc */
  commission?: number;
}

/** Parameters of `stop`, in their order. */
export type StopParams = [];

/** Result of `stop`. */
export type StopResult = string;

/** Parameters of `getnetworkinfo`, in their order. */
export type GetnetworkinfoParams = [];

/** Result of `getnetworkinfo`. */
export interface GetnetworkinfoResult {
  version: number;
  subversion: string;
  protocolversion: number;
  localservices: string;
  timeoffset: number;
  connections: number;
  networks: Array<{
    name: string;
    limited: boolean;
    reachable: boolean;
    proxy: string;
    proxy_randomize_credentials: boolean;
  }>;
  /** coins per 1000 bytes */
  relayfee: number;
  localaddresses: Array<string>;
  warnings: string;
}

/** The parameters and the result of every method, by its name. */
export interface DaemonMethods {
  /** List all methods, or explain one. */
  "help": { params: HelpParams; result: HelpResult };
  /** Describe all methods of this interface as an OpenRPC document. */
  "rpc.discover": { params: RpcDiscoverParams; result: RpcDiscoverResult };
  /**
   * Show the addresses of the tokens module and of a public key in it, with their coins.
   *
   * A request that cannot be met is answered with {"result":"error","error":"…"}.
   */
  "tokenaddress": { params: TokenaddressParams; result: TokenaddressResult };
  /**
   * Count the tokens that a public key holds.
   *
   * A request that cannot be met is answered with {"result":"error","error":"…"}.
   */
  "tokenbalance": { params: TokenbalanceParams; result: TokenbalanceResult };
  /**
   * Build a transaction that creates a token, to be sent with sendrawtransaction.
   *
   * A request that cannot be met is answered with {"result":"error","error":"…"}.
   */
  "tokencreate": { params: TokencreateParams; result: TokencreateResult };
  /**
   * Describe a token.
   *
   * A request that cannot be met is answered with {"result":"error","error":"…"}.
   */
  "tokeninfo": { params: TokeninfoParams; result: TokeninfoResult };
  /**
   * List the ids of all tokens.
   *
   * A request that cannot be met is answered with {"result":"error","error":"…"}.
   */
  "tokenlist": { params: TokenlistParams; result: TokenlistResult };
  /**
   * Build a transaction that moves tokens, to be sent with sendrawtransaction.
   *
   * A request that cannot be met is answered with {"result":"error","error":"…"}.
   */
  "tokentransfer": { params: TokentransferParams; result: TokentransferResult };
  /**
   * Take a signed transaction into the mempool, from where it gets into a block.
   *
   * The answer is its txid. It comes when the transaction is on disk: a crash does not lose it.
   */
  "sendrawtransaction": { params: SendrawtransactionParams; result: SendrawtransactionResult };
  /** Show what a transaction says, without looking at the chain. */
  "decoderawtransaction": { params: DecoderawtransactionParams; result: DecoderawtransactionResult };
  /**
   * Find a transaction of the chain or of the mempool.
   *
   * The answer is its bytes in hexadecimal, or with verbose 1 also what they say and what became of them.
   */
  "getrawtransaction": { params: GetrawtransactionParams; result: GetrawtransactionResult };
  /** Show what an output script or redeem script says. */
  "decodescript": { params: DecodescriptParams; result: DecodescriptResult };
  /** Report whether an address is valid on this chain, and whether it is the node's. */
  "validateaddress": { params: ValidateaddressParams; result: ValidateaddressResult };
  /** Return the height of the chain. */
  "getblockcount": { params: GetblockcountParams; result: GetblockcountResult };
  /** Return the hash of the last block of the chain. */
  "getbestblockhash": { params: GetbestblockhashParams; result: GetbestblockhashResult };
  /** Return the hash of the block at a height. */
  "getblockhash": { params: GetblockhashParams; result: GetblockhashResult };
  /** Show the header of a block, or its bytes. */
  "getblockheader": { params: GetblockheaderParams; result: GetblockheaderResult };
  /**
   * Return a block, also one that is not on the main chain.
   *
   * Verbosity 0 gives its bytes in hexadecimal, 1 its header and txids, 2 the transactions too.
   */
  "getblock": { params: GetblockParams; result: GetblockResult };
  /**
   * List the ends of all branches.
   *
   * The chain's end is active; others are valid-fork, or invalid if a block of their branch was refused.
   */
  "getchaintips": { params: GetchaintipsParams; result: GetchaintipsResult };
  /** Describe the chain and its rules. */
  "getblockchaininfo": { params: GetblockchaininfoParams; result: GetblockchaininfoResult };
  /**
   * Show a header that the validators have signed, with its commit and its validators.
   *
   * The answer is CometBFT's light block, for light clients. Chains with a single block producer do not support it.
   */
  "getlightblock": { params: GetlightblockParams; result: GetlightblockResult };
  /** Return the size of the mempool. */
  "getmempoolinfo": { params: GetmempoolinfoParams; result: GetmempoolinfoResult };
  /** List the transactions that wait for a block, parents before children. */
  "getrawmempool": { params: GetrawmempoolParams; result: GetrawmempoolResult };
  /** Return an unspent output, or null. */
  "gettxout": { params: GettxoutParams; result: GettxoutResult };
  /**
   * Return the balance of addresses and all they ever received, in satoshis.
   *
   * Give one address, or an object with a list of them. A second parameter, whatever it is, asks for the crypto-condition outputs of the addresses instead of their plain ones.
   */
  "getaddressbalance": { params: GetaddressbalanceParams; result: GetaddressbalanceResult };
  /**
   * List the unspent outputs of addresses, the oldest first.
   *
   * Give one address, or an object with a list of them. A second parameter, whatever it is, asks for the crypto-condition outputs of the addresses instead of their plain ones.
   */
  "getaddressutxos": { params: GetaddressutxosParams; result: GetaddressutxosResult };
  /**
   * List the transactions of addresses, the oldest first.
   *
   * Give one address, or an object with a list of them. A second parameter, whatever it is, asks for the crypto-condition outputs of the addresses instead of their plain ones.
   */
  "getaddresstxids": { params: GetaddresstxidsParams; result: GetaddresstxidsResult };
  /**
   * List the changes of what addresses hold, the oldest first.
   *
   * A second parameter, whatever it is, asks for the crypto-condition outputs of the addresses instead of their plain ones.
   */
  "getaddressdeltas": { params: GetaddressdeltasParams; result: GetaddressdeltasResult };
  /**
   * Return the coins that the node's key can spend.
   *
   * Without parameters its own unconfirmed change counts too. There are no accounts: the first must be "*" or empty.
   */
  "getbalance": { params: GetbalanceParams; result: GetbalanceResult };
  /** List the unspent coins of the node's key. */
  "listunspent": { params: ListunspentParams; result: ListunspentResult };
  /**
   * Pay coins of the node's key to an address.
   *
   * Comments are not kept. The answer is the txid.
   */
  "sendtoaddress": { params: SendtoaddressParams; result: SendtoaddressResult };
  /** Reveal the private key of the node's address. */
  "dumpprivkey": { params: DumpprivkeyParams; result: DumpprivkeyResult };
  /**
   * Make blocks at once.
   *
   * The answer is the list of their hashes.
   */
  "generate": { params: GenerateParams; result: GenerateResult };
  /** Describe how blocks are made. */
  "getmininginfo": { params: GetmininginfoParams; result: GetmininginfoResult };
  /**
   * Give the node a block.
   *
   * The answer is null if it became part of the chain or its parent is not known, otherwise a word or two of why not. Regtest only.
   */
  "submitblock": { params: SubmitblockParams; result: SubmitblockResult };
  /** Refuse a block and all that builds on it. Regtest only. */
  "invalidateblock": { params: InvalidateblockParams; result: InvalidateblockResult };
  /** Forget that a block, or one around it, was refused. Regtest only. */
  "reconsiderblock": { params: ReconsiderblockParams; result: ReconsiderblockResult };
  /** Describe node, chain and wallet. */
  "getinfo": { params: GetinfoParams; result: GetinfoResult };
  /** End the node. */
  "stop": { params: StopParams; result: StopResult };
  /**
   * Describe the node's place in the network.
   *
   * A solo chain has one node. Only connections to other validators count.
   */
  "getnetworkinfo": { params: GetnetworkinfoParams; result: GetnetworkinfoResult };
}

/** A request. */
export interface DaemonRequest<M extends keyof DaemonMethods = keyof DaemonMethods> {
  jsonrpc?: string;
  /** Anything, repeated in the answer. */
  id?: unknown;
  method: M;
  params?: DaemonMethods[M]["params"];
}

/** What token methods answer to a request that cannot be met. */
export interface DaemonRefusal {
  result: "error";
  /** For people. */
  error: string;
}

/** The answer to a request that went well, or was refused. */
export interface DaemonSuccess<M extends keyof DaemonMethods = keyof DaemonMethods> {
  result: DaemonMethods[M]["result"] | DaemonRefusal;
  error: null;
  id: unknown;
}

/** The answer to a request that did not. */
export interface DaemonFailure {
  result: null;
  error: { code: number; message: string };
  id: unknown;
}

/** Any answer to a request of a method. */
export type DaemonResponse<M extends keyof DaemonMethods = keyof DaemonMethods> = DaemonSuccess<M> | DaemonFailure;
