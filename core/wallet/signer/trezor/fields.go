package trezor

import (
	"google.golang.org/protobuf/encoding/protowire"

	"obverse/core/key"
	"obverse/core/wallet/protobuf"
)

// body is the fields of a message that is being written.
type body []byte

func (b body) number(n protowire.Number, value uint64) body {
	return protobuf.AppendNumber(b, n, value)
}

func (b body) yes(n protowire.Number) body { return b.number(n, 1) }

func (b body) bytes(n protowire.Number, value []byte) body {
	return protobuf.AppendBytes(b, n, value)
}

func (b body) text(n protowire.Number, value string) body { return b.bytes(n, []byte(value)) }

// path writes the numbers of a path one by one.
func (b body) path(n protowire.Number, path key.Path) body {
	for _, step := range path {
		b = b.number(n, uint64(step))
	}
	return b
}

// maxFields bounds how many fields a message of a device has. Features has some sixty.
const maxFields = 256

// Fields are the fields of a message. A field that is missing or has another type counts as
// empty; of repeated fields the last one counts.
type Fields []protobuf.Field

// ReadFields reads the fields of a message; ok reports whether they are well-formed.
func ReadFields(message []byte) (all Fields, ok bool) {
	for len(message) > 0 {
		f, n := protobuf.Consume(message)
		if n < 0 || len(all) == maxFields {
			return nil, false
		}
		all, message = append(all, f), message[n:]
	}
	return all, true
}

// find is the last field of a number and type.
func (all Fields) find(number protowire.Number, kind protowire.Type) (found protobuf.Field, ok bool) {
	for _, f := range all {
		if f.Number == number && f.Kind == kind {
			found, ok = f, true
		}
	}
	return found, ok
}

// Number is a number that was given, or 0.
func (all Fields) Number(n protowire.Number) uint64 {
	f, _ := all.find(n, protowire.VarintType)
	return f.Value
}

// Numbers lists those of a repeated field.
func (all Fields) Numbers(n protowire.Number) (values []uint64) {
	for _, f := range all {
		if f.Number == n && f.Kind == protowire.VarintType {
			values = append(values, f.Value)
		}
	}
	return values
}

// Bytes is the value of a field, and whether it was given.
func (all Fields) Bytes(n protowire.Number) ([]byte, bool) {
	f, ok := all.find(n, protowire.BytesType)
	return f.Bytes, ok
}
