// Package walletconnect holds sessions with external wallets over WalletConnect 2.0. It
// proposes a session with a URI that a wallet scans, stores the session that the wallet
// approves, and sends it requests, for example to sign. Support for families of chains is in
// the packages cosmos and evm. The package does not act as a wallet: it signs nothing and
// rejects requests.
//
// Sources: WalletConnect 2.0 specifications (clients/sign), CAIP-25.
//
// # Protection of keys
//
// The holder of a session's key can request signatures, which the wallet's user sees and
// confirms, and can read requests and responses. The key itself signs nothing. The store holds
// sessions encrypted with a key that is derived from Config.Secret:
//
//   - With a passphrase, it is derived from the node's key. A copy of the store alone is useless without
//     the passphrase. Each passphrase has its own sessions.
//   - Without one, it is derived from the secret of the node's identity, which is in the same store. This
//     protects parts of the store only. Anyone who can read all of it can use the sessions, as
//     they can use the identity. The file's permissions protect it, or the browser's profile
//     in a page.
//
// Invariant: A session is stored before its wallet is notified that it is settled, and only
// messages encrypted with a session's key can change it.
package walletconnect
