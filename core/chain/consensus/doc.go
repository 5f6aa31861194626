// Package consensus judges transactions and blocks: state in, verdict out. It reads
// nothing and keeps nothing; the caller brings spent coins, heights and medians.
//
// It does not know where blocks come from (package engine) nor what a mempool
// would rather not relay (package mempool). Source: komodod main.cpp, and the
// sections of it that each function names.
//
// Invariant: a verdict depends on the arguments alone, so every node that agrees on
// the parameters agrees on the chain.
package consensus
