// Package statetree hashes the state of the chain (unspent outputs, tokens, balances of
// tokens) into one root, and proves to somebody who knows the root what the state holds
// under a key, or that it holds nothing.
//
// It is a sparse Merkle tree over keys that are hashes themselves. A subtree without a
// leaf has the hash zero, one with a single leaf has that leaf's hash, and any other the
// hash of its halves, so that a proof is as long as the logarithm of the number of leaves.
//
// The tree is in memory, some 200 bytes a leaf, and made of the chain's records when the
// chain is opened; the store keeps the root alone. The records are in memory and read at
// every start anyway, and inner nodes in the store would be rewritten with each
// block, many times the size of what changed. A store whose records do not have the root
// that it kept is damaged, and refused.
//
// Invariant: the root is a function of the records, whatever the order of the changes.
package statetree
