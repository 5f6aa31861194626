// Package keys has the methods of the node API about keys, wallets, accounts, addresses,
// signed messages, hardware wallets and sessions with wallets.
//
// Source: Komodo DeFi Framework's lp_wallet, init_hw, hd_wallet and lp_coins.
//
// Invariant: only methods that export keys return a secret.
package keys
