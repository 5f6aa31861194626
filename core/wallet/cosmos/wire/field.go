package wire

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"obverse/core/wallet/protobuf"
)

// Messages are encoded and decoded by reflection. Code for each type would be faster, but
// larger, and all of it is part of a page's download.

// field is an encoded field. err keeps its first error.
type field struct {
	protobuf.Field
	err error
}

// is records an error unless the field has the wire type.
func (f *field) is(kind protowire.Type) bool {
	if f.Kind != kind {
		f.err = fmt.Errorf("%w: wire type %d instead of %d", ErrMalformed, f.Kind, kind)
	}
	return f.Kind == kind
}

// room records an error if a list is full.
func (f *field) room(members int) bool {
	if members >= maxList {
		f.err = fmt.Errorf("%w: more than %d members", ErrTooLarge, maxList)
	}
	return members < maxList
}

// part is a field of a message and its place in the struct.
type part struct {
	number protowire.Number
	at     reflect.Value
}

// parts returns the fields of a message in their order. They are numbered 1, 2, 3, … and a tag sets
// another number from which the numbering continues. The fields of an embedded struct belong to the
// outer message.
func parts(message reflect.Value) (list []part) {
	var number protowire.Number
	for i := range message.NumField() {
		declared := message.Type().Field(i)
		if declared.Anonymous {
			list = append(list, parts(message.Field(i))...)
			continue
		}
		number++
		if tag := declared.Tag.Get("wire"); tag != "" {
			n, _ := strconv.Atoi(tag)
			number = protowire.Number(n)
		}
		list = append(list, part{number, message.Field(i)})
	}
	return list
}

// read decodes a field into at. An empty message counts as present, and a message that occurs
// twice is merged, as specified by protobuf.
func (f *field) read(at reflect.Value) {
	switch at.Kind() {
	case reflect.Bool:
		if f.is(protowire.VarintType) {
			at.SetBool(f.Value != 0)
		}
	case reflect.Uint64:
		if f.is(protowire.VarintType) {
			at.SetUint(f.Value)
		}
	case reflect.Int64:
		if f.is(protowire.VarintType) {
			at.SetInt(int64(f.Value))
		}
	case reflect.Int32:
		if f.is(protowire.VarintType) {
			at.SetInt(int64(int32(f.Value)))
		}
	default:
		if f.is(protowire.BytesType) {
			f.readBytes(at)
		}
	}
}

func (f *field) readBytes(at reflect.Value) {
	switch {
	case at.Kind() == reflect.String:
		at.SetString(string(f.Bytes))
	case at.Kind() == reflect.Struct:
		f.err = decode(f.Bytes, at)
	case at.Kind() == reflect.Pointer:
		if at.IsNil() {
			at.Set(reflect.New(at.Type().Elem()))
		}
		f.err = decode(f.Bytes, at.Elem())
	case isBytes(at):
		at.SetBytes(append([]byte{}, f.Bytes...))
	case f.room(at.Len()):
		member := reflect.New(at.Type().Elem()).Elem()
		f.readBytes(member)
		at.Set(reflect.Append(at, member))
	}
}

func isBytes(v reflect.Value) bool {
	return v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8
}

// appendField encodes the value at, unless it is the default. A message is encoded even if it is
// empty, since it is not nullable in the .proto files. A nil pointer and an Any without a name are
// omitted.
func appendField(b []byte, number protowire.Number, at reflect.Value) []byte {
	switch at.Kind() {
	case reflect.Bool:
		if at.Bool() {
			return appendNumber(b, number, 1)
		}
		return b
	case reflect.Uint64:
		return appendNumber(b, number, at.Uint())
	case reflect.Int32, reflect.Int64:
		return appendNumber(b, number, uint64(at.Int()))
	case reflect.Struct:
		if a, is := at.Interface().(Any); is && a.TypeURL == "" && len(a.Value) == 0 {
			return b
		}
		return appendMember(b, number, at)
	case reflect.Pointer:
		if at.IsNil() {
			return b
		}
		return appendMember(b, number, at.Elem())
	}
	switch {
	case at.Len() == 0:
		return b
	case at.Kind() == reflect.String || isBytes(at):
		return appendMember(b, number, at)
	}
	for i := range at.Len() {
		b = appendMember(b, number, at.Index(i))
	}
	return b
}

// appendMember encodes a string, bytes or a message, even if it is empty.
func appendMember(b []byte, number protowire.Number, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.String:
		return protobuf.AppendBytes(b, number, []byte(v.String()))
	case reflect.Struct:
		return protobuf.AppendBytes(b, number, appendMessage(nil, v))
	}
	return protobuf.AppendBytes(b, number, v.Bytes())
}

func appendNumber(b []byte, number protowire.Number, value uint64) []byte {
	if value == 0 {
		return b
	}
	return protobuf.AppendNumber(b, number, value)
}

// Any is an encoded message with its type.
type Any struct {
	TypeURL string // "/cosmos.bank.v1beta1.MsgSend"; "" means no message
	Value   []byte
}

// Named is a Message that can be packed into an Any.
type Named interface{ TypeURL() string }

// Pack packs a message into an Any.
func Pack(m Named) Any { return Any{m.TypeURL(), Encode(m)} }

// ErrUnknownType means that an Any holds a message that this package does not define.
var ErrUnknownType = errors.New("unknown type of message")

// Unpack decodes the message in an Any: *MsgSend, *MsgMultiSend, *MsgTransfer, *MsgDelegate,
// *MsgUndelegate, *MsgBeginRedelegate, *MsgWithdrawDelegatorReward, *MsgExecuteContract, *PubKey,
// *BaseAccount or *ClientState. Its errors are ErrUnknownType and those of Decode.
func (a Any) Unpack() (Named, error) {
	m := a.message()
	if m == nil {
		return nil, fmt.Errorf("%w: %.100q", ErrUnknownType, a.TypeURL)
	}
	if err := Decode(a.Value, m); err != nil {
		return nil, fmt.Errorf("%s: %w", a.TypeURL, err)
	}
	return m, nil
}

// message returns a new message of the type that TypeURL names, or nil.
func (a Any) message() Named {
	for _, m := range [...]Named{&MsgSend{}, &MsgMultiSend{}, &MsgTransfer{}, &MsgDelegate{}, &MsgUndelegate{}, &MsgBeginRedelegate{},
		&MsgWithdrawDelegatorReward{}, &MsgExecuteContract{}, &PubKey{}, &BaseAccount{}, &ClientState{}} {
		if m.TypeURL() == a.TypeURL {
			return m
		}
	}
	return nil
}
