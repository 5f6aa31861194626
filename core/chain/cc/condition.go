package cc

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"sort"
	"strings"
)

// Condition is the public part of a condition tree. An output commits to it.
type Condition struct {
	Kind        Kind
	Fingerprint [32]byte
	Cost        uint64
	Subtypes    Mask // kinds of the subconditions, for prefix and threshold
}

// DecodeCondition decodes a condition, which must be all of b. For an RSA condition it returns
// ErrUnsupported (cryptoconditions.c getTypeByAsnEnum knows no RSA).
func DecodeCondition(b []byte) (Condition, error) {
	p := parser{in: b, end: len(b)}
	c := p.condition()
	if p.shut(0); p.err != nil {
		return Condition{}, fmt.Errorf("condition: %w", p.err)
	}
	return c, nil
}

func (p *parser) condition() (c Condition) {
	c.Kind = p.kind()
	outer := p.open(c.Kind.tag())
	copy(c.Fingerprint[:], p.fixed(tagPrimitive, len(c.Fingerprint)))
	c.Cost = p.integer(tagPrimitive | 1)
	if c.Kind.isCompound() {
		c.Subtypes = p.mask(tagPrimitive | 2)
	}
	p.shut(outer)
	return c
}

// Encode returns the encoded condition, which is shorter than 56 bytes.
func (c Condition) Encode() []byte { return c.append(make([]byte, 0, 56)) }

// append appends the encoded condition. One length byte is enough for the whole, since no
// condition has 128 bytes.
func (c Condition) append(dst []byte) []byte {
	dst = append(dst, c.Kind.tag(), 0)
	start := len(dst)
	dst = appendElement(dst, tagPrimitive, c.Fingerprint[:])
	dst = appendInteger(dst, tagPrimitive|1, c.Cost)
	if c.Kind.isCompound() {
		dst = appendMask(dst, tagPrimitive|2, c.Subtypes)
	}
	dst[start-1] = byte(len(dst) - start)
	return dst
}

// URI returns the condition's text form (RFC 6920). Subtypes are sorted by their numbers, as in
// komodod.
func (c Condition) URI() string {
	var s strings.Builder
	fmt.Fprintf(&s, "ni:///sha-256;%s?fpt=%v&cost=%d",
		base64.RawURLEncoding.EncodeToString(c.Fingerprint[:]), c.Kind, c.Cost)
	if !c.Kind.isCompound() {
		return s.String()
	}
	separator := "&subtypes="
	for k := range Kind(32) {
		if c.Subtypes&k.mask() != 0 {
			s.WriteString(separator + k.String())
			separator = ","
		}
	}
	return s.String()
}

// kinds returns the set of the condition's own kind and its subtypes.
func (c Condition) kinds() Mask { return c.Kind.mask() | c.Subtypes }

// Kind is a type of crypto-condition. Its value is the number used on the wire.
type Kind uint8

// Kinds of conditions. RSA conditions are known, but RSA fulfillments are not supported.
const (
	Preimage  Kind = 0
	Prefix    Kind = 1
	Threshold Kind = 2
	RSA       Kind = 3
	Ed25519   Kind = 4
	Secp256k1 Kind = 5
	Eval      Kind = 15
)

var kindNames = [16]string{
	Preimage:  "preimage-sha-256",
	Prefix:    "prefix-sha-256",
	Threshold: "threshold-sha-256",
	RSA:       "rsa-sha-256",
	Ed25519:   "ed25519-sha-256",
	Secp256k1: "secp256k1-sha-256",
	Eval:      "eval-sha-256",
}

// String returns the name of the kind in URIs.
func (k Kind) String() string {
	if k.isKnown() {
		return kindNames[k]
	}
	return fmt.Sprintf("kind-%d", uint8(k))
}

func (k Kind) isKnown() bool { return int(k) < len(kindNames) && kindNames[k] != "" }

// isCompound reports whether the kind has subconditions. Conditions of such kinds list the
// kinds of their subconditions.
func (k Kind) isCompound() bool { return k == Prefix || k == Threshold }

// Mask is a set of kinds. Bit k is set if the set contains kind k.
type Mask = uint32

func (k Kind) mask() Mask { return 1 << k }

// Costs of verifying a node (cryptoconditions/src).
const (
	signatureCost = 131072
	evalCost      = 1048576
	compoundCost  = 1024 // for a prefix, and for each member of a threshold
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

// fingerprint returns the hash of a SEQUENCE of fields.
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

// thresholdCondition returns the condition of a threshold. Its cost includes the costs of the
// most expensive members, as many as the threshold requires.
func (n *Node) thresholdCondition() Condition {
	c := Condition{Kind: Threshold, Cost: compoundCost * uint64(len(n.Subs))}
	members, costs := make([][]byte, 0, 4), make([]uint64, 0, 4)
	encoded := make([]byte, 0, 192) // large enough for every tree of the token module
	for _, sub := range n.Subs {
		member, start := sub.Condition(), len(encoded)
		encoded = member.append(encoded)
		members, costs = append(members, encoded[start:]), append(costs, member.Cost)
		c.Subtypes |= member.kinds()
	}
	c.Subtypes &^= Threshold.mask()
	sort.Slice(costs, func(a, b int) bool { return costs[a] < costs[b] }) // sort.Slice as in sortSet: slices.Sort would add 3 kB to a page
	for _, cost := range costs[max(0, len(costs)-n.Threshold):] {
		c.Cost += cost
	}
	sortSet(members)
	var room [256]byte
	fields := appendInteger(room[:0], tagPrimitive, uint64(n.Threshold))
	c.Fingerprint = fingerprint(appendElement(fields, tagConstructed|1, members...))
	return c
}

// sortSet sorts the members of a SET OF by their bytes.
func sortSet(members [][]byte) {
	sort.Slice(members, func(a, b int) bool { return bytes.Compare(members[a], members[b]) < 0 })
}
