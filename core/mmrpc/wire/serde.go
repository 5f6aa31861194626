package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"obverse/core/rpc"
	"obverse/core/text"
)

// Clients rely on the texts of serde, the decoder of Komodo DeFi Framework, in error_data. The
// functions in this file return these texts for errors of this program.

// maxQuoted limits the part of a request that is repeated in an error, in bytes.
const maxQuoted = 64

// Describe converts the error e of a parameter, which is wrapped in cause, to a Fault.
func Describe(cause error, e *rpc.ParamError) error {
	name := Clip(e.Path[strings.LastIndexByte(e.Path, '.')+1:])
	at := fmt.Sprintf("parameter %q", Clip(e.Path))
	switch {
	case errors.Is(e.Err, rpc.ErrMissing):
		return Fault{"missing field `" + name + "`", at + " must be " + e.Want, cause}
	case errors.Is(e.Err, rpc.ErrDuplicate):
		return Fault{"duplicate field `" + name + "`", at, cause}
	case errors.Is(e.Err, rpc.ErrUnknown):
		return Fault{"unknown field `" + name + "`, " + expected(e.Allowed), join(at, DidYouMean(name, e.Allowed)), cause}
	case errors.Is(e.Err, rpc.ErrVariant):
		value, _ := rpc.Unquote(e.Value) // "" if it cannot be decoded
		return Fault{"unknown variant `" + Clip(value) + "`, " + expected(e.Allowed), join(at, DidYouMean(value, e.Allowed)), cause}
	case errors.Is(e.Err, rpc.ErrRange):
		return Fault{"invalid value: " + quoted(e) + ", expected " + e.Want, at, cause}
	case errors.Is(e.Err, rpc.ErrType):
		return Fault{"invalid type: " + quoted(e) + ", expected " + e.Want, at, cause}
	case e.Want != "":
		return Fault{Text(e.Err), at + " must be " + e.Want, cause}
	}
	return Fault{Text(e.Err), at, cause}
}

// expected returns a text that lists the accepted names.
func expected(names []string) string {
	if len(names) == 0 {
		return "there are no fields"
	}
	return "expected " + OneOf(names)
}

// OneOf lists names in serde's format: `a`, or one of `a`, `b`.
func OneOf(names []string) string {
	quoted := "`" + strings.Join(names, "`, `") + "`"
	if len(names) > 1 {
		return "one of " + quoted
	}
	return quoted
}

// DidYouMean returns a suggestion with the most similar of the names, or "".
func DidYouMean(name string, names []string) string {
	if nearest, found := rpc.Nearest(name, names); found {
		return "did you mean `" + nearest + "`?"
	}
	return ""
}

func join(parts ...string) string {
	rest := parts[:0:0]
	for _, part := range parts {
		if part != "" {
			rest = append(rest, part)
		}
	}
	return strings.Join(rest, ", ")
}

// quoted returns the refused value, or its type if the value must not be repeated.
func quoted(e *rpc.ParamError) string {
	if e.Value == nil {
		return KindWords(e.Got)
	}
	return Unexpected(e.Value)
}

// Unexpected describes a value in serde's format: integer `-1`, string "0.1", sequence.
func Unexpected(raw json.RawMessage) string {
	kind := rpc.KindOf(raw)
	text := strings.TrimSpace(string(raw))
	switch kind {
	case rpc.KindBool:
		return "boolean `" + text + "`"
	case rpc.KindNumber:
		if IsWhole(raw) {
			return "integer `" + Clip(text) + "`"
		}
		return "floating point `" + Clip(text) + "`"
	case rpc.KindString:
		if s, err := rpc.Unquote(raw); err == nil {
			return "string " + quote(Clip(s))
		}
	}
	return KindWords(kind)
}

// KindWords returns serde's name of a kind of JSON values.
func KindWords(kind string) string {
	switch kind {
	case rpc.KindBool:
		return "boolean"
	case rpc.KindArray:
		return "sequence"
	case rpc.KindObject:
		return "map"
	}
	return kind
}

// IsWhole reports whether a number is written as an integer, as defined by serde.
func IsWhole(number json.RawMessage) bool {
	return rpc.KindOf(number) == rpc.KindNumber && !strings.ContainsAny(string(number), ".eE")
}

// quote formats a string like Rust's {:?}.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch r {
		case '"', '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		case '\t':
			b.WriteString(`\t`)
		case 0:
			b.WriteString(`\0`)
		default:
			if unicode.IsPrint(r) {
				b.WriteRune(r)
			} else {
				fmt.Fprintf(&b, `\u{%x}`, r)
			}
		}
	}
	b.WriteByte('"')
	return b.String()
}

// Clip truncates a part of a request that is repeated in an error.
func Clip(s string) string { return text.Clip(s, maxQuoted) }
