// Package cometbft runs the token chain among several validators with CometBFT, which
// carries transactions and decides on their order; what a block does is engine.Shared's.
// It is the only package that imports CometBFT.
//
// CometBFT decides on blocks of its own, of transactions in their Komodo form. Each with
// transactions that are valid makes one Komodo block; one without makes none and leaves the
// app hash as it is, since CometBFT keeps making blocks while that changes.
//
// Invariant: what CometBFT takes for committed is durable in the node's store.
package cometbft
