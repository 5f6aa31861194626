/**
 * A wallet of EIP-1193 for tests, which announces itself as EIP-6963 has it: an anvil
 * signs and sends for it, with real keys. Its user does what a test says. For pages.
 */

/**
 * @typedef {object} User
 * @property {[method: string, ...params: any[]][]} asked all that the wallet was asked for
 * @property {Record<string, object>} refuses methods, with what they are answered
 * @property {string[]} ignores methods that are never answered
 * @property {string[]} accounts the chosen one first
 * @property {boolean} connected the page was given leave to see the accounts
 * @property {number} chain the id of the network that the wallet is on
 * @property {Record<number, string>} chains URLs of the networks that it knows, by id
 * @property {(tx: Record<string, string>) => Record<string, string>} [edits] what the user makes of transactions
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
  /** What its user does in the extension. */
  const doings = {
    /** @param {number} id */
    goTo(id) {
      user.chain = id;
      emit("chainChanged", `0x${id.toString(16)}`);
    },
    /** Chooses the account at a place in the list. @param {number} at */
    choose(at) {
      user.accounts.unshift(...user.accounts.splice(at, 1));
      emit("accountsChanged", user.accounts.map((account) => account.toLowerCase()));
    },
    /** Takes back the leave to see accounts. */
    leave() {
      user.connected = false;
      emit("accountsChanged", []);
    },
    /** Loses its networks. */
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
    /** Begins to announce itself. */
    install() {
      globalThis.window.addEventListener("eip6963:requestProvider", announce);
      announce();
    },
  };
}
