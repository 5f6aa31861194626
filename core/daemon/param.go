package daemon

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"obverse/core/rpc"
)

// Text is a parameter that must be a JSON string, with the words of komodod's
// get_str: any other type, null included, is -1 "JSON value is not a string as
// expected".
type Text string

// UnmarshalParam implements rpc.Unmarshaler.
func (t *Text) UnmarshalParam(raw json.RawMessage) error {
	if rpc.KindOf(raw) != rpc.KindString {
		return &Error{CodeMisc, "JSON value is not a string as expected"}
	}
	s, err := rpc.Unquote(raw)
	*t = Text(s)
	return err
}

// Int is a parameter that must be a whole JSON number of 32 bits, with the words of
// komodod's get_int.
type Int int32

// UnmarshalParam implements rpc.Unmarshaler.
func (n *Int) UnmarshalParam(raw json.RawMessage) error {
	if rpc.KindOf(raw) != rpc.KindNumber {
		return &Error{CodeMisc, "JSON value is not an integer as expected"}
	}
	v, err := strconv.ParseInt(strings.TrimSpace(string(raw)), 10, 32)
	if err != nil {
		return &Error{CodeMisc, "JSON integer out of range"}
	}
	*n = Int(v)
	return nil
}

// Flag is a parameter that must be true or false, with the words of komodod's
// get_bool.
type Flag bool

// UnmarshalParam implements rpc.Unmarshaler.
func (f *Flag) UnmarshalParam(raw json.RawMessage) error {
	if rpc.KindOf(raw) != rpc.KindBool {
		return &Error{CodeMisc, "JSON value is not a boolean as expected"}
	}
	return json.Unmarshal(raw, (*bool)(f))
}

// TypedString is a string in those methods of komodod that check types first
// (RPCTypeCheck): otherwise -3 "Expected type string, got number".
type TypedString string

// UnmarshalParam implements rpc.Unmarshaler.
func (s *TypedString) UnmarshalParam(raw json.RawMessage) error {
	if err := expect(rpc.KindString, raw); err != nil {
		return err
	}
	text, err := rpc.Unquote(raw)
	*s = TypedString(text)
	return err
}

// TypedBool is true or false under RPCTypeCheck.
type TypedBool bool

// UnmarshalParam implements rpc.Unmarshaler.
func (b *TypedBool) UnmarshalParam(raw json.RawMessage) error {
	if err := expect(rpc.KindBool, raw); err != nil {
		return err
	}
	return json.Unmarshal(raw, (*bool)(b))
}

// TypedInt is a whole number of 32 bits under RPCTypeCheck.
type TypedInt int32

// UnmarshalParam implements rpc.Unmarshaler.
func (n *TypedInt) UnmarshalParam(raw json.RawMessage) error {
	if err := expect(rpc.KindNumber, raw); err != nil {
		return err
	}
	return (*Int)(n).UnmarshalParam(raw)
}

func expect(kind string, raw json.RawMessage) error {
	if got := rpc.KindOf(raw); got != kind {
		return &Error{CodeType, fmt.Sprintf("Expected type %s, got %s", kind, got)}
	}
	return nil
}

// Decimal is a number that a client may send as a JSON number or a string. It holds
// the digits as they came; whether they are a number is for the method to say, since
// its answer names what is allowed. Other types are refused like a Text.
type Decimal string

// UnmarshalParam implements rpc.Unmarshaler.
func (d *Decimal) UnmarshalParam(raw json.RawMessage) error {
	if rpc.KindOf(raw) == rpc.KindNumber {
		*d = Decimal(strings.TrimSpace(string(raw)))
		return nil
	}
	return (*Text)(d).UnmarshalParam(raw)
}

// JSONSchema implements rpc.Described.
func (Decimal) JSONSchema() *rpc.Schema {
	return &rpc.Schema{
		Description: "a decimal number, as a number or a string",
		OneOf:       []*rpc.Schema{{Type: "string"}, {Type: "number"}},
	}
}
