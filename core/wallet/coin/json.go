package coin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"obverse/core/text"
)

// kindOf returns the name of a JSON value's type, by its first byte.
func kindOf(raw []byte) string {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	if len(raw) == 0 {
		return "nothing"
	}
	switch raw[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// maxQuoted limits the length of strings from a file in errors.
const maxQuoted = 64

// describe formats a value as serde's messages do: integer `5`, string "x", map.
func describe(raw []byte) string {
	raw = bytes.TrimSpace(raw)
	switch kindOf(raw) {
	case "object":
		return "map"
	case "array":
		return "sequence"
	case "boolean":
		return "boolean `" + string(raw) + "`"
	case "string":
		var text string
		_ = json.Unmarshal(raw, &text) // cannot fail: the file was valid JSON
		return "string " + strconv.Quote(clip(text))
	case "number":
		if isInteger(raw) {
			return "integer `" + clip(string(raw)) + "`"
		}
		return "floating point `" + clip(string(raw)) + "`"
	}
	return kindOf(raw)
}

func isInteger(number []byte) bool { return !bytes.ContainsAny(number, ".eE") }

func clip(s string) string { return text.Clip(s, maxQuoted) }

// object reads the members of a JSON object one by one, and keeps the first error, worded as
// serde_json does, which clients of Komodo DeFi Framework know. After an error it returns zero
// values.
type object struct {
	members map[string]json.RawMessage
	err     error
}

// newObject parses raw. The argument want names the type in errors.
func newObject(raw json.RawMessage, want string) *object {
	o := &object{}
	if kindOf(raw) != "object" {
		o.fail("invalid type: %s, expected %s", describe(raw), want)
	} else if err := json.Unmarshal(raw, &o.members); err != nil {
		o.err = err
	}
	return o
}

func (o *object) fail(format string, args ...any) {
	if o.err == nil {
		o.err = fmt.Errorf(format, args...)
	}
}

// member returns a required member.
func (o *object) member(name string) (raw json.RawMessage, ok bool) {
	if o.err != nil {
		return nil, false
	}
	if raw, ok = o.members[name]; !ok {
		o.fail("missing field `%s`", name)
	}
	return raw, ok
}

// has reports whether an optional member is present and not null.
func (o *object) has(name string) bool {
	raw, ok := o.members[name]
	return ok && kindOf(raw) != "null"
}

func (o *object) text(name string) (text string) {
	raw, ok := o.member(name)
	if !ok {
		return ""
	}
	if kindOf(raw) != "string" {
		o.fail("invalid type: %s, expected a string", describe(raw))
		return ""
	}
	if err := json.Unmarshal(raw, &text); err != nil {
		o.fail("%v", err)
	}
	return text
}

func (o *object) optionalText(name string) string {
	if !o.has(name) {
		return ""
	}
	return o.text(name)
}

// variant reads a string that must be one of values.
func (o *object) variant(name string, values ...string) string {
	text := o.text(name)
	if o.err == nil && !slices.Contains(values, text) {
		o.fail("unknown variant `%s`, expected one of `%s`", clip(text), strings.Join(values, "`, `"))
	}
	return text
}

// uint reads a non-negative integer of at most the given number of bits.
func (o *object) uint(name string, bits int) uint64 {
	raw, ok := o.member(name)
	if !ok {
		return 0
	}
	return o.toUint(raw, bits)
}

func (o *object) toUint(raw json.RawMessage, bits int) uint64 {
	if kindOf(raw) != "number" || !isInteger(raw) {
		o.fail("invalid type: %s, expected u%d", describe(raw), bits)
		return 0
	}
	n, err := strconv.ParseUint(string(raw), 10, bits)
	if err != nil {
		o.fail("invalid value: %s, expected u%d", describe(raw), bits)
	}
	return n
}

// isMeasure reports whether number is non-negative, with few enough digits and a small enough
// exponent for exact calculation.
func isMeasure(number []byte) bool {
	const digits, exponents = 64, 64
	if kindOf(number) != "number" || number[0] == '-' || len(number) > digits {
		return false
	}
	_, exponent, found := strings.Cut(strings.ToLower(string(number)), "e")
	if !found {
		return true
	}
	n, err := strconv.Atoi(exponent)
	return err == nil && -exponents <= n && n <= exponents
}

// optionalNumber reads an exact non-negative number; "" when absent.
func (o *object) optionalNumber(name string) json.Number {
	if !o.has(name) {
		return ""
	}
	raw, _ := o.member(name)
	if kindOf(raw) != "number" {
		o.fail("invalid type: %s, expected f64", describe(raw))
		return ""
	}
	if !isMeasure(raw) {
		o.fail("invalid value: %s, expected a number from 0 of at most 64 digits", describe(raw))
	}
	return json.Number(raw)
}

// optionalUints reads an object of non-negative integers; empty when absent.
func (o *object) optionalUints(name string) map[string]uint64 {
	if !o.has(name) {
		return nil
	}
	raw, _ := o.member(name)
	inner := newObject(raw, "a map")
	numbers := make(map[string]uint64, len(inner.members))
	for _, key := range slices.Sorted(maps.Keys(inner.members)) {
		numbers[key] = inner.toUint(inner.members[key], 64)
	}
	if inner.err != nil {
		o.fail("%w", inner.err)
	}
	return numbers
}
