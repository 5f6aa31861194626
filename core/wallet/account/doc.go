// Package account activates the coins of one account on one chain: a platform coin and
// the tokens on it, for every family of chains that the node API knows. A family brings
// its addresses, the queries to its nodes and its transactions; what is here is the same
// for all: the order of checks, whose account it is, balances and their watching, what is
// saved, and how it is restored. toy_test.go is a family without transactions.
//
// Sources: Komodo DeFi Framework coins_activation/src/platform_coin_with_tokens.rs and
// token.rs, for the order of checks and the texts of errors.
//
// Invariants: an activation makes all of its coins active or none, and asks nodes only
// after everything was checked that needs none. The signing account is the one that the
// coin was activated with. Of an external wallet nothing is asked at a restart.
package account
