// Package hd keeps which accounts and addresses of an HD wallet a coin has, finds those that
// were used, and adds up what they hold. It derives no key and asks no node: the coin does.
//
// Addresses of an account are numbered without gaps, on each of its two chains. How many are
// known is kept in the store, by coin and wallet. The coin's own address is known, always.
//
// Sources: BIP 44, for accounts, chains and the gap limit; Komodo DeFi Framework
// coins/hd_wallet and coins/coin_balance.rs, for when an address is known.
//
// Invariant: what was known stays known, after every crash and with every answer of nodes.
package hd
