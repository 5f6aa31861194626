package statetree

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"obverse/core/chain"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

// Hash is a key of the tree, or the hash of a subtree.
type Hash = [32]byte

// Tags at the start of hashed data, which distinguish leaves from inner nodes.
const (
	tagLeaf  = 0
	tagInner = 1
)

// maxDepth is the number of bits in a key.
const maxDepth = 8 * len(Hash{})

// Leaf is a key of the tree with its value.
type Leaf struct {
	Key   Hash
	Value string
}

func (l *Leaf) hash() Hash {
	b := make([]byte, 0, 256)
	b = append(append(b, tagLeaf), l.Key[:]...)
	return sha256.Sum256(append(b, l.Value...))
}

func hashInner(left, right Hash) Hash {
	b := [1 + 2*len(Hash{})]byte{tagInner}
	copy(b[1:], left[:])
	copy(b[1+len(left):], right[:])
	return sha256.Sum256(b[:])
}

// Change sets the value of a key, or removes the key.
type Change struct {
	Leaf
	Delete bool
}

// Tree is a version of the tree. Changes create another version, which shares the unchanged
// nodes with it. The zero Tree is empty.
type Tree struct{ root *node }

// node is the root of a nonempty subtree: a leaf or two halves, one of which may be empty.
type node struct {
	hash        Hash
	left, right *node
	leaf        *Leaf // nil if the node has two halves
}

func (n *node) sum() Hash {
	if n == nil {
		return Hash{}
	}
	return n.hash
}

// Root returns the hash of the whole tree.
func (t Tree) Root() Hash { return t.root.sum() }

// Apply returns the version after the changes, which must not contain a key twice. It sorts the
// changes.
func (t Tree) Apply(changes []Change) Tree {
	slices.SortFunc(changes, func(a, b Change) int { return bytes.Compare(a.Key[:], b.Key[:]) })
	return Tree{apply(t.root, 0, changes)}
}

func apply(n *node, depth int, changes []Change) *node {
	switch {
	case len(changes) == 0:
		return n
	case n == nil:
		return build(nil, depth, changes)
	case n.leaf != nil:
		return build(n, depth, changes)
	}
	cut := split(changes, depth)
	left, right := apply(n.left, depth+1, changes[:cut]), apply(n.right, depth+1, changes[cut:])
	if left == n.left && right == n.right {
		return n
	}
	return join(left, right)
}

// build returns the subtree for sorted changes and the single leaf that was there before, if
// any.
func build(alone *node, depth int, changes []Change) *node {
	if len(changes) == 0 {
		return alone
	}
	if alone == nil && len(changes) == 1 {
		return newLeaf(changes[0])
	}
	if alone != nil && len(changes) == 1 && changes[0].Key == alone.leaf.Key {
		return newLeaf(changes[0])
	}
	cut := split(changes, depth)
	var left, right *node
	if alone != nil && bit(&alone.leaf.Key, depth) {
		right = alone
	} else {
		left = alone
	}
	return join(build(left, depth+1, changes[:cut]), build(right, depth+1, changes[cut:]))
}

func newLeaf(c Change) *node {
	if c.Delete {
		return nil
	}
	leaf := c.Leaf
	return &node{hash: leaf.hash(), leaf: &leaf}
}

// join returns a node with two halves. If only a single leaf remains, join returns the leaf.
func join(left, right *node) *node {
	switch {
	case left == nil && (right == nil || right.leaf != nil):
		return right
	case right == nil && left.leaf != nil:
		return left
	}
	return &node{hash: hashInner(left.sum(), right.sum()), left: left, right: right}
}

// bit returns the direction of a key at a depth: true means right.
func bit(key *Hash, depth int) bool { return key[depth/8]>>(7-depth%8)&1 != 0 }

// split returns the number of changes in the left half.
func split(changes []Change, depth int) int {
	cut, _ := slices.BinarySearchFunc(changes, true, func(c Change, _ bool) int {
		if bit(&c.Key, depth) {
			return 0
		}
		return -1
	})
	return cut
}

// KeyOf returns the tree's key of a record of the chain (chain.CoinKey, chain.TokenKey,
// chain.TokenBalanceKey).
func KeyOf(record string) Hash { return sha256.Sum256([]byte(record)) }

// AppHash returns the hash that validators sign. It covers the last block, its height, and the
// state after it.
func AppHash(tip wire.Hash, height int, root Hash) Hash {
	b := append([]byte("obverse state 1\x00"), tip[:]...)
	b = wire.AppendUint32(b, uint32(height))
	return sha256.Sum256(append(b, root[:]...))
}

// valueOf returns the value of a record in the tree. For a coin it is the record itself, for a
// balance the sum (8 bytes, little-endian), and for a token the fields of tokeninfo.
func valueOf(v *chain.View, key, data string) (string, error) {
	switch key[0] {
	case chain.StateBalances:
		if len(data) < 8 {
			return "", fmt.Errorf("%w: sums %x: %w", chain.ErrCorrupt, key, wire.ErrShort)
		}
		return data[:8], nil
	case chain.StateTokens:
		t, err := v.Token(wire.Hash([]byte(key[1:])))
		if errors.Is(err, chain.ErrNotFound) { // the transaction in the record is not in the chain
			err = fmt.Errorf("%w: token %x: %w", chain.ErrCorrupt, key[1:], err)
		}
		if err != nil {
			return "", err
		}
		return string(appendToken(nil, &t)), nil
	}
	return data, nil
}

// appendToken encodes a token: supply (8 bytes), height of its creation (4), whether it was
// imported (1), followed by owner, name, description and data, each preceded by its size.
func appendToken(b []byte, t *chain.Token) []byte {
	b = wire.AppendInt64(b, t.Supply)
	b = wire.AppendUint32(b, uint32(t.Height))
	imported := byte(0)
	if t.Imported {
		imported = 1
	}
	b = append(b, imported)
	p := t.Payload
	for _, field := range [][]byte{p.Owner, []byte(p.Name), []byte(p.Description), p.Blob(token.NFTData)} {
		b = wire.AppendVarBytes(b, field)
	}
	return b
}

// ErrRoot is returned by Proof.Verify for a proof of another tree or of another key.
var ErrRoot = errors.New("proof does not lead to the state root")

// Proof proves the value under a key of a tree, or its absence. It contains the path to the
// key, which ends at the key's leaf, at the single leaf of a subtree, or at an empty subtree.
type Proof struct {
	Leaf     *Leaf  // nil for an empty subtree
	Siblings []Hash // starting at the root
}

// Prove returns a proof for a key.
func (t Tree) Prove(key Hash) Proof {
	var p Proof
	n := t.root
	for depth := 0; n != nil && n.leaf == nil; depth++ {
		next, other := n.left, n.right
		if bit(&key, depth) {
			next, other = other, next
		}
		p.Siblings = append(p.Siblings, other.sum())
		n = next
	}
	if n != nil {
		p.Leaf = n.leaf
	}
	return p
}

// Verify checks the proof against a root and returns the value under the key; ok is false if
// the tree does not contain the key.
func (p Proof) Verify(root, key Hash) (value string, ok bool, err error) {
	if len(p.Siblings) > maxDepth {
		return "", false, fmt.Errorf("proof has %d siblings, limit %d", len(p.Siblings), maxDepth)
	}
	var hash Hash
	if p.Leaf != nil {
		hash = p.Leaf.hash()
	}
	for depth := len(p.Siblings) - 1; depth >= 0; depth-- {
		if bit(&key, depth) {
			hash = hashInner(p.Siblings[depth], hash)
		} else {
			hash = hashInner(hash, p.Siblings[depth])
		}
	}
	if hash != root {
		return "", false, ErrRoot
	}
	if p.Leaf == nil || p.Leaf.Key != key {
		return "", false, nil
	}
	return p.Leaf.Value, true, nil
}
