// Package consensus implements the rules of the chain: Apply takes a state and a block, and
// returns the block's effects or an error if the block is invalid. The package keeps no state
// and has no store, clock or randomness: the caller provides heights, median times and a
// Ledger, and stores the effects. The mempool uses the rules for single transactions as well.
//
// It does not know where blocks come from (package engine) nor which transactions a mempool
// does not relay (package mempool). Source: komodod main.cpp, and the functions of it that the
// comments name.
//
// Invariant: a result depends on the arguments alone, so that all nodes that agree on the
// parameters agree on the chain.
package consensus
