/**
 * An EIP-1193 wallet for tests that is announced by EIP-6963. anvil signs and sends its
 * transactions with real keys, and a test controls its user. This script runs in pages.
 */

/**
 * @typedef {object} User
 * @property {[method: string, ...params: any[]][]} asked all requests to the wallet
 * @property {Record<string, object>} refuses the errors of methods that the user rejects
 * @property {string[]} ignores methods that are never answered by the user
 * @property {string[]} accounts the accounts, the selected one first
 * @property {boolean} connected whether the page has permission to see the accounts
 * @property {number} chain the id of the selected network
 * @property {Record<number, string>} chains the URLs of the known networks, by id
 * @property {(tx: Record<string, string>) => Record<string, string>} [edits] changes transactions like a user
 */

const refused = { code: 4001, message: "User rejected the request." };

/** @param {string} url @param {string} method @param {any[]} params */
async function overHTTP(url, method, params) {
  const answer = await fetch(url, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }) });
  const { result, error } = await answer.json();
  if (error) {
    throw Object.assign(new Error(error.message), error);
  }
  return result;
}

/**
 * @param {{name: string, rdns: string, icon?: string, chains: Record<number, string>, chain: number, accounts: string[]}} options
 */
export function makeEthereum({ name, rdns, icon = "", chains, chain, accounts }) {
  /** @type {User} */
  const user = { asked: [], refuses: {}, ignores: [], accounts: [...accounts], connected: false, chain, chains: { ...chains } };
  const listeners = new Map();
  const emit = (event, value) => [...(listeners.get(event) ?? [])].forEach((listener) => listener(value));
  const signs = (method) => async (params) => overHTTP(user.chains[user.chain], method, params);
  const functions = {
    async eth_requestAccounts() {
      user.connected = true;
      return user.accounts.map((account) => account.toLowerCase());
    },
    eth_accounts: async () => (user.connected ? user.accounts.map((account) => account.toLowerCase()) : []),
    eth_chainId: async () => `0x${user.chain.toString(16)}`,
    async wallet_switchEthereumChain([{ chainId }]) {
      if (!user.chains[Number(chainId)]) {
        throw { code: 4902, message: `Unrecognized chain ID "${chainId}". Try adding the chain using wallet_addEthereumChain first.` };
      }
      doings.goTo(Number(chainId));
      return null;
    },
    async wallet_addEthereumChain([{ chainId, rpcUrls }]) {
      user.chains[Number(chainId)] = rpcUrls[0];
      return null;
    },
    async eth_sendTransaction([{ ...tx }]) {
      if (tx.chainId && Number(tx.chainId) !== user.chain) {
        throw { code: -32602, message: "Invalid chainId" };
      }
      return signs("eth_sendTransaction")([user.edits ? user.edits(tx) : tx]);
    },
    personal_sign: signs("personal_sign"),
  };
  /** Operations of the user in the extension. */
  const doings = {
    /** @param {number} id */
    goTo(id) {
      user.chain = id;
      emit("chainChanged", `0x${id.toString(16)}`);
    },
    /** Selects the account at an index. @param {number} at */
    choose(at) {
      user.accounts.unshift(...user.accounts.splice(at, 1));
      emit("accountsChanged", user.accounts.map((account) => account.toLowerCase()));
    },
    /** Revokes the permission to see the accounts. */
    leave() {
      user.connected = false;
      emit("accountsChanged", []);
    },
    /** Disconnects from all networks. */
    lose: () => emit("disconnect", { code: 4900, message: "Disconnected" }),
    listening: () => [...listeners.values()].reduce((sum, set) => sum + set.size, 0),
  };
  const provider = {
    async request({ method, params = [] }) {
      user.asked.push([method, ...params]);
      if (user.refuses[method]) {
        const { code, message, ...more } = user.refuses[method];
        throw Object.assign(new Error(message), { code, ...more });
      }
      if (user.ignores.includes(method)) {
        return new Promise(() => {});
      }
      if (!functions[method]) {
        throw { code: 4200, message: `The method ${method} is not supported.` };
      }
      return functions[method](params);
    },
    on: (event, listener) => void listeners.set(event, (listeners.get(event) ?? new Set()).add(listener)),
    removeListener: (event, listener) => void listeners.get(event)?.delete(listener),
  };
  const detail = Object.freeze({ info: Object.freeze({ uuid: `${rdns}/${Math.random()}`, name, rdns, icon }), provider });
  const announce = () => globalThis.window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  return {
    provider,
    user,
    ...doings,
    refused,
    uuid: detail.info.uuid,
    /** Starts to announce the wallet. */
    install() {
      globalThis.window.addEventListener("eip6963:requestProvider", announce);
      announce();
    },
  };
}
