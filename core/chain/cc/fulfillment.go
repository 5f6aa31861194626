package cc

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
)

// Limits of a fulfillment from an untrusted sender. They also bound the number of nodes, since
// each takes at least four bytes. Scripts allow 2048 bytes.
const (
	MaxSize  = 10000 // in bytes: the size of komodod's buffer for a fulfillment (script/cc.cpp CCSig)
	MaxDepth = 32    // number of nodes from the root to a leaf
)

// DecodeFulfillment decodes the tree that b fulfills. The result shares memory with b. Members
// that a threshold does not need are hidden. Like komodod's malleability check, it refuses
// bytes that Encode would not return.
func DecodeFulfillment(b []byte) (*Node, error) {
	if len(b) > MaxSize {
		return nil, fmt.Errorf("fulfillment of %d bytes: %w", len(b), ErrTooLarge)
	}
	p := parser{in: b, end: len(b)}
	n := p.fulfillment()
	if p.shut(0); p.err != nil {
		return nil, fmt.Errorf("fulfillment: %w", p.err)
	}
	return n, nil
}

// node returns a node from a preallocated slice of four, which is enough for the tree of most
// outputs.
func (p *parser) node() *Node {
	if len(p.spare) == 0 {
		p.spare = make([]Node, 4)
	}
	n := &p.spare[0]
	p.spare = p.spare[1:]
	return n
}

func (p *parser) fulfillment() *Node {
	n := p.node()
	if p.depth++; p.depth > MaxDepth {
		p.fail(ErrTooDeep)
	}
	n.Kind = p.kind()
	if p.err != nil {
		return n
	}
	outer := p.open(n.Kind.tag())
	switch n.Kind {
	case Preimage, Eval:
		n.Data = p.octets(tagPrimitive)
	case Prefix:
		p.prefix(n)
	case Threshold:
		p.threshold(n)
	case Ed25519:
		n.PublicKey, n.Signature = p.fixed(tagPrimitive, ed25519KeySize), p.fixed(tagPrimitive|1, signatureSize)
	case Secp256k1:
		// Any 33 bytes are accepted as a key: HasKeys and signature checks verify that it is a
		// point.
		n.PublicKey, n.Signature = p.fixed(tagPrimitive, secp256k1KeySize), p.fixed(tagPrimitive|1, signatureSize)
	}
	p.shut(outer)
	p.depth--
	return n
}

func (p *parser) prefix(n *Node) {
	n.Data = p.octets(tagPrimitive)
	n.MaxMessageLen = p.integer(tagPrimitive | 1)
	outer := p.open(tagConstructed | 2)
	n.Subs = []*Node{p.fulfillment()}
	p.shut(outer)
}

// threshold reads the fulfilled members and the conditions of the others. The value of the
// threshold is the number of the fulfilled members.
func (p *parser) threshold(n *Node) {
	n.Subs = make([]*Node, 0, 2)
	outer := p.open(tagConstructed)
	for member := []byte(nil); p.more(); n.Threshold++ {
		start := p.pos
		n.Subs = append(n.Subs, p.fulfillment())
		member = p.ordered(member, start)
	}
	p.shut(outer)
	outer = p.open(tagConstructed | 1)
	for member := []byte(nil); p.more(); {
		start := p.pos
		hidden := p.condition()
		n.Subs = append(n.Subs, &Node{Kind: hidden.Kind, Hidden: &hidden})
		member = p.ordered(member, start)
	}
	p.shut(outer)
}

// Encode returns the fulfillment of the tree, or ErrUnfulfilled if a required leaf is unsigned.
func (n *Node) Encode() ([]byte, error) {
	if !n.isFulfilled() {
		return nil, fmt.Errorf("%w: %v", ErrUnfulfilled, n.Kind)
	}
	return n.encode(), nil
}

// encode returns the encoding of a fulfilled node.
func (n *Node) encode() []byte {
	var fields []byte
	switch n.Kind {
	case Preimage, Eval:
		fields = appendElement(nil, tagPrimitive, n.Data)
	case Ed25519, Secp256k1:
		fields = appendElement(nil, tagPrimitive, n.PublicKey)
		fields = appendElement(fields, tagPrimitive|1, n.Signature)
	case Prefix:
		fields = appendElement(nil, tagPrimitive, n.Data)
		fields = appendInteger(fields, tagPrimitive|1, n.MaxMessageLen)
		fields = appendElement(fields, tagConstructed|2, n.Subs[0].encode())
	case Threshold:
		fulfilled, hidden := n.members()
		fields = appendElement(nil, tagConstructed, fulfilled...)
		fields = appendElement(fields, tagConstructed|1, hidden...)
	}
	return appendElement(nil, n.Kind.tag(), fields)
}

// members encodes the members of a threshold: the cheapest fulfilled members as fulfillments,
// as many as the threshold requires, and the others as conditions (threshold.c
// thresholdToFulfillment). Members with equal cost keep the order of the tree.
func (n *Node) members() (fulfilled, hidden [][]byte) {
	subs := slices.Clone(n.Subs)
	sort.SliceStable(subs, func(a, b int) bool { return subs[a].Condition().Cost < subs[b].Condition().Cost })
	for _, sub := range subs {
		if len(fulfilled) < n.Threshold && sub.isFulfilled() {
			fulfilled = append(fulfilled, sub.encode())
		} else {
			hidden = append(hidden, sub.Condition().Encode())
		}
	}
	sortSet(fulfilled)
	sortSet(hidden)
	return fulfilled, hidden
}

// Sizes of keys and signatures, in bytes.
const (
	ed25519KeySize   = 32
	secp256k1KeySize = 33
	signatureSize    = 64
)

// Node is a node of a condition tree. A tree is fulfilled if enough of its leaves are signed.
// If Hidden is set, only the condition of the node is known, and the other fields are ignored.
type Node struct {
	Kind          Kind
	Data          []byte  // preimage, prefix or eval code
	PublicKey     []byte  // 32 bytes for Ed25519, 33 for Secp256k1
	Signature     []byte  // 64 bytes, or empty if unsigned
	Threshold     int     // number of Subs that must be fulfilled
	Subs          []*Node // members of a threshold, or the single subcondition of a prefix
	MaxMessageLen uint64  // for a prefix, in bytes
	Hidden        *Condition
}

// NewEval returns a condition that a module evaluates. The first byte of code identifies the
// module.
func NewEval(code ...byte) *Node { return &Node{Kind: Eval, Data: code} }

// NewSecp256k1 returns a condition that a signature by the compressed key fulfills.
func NewSecp256k1(pub []byte) *Node { return &Node{Kind: Secp256k1, PublicKey: pub} }

// NewThreshold returns a condition that is fulfilled by t of subs.
func NewThreshold(t int, subs ...*Node) *Node {
	return &Node{Kind: Threshold, Threshold: t, Subs: subs}
}

// Walk calls visit for every node of the tree, including hidden nodes, with parents before
// their children.
func (n *Node) Walk(visit func(*Node)) {
	visit(n)
	for _, sub := range n.Subs {
		sub.Walk(visit)
	}
}

// Kinds returns the set of all kinds in the tree, including the subtypes of hidden conditions
// (cc_typeMask).
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

// Fill sets the 64-byte signature on every secp256k1 leaf with the key pub, and returns the
// number of these leaves.
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
