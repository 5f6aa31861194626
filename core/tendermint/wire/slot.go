package wire

import "google.golang.org/protobuf/encoding/protowire"

// slot is where a message has a field: at is a pointer to a string, bytes, a number, a
// bool, another message or a list of strings or bytes; or it is a custom one. There is
// no closure and no code for each type in this: a page loads all of it.
type slot struct {
	number protowire.Number
	at     any
}

// custom is a slot of another kind.
type custom interface {
	read(f *field)
	write(b []byte, number protowire.Number) []byte
}

// read puts a field into its slot. A message is there even if it is empty, and of one
// that comes twice the parts are put together, as protobuf has it.
func (s slot) read(f *field) {
	switch at := s.at.(type) {
	case *string:
		if f.is(protowire.BytesType) {
			*at = string(f.bytes)
		}
	case *[]byte:
		if f.is(protowire.BytesType) {
			*at = append([]byte{}, f.bytes...)
		}
	case *uint64:
		if f.is(protowire.VarintType) {
			*at = f.value
		}
	case *int64:
		if f.is(protowire.VarintType) {
			*at = int64(f.value)
		}
	case *int32:
		if f.is(protowire.VarintType) {
			*at = int32(f.value)
		}
	case *bool:
		if f.is(protowire.VarintType) {
			*at = f.value != 0
		}
	case *[]string:
		if f.room(len(*at)) && f.is(protowire.BytesType) {
			*at = append(*at, string(f.bytes))
		}
	case *[][]byte:
		if f.room(len(*at)) && f.is(protowire.BytesType) {
			*at = append(*at, append([]byte{}, f.bytes...))
		}
	case custom: // some of which are messages, too
		at.read(f)
	case Message:
		f.message(at)
	}
}

// message reads a field that is a message.
func (f *field) message(m Message) {
	if f.is(protowire.BytesType) {
		f.err = decode(f.bytes, m)
	}
}

// write appends what is in a slot, unless it is the default. A message is written even
// if it is empty: the .proto files call it not nullable.
func (s slot) write(b []byte) []byte {
	switch at := s.at.(type) {
	case *string:
		if *at != "" {
			b = protowire.AppendString(protowire.AppendTag(b, s.number, protowire.BytesType), *at)
		}
	case *[]byte:
		if len(*at) > 0 {
			b = appendBytes(b, s.number, *at)
		}
	case *uint64:
		b = appendNumber(b, s.number, *at)
	case *int64:
		b = appendNumber(b, s.number, uint64(*at))
	case *int32:
		b = appendNumber(b, s.number, uint64(*at))
	case *bool:
		if *at {
			b = appendNumber(b, s.number, 1)
		}
	case *[]string:
		for _, member := range *at {
			b = appendBytes(b, s.number, []byte(member))
		}
	case *[][]byte:
		for _, member := range *at {
			b = appendBytes(b, s.number, member)
		}
	case custom:
		b = at.write(b, s.number)
	case Message:
		b = appendBytes(b, s.number, Encode(at))
	}
	return b
}

func appendBytes(b []byte, number protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, number, protowire.BytesType), value)
}

func appendNumber(b []byte, number protowire.Number, value uint64) []byte {
	if value == 0 {
		return b
	}
	return protowire.AppendVarint(protowire.AppendTag(b, number, protowire.VarintType), value)
}

// many is the slot of a list of messages.
func many[T any, P pointer[T]](at *[]T) custom { return list[T, P]{at} }

type list[T any, P pointer[T]] struct{ at *[]T }

func (l list[T, P]) read(f *field) {
	if !f.room(len(*l.at)) {
		return
	}
	var member T
	f.message(P(&member))
	*l.at = append(*l.at, member)
}

func (l list[T, P]) write(b []byte, number protowire.Number) []byte {
	for i := range *l.at {
		b = appendBytes(b, number, Encode(P(&(*l.at)[i])))
	}
	return b
}
