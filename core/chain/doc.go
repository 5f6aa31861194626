// Package chain maintains the chain of blocks: it selects the best branch, connects and
// disconnects blocks, and maintains the indexes that all queries read. Package consensus
// contains the rules, package engine produces blocks, and package mempool holds unconfirmed
// transactions.
//
// A list of effects (consensus.Effects) describes everything that a block changes. Connecting a
// block writes the effects to the tables (index.go); disconnecting it reverts them with the
// same code, so that undoing a block needs only the coins it spent and cannot forget an index.
// A change of the chain, however many blocks it connects or disconnects, is one batch in the
// store.
//
// Invariant: the indexes are a function of the blocks from genesis to the tip.
package chain
