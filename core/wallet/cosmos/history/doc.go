// Package history determines the effects of transactions of a Cosmos chain on one address, and
// stores them. It loads transactions from nodes in the background, stores their effects, and
// returns pages of the history. It does not connect to nodes itself.
//
// The amounts that an address spent and received are taken from the coin_spent and
// coin_received events of the bank module, which accompany every change of a balance. The
// senders, the receivers and the kind are taken from the events of the other modules.
//
// Sources: Cosmos SDK x/bank, x/staking and x/distribution (events.go of each), ibc-go
// modules/apps/transfer, irismod modules/htlc; CometBFT rpc/core/tx.go (tx_search);
// Komodo DeFi Framework coins/tendermint/tendermint_tx_history_v2.rs for the entries.
//
// Invariant: For each denom, the sum of received minus spent over the entries of a transaction
// is exactly the change of the address's balance.
package history
