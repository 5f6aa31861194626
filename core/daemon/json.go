package daemon

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// appendCompact writes a valid JSON text as univalue prints it: no white space,
// numbers with the digits they came with, strings by appendString.
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

// appendQuoted rewrites one JSON string; most need no rewriting.
func appendQuoted(dst, quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 && bytes.IndexByte(quoted, 0x7f) < 0 {
		return append(dst, quoted...)
	}
	var s string
	if err := json.Unmarshal(quoted, &s); err != nil {
		return append(dst, quoted...)
	}
	return appendString(dst, s)
}

// appendString prints a string as univalue does: everything raw but the quote, the
// backslash, and control characters including DEL.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\b':
			dst = append(dst, `\b`...)
		case c == '\f':
			dst = append(dst, `\f`...)
		case c == '\n':
			dst = append(dst, `\n`...)
		case c == '\r':
			dst = append(dst, `\r`...)
		case c == '\t':
			dst = append(dst, `\t`...)
		case c < 0x20 || c == 0x7f:
			dst = fmt.Appendf(dst, `\u%04x`, c)
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

// encode prints a method's result, for appendReply.
func encode(result any) ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(result); err != nil {
		return nil, fmt.Errorf("encode result: %w", err)
	}
	return text.Bytes(), nil
}
