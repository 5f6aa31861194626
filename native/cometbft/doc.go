// Package cometbft runs the token chain among several validators with CometBFT, which distributes
// transactions and decides on their order; engine.Shared executes blocks. Apart from tests, it is the only
// package that imports CometBFT.
//
// CometBFT decides on its own blocks, which contain transactions in Komodo's encoding. A block with valid
// transactions becomes one Komodo block. A block without valid transactions becomes no Komodo block and does not
// change the app hash, because CometBFT makes further blocks as long as the app hash changes.
//
// Invariant: everything that CometBFT considers committed is durable in the node's store.
package cometbft
