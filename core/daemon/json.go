package daemon

import (
	"bytes"
	"encoding/json"
	"fmt"

	"obverse/core/rpc"
)

// appendCompact appends a valid JSON text in the format of univalue: without white space, with
// numbers unchanged, and with strings written by appendString.
func appendCompact(dst, text []byte) []byte {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case ' ', '\t', '\r', '\n':
		case '"':
			end := closingQuote(text, i)
			dst = appendQuoted(dst, text[i:end+1])
			i = end
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

func closingQuote(text []byte, start int) int {
	for i := start + 1; ; i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
}

// appendQuoted appends a JSON string in the format of univalue. Most strings need no change.
// Bytes that are not UTF-8 are left unchanged.
func appendQuoted(dst, quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 && bytes.IndexByte(quoted, 0x7f) < 0 {
		return append(dst, quoted...)
	}
	dst = append(dst, '"')
	for inside := quoted[1 : len(quoted)-1]; len(inside) > 0; {
		escaped := escapes(inside)
		if escaped == 0 {
			dst = appendByte(dst, inside[0])
			inside = inside[1:]
			continue
		}
		var s string
		if json.Unmarshal(append(append([]byte{'"'}, inside[:escaped]...), '"'), &s) != nil {
			s = string(inside[:escaped])
		}
		dst = appendText(dst, s)
		inside = inside[escaped:]
	}
	return append(dst, '"')
}

// escapes returns the length of the escape sequences at the start of a text.
func escapes(text []byte) (n int) {
	for n+1 < len(text) && text[n] == '\\' {
		if n += 2; text[n-1] == 'u' {
			n += 4
		}
	}
	return min(n, len(text))
}

// appendString appends a string in the format of univalue, which escapes only the quote, the
// backslash and control characters including DEL.
func appendString(dst []byte, s string) []byte {
	return append(appendText(append(dst, '"'), s), '"')
}

func appendText(dst []byte, s string) []byte {
	for i := range len(s) {
		dst = appendByte(dst, s[i])
	}
	return dst
}

func appendByte(dst []byte, c byte) []byte {
	switch {
	case c == '"' || c == '\\':
		return append(dst, '\\', c)
	case c == '\b':
		return append(dst, `\b`...)
	case c == '\f':
		return append(dst, `\f`...)
	case c == '\n':
		return append(dst, `\n`...)
	case c == '\r':
		return append(dst, `\r`...)
	case c == '\t':
		return append(dst, `\t`...)
	case c < 0x20 || c == 0x7f:
		return fmt.Appendf(dst, `\u%04x`, c)
	}
	return append(dst, c)
}

// rawText is text from a transaction, which may contain any bytes. They are written unchanged,
// whereas encoding/json would replace those that are not UTF-8.
type rawText string

// MarshalJSON implements json.Marshaler.
func (s rawText) MarshalJSON() ([]byte, error) { return appendString(nil, string(s)), nil }

// JSONSchema implements rpc.Described.
func (rawText) JSONSchema() *rpc.Schema { return &rpc.Schema{Type: "string"} }

// encode encodes a method's result for appendReply.
func encode(result any) ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(result); err != nil {
		return nil, fmt.Errorf("encode result: %w", err)
	}
	return text.Bytes(), nil
}
