// Package walletconnect holds sessions with wallets of others, over WalletConnect 2.0: it
// proposes a session by a URI that a wallet scans, keeps the session that the wallet
// agrees to, and sends it requests, such as to sign. It knows no family of chains; the
// packages cosmos and evm below it do. It is not a wallet: it signs nothing, and refuses
// to be asked.
//
// Sources: WalletConnect 2.0 specifications (clients/sign), CAIP-25.
//
// # What protects what
//
// A session's key lets its holder ask the wallet for signatures, which the wallet's user
// sees and confirms, and read what is asked and answered. It signs nothing by itself.
// Sessions are in the store encrypted, by a key that follows from Config.Secret:
//
//   - with a passphrase, from the node's key. The store alone, or a copy of it, is of no use
//     without the passphrase. Another passphrase has sessions of its own.
//   - without one, from the secret of the node's identity, which lies in the same store.
//     This protects parts of the store, but not the store: who can read all of it has the
//     sessions, as they have the identity. The permissions of the file protect it, in a page
//     the browser's profile.
//
// Invariant: a session is in the store before its wallet is told that it is settled, and
// what a wallet sends changes a session only if it came under the session's key.
package walletconnect
