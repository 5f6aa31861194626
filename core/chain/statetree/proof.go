package statetree

import (
	"errors"
	"fmt"
)

// ErrRoot is the error of Proof.Verify for a proof of another tree, or of another key.
var ErrRoot = errors.New("proof does not lead to the state root")

// Proof shows what a tree holds under a key. It ends where the key's path ends: in its
// own leaf, in another one that stands alone there, or in nothing.
type Proof struct {
	Leaf     *Leaf  // nil: nothing
	Siblings []Hash // from the root down
}

// Prove finds a key.
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

// Verify checks the proof against a root and returns what the tree of that root holds
// under the key; ok is false if it holds nothing.
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
