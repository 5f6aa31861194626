// Package txlog stores the transaction history of accounts, for every family of chains: the rows in
// the store, pages of them, background loading, and watchers of new transactions. A family reads
// its chain and adds records.
//
// Invariant: the entries that a page lists were stored together with their transaction, all or
// none.
package txlog
