// Package engine decides who makes blocks. Solo is a chain with one producer, whose
// signature takes the place of proof of work; AnyProducer takes blocks from anyone,
// as a replay needs it; Validators takes those of a Shared, which several validators run
// behind an engine that gives all of them the same transactions. The rest of the chain does
// not know which is in force.
//
// Invariant: a block that a Producer makes is one that the manager accepts.
package engine
