package cc

import "bytes"

// Sizes of keys and signatures, in bytes.
const (
	ed25519KeySize   = 32
	secp256k1KeySize = 33
	signatureSize    = 64
)

// Node is a tree of conditions, fulfilled as far as its leaves are signed. Of a
// node that is Hidden only the condition is known, and nothing else counts.
type Node struct {
	Kind          Kind
	Data          []byte  // preimage, prefix or eval code
	PublicKey     []byte  // 32 bytes of Ed25519, 33 of Secp256k1
	Signature     []byte  // 64 bytes, empty while unsigned
	Threshold     int     // how many of Subs it takes
	Subs          []*Node // of a threshold, and exactly one of a prefix
	MaxMessageLen uint64  // of a prefix, in bytes
	Hidden        *Condition
}

// NewEval is a condition that a module decides. The first byte of code names it.
func NewEval(code ...byte) *Node { return &Node{Kind: Eval, Data: code} }

// NewSecp256k1 is a condition that a signature by the compressed key fulfills.
func NewSecp256k1(pub []byte) *Node { return &Node{Kind: Secp256k1, PublicKey: pub} }

// NewThreshold is a condition that t of subs fulfill.
func NewThreshold(t int, subs ...*Node) *Node {
	return &Node{Kind: Threshold, Threshold: t, Subs: subs}
}

// Walk visits the tree from its root, children in order and hidden ones too.
func (n *Node) Walk(visit func(*Node)) {
	visit(n)
	for _, sub := range n.Subs {
		sub.Walk(visit)
	}
}

// Kinds is the set of all kinds in the tree, and of those that hidden conditions
// say are below them (cc_typeMask).
func (n *Node) Kinds() Mask {
	if n.Hidden != nil {
		return n.Hidden.kinds()
	}
	m := n.Kind.mask()
	for _, sub := range n.Subs {
		m |= sub.Kinds()
	}
	return m
}

// Fill puts a 64-byte signature on every secp256k1 leaf of that key, and returns
// how many there are.
func (n *Node) Fill(pub, sig []byte) (filled int) {
	n.Walk(func(leaf *Node) {
		if leaf.Hidden == nil && leaf.Kind == Secp256k1 && bytes.Equal(leaf.PublicKey, pub) {
			leaf.Signature = bytes.Clone(sig)
			filled++
		}
	})
	return filled
}

// isFulfilled reports whether Encode would succeed.
func (n *Node) isFulfilled() bool {
	if n.Hidden != nil {
		return false
	}
	switch n.Kind {
	case Preimage, Eval:
		return true
	case Ed25519, Secp256k1:
		return len(n.Signature) == signatureSize
	case Prefix:
		return n.Subs[0].isFulfilled()
	case Threshold:
		fulfilled := 0
		for _, sub := range n.Subs {
			if sub.isFulfilled() {
				fulfilled++
			}
		}
		return fulfilled >= n.Threshold
	}
	return false
}
