package wire

import "google.golang.org/protobuf/encoding/protowire"

// slot is where a message has a field.
type slot struct {
	number protowire.Number
	read   func(*field)
	write  func([]byte) []byte
}

func appendBytes[T string | []byte](b []byte, number protowire.Number, value T) []byte {
	b = protowire.AppendTag(b, number, protowire.BytesType)
	return append(protowire.AppendVarint(b, uint64(len(value))), value...)
}

func text(number protowire.Number, at *string) slot {
	return slot{number, func(f *field) {
		if f.is(protowire.BytesType) {
			*at = string(f.bytes)
		}
	}, func(b []byte) []byte {
		if *at == "" {
			return b
		}
		return appendBytes(b, number, *at)
	}}
}

func blob(number protowire.Number, at *[]byte) slot {
	return slot{number, func(f *field) {
		if f.is(protowire.BytesType) {
			*at = append([]byte{}, f.bytes...)
		}
	}, func(b []byte) []byte {
		if len(*at) == 0 {
			return b
		}
		return appendBytes(b, number, *at)
	}}
}

// number is of a whole number or an enum.
func number[T ~uint64 | ~int64 | ~int32](number protowire.Number, at *T) slot {
	return slot{number, func(f *field) {
		if f.is(protowire.VarintType) {
			*at = T(f.value)
		}
	}, func(b []byte) []byte {
		if *at == 0 {
			return b
		}
		return protowire.AppendVarint(protowire.AppendTag(b, number, protowire.VarintType), uint64(*at))
	}}
}

func flag(number protowire.Number, at *bool) slot {
	return slot{number, func(f *field) {
		if f.is(protowire.VarintType) {
			*at = f.value != 0
		}
	}, func(b []byte) []byte {
		if !*at {
			return b
		}
		return protowire.AppendVarint(protowire.AppendTag(b, number, protowire.VarintType), 1)
	}}
}

// part is a message that is always there, even if it is empty: what the .proto files
// call not nullable.
func part[T any, P pointer[T]](number protowire.Number, at P) slot {
	return slot{number, func(f *field) {
		if f.is(protowire.BytesType) {
			f.err = Decode[T](f.bytes, at)
		}
	}, func(b []byte) []byte {
		return appendBytes(b, number, Encode(at))
	}}
}

// optional is a message that is there or not.
func optional[T any, P pointer[T]](number protowire.Number, at **T) slot {
	return slot{number, func(f *field) {
		*at = new(T)
		part(number, P(*at)).read(f)
	}, func(b []byte) []byte {
		if *at == nil {
			return b
		}
		return part(number, P(*at)).write(b)
	}}
}

// list is of messages.
func list[T any, P pointer[T]](number protowire.Number, at *[]T) slot {
	return slot{number, func(f *field) {
		if !f.room(len(*at)) {
			return
		}
		var member T
		part(number, P(&member)).read(f)
		*at = append(*at, member)
	}, func(b []byte) []byte {
		for i := range *at {
			b = part(number, P(&(*at)[i])).write(b)
		}
		return b
	}}
}

// strips is a list of texts or of bytes.
func strips[T string | []byte](number protowire.Number, at *[]T) slot {
	return slot{number, func(f *field) {
		if f.room(len(*at)) && f.is(protowire.BytesType) {
			*at = append(*at, T(append([]byte{}, f.bytes...)))
		}
	}, func(b []byte) []byte {
		for _, member := range *at {
			b = appendBytes(b, number, member)
		}
		return b
	}}
}
