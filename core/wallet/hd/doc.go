// Package hd records the accounts and addresses of an HD wallet for each coin, discovers used
// addresses, and sums their balances. The coin derives the keys and queries the nodes.
//
// Addresses of an account are numbered without gaps on each of its two chains. The store holds
// the number of known addresses by coin and wallet. The coin's own address is always known.
//
// Sources: BIP 44, for accounts, chains and the gap limit; Komodo DeFi Framework
// coins/hd_wallet and coins/coin_balance.rs, for the addresses that are known.
//
// Invariant: A known address stays known, also after a crash and regardless of the answers of
// nodes.
package hd
