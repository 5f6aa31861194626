package cc

import (
	"fmt"
	"slices"
	"sort"
)

// Limits for a fulfillment from an untrusted sender. They also bound the number of nodes, since
// each takes at least four bytes. Scripts allow 2048 bytes.
const (
	MaxSize  = 10000 // bytes: upstream's buffer for a fulfillment (script/cc.cpp CCSig)
	MaxDepth = 32    // nodes from the root to a leaf
)

// DecodeFulfillment reads the tree that b fulfills, of which it keeps parts. Members
// that a threshold does without are hidden. Bytes that Encode would not give are
// refused, as upstream's malleability check does.
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

// node takes a node from a stock: four are the tree of most outputs.
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
		// The key is any 33 bytes: HasKeys and signature checks ask for a point.
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

// threshold reads the fulfilled members and the conditions of the others. The
// threshold itself is the number of the fulfilled.
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

// Encode returns the bytes that fulfill the tree, or ErrUnfulfilled while a leaf
// that it needs is unsigned.
func (n *Node) Encode() ([]byte, error) {
	if !n.isFulfilled() {
		return nil, fmt.Errorf("%w: %v", ErrUnfulfilled, n.Kind)
	}
	return n.encode(), nil
}

// encode is for fulfilled nodes.
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

// members fulfills the cheapest members that can be, as many as it takes, and shows
// the conditions of the others (threshold.c thresholdToFulfillment). Among members
// of one cost the first in the tree go first.
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
