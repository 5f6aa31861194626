/**
 * A client of the wallet page for other websites. A page that imports this module can request accounts,
 * signatures and transactions from the user's wallet.
 *
 *   import { obverseWallet } from "obverse/wallet";
 *   const wallet = obverseWallet({ url: "https://wallet.example/" });
 *   wallet.announce();                                                    // EIP-6963
 *   const [address] = await wallet.ethereum.request({ method: "eth_requestAccounts" });
 *   await wallet.keplr.enable("cosmoshub-4");
 *
 * The wallet page opens in its own window, so the first request has to come from a click handler. The page asks the
 * user before it reveals or signs anything. If the user closes the window, the request is rejected.
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
 * @property {string | URL} url the URL of the wallet page
 * @property {number} [chainId] the chain ID that is reported before the user has selected a network; default 1
 * @property {Partial<Info>} [info] overrides for the metadata that is announced by EIP-6963
 */

/**
 * Returns the wallet objects for a wallet page. The page is not opened before they are used.
 * @param {WalletPageOptions} options
 */
export function obverseWallet({ url, chainId = 1, info = {} }) {
  const link = new WalletWindow(new URL(url));
  const ethereum = new Ethereum(link, chainId);
  return {
    /** An EIP-1193 provider. */
    ethereum,
    /** An object with the interface of window.keplr. */
    keplr: new Keplr(link),
    /** Announces the provider to the page by EIP-6963. Returns a function that stops the announcements. */
    announce: () => announce(ethereum, link.url, info),
  };
}
