// Package tx makes the transactions of Cosmos chains: which message sends coins, what
// has to be signed in the two ways that wallets sign, what it costs, and what a chain's
// refusal means. It asks nodes through a port and has others sign; it keeps nothing and
// holds no key.
//
// Sources: Cosmos SDK x/auth (SignDoc, StdSignDoc, ante errors), x/bank and ibc-go
// transfer (messages and their amino JSON), ADR-036 (signed texts), ICS 20 (transfers to
// other chains); Komodo DeFi Framework coins/tendermint/tendermint_coin.rs for defaults.
//
// Invariant: what is returned as signed does what was asked for and carries a signature
// that was verified, whoever made it.
package tx
