package probe

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"
)

// What is wrong with bytes that should be MessagePack of the network's messages.
var (
	errShort    = errors.New("the message ends too early")
	errTrailing = errors.New("the message goes on after its end")
	errForm     = errors.New("the message has another form")
)

// Markers of MessagePack, as far as the network's messages use them.
const (
	markNil     = 0xc0
	markFixMap  = 0x80
	markFixArr  = 0x90
	markFixStr  = 0xa0
	markUint8   = 0xcc
	markUint16  = 0xcd
	markUint32  = 0xce
	markUint64  = 0xcf
	markInt8    = 0xd0
	markInt64   = 0xd3
	markStr8    = 0xd9
	markStr16   = 0xda
	markStr32   = 0xdb
	markArray16 = 0xdc
	markArray32 = 0xdd
	markMap16   = 0xde
	markMap32   = 0xdf
)

// appendUint writes a number in its shortest form.
func appendUint(b []byte, n uint64) []byte {
	switch {
	case n < 1<<7:
		return append(b, byte(n))
	case n <= math.MaxUint8:
		return append(b, markUint8, byte(n))
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(b, markUint16), uint16(n))
	case n <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(append(b, markUint32), uint32(n))
	}
	return binary.BigEndian.AppendUint64(append(b, markUint64), n)
}

// appendLength writes the head of a string or an array, in its shortest form: fix
// up to and without top, then those of 8 (strings only), 16 and 32 bits.
func appendLength(b []byte, n int, fix byte, top int, mark8, mark16, mark32 byte) []byte {
	switch {
	case n < top:
		return append(b, fix|byte(n))
	case n <= math.MaxUint8 && mark8 != 0:
		return append(b, mark8, byte(n))
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(b, mark16), uint16(n))
	}
	return binary.BigEndian.AppendUint32(append(b, mark32), uint32(n))
}

func appendString(b []byte, s string) []byte {
	return append(appendLength(b, len(s), markFixStr, 32, markStr8, markStr16, markStr32), s...)
}

// appendBytes writes bytes as the network does: an array of numbers.
func appendBytes(b, data []byte) []byte {
	b = appendLength(b, len(data), markFixArr, 16, 0, markArray16, markArray32)
	for _, n := range data {
		b = appendUint(b, uint64(n))
	}
	return b
}

// appendVariant begins an enum: a map of one entry, from the variant's number to its
// payload, which follows.
func appendVariant(b []byte, number byte) []byte { return append(b, markFixMap|1, number) }

// scanner reads MessagePack from the front. After its first error it reads nothing,
// and every value is zero.
type scanner struct {
	rest []byte
	err  error
}

func (s *scanner) fail(err error) {
	if s.err == nil {
		s.err, s.rest = err, nil
	}
}

func (s *scanner) want(what string, mark byte) {
	s.fail(fmt.Errorf("%w: %s was expected, not 0x%02x", errForm, what, mark))
}

func (s *scanner) take(n uint64) []byte {
	if n > uint64(len(s.rest)) {
		s.fail(errShort)
		return nil
	}
	taken := s.rest[:n]
	s.rest = s.rest[n:]
	return taken
}

// number reads an unsigned number of size bytes.
func (s *scanner) number(size uint64) (n uint64) {
	for _, b := range s.take(size) {
		n = n<<8 | uint64(b)
	}
	return n
}

func (s *scanner) mark() byte { return byte(s.number(1)) }

// uint reads a number that is not negative, in any form that has room for it.
func (s *scanner) uint() uint64 {
	switch mark := s.mark(); {
	case mark < markFixMap:
		return uint64(mark)
	case mark >= markUint8 && mark <= markUint64:
		return s.number(1 << (mark - markUint8))
	case mark >= markInt8 && mark <= markInt64:
		size := uint64(1) << (mark - markInt8)
		if n := s.number(size); n>>(8*size-1) == 0 {
			return n
		}
		s.want("a number from 0", mark)
	default:
		s.want("a number", mark)
	}
	return 0
}

// array reads the head of an array: how many values follow.
func (s *scanner) array() uint64 {
	switch mark := s.mark(); {
	case mark&0xf0 == markFixArr:
		return uint64(mark & 0x0f)
	case mark == markArray16:
		return s.number(2)
	case mark == markArray32:
		return s.number(4)
	default:
		s.want("an array", mark)
	}
	return 0
}

// fields reads the head of a struct: an array of exactly n values.
func (s *scanner) fields(n uint64) {
	if got := s.array(); s.err == nil && got != n {
		s.fail(fmt.Errorf("%w: an array of %d was expected, not of %d", errForm, n, got))
	}
}

// bytes reads an array of numbers up to 255. Each takes at least a byte, which
// bounds what a false length can make us reserve.
func (s *scanner) bytes() []byte {
	n := s.array()
	if n > uint64(len(s.rest)) {
		s.fail(errShort)
		return nil
	}
	data := make([]byte, n)
	for i := range data {
		b := s.uint()
		if b > math.MaxUint8 {
			s.fail(fmt.Errorf("%w: a byte was expected, not %d", errForm, b))
		}
		data[i] = byte(b)
	}
	return data
}

func (s *scanner) string() string {
	var text []byte
	switch mark := s.mark(); {
	case mark&0xe0 == markFixStr:
		text = s.take(uint64(mark & 0x1f))
	case mark >= markStr8 && mark <= markStr32:
		text = s.take(s.number(1 << (mark - markStr8)))
	default:
		s.want("a string", mark)
	}
	if !utf8.Valid(text) {
		s.fail(fmt.Errorf("%w: the text is not UTF-8", errForm))
		return ""
	}
	return string(text)
}

// variant reads the head of an enum and gives the variant's number.
func (s *scanner) variant() uint64 {
	entries := uint64(0)
	switch mark := s.mark(); {
	case mark&0xf0 == markFixMap:
		entries = uint64(mark & 0x0f)
	case mark == markMap16:
		entries = s.number(2)
	case mark == markMap32:
		entries = s.number(4)
	default:
		s.want("a map", mark)
	}
	if s.err == nil && entries != 1 {
		s.fail(fmt.Errorf("%w: a map of one entry was expected, not of %d", errForm, entries))
	}
	return s.uint()
}

func (s *scanner) null() {
	if mark := s.mark(); s.err == nil && mark != markNil {
		s.want("nil", mark)
	}
}

// end gives the first error, which may be that there is more.
func (s *scanner) end() error {
	if s.err == nil && len(s.rest) > 0 {
		s.err = errTrailing
	}
	return s.err
}
