// Package cometbft runs the token chain among several validators with CometBFT, which carries
// transactions and decides on their order; engine.Shared executes blocks. It is the only
// package that imports CometBFT.
//
// CometBFT decides on its own blocks, of transactions in their Komodo form. A block with valid
// transactions makes one Komodo block. A block without makes no Komodo block and does not
// change the app hash, since CometBFT keeps making blocks while that changes.
//
// Invariant: all that CometBFT considers committed is durable in the node's store.
package cometbft
