// Package account activates the coins of one account on one chain: a platform coin and
// the tokens on it, for every family of chains that the node API knows. A family provides its
// addresses, the queries to its nodes and its transactions. This package provides the rest: the
// order of checks, the account, balances and watching them, and saving and restoring coins.
// toy_test.go is a family without transactions.
//
// Sources: Komodo DeFi Framework coins_activation/src/platform_coin_with_tokens.rs and
// token.rs, for the order of checks and the texts of errors.
//
// Invariants: an activation makes all of its coins active or none, and queries nodes only after all
// checks that need no node. The signing account is the one that the coin was activated with. An
// external wallet is not opened at a restart.
package account
