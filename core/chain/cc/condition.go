package cc

import (
	"encoding/base64"
	"fmt"
	"strings"
)

// Condition is the public half of a tree: what an output commits to.
type Condition struct {
	Kind        Kind
	Fingerprint [32]byte
	Cost        uint64
	Subtypes    Mask // the kinds below, for prefix and threshold
}

// DecodeCondition reads one condition that fills b. An RSA condition is
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

// Encode returns the condition's bytes, fewer than 56.
func (c Condition) Encode() []byte { return c.append(make([]byte, 0, 56)) }

// append needs one length byte for the whole, since no condition has 128 bytes.
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

// URI is the condition's text form (RFC 6920). Subtypes are in the order of their
// numbers, as komodod has them.
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

// kinds is the condition's own kind and those below.
func (c Condition) kinds() Mask { return c.Kind.mask() | c.Subtypes }
