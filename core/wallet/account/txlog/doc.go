// Package txlog keeps what transactions meant for one account, for every family of chains:
// the rows in the store, pages of them, the work of loading that goes on behind them, and
// those who listen for what is new. A family reads its chain and puts records here.
//
// Invariant: what a page lists was put with its transaction, all of it or nothing.
package txlog
