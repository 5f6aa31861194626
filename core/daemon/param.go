package daemon

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"obverse/core/chain/wire"
	"obverse/core/rpc"
	"obverse/core/text"
)

// Text is a parameter that must be a JSON string. For any other type, including null, the error
// is that of komodod's get_str: code -1, "JSON value is not a string as expected".
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

// Int is a parameter that must be a 32-bit integer, with the errors of komodod's get_int.
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

// Flag is a parameter that must be a boolean, with the errors of komodod's get_bool.
type Flag bool

// UnmarshalParam implements rpc.Unmarshaler.
func (f *Flag) UnmarshalParam(raw json.RawMessage) error {
	if rpc.KindOf(raw) != rpc.KindBool {
		return &Error{CodeMisc, "JSON value is not a boolean as expected"}
	}
	return json.Unmarshal(raw, (*bool)(f))
}

// TypedString is a string parameter of a method in which komodod checks types first
// (RPCTypeCheck). The error for another type is -3 "Expected type string, got number".
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

// TypedBool is a boolean parameter under RPCTypeCheck.
type TypedBool bool

// UnmarshalParam implements rpc.Unmarshaler.
func (b *TypedBool) UnmarshalParam(raw json.RawMessage) error {
	if err := expect(rpc.KindBool, raw); err != nil {
		return err
	}
	return json.Unmarshal(raw, (*bool)(b))
}

// TypedInt is a 32-bit integer parameter under RPCTypeCheck.
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

// Decimal is a number that a client may send as a JSON number or a string. It holds the digits
// as they were sent; the method checks whether they are a number, since its error describes the
// allowed values. The error for other types is that of Text.
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

// parseHash reads a transaction id. The error contains the parameter's name (komodod
// rpc/server.cpp ParseHashV).
func parseHash(name string, text Text) (wire.Hash, error) {
	if _, err := parseHex(name, string(text)); err != nil || text == "" {
		return wire.Hash{}, &Error{CodeParameter, fmt.Sprintf("%s must be hexadecimal string (not '%s')", name, clip(string(text)))}
	}
	return looseHash(string(text)), nil
}

// looseHash parses a hash like komodod, which accepts any text: it ignores blanks and 0x at the
// start and everything after the digits, treats missing leading digits as zeros, and ignores
// excess leading digits (komodod uint256.cpp SetHex).
func looseHash(text string) (hash wire.Hash) {
	text = strings.TrimLeft(text, " \t\n\v\f\r")
	if len(text) > 1 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') {
		text = text[2:]
	}
	if end := strings.IndexFunc(text, isNoDigit); end >= 0 {
		text = text[:end]
	}
	digits := strings.Repeat("0", 2*len(hash)) + text
	hash, _ = wire.ParseHash(digits[len(digits)-2*len(hash):]) // cannot fail, since there are only digits
	return hash
}

func isNoDigit(r rune) bool { return !strings.ContainsRune("0123456789abcdefABCDEF", r) }

// parseHex parses hexadecimal digits (komodod rpc/server.cpp ParseHexV).
func parseHex(name, text string) ([]byte, error) {
	b, err := hex.DecodeString(text)
	if err != nil {
		return nil, &Error{CodeParameter, fmt.Sprintf("%s must be hexadecimal string (not '%s')", name, clip(text))}
	}
	return b, nil
}

// maxEcho limits the part of a parameter that an error repeats, in bytes.
const maxEcho = 200

func clip(s string) string { return text.Clip(s, maxEcho) }

// Verbosity is the level of detail for a block or transaction: a whole number, or false for 0
// and true for 1.
type Verbosity int32

// UnmarshalParam implements rpc.Unmarshaler.
func (v *Verbosity) UnmarshalParam(raw json.RawMessage) error {
	if rpc.KindOf(raw) != rpc.KindBool {
		return (*Int)(v).UnmarshalParam(raw)
	}
	var on Flag
	if err := on.UnmarshalParam(raw); err != nil {
		return err
	}
	*v = 0
	if on {
		*v = 1
	}
	return nil
}

// JSONSchema implements rpc.Described.
func (Verbosity) JSONSchema() *rpc.Schema {
	return &rpc.Schema{OneOf: []*rpc.Schema{{Type: "integer"}, {Type: "boolean"}}}
}
