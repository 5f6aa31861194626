// Package tendermint makes coins of the Cosmos family: a chain's own coin and the IBC
// assets on it, which core/wallet/coin keeps as active. It checks what a user asks to be
// activated, finds out which nodes can be used, and gives the coins what they do:
// balances that are asked for once however many want them, sending, history, and word
// of changes. The parts are in the packages below; this one puts them together. It
// knows no method and no error kind of the node interface.
//
// Sources: spec, enable_tendermint_with_assets and enable_tendermint_token; Komodo DeFi
// Framework coins/tendermint (tendermint_coin.rs, tendermint_token.rs,
// tendermint_balance_events.rs) and coins_activation for the order of checks and the
// texts of errors.
//
// Invariant: a coin is active with all that was asked for, and its nodes were on its
// chain when it was activated, or nothing has changed.
package cosmos
