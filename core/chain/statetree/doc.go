// Package statetree hashes the state of the chain (unspent outputs, tokens, balances of
// tokens) into one root, and proves to somebody who knows the root what the state holds
// under a key, or that it holds nothing.
//
// It is a sparse Merkle tree over keys that are hashes themselves. A subtree without a
// leaf has the hash zero, one with a single leaf has that leaf's hash, and any other the
// hash of its halves, so that a proof is as long as the logarithm of the number of leaves.
//
// The tree is in memory and read from the chain's records when the chain is opened; the
// store keeps the root of the tip. The records are in memory too and are read at every start, and nodes in
// the store would be written again with each block, many times the size of its records.
// What the store holds is checked against the root that it has kept, and so found to be
// damaged before the node acts on it.
//
// Invariant: the root is a function of the records, whatever the order of the changes.
package statetree
