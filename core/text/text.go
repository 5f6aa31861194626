// Package text truncates texts of other programs, and writes and reads bytes in hexadecimal with 0x
// before them, as Ethereum does. Exact amounts are in package number.
//
// What Clip and Truncate return is always valid UTF-8.
package text

import (
	"strings"
	"unicode/utf8"
)

// Clip returns at most limit bytes of a text, followed by "…" if that is not all of it.
// Invalid UTF-8 becomes U+FFFD, and no character is cut.
func Clip(s string, limit int) string {
	part, whole := truncate(s, limit)
	if !whole {
		part += "…"
	}
	return part
}

// Truncate is Clip without "…".
func Truncate(s string, limit int) string {
	part, _ := truncate(s, limit)
	return part
}

func truncate(s string, limit int) (part string, whole bool) {
	part = strings.ToValidUTF8(prefix(s, limit), string(utf8.RuneError))
	whole = len(s) <= limit && len(part) <= limit
	return prefix(part, limit), whole // a replacement is longer than an invalid byte
}

// prefix returns the characters within the first limit bytes.
func prefix(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}
