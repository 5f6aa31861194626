// Package statetree hashes the state of the chain (unspent outputs, tokens, balances of tokens)
// into one root, and proves the value under a key, or its absence, to anyone who knows the
// root.
//
// The state is a sparse Merkle tree whose keys are hashes. The hash of an empty subtree is
// zero, the hash of a subtree with one leaf is the leaf's hash, and the hash of any other
// subtree is the hash of its two halves. The length of a proof is therefore logarithmic in the
// number of leaves.
//
// The tree is kept in memory, with about 200 bytes per leaf. It is built from the chain's
// records when the chain is opened. The store only holds the root: the records are in memory
// and read at every start anyway, and storing inner nodes would rewrite many times the size of
// the change with each block. If the records do not match the stored root, the store is corrupt
// and is refused.
//
// Invariant: The root is a function of the records. It does not depend on the order of the
// changes.
package statetree
