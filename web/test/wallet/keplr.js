// A Keplr for tests: wallets of CosmJS with the functions of window.keplr, and a user that is
// controlled by a test. It is bundled and injected into pages before their own scripts.
import { Secp256k1HdWallet } from "@cosmjs/amino";
import { DirectSecp256k1HdWallet, makeCosmoshubPath } from "@cosmjs/proto-signing";

/**
 * @typedef {object} User the state that a test may change
 * @property {number} account the index of the selected account
 * @property {boolean} device whether the keys are in a Ledger
 * @property {Record<string, string>} chains the address prefixes of the known chains
 * @property {string[]} refuses the functions that the user rejects
 * @property {string[]} ignores the functions that the user does not answer
 * @property {((doc: any) => any) | null} edits changes the document to sign
 * @property {any[][]} asked all calls with their arguments
 */

export const mnemonic = "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about";

/**
 * @param {Partial<User>} [settings]
 * @returns {{keplr: any, user: User}}
 */
export function makeKeplr(settings = {}) {
  /** @type {User} */
  const user = { account: 0, device: false, chains: { "cosmoshub-4": "cosmos" }, refuses: [], ignores: [], edits: null, asked: [], ...settings };
  const open = (kind, prefix) => kind.fromMnemonic(mnemonic, { prefix, hdPaths: [makeCosmoshubPath(user.account)] });
  const prefixOf = (chain) => {
    if (!user.chains[chain]) {
      throw new Error(`There is no modular chain info for ${chain}`);
    }
    return user.chains[chain];
  };
  const edited = (doc) => (user.edits ? user.edits(doc) : doc);
  const functions = {
    async enable(chain) {
      prefixOf(chain);
    },
    async getKey(chain) {
      const wallet = await open(DirectSecp256k1HdWallet, prefixOf(chain));
      const [{ address, algo, pubkey }] = await wallet.getAccounts();
      return { name: "test", algo, pubKey: pubkey, bech32Address: address, isNanoLedger: user.device, isKeystone: false };
    },
    async signDirect(chain, signer, doc) {
      if (user.device) {
        throw new Error("a Ledger signs amino JSON only");
      }
      const wallet = await open(DirectSecp256k1HdWallet, prefixOf(chain));
      await match(wallet, signer);
      return wallet.signDirect(signer, edited(doc));
    },
    async signAmino(chain, signer, doc) {
      const wallet = await open(Secp256k1HdWallet, prefixOf(chain));
      await match(wallet, signer);
      return wallet.signAmino(signer, edited(doc));
    },
    async signArbitrary(chain, signer, text) {
      const data = btoa(String.fromCharCode(...new TextEncoder().encode(text)));
      const msgs = [{ type: "sign/MsgSignData", value: { signer, data } }];
      const wallet = await open(Secp256k1HdWallet, prefixOf(chain));
      await match(wallet, signer);
      const doc = { chain_id: "", account_number: "0", sequence: "0", fee: { gas: "0", amount: [] }, msgs, memo: "" };
      return (await wallet.signAmino(signer, doc)).signature;
    },
    async experimentalSuggestChain({ chainId, bech32Config }) {
      user.chains[chainId] = bech32Config.bech32PrefixAccAddr;
    },
  };
  const match = async (wallet, signer) => {
    const [{ address }] = await wallet.getAccounts();
    if (address !== signer) {
      throw new Error("Signer mismatched");
    }
  };
  const keplr = Object.fromEntries(
    Object.entries(functions).map(([name, act]) => [
      name,
      async (...args) => {
        user.asked.push([name, ...args]);
        if (user.refuses.includes(name)) {
          throw new Error("Request rejected");
        }
        return user.ignores.includes(name) ? new Promise(() => {}) : act(...args);
      },
    ]),
  );
  return { keplr, user };
}

/** Selects another account in the extension. */
export function choose(user, account) {
  user.account = account;
  globalThis.window.dispatchEvent(new Event("keplr_keystorechange"));
}
