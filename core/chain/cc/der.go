package cc

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Errors of the decoders.
var (
	ErrMalformed    = errors.New("malformed crypto-condition")
	ErrNotCanonical = errors.New("crypto-condition is not in its canonical form")
	ErrUnsupported  = errors.New("kind of crypto-condition is not supported")
	ErrUnfulfilled  = errors.New("crypto-condition is not fulfilled")
)

// Tags. A kind's outer tag and the tags of compound fields are constructed.
const (
	tagPrimitive   = 0x80
	tagConstructed = 0xa0
	tagSequence    = 0x30
)

// element is one tag, length and value.
type element struct {
	tag   byte
	value []byte
}

// readElement takes the first element of b. Lengths must be in their shortest form.
func readElement(b []byte) (e element, rest []byte, err error) {
	if len(b) < 2 {
		return e, nil, fmt.Errorf("%w: element ends early", ErrMalformed)
	}
	size, header := int(b[1]), 2
	if size >= 0x80 {
		n := size & 0x7f
		if n == 0 || n > 3 || len(b) < 2+n {
			return e, nil, fmt.Errorf("%w: length of an element", ErrMalformed)
		}
		var wide [4]byte
		copy(wide[4-n:], b[2:2+n])
		size, header = int(binary.BigEndian.Uint32(wide[:])), 2+n
		if size < 0x80 || n > 1 && size < 1<<(8*(n-1)) {
			return e, nil, fmt.Errorf("%w: long form of a short length", ErrNotCanonical)
		}
	}
	if size > len(b)-header {
		return e, nil, fmt.Errorf("%w: element ends early", ErrMalformed)
	}
	return element{b[0], b[header : header+size : header+size]}, b[header+size:], nil
}

// fields reads elements with exactly these tags, which fill b.
func fields(b []byte, tags ...byte) ([]element, error) {
	found := make([]element, 0, 4)
	for _, tag := range tags {
		e, rest, err := readElement(b)
		if err != nil {
			return nil, err
		}
		if e.tag != tag {
			return nil, fmt.Errorf("%w: tag %02x where %02x belongs", ErrMalformed, e.tag, tag)
		}
		found, b = append(found, e), rest
	}
	if len(b) > 0 {
		return nil, fmt.Errorf("%w: bytes after the last field", ErrMalformed)
	}
	return found, nil
}

// appendElement appends tag, length and the parts of the value.
func appendElement(dst []byte, tag byte, parts ...[]byte) []byte {
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	dst = append(dst, tag)
	switch {
	case size < 0x80:
		dst = append(dst, byte(size))
	case size < 1<<8:
		dst = append(dst, 0x81, byte(size))
	case size < 1<<16:
		dst = append(dst, 0x82, byte(size>>8), byte(size))
	default:
		dst = append(dst, 0x83, byte(size>>16), byte(size>>8), byte(size))
	}
	for _, p := range parts {
		dst = append(dst, p...)
	}
	return dst
}

// integer is the minimal big-endian form of a number that is not negative.
func integer(v uint64) []byte {
	b := binary.BigEndian.AppendUint64([]byte{0}, v)
	for len(b) > 1 && b[0] == 0 && b[1] < 0x80 {
		b = b[1:]
	}
	return b
}

func readInteger(b []byte) (v uint64, err error) {
	const most = 8 // with a leading zero, 63 bits and a bit
	if len(b) == 0 || len(b) > most || b[0] >= 0x80 {
		return 0, fmt.Errorf("%w: integer", ErrMalformed)
	}
	if len(b) > 1 && b[0] == 0 && b[1] < 0x80 {
		return 0, fmt.Errorf("%w: integer", ErrNotCanonical)
	}
	for _, c := range b {
		v = v<<8 | uint64(c)
	}
	return v, nil
}
