// Package mempool keeps the transactions that wait for a block: it judges them with
// komodod's checks in komodod's order, follows the chain, and survives a restart.
//
// It does not make blocks (package engine), talk to peers, or replace a transaction
// by one that pays more; upstream does not either. Source: komodod main.cpp
// AcceptToMemoryPool, rpc/rawtransaction.cpp, txmempool.cpp.
//
// What the pool holds belongs to one tip: it changes only inside Manager.Update and
// with the chain itself, and its lookups are for use inside Manager.Read. A
// transaction is durable before Accept returns, and leaves only for a block, or
// because no block could hold it any more.
//
// Invariant: every input in the pool spends an output that exists, in the chain or
// in the pool, and that no other input in the pool spends.
package mempool
