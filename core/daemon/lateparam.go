package daemon

import (
	"encoding/json"

	"obverse/core/number"
	"obverse/core/rpc"
)

// unreadText is a Text that is checked when the method uses it. If a request has two mistakes,
// komodod reports the one that it finds first.
type unreadText json.RawMessage

// UnmarshalParam implements rpc.Unmarshaler.
func (t *unreadText) UnmarshalParam(raw json.RawMessage) error {
	*t = unreadText(raw)
	return nil
}

// JSONSchema implements rpc.Described.
func (unreadText) JSONSchema() *rpc.Schema { return &rpc.Schema{Type: "string"} }

func (t unreadText) read() (string, error) {
	var text Text
	err := text.UnmarshalParam(json.RawMessage(t))
	return string(text), err
}

// optional reads a text that may be missing or, as in komodod, null.
func (t unreadText) optional() (string, error) {
	if len(t) == 0 || rpc.KindOf(t) == rpc.KindNull {
		return "", nil
	}
	return t.read()
}

// orEmpty reads a text that may be missing.
func (t unreadText) orEmpty() (string, error) {
	if len(t) == 0 {
		return "", nil
	}
	return t.read()
}

// unreadDecimal is a Decimal that is checked when the method uses it.
type unreadDecimal json.RawMessage

// UnmarshalParam implements rpc.Unmarshaler.
func (d *unreadDecimal) UnmarshalParam(raw json.RawMessage) error {
	*d = unreadDecimal(raw)
	return nil
}

// JSONSchema implements rpc.Described.
func (unreadDecimal) JSONSchema() *rpc.Schema { return Decimal("").JSONSchema() }

// amount reads an amount of coins [komodod rpc/server.cpp AmountFromValue].
func (d unreadDecimal) amount(limit int64) (int64, error) {
	switch rpc.KindOf(d) {
	case rpc.KindNumber, rpc.KindString:
	default:
		return 0, &Error{CodeType, "Amount is not a number or string"}
	}
	var digits Decimal
	if err := digits.UnmarshalParam(json.RawMessage(d)); err != nil {
		return 0, err
	}
	n, err := number.ParseCoins(string(digits))
	switch {
	case err != nil || digits[0] == '+':
		return 0, &Error{CodeType, "Invalid amount"}
	case n < 0 || n > limit:
		return 0, &Error{CodeType, "Amount out of range"}
	}
	return n, nil
}

// unreadInt is an Int that is checked when the method uses it.
type unreadInt json.RawMessage

// UnmarshalParam implements rpc.Unmarshaler.
func (n *unreadInt) UnmarshalParam(raw json.RawMessage) error {
	*n = unreadInt(raw)
	return nil
}

// JSONSchema implements rpc.Described.
func (unreadInt) JSONSchema() *rpc.Schema { return &rpc.Schema{Type: "integer"} }

// or reads a number, or returns another one if it is missing.
func (n unreadInt) or(missing int) (int, error) {
	if len(n) == 0 {
		return missing, nil
	}
	var value Int
	err := value.UnmarshalParam(json.RawMessage(n))
	return int(value), err
}

// unreadFlag is a Flag that is checked when the method uses it.
type unreadFlag json.RawMessage

// UnmarshalParam implements rpc.Unmarshaler.
func (f *unreadFlag) UnmarshalParam(raw json.RawMessage) error {
	*f = unreadFlag(raw)
	return nil
}

// JSONSchema implements rpc.Described.
func (unreadFlag) JSONSchema() *rpc.Schema { return &rpc.Schema{Type: "boolean"} }

// or reads a flag, or returns another one if it is missing.
func (f unreadFlag) or(missing bool) (bool, error) {
	if len(f) == 0 {
		return missing, nil
	}
	var value Flag
	err := value.UnmarshalParam(json.RawMessage(f))
	return bool(value), err
}

// expectObject fails unless a value is an object, with the words of komodod's get_obj.
func expectObject(raw json.RawMessage) error {
	if rpc.KindOf(raw) != rpc.KindObject {
		return &Error{CodeMisc, "JSON value is not an object as expected"}
	}
	return nil
}

// expectArray fails unless a value is an array, with the words of komodod's get_array.
func expectArray(raw json.RawMessage) error {
	if rpc.KindOf(raw) != rpc.KindArray {
		return &Error{CodeMisc, "JSON value is not an array as expected"}
	}
	return nil
}
