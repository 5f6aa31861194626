/**
 * The wallet page as a wallet for programs of others: a page that imports this can ask the
 * person who has the wallet for accounts, signatures and transactions.
 *
 *   import { obverseWallet } from "obverse/wallet";
 *   const wallet = obverseWallet({ url: "https://wallet.example/" });
 *   wallet.announce();                                                    // EIP-6963
 *   const [address] = await wallet.ethereum.request({ method: "eth_requestAccounts" });
 *   await wallet.keplr.enable("cosmoshub-4");
 *
 * The wallet page opens in a window of its own, so the first request has to come from a
 * click. It asks the user before it reveals or signs anything; closing it rejects the request.
 */

import { announce } from "./dapp/announce.js";
import { Ethereum } from "./dapp/ethereum.js";
import { Keplr } from "./dapp/keplr.js";
import { WalletWindow } from "./dapp/window.js";

export { ProviderError } from "./dapp/error.js";

/**
 * @typedef {import("./dapp/window.js").Account} Account
 * @typedef {import("./dapp/announce.js").Info} Info
 *
 * @typedef {object} WalletPageOptions
 * @property {string | URL} url of the wallet page
 * @property {number} [chainId] the EVM network that programs see before the person has agreed to one; 1 by default
 * @property {Partial<Info>} [info] instead of what EIP-6963 announces by default
 */

/**
 * Makes the wallet objects of a wallet page. Nothing is opened or asked before they are used.
 * @param {WalletPageOptions} options
 */
export function obverseWallet({ url, chainId = 1, info = {} }) {
  const link = new WalletWindow(new URL(url));
  const ethereum = new Ethereum(link, chainId);
  return {
    /** A provider of EIP-1193. */
    ethereum,
    /** What Keplr has as window.keplr. */
    keplr: new Keplr(link),
    /** Announces the provider to the page by EIP-6963. Gives what ends that. */
    announce: () => announce(ethereum, link.url, info),
  };
}
