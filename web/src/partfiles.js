/** The files of the parts of the program in web/parts.js. */

/** The URLs are literals, so that bundlers find them. @type {Record<string, () => URL>} */
const files = {
  chain: () => new URL("./obverse.chain.wasm", import.meta.url),
  cosmos: () => new URL("./obverse.cosmos.wasm", import.meta.url),
  dapp: () => new URL("./obverse.dapp.wasm", import.meta.url),
  device: () => new URL("./obverse.device.wasm", import.meta.url),
  hd: () => new URL("./obverse.hd.wasm", import.meta.url),
  history: () => new URL("./obverse.history.wasm", import.meta.url),
  lightning: () => new URL("./obverse.lightning.wasm", import.meta.url),
  nft: () => new URL("./obverse.nft.wasm", import.meta.url),
  prices: () => new URL("./obverse.prices.wasm", import.meta.url),
  sending: () => new URL("./obverse.sending.wasm", import.meta.url),
  session: () => new URL("./obverse.session.wasm", import.meta.url),
  spatial: () => new URL("./obverse.spatial.wasm", import.meta.url),
  versions: () => new URL("./obverse.versions.wasm", import.meta.url),
  wallets: () => new URL("./obverse.wallets.wasm", import.meta.url),
};

/** @param {string} name */
export const partFile = (name) => files[name]();
