// Package session has the accounts of wallets that were paired over WalletConnect, on
// chains of the Cosmos family: it asks the wallet for its key on a chain and for
// signatures. What the wallet answers is checked in walletconnect/cosmos; whether what it
// signed is what it was asked to, in tendermint/tx.
//
// Invariant: an account that is given has the coin's prefix, and is one that the session
// names for the chain.
package session
