/** A site that uses viem and CosmJS like other sites. Tests drive it. */

import { GasPrice, SigningStargateClient } from "@cosmjs/stargate";
import { obverseWallet } from "obverse/wallet";
import { createWalletClient, custom, erc20Abi, maxUint256, parseEther, publicActions, verifyMessage, verifyTypedData } from "viem";
import { mainnet, polygon } from "viem/chains";

const wallet = obverseWallet({ url: /** @type {string} */ (new URLSearchParams(location.search).get("wallet")) });

/** Returns the provider that the site discovers in the page by EIP-6963. */
function announced() {
  const found = /** @type {any[]} */ ([]);
  const listen = (/** @type {any} */ { detail }) => found.push(detail);
  addEventListener("eip6963:announceProvider", listen);
  dispatchEvent(new Event("eip6963:requestProvider"));
  removeEventListener("eip6963:announceProvider", listen);
  return found;
}

/** Returns a viem client of the announced provider. */
function client(chain = mainnet) {
  const [{ provider }] = announced();
  return createWalletClient({ chain, transport: custom(provider) }).extend(publicActions);
}

/** Returns a CosmJS client. @param {string} url the URL of a server of the chain @param {string} chainId @param {boolean} amino */
async function stargate(url, chainId, amino) {
  await wallet.keplr.enable(chainId);
  const signer = amino ? wallet.keplr.getOfflineSignerOnlyAmino(chainId) : wallet.keplr.getOfflineSigner(chainId);
  return SigningStargateClient.connectWithSigner(url, signer, { gasPrice: GasPrice.fromString("0.025uatom"), broadcastPollIntervalMs: 100 });
}

wallet.announce();
const events = /** @type {any[]} */ ([]);
for (const name of /** @type {const} */ (["connect", "disconnect", "accountsChanged", "chainChanged"])) {
  wallet.ethereum.on(name, (value) => events.push([name, value instanceof Error ? value.code : value]));
}
Object.assign(globalThis, { wallet, ethereum: wallet.ethereum, keplr: wallet.keplr, announced, client, stargate, viem: { erc20Abi, maxUint256, parseEther, verifyMessage, verifyTypedData, mainnet, polygon }, events });
