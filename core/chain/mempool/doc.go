// Package mempool stores the transactions that wait for a block. It validates them with
// komodod's checks in komodod's order, follows the chain, and survives a restart.
//
// It does not make blocks (package engine), talk to peers, or replace a transaction by one with
// a higher fee, which komodod does not do either. Source: komodod main.cpp AcceptToMemoryPool,
// rpc/rawtransaction.cpp, txmempool.cpp.
//
// The contents of the pool belong to one tip: they change only inside Manager.Update and
// together with the chain, and must be read inside Manager.Read. A transaction is durable
// before Accept returns. It leaves the pool only when a block includes it, or when no block can
// include it any more.
//
// Invariant: every input in the pool spends an existing output, in the chain or in the pool,
// and no two inputs in the pool spend the same output.
package mempool
