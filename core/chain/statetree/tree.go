package statetree

import (
	"bytes"
	"crypto/sha256"
	"slices"
)

// Hash is a key of the tree, or the hash of a part of it.
type Hash = [32]byte

// What is hashed begins with a tag, so that a leaf is never taken for two halves.
const (
	tagLeaf  = 0
	tagInner = 1
)

// maxDepth is how many bits a key has.
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

// Tree is one version of the tree: changes make another version, which shares with it
// what they left alone. The zero Tree is empty.
type Tree struct{ root *node }

// node is the top of a subtree that is not empty: a leaf or two halves, of which one may
// be empty.
type node struct {
	hash        Hash
	left, right *node
	leaf        *Leaf // nil: two halves
}

func (n *node) sum() Hash {
	if n == nil {
		return Hash{}
	}
	return n.hash
}

// Root is the hash of the whole tree.
func (t Tree) Root() Hash { return t.root.sum() }

// Apply makes the version after changes, of which none may name a key twice. It sorts them.
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

// build makes the subtree of sorted changes and of a leaf that was there alone, if any.
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

// join makes a node of two halves. A leaf that is left alone moves up.
func join(left, right *node) *node {
	switch {
	case left == nil && (right == nil || right.leaf != nil):
		return right
	case right == nil && left.leaf != nil:
		return left
	}
	return &node{hash: hashInner(left.sum(), right.sum()), left: left, right: right}
}

// bit is a key's direction at a depth: true is right.
func bit(key *Hash, depth int) bool { return key[depth/8]>>(7-depth%8)&1 != 0 }

// split counts the changes of the left half.
func split(changes []Change, depth int) int {
	cut, _ := slices.BinarySearchFunc(changes, true, func(c Change, _ bool) int {
		if bit(&c.Key, depth) {
			return 0
		}
		return -1
	})
	return cut
}
