// Package history reports what transactions of a Cosmos chain meant for one address, and
// keeps that: it reads transactions from nodes in the background, stores what they
// changed, and reads pages of it. It talks to no node itself, and never asks for a
// transaction by hash.
//
// What an address gained and lost is taken from the bank's coin_spent and
// coin_received events, which come with every change of a balance; from, to and kind
// are taken from the events that say why.
//
// Sources: Cosmos SDK x/bank, x/staking and x/distribution (events.go of each), ibc-go
// modules/apps/transfer, irismod modules/htlc; CometBFT rpc/core/tx.go (tx_search);
// Komodo DeFi Framework coins/tendermint/tendermint_tx_history_v2.rs for the entries.
//
// Invariant: over the entries of a transaction, received less spent equals the change of
// the address's balance of each denom, to the last unit.
package history
