package cc

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
)

// Kind is a type of crypto-condition, by its number on the wire.
type Kind uint8

// The kinds.
const (
	Preimage  Kind = 0
	Prefix    Kind = 1
	Threshold Kind = 2
	RSA       Kind = 3
	Ed25519   Kind = 4
	Secp256k1 Kind = 5
	Eval      Kind = 15
)

var kindNames = map[Kind]string{
	Preimage: "preimage-sha-256", Prefix: "prefix-sha-256", Threshold: "threshold-sha-256", RSA: "rsa-sha-256",
	Ed25519: "ed25519-sha-256", Secp256k1: "secp256k1-sha-256", Eval: "eval-sha-256",
}

// String is the name of the kind in URIs.
func (k Kind) String() string {
	if name, ok := kindNames[k]; ok {
		return name
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// isCompound tells kinds with subconditions, whose conditions list their kinds.
func (k Kind) isCompound() bool { return k == Prefix || k == Threshold }

// Mask is a set of kinds: bit k for kind k.
type Mask = uint32

func (k Kind) mask() Mask { return 1 << k }

// Condition is the public half: what an output commits to.
type Condition struct {
	Kind        Kind
	Fingerprint [32]byte
	Cost        uint64
	Subtypes    Mask // kinds below this one; compound kinds only
}

// DecodeCondition reads one condition that fills b.
func DecodeCondition(b []byte) (Condition, error) {
	e, rest, err := readElement(b)
	if err != nil {
		return Condition{}, err
	}
	if len(rest) > 0 {
		return Condition{}, fmt.Errorf("%w: bytes after the condition", ErrMalformed)
	}
	return readCondition(e)
}

func readCondition(e element) (c Condition, err error) {
	c.Kind = Kind(e.tag &^ tagConstructed)
	if _, known := kindNames[c.Kind]; !known || e.tag&0xe0 != tagConstructed {
		return c, fmt.Errorf("%w: condition tag %02x", ErrMalformed, e.tag)
	}
	tags := []byte{tagPrimitive, tagPrimitive | 1, tagPrimitive | 2}
	if !c.Kind.isCompound() {
		tags = tags[:2]
	}
	parts, err := fields(e.value, tags...)
	if err != nil {
		return c, err
	}
	if len(parts[0].value) != len(c.Fingerprint) {
		return c, fmt.Errorf("%w: fingerprint of %d bytes", ErrMalformed, len(parts[0].value))
	}
	copy(c.Fingerprint[:], parts[0].value)
	if c.Cost, err = readInteger(parts[1].value); err != nil {
		return c, err
	}
	if c.Kind.isCompound() {
		c.Subtypes, err = readMask(parts[2].value)
	}
	return c, err
}

// readMask reads a BIT STRING of kinds: the number of unused bits, then bits from
// the highest of the first byte on.
func readMask(b []byte) (m Mask, err error) {
	for i := 1; i < len(b) && i <= 4; i++ {
		for bit := range 8 {
			if b[i]&(0x80>>bit) != 0 {
				m |= 1 << (8*(i-1) + bit)
			}
		}
	}
	if !bytes.Equal(appendMask(nil, m), b) {
		return 0, fmt.Errorf("%w: subtypes", ErrNotCanonical)
	}
	return m, nil
}

func appendMask(dst []byte, m Mask) []byte {
	start := len(dst)
	dst = append(dst, 0)
	for kind := range 32 {
		if m>>kind&1 == 0 {
			continue
		}
		for len(dst)-start < kind/8+2 {
			dst = append(dst, 0)
		}
		dst[start+1+kind/8] |= 0x80 >> (kind % 8)
		dst[start] = byte(7 - kind%8)
	}
	return dst
}

// Encode returns the condition's bytes.
func (c Condition) Encode() []byte {
	var field [96]byte
	b := appendElement(field[:0], tagPrimitive, c.Fingerprint[:])
	b = appendElement(b, tagPrimitive|1, integer(c.Cost))
	if c.Kind.isCompound() {
		b = appendElement(b, tagPrimitive|2, appendMask(nil, c.Subtypes))
	}
	return appendElement(make([]byte, 0, len(b)+3), tagConstructed|byte(c.Kind), b)
}

// URI is the condition's text form, with subtypes in the order of their numbers.
func (c Condition) URI() string {
	var s strings.Builder
	fmt.Fprintf(&s, "ni:///sha-256;%s?fpt=%v&cost=%d", base64.RawURLEncoding.EncodeToString(c.Fingerprint[:]),
		c.Kind, c.Cost)
	separator := "&subtypes="
	for kind := range Kind(32) {
		if c.Kind.isCompound() && c.Subtypes&kind.mask() != 0 {
			s.WriteString(separator + kind.String())
			separator = ","
		}
	}
	return s.String()
}
