package cc

import (
	"bytes"
	"crypto/sha256"
	"slices"
)

// Sizes of keys and signatures.
const (
	ed25519KeySize   = 32
	secp256k1KeySize = 33
	signatureSize    = 64
)

// Costs of one check (cryptoconditions/src).
const (
	signatureCost = 131072
	evalCost      = 1048576
	nodeCost      = 1024
)

// Node is a tree of conditions, fulfilled as far as its leaves are signed. A leaf
// of which only the condition is known is Hidden.
type Node struct {
	Kind          Kind
	Data          []byte // preimage, prefix or eval code
	MaxMessageLen uint64 // of a prefix
	PublicKey     []byte // 32 bytes of ed25519, 33 of secp256k1
	Signature     []byte // 64 bytes, empty while unsigned
	Threshold     int
	Subs          []*Node // one for a prefix
	Hidden        *Condition
}

// NewEval is a condition that a module decides; code names it.
func NewEval(code ...byte) *Node { return &Node{Kind: Eval, Data: code} }

// NewSecp256k1 is a condition that a signature by pub fulfills.
func NewSecp256k1(pub []byte) *Node { return &Node{Kind: Secp256k1, PublicKey: pub} }

// NewThreshold is a condition that t of subs fulfill.
func NewThreshold(t int, subs ...*Node) *Node {
	return &Node{Kind: Threshold, Threshold: t, Subs: subs}
}

// Walk visits the tree from its root, children in order.
func (n *Node) Walk(visit func(*Node)) {
	visit(n)
	for _, sub := range n.Subs {
		sub.Walk(visit)
	}
}

// Kinds is the set of all kinds in the tree, those below hidden conditions too.
func (n *Node) Kinds() Mask {
	if n.Hidden != nil {
		return n.Hidden.Kind.mask() | n.Hidden.Subtypes
	}
	m := n.Kind.mask()
	for _, sub := range n.Subs {
		m |= sub.Kinds()
	}
	return m
}

// Fill puts a signature on every secp256k1 leaf of that key, and returns how many
// there are.
func (n *Node) Fill(pub, sig []byte) (filled int) {
	n.Walk(func(leaf *Node) {
		if leaf.Hidden == nil && leaf.Kind == Secp256k1 && bytes.Equal(leaf.PublicKey, pub) {
			leaf.Signature = bytes.Clone(sig)
			filled++
		}
	})
	return filled
}

// Condition is what the tree commits to. It does not depend on signatures.
func (n *Node) Condition() Condition {
	if n.Hidden != nil {
		return *n.Hidden
	}
	c := Condition{Kind: n.Kind, Fingerprint: sha256.Sum256(n.Data)}
	switch n.Kind {
	case Preimage:
		c.Cost = uint64(len(n.Data))
	case Eval:
		c.Cost = evalCost
	case Ed25519, Secp256k1:
		var field [64]byte
		c.Fingerprint = fingerprint(appendElement(field[:0], tagPrimitive, n.PublicKey))
		c.Cost = signatureCost
	case Prefix:
		n.prefixCondition(&c)
	case Threshold:
		n.thresholdCondition(&c)
	}
	return c
}

func fingerprint(contents []byte) [32]byte {
	var buf [256]byte
	return sha256.Sum256(appendElement(buf[:0], tagSequence, contents))
}

func (n *Node) prefixCondition(c *Condition) {
	sub := n.Subs[0].Condition()
	b := appendElement(nil, tagPrimitive, n.Data)
	b = appendElement(b, tagPrimitive|1, integer(n.MaxMessageLen))
	b = appendElement(b, tagConstructed|2, sub.Encode())
	c.Fingerprint = fingerprint(b)
	c.Cost = nodeCost + uint64(len(n.Data)) + n.MaxMessageLen + sub.Cost
	c.Subtypes = (sub.Kind.mask() | sub.Subtypes) &^ n.Kind.mask()
}

func (n *Node) thresholdCondition(c *Condition) {
	encoded := make([][]byte, len(n.Subs))
	costs := make([]uint64, len(n.Subs))
	for i, sub := range n.Subs {
		condition := sub.Condition()
		encoded[i], costs[i] = condition.Encode(), condition.Cost
		c.Subtypes |= condition.Kind.mask() | condition.Subtypes
	}
	c.Subtypes &^= n.Kind.mask()
	sortSet(encoded)
	b := appendElement(nil, tagPrimitive, integer(uint64(n.Threshold)))
	b = appendElement(b, tagConstructed|1, encoded...)
	c.Fingerprint = fingerprint(b)
	slices.Sort(costs)
	c.Cost = nodeCost * uint64(len(costs))
	for _, cost := range costs[max(0, len(costs)-n.Threshold):] {
		c.Cost += cost
	}
}

// sortSet orders the members of a DER SET OF.
func sortSet(members [][]byte) { slices.SortFunc(members, bytes.Compare) }
