package cc

import (
	"bytes"
	"crypto/sha256"
	"sort"
)

// Costs of checking a node (cryptoconditions/src).
const (
	signatureCost = 131072
	evalCost      = 1048576
	compoundCost  = 1024 // of a prefix, and of each member of a threshold
)

// Condition returns the condition that the tree fulfills. It does not depend on signatures.
func (n *Node) Condition() Condition {
	if n.Hidden != nil {
		return *n.Hidden
	}
	switch n.Kind {
	case Preimage:
		return Condition{Kind: Preimage, Fingerprint: sha256.Sum256(n.Data), Cost: uint64(len(n.Data))}
	case Eval:
		return Condition{Kind: Eval, Fingerprint: sha256.Sum256(n.Data), Cost: evalCost}
	case Prefix:
		return n.prefixCondition()
	case Threshold:
		return n.thresholdCondition()
	}
	var room [48]byte
	key := appendElement(room[:0], tagPrimitive, n.PublicKey)
	return Condition{Kind: n.Kind, Fingerprint: fingerprint(key), Cost: signatureCost}
}

// fingerprint is the hash of a SEQUENCE of fields.
func fingerprint(fields ...[]byte) [32]byte {
	var room [256]byte
	return sha256.Sum256(appendElement(room[:0], tagSequence, fields...))
}

func (n *Node) prefixCondition() Condition {
	sub := n.Subs[0].Condition()
	fields := appendElement(nil, tagPrimitive, n.Data)
	fields = appendInteger(fields, tagPrimitive|1, n.MaxMessageLen)
	fields = appendElement(fields, tagConstructed|2, sub.Encode())
	return Condition{
		Kind:        Prefix,
		Fingerprint: fingerprint(fields),
		Cost:        compoundCost + uint64(len(n.Data)) + n.MaxMessageLen + sub.Cost,
		Subtypes:    sub.kinds() &^ Prefix.mask(),
	}
}

// thresholdCondition costs as much as its dearest members that may have to be
// checked together.
func (n *Node) thresholdCondition() Condition {
	c := Condition{Kind: Threshold, Cost: compoundCost * uint64(len(n.Subs))}
	members, costs := make([][]byte, 0, 4), make([]uint64, 0, 4)
	encoded := make([]byte, 0, 192) // the members of every shape of the token module
	for _, sub := range n.Subs {
		member, start := sub.Condition(), len(encoded)
		encoded = member.append(encoded)
		members, costs = append(members, encoded[start:]), append(costs, member.Cost)
		c.Subtypes |= member.kinds()
	}
	c.Subtypes &^= Threshold.mask()
	sort.Slice(costs, func(a, b int) bool { return costs[a] < costs[b] }) // as members: what slices sorts with is 3 kB of a page
	for _, cost := range costs[max(0, len(costs)-n.Threshold):] {
		c.Cost += cost
	}
	sortSet(members)
	var room [256]byte
	fields := appendInteger(room[:0], tagPrimitive, uint64(n.Threshold))
	c.Fingerprint = fingerprint(appendElement(fields, tagConstructed|1, members...))
	return c
}

// sortSet puts members of a SET OF in the order of their bytes.
func sortSet(members [][]byte) {
	sort.Slice(members, func(a, b int) bool { return bytes.Compare(members[a], members[b]) < 0 })
}
