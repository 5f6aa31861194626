/**
 * An object with the interface of window.keplr that is backed by the wallet page, and its signers
 * for CosmJS.
 *
 * Source: Keplr's documentation, packages/types of its repository.
 */

import { ProviderError, REJECTED, UNKNOWN_CHAIN, UNSUPPORTED } from "./error.js";
import { fromBase64, toBase64 } from "../wallet/provider.js";

/**
 * @typedef {import("./window.js").WalletWindow} WalletWindow
 * @typedef {{pub_key: {type: string, value: string}, signature: string}} StdSignature
 * @typedef {{bodyBytes: Uint8Array, authInfoBytes: Uint8Array, chainId: string, accountNumber: any}} SignDoc accountNumber: a bigint, a
 *   Long or a string
 * @typedef {{address: string, algo: "secp256k1", pubkey: Uint8Array}} AccountData
 *
 * @typedef {object} Key
 * @property {string} name
 * @property {"secp256k1"} algo
 * @property {Uint8Array} pubKey
 * @property {Uint8Array} address
 * @property {string} bech32Address
 * @property {boolean} isNanoLedger whether the key can only sign amino JSON
 * @property {boolean} isKeystone
 */

const NAMESPACE = "cosmos:";
const LETTERS = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";

/** Decodes a bech32 address. The checksum is not verified, since the address comes from the wallet. @param {string} address */
function bytesOf(address) {
  const digits = [...address.slice(address.lastIndexOf("1") + 1, -6)].map((letter) => LETTERS.indexOf(letter));
  const bits = digits.map((digit) => digit.toString(2).padStart(5, "0")).join("");
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => parseInt(byte, 2));
}

/** @param {string} hex */
const fromHex = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16));

/** A CosmJS signer that only signs amino JSON, for hardware wallets. */
class AminoSigner {
  /** @param {Keplr} keplr @param {string} chainId */
  constructor(keplr, chainId) {
    this.keplr = keplr;
    this.chainId = chainId;
  }

  /** @returns {Promise<AccountData[]>} */
  async getAccounts() {
    const { bech32Address: address, algo, pubKey: pubkey } = await this.keplr.getKey(this.chainId);
    return [{ address, algo, pubkey }];
  }

  /** @param {string} signer @param {any} signDoc */
  signAmino(signer, signDoc) {
    return this.keplr.signAmino(this.chainId, signer, signDoc);
  }
}

/** A CosmJS signer for both sign modes. */
class Signer extends AminoSigner {
  /** @param {string} signer @param {SignDoc} signDoc */
  signDirect(signer, signDoc) {
    return this.keplr.signDirect(this.chainId, signer, signDoc);
  }
}

export class Keplr {
  isObverse = true;
  version = "0.13.0"; // the version of Keplr that has these functions
  mode = "extension";
  defaultOptions = {};
  #link;

  /** @param {WalletWindow} link */
  constructor(link) {
    this.#link = link;
  }

  /** @param {string} chainId */
  #granted(chainId) {
    return this.#link.accounts.find(({ chain }) => chain === NAMESPACE + chainId);
  }

  /**
   * Requests the user's permission to reveal the accounts of chains.
   * @param {string | string[]} chainIds
   */
  async enable(chainIds) {
    const all = [chainIds].flat();
    const missing = () => all.filter((chainId) => !this.#granted(chainId));
    if (missing().length > 0) {
      await this.#link.connect({ family: "cosmos", chains: missing().map((chainId) => NAMESPACE + chainId) });
    }
    if (missing().length > 0) {
      throw new ProviderError(UNKNOWN_CHAIN, `the wallet has no active coin of the chain ${missing().join(", ")}`);
    }
  }

  /** Revokes all permissions of this page. */
  async disable() {
    await this.#link.disconnect();
  }

  /** @param {string} chainId */
  async #account(chainId) {
    await this.enable(chainId);
    const account = this.#granted(chainId);
    if (!account?.pubkey) {
      throw new ProviderError(UNSUPPORTED, `the wallet does not know the public key of its account on ${chainId}`);
    }
    return { ...account, pubkey: account.pubkey };
  }

  /**
   * @param {string} chainId
   * @returns {Promise<Key>}
   */
  async getKey(chainId) {
    const { address, pubkey, policy } = await this.#account(chainId);
    return { name: "Obverse", algo: "secp256k1", pubKey: fromHex(pubkey), address: bytesOf(address), bech32Address: address, isNanoLedger: policy === "HardwareWallet", isKeystone: false };
  }

  /**
   * @param {string} chainId
   * @param {string} signer the signer's address
   * @param {SignDoc} signDoc
   */
  async signDirect(chainId, signer, signDoc) {
    const { bodyBytes, authInfoBytes, accountNumber } = signDoc;
    const sent = { bodyBytes: toBase64(bodyBytes), authInfoBytes: toBase64(authInfoBytes), chainId: signDoc.chainId, accountNumber: String(accountNumber) };
    const { signed, signature } = await this.#sign("signDirect", chainId, signer, sent);
    return { signed: { ...signDoc, bodyBytes: fromBase64(signed.bodyBytes), authInfoBytes: fromBase64(signed.authInfoBytes) }, signature: /** @type {StdSignature} */ (signature) };
  }

  /**
   * @template T
   * @param {string} chainId
   * @param {string} signer the signer's address
   * @param {T} signDoc a StdSignDoc
   * @returns {Promise<{signed: T, signature: StdSignature}>}
   */
  async signAmino(chainId, signer, signDoc) {
    return this.#sign("signAmino", chainId, signer, signDoc);
  }

  /**
   * Signs a string or bytes by ADR 36.
   * @param {string} chainId
   * @param {string} signer the signer's address
   * @param {string | Uint8Array} data
   * @returns {Promise<StdSignature>}
   */
  async signArbitrary(chainId, signer, data) {
    const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
    const msgs = [{ type: "sign/MsgSignData", value: { signer, data: toBase64(bytes) } }];
    const { signature } = await this.signAmino(chainId, signer, { chain_id: "", account_number: "0", sequence: "0", fee: { gas: "0", amount: [] }, msgs, memo: "" });
    return signature;
  }

  /**
   * @param {string} method
   * @param {string} chainId
   * @param {string} signerAddress
   * @param {unknown} signDoc
   */
  async #sign(method, chainId, signerAddress, signDoc) {
    await this.enable(chainId);
    return this.#link.request(method, { signerAddress, signDoc }, NAMESPACE + chainId);
  }

  /** Returns a signer for CosmJS. @param {string} chainId */
  getOfflineSigner(chainId) {
    return new Signer(this, chainId);
  }

  /** Returns a signer for CosmJS that only signs amino JSON. @param {string} chainId */
  getOfflineSignerOnlyAmino(chainId) {
    return new AminoSigner(this, chainId);
  }

  /** Returns the signer that matches the account's key: hardware wallets only sign amino JSON. @param {string} chainId */
  async getOfflineSignerAuto(chainId) {
    const { isNanoLedger } = await this.getKey(chainId);
    return isNanoLedger ? this.getOfflineSignerOnlyAmino(chainId) : this.getOfflineSigner(chainId);
  }

  /** @param {{chainId?: string}} chain */
  async experimentalSuggestChain(chain) {
    throw new ProviderError(REJECTED, `the wallet takes no chains from pages: activate a coin of ${chain?.chainId ?? "the chain"} in the wallet itself`);
  }
}
