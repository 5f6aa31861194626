// Package consensus is the rules of the chain: Apply takes a state and a block and
// gives the block's effects, or the verdict against it. It keeps nothing and has no
// store, clock or randomness: the caller brings heights, medians and a Ledger to ask,
// and keeps the effects. The rules of single transactions serve the mempool as well.
//
// It does not know where blocks come from (package engine) nor what a mempool
// would rather not relay (package mempool). Source: komodod main.cpp, and the
// sections of it that each function names.
//
// Invariant: a verdict depends on the arguments alone, so every node that agrees on
// the parameters agrees on the chain.
package consensus
