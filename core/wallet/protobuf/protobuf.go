// Package protobuf reads and writes fields of Protocol Buffers messages by their numbers. The
// packages for Cosmos chains and for hardware wallets by Trezor define the messages.
//
// Source: protobuf.dev, Encoding.
package protobuf

import "google.golang.org/protobuf/encoding/protowire"

// Field is one field of a decoded message.
type Field struct {
	Number protowire.Number
	Kind   protowire.Type
	Value  uint64 // value of a varint
	Bytes  []byte // value of bytes, a string or a message; a part of the input
}

// Consume reads the first field of a message. n is its length, or a negative error code for
// protowire.ParseError.
func Consume(b []byte) (f Field, n int) {
	number, kind, tag := protowire.ConsumeTag(b)
	if tag < 0 {
		return f, tag
	}
	f.Number, f.Kind = number, kind
	switch b = b[tag:]; kind {
	case protowire.VarintType:
		f.Value, n = protowire.ConsumeVarint(b)
	case protowire.BytesType:
		f.Bytes, n = protowire.ConsumeBytes(b)
	default:
		n = protowire.ConsumeFieldValue(number, kind, b)
	}
	if n < 0 {
		return f, n
	}
	return f, tag + n
}

// AppendNumber appends a varint field.
func AppendNumber(b []byte, n protowire.Number, value uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, n, protowire.VarintType), value)
}

// AppendBytes appends a field of bytes, a string or a message.
func AppendBytes(b []byte, n protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, n, protowire.BytesType), value)
}
