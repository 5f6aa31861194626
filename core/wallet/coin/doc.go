// Package coin has the registry of known coins and the set of active ones. Entries come
// from a coins file in the format of the public coins list; their protocols are parsed on
// demand. Registry finds entries by ticker, and Active is the state machine of activation,
// saved in the store. The package connects to no chain: other packages implement Coin.
//
// Sources: spec, States and Errors; the `coins` file of github.com/KomodoPlatform/coins;
// Komodo DeFi Framework coins/lp_coins.rs (CoinProtocol, CoinsContext) and
// coins_activation for the order of checks.
//
// Invariant: a coin has at most one running activation, a token is active only while its
// platform is, and a restart restores exactly the coins in the store.
package coin
