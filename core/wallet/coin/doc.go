// Package coin knows the coins that a node can work with and those that it works
// with now. Entries come from a coins file in the public coins list's format, their
// protocols are read when somebody asks, a Registry finds them by ticker, and Active
// is the state machine of activation, kept in the store. It speaks to no chain: what
// a coin does is an interface that other packages fill.
//
// Sources: spec, States and Errors; the `coins` file of github.com/KomodoPlatform/coins;
// Komodo DeFi Framework coins/lp_coins.rs (CoinProtocol, CoinsContext) and
// coins_activation for the order of checks.
//
// Invariant: a coin has at most one activation at work at any time, a token is active
// only while its platform is, and what the store says of a coin is what a restart
// brings back.
package coin
