/**
 * A light client of a chain with several validators. It verifies the answers of a node by proofs, so that the node does
 * not have to be trusted. It trusts the validators, of which more than two thirds have to be honest, and starts with a
 * light block or a validator set that the user has pinned. It does not use WebAssembly and works in all pages and in Node.
 *
 *   import { lightClient } from "obverse/light";
 *   const light = lightClient({ pin, ask: (method, params) => node.daemon(method, ...params) });
 *   const { balance } = await light.tokenBalance(tokenId, publicKey);
 *   localStorage.setItem("pin", JSON.stringify(light.trusted()));   // the pin of the next client
 */

import { address, fromHex, same, toHex } from "./light/bytes.js";
import { lightBlockOf, timeOf, validatorsOf } from "./light/block.js";
import { tokenHolder } from "./light/condition.js";
import { LightError } from "./light/error.js";
import { SECOND } from "./light/proto.js";
import { appHash, badProof, balanceKey, digits, find, hashOf, readBalance, readToken, tokenKey } from "./light/state.js";
import { checkCommit, follows, showTime } from "./light/verify.js";

export { LightError } from "./light/error.js";

/**
 * @typedef {import("./light/error.js").LightKind} LightKind
 * @typedef {import("./light/block.js").LightBlock} LightBlock
 * @typedef {import("./light/verify.js").Trusted} Trusted
 *
 * @typedef {object} PinnedSet validators in the form of a genesis file or a light block
 * @property {string} chain_id
 * @property {string} time the time at which these were the validators, such as 2026-01-31T12:00:00Z
 * @property {object[]} validators each with pub_key and power (or voting_power)
 *
 * @typedef {object} LightOptions
 * @property {PinnedSet | {signed_header: object, validator_set: unknown}} pin the trusted state: the answer of getlightblock of a trusted
 *   node, the return value of trusted(), or a validator set
 * @property {(method: string, params: any[]) => Promise<any>} [ask] calls a method of the daemon API of any node; without it, tokenBalance and tokenInfo cannot be used
 * @property {number} [trustingPeriod] the number of seconds for which a verified header is trusted; default one week. Validators that leave
 *   the set must protect their keys for as long
 * @property {number} [maxClockDrift] the number of seconds that a header may be ahead of the local clock; default 10
 * @property {number} [maxAge] the maximum age of an answer's header in seconds; default two hours, since validators sign a header at least
 *   every hour
 * @property {() => number} [now] returns the current time in ms since 1970
 *
 * @typedef {object} Proven the state that an answer was verified against
 * @property {number} height the height of the token chain's last block in the proven state
 * @property {string} tip that block's hash
 * @property {number} signedHeight the height of the header that the validators signed
 * @property {string} time of that header
 *
 * @typedef {Proven & {tokenid: string, owner: string, name: string, supply: bigint, description: string, data: string, imported: boolean}} TokenInfo a token; its supply is in tokens and its strings are decoded as UTF-8
 * @typedef {Proven & {tokenid: string, balance: bigint, token: TokenInfo}} TokenBalance
 */

const HOUR = 3600; // seconds
const WEEK = 7 * 24 * HOUR; // the trusting period of CometBFT's own light client
const MAX_REQUESTS = 200; // light blocks for one response; bisection needs far fewer
const TOKEN_ADDRESS = 60;

/** @type {(pin: any) => Trusted} */
function trustedOf(pin) {
  try {
    if (pin?.signed_header !== undefined) {
      const block = lightBlockOf(pin);
      checkCommit(block);
      return block;
    }
    if (typeof pin?.chain_id !== "string") {
      throw new LightError("BadPin", "want a light block, or chain_id, validators and time");
    }
    return { chainId: pin.chain_id, height: 0n, time: timeOf(pin.time, "time"), validators: validatorsOf(pin.validators, "validators"), hash: null, nextValidatorsHash: null };
  } catch (error) {
    throw new LightError("BadPin", `pin: ${/** @type {Error} */ (error).message}`);
  }
}

/** @type {(value: string, size: number, what: string) => Uint8Array} */
function given(value, size, what) {
  const read = fromHex(value);
  if (read?.length !== size) {
    throw new TypeError(`${what} must have ${size} bytes in hexadecimal`);
  }
  return read;
}

const text = (/** @type {Uint8Array} */ bytes) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);

/** @type {(tokens: bigint) => string} */
const inCoins = (tokens) => `${tokens / 100_000_000n}.${String(tokens % 100_000_000n).padStart(8, "0")}`;

/** Throws an error if the answer differs from its proof. @type {(answer: any, proven: Record<string, unknown>) => void} */
function agree(answer, proven) {
  for (const [name, value] of Object.entries({ result: "success", ...proven })) {
    if (answer[name] !== value) {
      throw badProof(`${name} is answered as ${JSON.stringify(answer[name])}, but ${JSON.stringify(value)} is proven`);
    }
  }
}

/**
 * Returns a light client. No request is sent before the first call.
 * @param {LightOptions} options
 */
export function lightClient({ pin, ask, trustingPeriod = WEEK, maxClockDrift = 10, maxAge = 2 * HOUR, now = Date.now }) {
  let trusted = trustedOf(pin);
  let shownPin = pin;
  const ns = (/** @type {number} */ seconds) => BigInt(Math.round(seconds * 1000)) * (SECOND / 1000n);
  const clock = () => BigInt(Math.floor(now())) * (SECOND / 1000n);

  /**
   * Requests the light block half way to a block that too few of the trusted validators signed.
   * @type {(from: Trusted, to: LightBlock) => Promise<any>}
   */
  async function between(from, to) {
    const height = (from.height + to.height) / 2n;
    if (ask === undefined || height <= from.height) {
      throw new LightError("Untrusted", `header ${to.height}: validators with a third or less of the power that is trusted since header ${from.height} signed it`);
    }
    const raw = await ask("getlightblock", [Number(height)]);
    const block = lightBlockOf(raw);
    if (block.height !== height) {
      throw new LightError("BadAnswer", `getlightblock: header is of height ${block.height}, want ${height}`);
    }
    return { raw, block };
  }

  /**
   * Verifies a newer block, by way of intermediate blocks if the validators have changed.
   * @type {(raw: any, block: LightBlock) => Promise<void>}
   */
  async function advance(raw, block) {
    const way = [{ raw, block }];
    let from = trusted;
    for (let requests = 0; way.length > 0; ) {
      const next = way[way.length - 1];
      if (follows(from, next.block, { trustingPeriod: ns(trustingPeriod), maxClockDrift: ns(maxClockDrift), now: clock() })) {
        from = next.block;
        way.pop();
      } else if (++requests > MAX_REQUESTS) {
        throw new LightError("Untrusted", `header ${block.height}: not verified after ${MAX_REQUESTS} others`);
      } else {
        way.push(await between(from, next.block));
      }
    }
    [trusted, shownPin] = [block, raw];
  }

  /** Verifies that the validators signed a block. @type {(raw: any) => Promise<LightBlock>} */
  async function believe(raw) {
    const block = lightBlockOf(raw);
    if (block.height < trusted.height) {
      throw new LightError("Old", `header ${block.height} is older than header ${trusted.height}, which was verified before`);
    }
    if (block.height > trusted.height) {
      await advance(raw, block);
    } else if (trusted.hash === null || !same(block.hash, trusted.hash)) {
      throw new LightError("BadHeader", `header ${block.height} is not the one that was verified before`);
    }
    if (block.time + ns(maxAge) <= clock()) {
      throw new LightError("Old", `header ${block.height} is of ${showTime(block.time)}, more than ${maxAge} seconds ago`);
    }
    return block;
  }

  /** The last verification. Verifications run one at a time, since each changes the trusted state. @type {Promise<unknown>} */
  let last = Promise.resolve();
  /** @type {<T>(verify: () => Promise<T>) => Promise<T>} */
  const alone = (verify) => {
    const done = last.then(verify);
    last = done.catch(() => {});
    return done;
  };

  /** Verifies the parts of a proof that are common to both answers. @param {any} proof @param {Uint8Array} id */
  async function proven(proof, id) {
    if (typeof proof !== "object" || proof === null || !Number.isInteger(proof.height) || proof.height < 0 || proof.height >= 2 ** 32) {
      throw badProof("it is missing: ask with {prove: true}");
    }
    const [tip, root] = [hashOf(proof.tip, "tip"), digits(proof.state_root, "state_root", 32)];
    const block = await alone(() => believe(proof.light_block));
    if (!same(block.appHash, appHash(tip, proof.height, root))) {
      throw badProof(`tip, height and state root are not what header ${block.height} commits to`);
    }
    const leaf = find(proof.token, root, tokenKey(id), "token");
    if (leaf === null) {
      throw badProof("there is no such token");
    }
    /** @type {Proven} */
    const at = { height: proof.height, tip: proof.tip, signedHeight: Number(block.height), time: showTime(block.time) };
    return { root, at, token: readToken(leaf) };
  }

  /** @type {(id: string, token: import("./light/state.js").Token, at: Proven) => TokenInfo} */
  const infoOf = (id, { owner, name, supply, description, data, imported }, at) => ({ ...at, tokenid: id, owner: toHex(owner), name: text(name), supply, description: text(description), data: toHex(data), imported });

  const client = {
    /**
     * Verifies an answer of tokeninfo and its proof, and returns the proven data.
     * @param {any} answer
     * @param {string} tokenId
     * @returns {Promise<TokenInfo>}
     */
    async verifyTokenInfo(answer, tokenId) {
      const { token, at } = await proven(answer?.proof, given(tokenId, 32, "the token id").reverse());
      const info = infoOf(tokenId.toLowerCase(), token, at);
      agree({ data: "", ...answer, imported: answer.IsImported === "yes" }, { tokenid: info.tokenid, owner: info.owner, name: info.name, supply: inCoins(info.supply), description: info.description, data: info.data, imported: info.imported });
      return info;
    },

    /**
     * Verifies an answer of tokenbalance and its proof, and returns the proven data.
     * @param {any} answer
     * @param {string} tokenId
     * @param {string} publicKey the public key that holds the tokens
     * @returns {Promise<TokenBalance>}
     */
    async verifyTokenBalance(answer, tokenId, publicKey) {
      const [id, key] = [given(tokenId, 32, "the token id").reverse(), given(publicKey, 33, "the public key")];
      const { root, token, at } = await proven(answer?.proof, id);
      const leaf = find(answer.proof.balance, root, balanceKey(id, tokenHolder(key, token.data[0] ?? 0)), "balance");
      const balance = leaf === null ? 0n : readBalance(leaf);
      const tokenid = tokenId.toLowerCase();
      agree({ ...answer, tokenid: String(answer.tokenid).toLowerCase() }, { tokenid, CCaddress: address(TOKEN_ADDRESS, tokenHolder(key, 0)), balance: Number(balance) });
      return { ...at, tokenid, balance, token: infoOf(tokenid, token, at) };
    },

    /** Requests the metadata of a token and verifies the answer. @param {string} tokenId */
    tokenInfo: async (tokenId) => client.verifyTokenInfo(await proved("tokeninfo", tokenId), tokenId),

    /** Requests the token balance of a public key and verifies the answer. @param {string} tokenId @param {string} publicKey */
    tokenBalance: async (tokenId, publicKey) => client.verifyTokenBalance(await proved("tokenbalance", tokenId, publicKey), tokenId, publicKey),

    /** Verifies the chain's newest header, so that the trusted state does not expire. Returns its height. */
    async update() {
      const raw = await call("getlightblock", []);
      return Number((await alone(() => believe(raw))).height);
    },

    /** Returns the newest verified light block, which can be the pin of the next client. */
    trusted: () => shownPin,
  };

  /** @type {(method: string, params: any[]) => Promise<any>} */
  const call = (method, params) => {
    if (ask === undefined) {
      throw new TypeError("lightClient was made without ask");
    }
    return ask(method, params);
  };
  /** @type {(method: string, ...params: string[]) => Promise<any>} */
  const proved = (method, ...params) => call(method, [...params, { prove: true }]);
  return client;
}
