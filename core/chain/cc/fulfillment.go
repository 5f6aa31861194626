package cc

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
)

// Limits of a fulfillment that a stranger sends. Scripts allow 2048 bytes.
const (
	MaxFulfillmentSize = 1 << 16
	maxDepth           = 16
)

// DecodeFulfillment reads a tree from the bytes that fulfill it. The root's
// fulfilled part has its leaves, the rest is hidden.
func DecodeFulfillment(b []byte) (*Node, error) {
	if len(b) > MaxFulfillmentSize {
		return nil, fmt.Errorf("%w: %d bytes", ErrMalformed, len(b))
	}
	e, rest, err := readElement(b)
	if err != nil {
		return nil, err
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("%w: bytes after the fulfillment", ErrMalformed)
	}
	n, err := readNode(e, maxDepth)
	if err != nil {
		return nil, err
	}
	again, err := n.Encode()
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(again, b) {
		return nil, ErrNotCanonical
	}
	return n, nil
}

func readNode(e element, depth int) (*Node, error) {
	if e.tag&0xe0 != tagConstructed || depth == 0 {
		return nil, fmt.Errorf("%w: fulfillment tag %02x", ErrMalformed, e.tag)
	}
	n := &Node{Kind: Kind(e.tag &^ tagConstructed)}
	switch n.Kind {
	case Preimage, Eval:
		parts, err := fields(e.value, tagPrimitive)
		if err != nil {
			return nil, err
		}
		n.Data = parts[0].value
		return n, nil
	case Ed25519:
		return n, n.readSignature(e.value, ed25519KeySize)
	case Secp256k1:
		return n, n.readSignature(e.value, secp256k1KeySize)
	case Prefix:
		return n, n.readPrefix(e.value, depth)
	case Threshold:
		return n, n.readThreshold(e.value, depth)
	}
	return nil, fmt.Errorf("%w: %v", ErrUnsupported, n.Kind)
}

func (n *Node) readSignature(b []byte, keySize int) error {
	parts, err := fields(b, tagPrimitive, tagPrimitive|1)
	if err != nil {
		return err
	}
	n.PublicKey, n.Signature = parts[0].value, parts[1].value
	if len(n.PublicKey) != keySize || len(n.Signature) != signatureSize {
		return fmt.Errorf("%w: size of a key or signature", ErrMalformed)
	}
	return nil
}

func (n *Node) readPrefix(b []byte, depth int) error {
	parts, err := fields(b, tagPrimitive, tagPrimitive|1, tagConstructed|2)
	if err != nil {
		return err
	}
	n.Data = parts[0].value
	if n.MaxMessageLen, err = readInteger(parts[1].value); err != nil {
		return err
	}
	e, rest, err := readElement(parts[2].value)
	if err != nil || len(rest) > 0 {
		return fmt.Errorf("%w: fulfillment below a prefix", ErrMalformed)
	}
	sub, err := readNode(e, depth-1)
	n.Subs = []*Node{sub}
	return err
}

// readThreshold reads the fulfilled members and the conditions of the others. The
// threshold itself is the number of the fulfilled.
func (n *Node) readThreshold(b []byte, depth int) error {
	parts, err := fields(b, tagConstructed, tagConstructed|1)
	if err != nil {
		return err
	}
	for set := parts[0].value; len(set) > 0; n.Threshold++ {
		var e element
		if e, set, err = readElement(set); err != nil {
			return err
		}
		sub, err := readNode(e, depth-1)
		if err != nil {
			return err
		}
		n.Subs = append(n.Subs, sub)
	}
	for set := parts[1].value; len(set) > 0; {
		var e element
		if e, set, err = readElement(set); err != nil {
			return err
		}
		hidden, err := readCondition(e)
		if err != nil {
			return err
		}
		n.Subs = append(n.Subs, &Node{Kind: hidden.Kind, Hidden: &hidden})
	}
	return nil
}

// Encode returns the bytes that fulfill the tree, or ErrUnfulfilled while leaves
// that it needs are unsigned.
func (n *Node) Encode() ([]byte, error) {
	if n.Hidden != nil {
		return nil, ErrUnfulfilled
	}
	var b []byte
	switch n.Kind {
	case Preimage, Eval:
		b = appendElement(nil, tagPrimitive, n.Data)
	case Ed25519, Secp256k1:
		if len(n.Signature) == 0 {
			return nil, ErrUnfulfilled
		}
		b = appendElement(make([]byte, 0, 128), tagPrimitive, n.PublicKey)
		b = appendElement(b, tagPrimitive|1, n.Signature)
	case Prefix:
		sub, err := n.Subs[0].Encode()
		if err != nil {
			return nil, err
		}
		b = appendElement(nil, tagPrimitive, n.Data)
		b = appendElement(b, tagPrimitive|1, integer(n.MaxMessageLen))
		b = appendElement(b, tagConstructed|2, sub)
	case Threshold:
		var err error
		if b, err = n.encodeMembers(); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("%w: %v", ErrUnsupported, n.Kind)
	}
	return appendElement(make([]byte, 0, len(b)+4), tagConstructed|byte(n.Kind), b), nil
}

// encodeMembers fulfills the cheapest members that can be and shows the conditions
// of the others (cryptoconditions/src/threshold.c).
func (n *Node) encodeMembers() ([]byte, error) {
	members := slices.Clone(n.Subs)
	if len(members) > n.Threshold {
		slices.SortStableFunc(members, func(a, b *Node) int {
			return cmp.Compare(a.Condition().Cost, b.Condition().Cost)
		})
	}
	var fulfilled, conditions [][]byte
	for _, member := range members {
		if len(fulfilled) < n.Threshold {
			if b, err := member.Encode(); err == nil {
				fulfilled = append(fulfilled, b)
				continue
			}
		}
		conditions = append(conditions, member.Condition().Encode())
	}
	if len(fulfilled) < n.Threshold {
		return nil, ErrUnfulfilled
	}
	sortSet(fulfilled)
	sortSet(conditions)
	b := appendElement(nil, tagConstructed, fulfilled...)
	return appendElement(b, tagConstructed|1, conditions...), nil
}
