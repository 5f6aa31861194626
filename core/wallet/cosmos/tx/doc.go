// Package tx makes transactions of Cosmos chains: messages, sign documents in both signing modes of
// wallets, fees, and errors for refusals by the chain. It queries nodes through the interface Node
// and signs through key.Account. It stores nothing and holds no key.
//
// Sources: Cosmos SDK x/auth (SignDoc, StdSignDoc, ante errors), x/bank and ibc-go
// transfer (messages and their amino JSON), ADR-036 (signed texts), ICS 20 (transfers to
// other chains); Komodo DeFi Framework coins/tendermint/tendermint_coin.rs for defaults.
//
// Invariant: a signed transaction does exactly what was requested, and its signature was verified,
// whatever wallet made it.
package tx
