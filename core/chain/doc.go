// Package chain keeps the chain of blocks: it decides which branch is the chain,
// connects and disconnects blocks, and keeps the indexes that every query reads.
// Rules are package consensus, producing blocks is package engine, transactions
// that wait are package mempool.
//
// Whatever a block changes is one list, consensus.Effects. Connecting writes it to the
// tables (index.go), disconnecting takes it back by the same code, so that undoing a
// block needs only the coins it spent and cannot forget an index. A change of the chain,
// however many blocks it takes, is one batch in the store.
//
// Invariant: the indexes are a function of the blocks from genesis to the tip.
package chain
