package wire

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// Limits of what is decoded.
const (
	// MaxSize is how many bytes a message may have.
	MaxSize = 8 << 20
	// maxList is how many members a list may have: an empty one costs two bytes on the
	// wire and much more here.
	maxList = 1 << 16
)

var (
	// ErrMalformed says that bytes are not the message that they should be.
	ErrMalformed = errors.New("malformed protobuf message")
	// ErrTooLarge says that a message is longer than MaxSize, or one of its lists.
	ErrTooLarge = errors.New("protobuf message is too large")
)

// Message is a pointer to one of the messages of this package.
type Message interface {
	// slots lists the fields in the order of their numbers.
	slots() []slot
}

// pointer is a Message that points to a T.
type pointer[T any] interface {
	*T
	Message
}

// Encode gives the bytes of a message: its fields in the order of their numbers, without
// those that have their default.
func Encode(m Message) []byte { return appendMessage(nil, m) }

func appendMessage(b []byte, m Message) []byte {
	for _, s := range m.slots() {
		b = s.write(b)
	}
	return b
}

// Decode replaces a message by what the bytes hold, which are not kept. After an error,
// ErrMalformed or ErrTooLarge, the message is not to be used.
func Decode[T any, P pointer[T]](b []byte, m P) error {
	var none T
	*m = none
	return decode(b, m)
}

// decode is Decode for a message that has its defaults.
func decode(b []byte, m Message) error {
	if len(b) > MaxSize {
		return fmt.Errorf("%w: %d bytes", ErrTooLarge, len(b))
	}
	slots := m.slots()
	for len(b) > 0 {
		f, n := consume(b)
		if n < 0 {
			return fmt.Errorf("%w: %w", ErrMalformed, protowire.ParseError(n))
		}
		b = b[n:]
		for _, s := range slots {
			if s.number == f.number {
				s.read(&f)
			}
		}
		if f.err != nil {
			return fmt.Errorf("field %d: %w", f.number, f.err)
		}
	}
	return nil
}

// field is one on the wire. The first thing that is wrong with it stays in err.
type field struct {
	number protowire.Number
	kind   protowire.Type
	value  uint64
	bytes  []byte // part of the message
	err    error
}

// consume reads the first field; n is its length, or negative.
func consume(b []byte) (f field, n int) {
	number, kind, tag := protowire.ConsumeTag(b)
	if tag < 0 {
		return f, tag
	}
	f.number, f.kind = number, kind
	switch b = b[tag:]; kind {
	case protowire.VarintType:
		f.value, n = protowire.ConsumeVarint(b)
	case protowire.BytesType:
		f.bytes, n = protowire.ConsumeBytes(b)
	default:
		n = protowire.ConsumeFieldValue(number, kind, b)
	}
	if n < 0 {
		return f, n
	}
	return f, tag + n
}

// is notes an error unless the field has this type on the wire.
func (f *field) is(kind protowire.Type) bool {
	if f.kind != kind {
		f.err = fmt.Errorf("%w: wire type %d instead of %d", ErrMalformed, f.kind, kind)
	}
	return f.kind == kind
}

// room notes an error if a list is full.
func (f *field) room(members int) bool {
	if members >= maxList {
		f.err = fmt.Errorf("%w: more than %d members", ErrTooLarge, maxList)
	}
	return members < maxList
}
