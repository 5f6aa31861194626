// Package cosmos makes coins of the Cosmos family: native coins of chains and the IBC assets on
// them, for core/wallet/coin. It checks activation requests, probes the nodes, and implements
// balances, sending, history and events with the packages in its subdirectories. Concurrent
// queries of a balance share one request. The package does not depend on the daemon API.
//
// Sources: spec, enable_tendermint_with_assets and enable_tendermint_token; Komodo DeFi
// Framework coins/tendermint (tendermint_coin.rs, tendermint_token.rs,
// tendermint_balance_events.rs) and coins_activation for the order of checks and the
// texts of errors.
//
// Invariant: An activation succeeds as requested, with nodes that are on the chain, or changes
// nothing.
package cosmos
