package cc

import (
	"bytes"
	"fmt"
	"math/bits"
)

// Tags of the ASN.1 module, which uses automatic tags: the tag of a field is its index,
// combined with 0x20 if the field contains other elements. The elements of all kinds contain
// others.
const (
	tagPrimitive   = 0x80
	tagConstructed = 0xa0
	tagSequence    = 0x30
)

func (k Kind) tag() byte { return tagConstructed | byte(k) }

// appendHeader appends a tag and the shortest encoding of a length below 1<<24.
func appendHeader(dst []byte, tag byte, size int) []byte {
	switch {
	case size < 0x80:
		return append(dst, tag, byte(size))
	case size < 1<<8:
		return append(dst, tag, 0x81, byte(size))
	case size < 1<<16:
		return append(dst, tag, 0x82, byte(size>>8), byte(size))
	default:
		return append(dst, tag, 0x83, byte(size>>16), byte(size>>8), byte(size))
	}
}

// appendElement appends an element. Its value is the concatenation of parts.
func appendElement(dst []byte, tag byte, parts ...[]byte) []byte {
	size := 0
	for _, part := range parts {
		size += len(part)
	}
	dst = appendHeader(dst, tag, size)
	for _, part := range parts {
		dst = append(dst, part...)
	}
	return dst
}

// appendInteger appends an INTEGER: big-endian, signed, with the minimum number of bytes.
func appendInteger(dst []byte, tag byte, v uint64) []byte {
	size := bits.Len64(v)/8 + 1
	dst = appendHeader(dst, tag, size)
	for i := size - 1; i >= 0; i-- {
		dst = append(dst, byte(v>>(8*i)))
	}
	return dst
}

// appendMask appends a BIT STRING: the number of unused bits in the last byte, followed by the
// bits, with bit 0 as the highest bit of the first byte. The empty set is encoded as a single
// zero bit (cryptoconditions.c asnSubtypes).
func appendMask(dst []byte, tag byte, m Mask) []byte {
	last := bits.Len32(m|1) - 1
	dst = append(appendHeader(dst, tag, last/8+2), byte(7-last%8))
	for i := 0; i <= last/8; i++ {
		dst = append(dst, byte(bits.Reverse32(m)>>(24-8*i)))
	}
	return dst
}

// parser reads DER. It keeps its first error, after which every read returns zero and more
// returns false.
type parser struct {
	in    []byte
	pos   int
	end   int // end of the innermost open element
	depth int // nesting depth of fulfillments
	spare []Node
	err   error
}

func (p *parser) fail(err error) {
	if p.err == nil {
		p.err = fmt.Errorf("at byte %d: %w", p.pos, err)
	}
}

// more reports whether the open element has bytes left.
func (p *parser) more() bool { return p.err == nil && p.pos < p.end }

func (p *parser) byte() (b byte) {
	if !p.more() {
		p.fail(ErrMalformed)
		return 0
	}
	b = p.in[p.pos]
	p.pos++
	return b
}

// length reads a length in the definite form. Three bytes can express more than the length of
// any input.
func (p *parser) length() int {
	first := int(p.byte())
	if first < 0x80 {
		return first
	}
	n, size := first&0x7f, 0
	if n == 0 || n > 3 {
		p.fail(ErrMalformed)
		return 0
	}
	for range n {
		size = size<<8 | int(p.byte())
	}
	if size < 0x80 || size>>(8*(n-1)) == 0 {
		p.fail(ErrNotCanonical)
	}
	return size
}

// open enters an element with the given tag. The result must be passed to shut.
func (p *parser) open(tag byte) (outer int) {
	outer = p.end
	if p.byte() != tag {
		p.fail(ErrMalformed)
	}
	size := p.length()
	if size > p.end-p.pos {
		p.fail(ErrMalformed)
	}
	if p.err == nil {
		p.end = p.pos + size
	}
	return outer
}

// shut leaves an element, and fails if the element has bytes left.
func (p *parser) shut(outer int) {
	if p.pos != p.end {
		p.fail(ErrMalformed)
	}
	p.end = outer
}

// octets returns the value of an element without copying it.
func (p *parser) octets(tag byte) []byte {
	outer := p.open(tag)
	if p.err != nil {
		return nil
	}
	value := p.in[p.pos:p.end:p.end]
	p.pos = p.end
	p.shut(outer)
	return value
}

// fixed returns octets of the given size.
func (p *parser) fixed(tag byte, size int) []byte {
	value := p.octets(tag)
	if len(value) != size {
		p.fail(ErrMalformed)
		return nil
	}
	return value
}

// integer reads a non-negative number that fits into komodod's long.
func (p *parser) integer(tag byte) (v uint64) {
	value := p.octets(tag)
	if len(value) == 0 || len(value) > 8 || value[0] >= 0x80 {
		p.fail(ErrMalformed)
		return 0
	}
	for _, b := range value {
		v = v<<8 | uint64(b)
	}
	if len(value) != bits.Len64(v)/8+1 {
		p.fail(ErrNotCanonical)
	}
	return v
}

func (p *parser) mask(tag byte) (m Mask) {
	start := p.pos
	value := p.octets(tag)
	if len(value) == 0 || len(value) > 5 {
		p.fail(ErrMalformed)
		return 0
	}
	for i, b := range value[1:] {
		m |= bits.Reverse32(uint32(b) << (24 - 8*i))
	}
	var again [8]byte
	if !bytes.Equal(appendMask(again[:0], tag, m), p.in[start:p.pos]) {
		p.fail(ErrNotCanonical)
	}
	return m
}

// kind returns the kind of the next element, derived from its tag, without consuming the tag.
func (p *parser) kind() Kind {
	if !p.more() {
		p.fail(ErrMalformed)
		return 0
	}
	k := Kind(p.in[p.pos] &^ tagConstructed)
	switch {
	case !k.isKnown() || p.in[p.pos] != k.tag():
		p.fail(ErrMalformed)
	case k == RSA:
		p.fail(fmt.Errorf("%w: %v", ErrUnsupported, k))
	}
	return k
}

// ordered returns the set member that began at start and has just been read. It fails if the
// members of the SET OF are not sorted by their bytes.
func (p *parser) ordered(before []byte, start int) []byte {
	member := p.in[start:p.pos]
	if bytes.Compare(before, member) > 0 {
		p.fail(ErrNotCanonical)
	}
	return member
}
