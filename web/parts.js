/**
 * The packages in each part of the page's node. A part is loaded when one of its functions is first called.
 * slim/parts.js adds the functions that only a part calls.
 *
 * Code for features that work without a network is in no part, since a page may be offline when it needs the part.
 */

const core = (/** @type {string[]} */ ...names) => names.map((name) => `obverse/core/${name}`);

/** @type {Record<string, string[]>} */
export const parts = {
  device: core("wallet/signer/ledger", "wallet/signer/hardware", "mmrpc/devices"),
  session: [...core("wallet/signer/walletconnect/...", "mmrpc/sessions"), "golang.org/x/crypto/chacha20", "golang.org/x/crypto/chacha20poly1305", "golang.org/x/crypto/internal/poly1305", "filippo.io/..."],
  dapp: core("wallet/dapp", "wallet/evm/dapp", "wallet/evm/eip712", "wallet/cosmos/dapp"),
  cosmos: [...core("wallet/cosmos/...", "wallet/signer/keplr", "wallet/protobuf"), "github.com/btcsuite/btcd/btcutil/bech32", "google.golang.org/protobuf/..."],
  hd: core("wallet/hd", "mmrpc/hd"),
  nft: core("wallet/nft", "wallet/evm/nft", "mmrpc/nft"),
  lightning: core("wallet/lightning/..."),
  sending: core("wallet/evm/tx", "wallet/evm/wire", "wallet/evm/ens", "wallet/signer/eip1193", "mmrpc/send"),
  history: core("wallet/account/txlog", "wallet/evm/history", "mmrpc/history"),
  prices: core("wallet/price", "mmrpc/prices"),
  chain: [...core("daemon", "chain", "chain/cc", "chain/consensus", "chain/keyring", "chain/mempool", "chain/script", "chain/token", "chain/wallet", "chain/wire"), "github.com/dchest/blake2b", "crypto/sha1"],
  versions: [...core("versionstat", "mmrpc/peers"), "encoding/base32"],
  wallets: [...core("key/wallets", "key/walletfile", "mmrpc/wallets"), "golang.org/x/crypto/argon2", "golang.org/x/crypto/blake2b"],
  spatial: ["github.com/tidwall/rtred/..."], // spatial indexes, which the store does not use
};
