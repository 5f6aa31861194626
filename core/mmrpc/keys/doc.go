// Package keys implements the methods of the node API for keys, addresses and signed messages.
//
// Source: Komodo DeFi Framework's lp_wallet and lp_coins.
//
// Invariant: only methods that export keys return a secret.
package keys
