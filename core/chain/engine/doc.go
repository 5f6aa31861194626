// Package engine decides who makes blocks. Solo is for a chain with one producer, whose
// signature replaces proof of work. AnyProducer accepts blocks from anyone, which a replay
// needs. Validators accepts the blocks of a Shared, which several validators run with a
// consensus engine that delivers the same transactions to all of them. The rest of the chain
// does not know which of them is used.
//
// Invariant: the manager accepts every block that a Producer makes.
package engine
