// Package statetree hashes the state of the chain (unspent outputs, tokens, balances of tokens)
// into one root, and proves the value under a key, or its absence, to anyone who knows the
// root.
//
// It is a sparse Merkle tree over keys that are hashes themselves. The hash of an empty subtree
// is zero, of a subtree with one leaf the leaf's hash, and of any other the hash of its halves.
// The length of a proof is therefore logarithmic in the number of leaves.
//
// The tree is in memory, about 200 bytes per leaf, and built from the chain's records when the
// chain is opened. The store only holds the root: the records are in memory and read at every
// start anyway, and storing inner nodes would rewrite many times the size of the change with
// each block. If the records do not match the stored root, the store is corrupt and is refused.
//
// Invariant: the root is a function of the records, whatever the order of the changes.
package statetree
