// Package text truncates texts of other programs, removes invisible characters from them, and
// formats and parses bytes in hexadecimal with 0x before them, as Ethereum does. Exact amounts
// are in package number.
//
// Clip and Truncate always return valid UTF-8.
package text

import (
	"strings"
	"unicode"
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

// Truncate is like Clip, but does not append "…".
func Truncate(s string, limit int) string {
	part, _ := truncate(s, limit)
	return part
}

func truncate(s string, limit int) (part string, whole bool) {
	part = strings.ToValidUTF8(prefix(s, limit), string(utf8.RuneError))
	whole = len(s) <= limit && len(part) <= limit
	return prefix(part, limit), whole // a replacement is longer than an invalid byte
}

// prefix returns the characters of s that fit in limit bytes.
func prefix(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// Invisible reports whether a character is not shown or changes the direction of the text
// around it: control characters except tabs and line feeds, format characters, and characters
// that programs should ignore by default according to Unicode.
func Invisible(r rune) bool {
	const blankBraille = '\u2800'
	return r != '\n' && r != '\t' && unicode.IsControl(r) || r == blankBraille ||
		unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// Visible returns a text without its invisible characters. Joiners and the variation selectors of
// emoji stay after a character that is not ASCII, since some scripts and emoji need them.
func Visible(s string) string {
	var last rune
	return strings.Map(func(r rune) rune {
		switch r {
		case '\u200c', '\u200d', '\ufe0e', '\ufe0f':
			if last > unicode.MaxASCII {
				return r
			}
			return -1
		}
		if Invisible(r) {
			return -1
		}
		last = r
		return r
	}, s)
}

// Line returns at most limit bytes of a text as one line for display. It replaces line breaks
// and tabs with spaces, and removes invisible characters.
func Line(s string, limit int) string {
	spaced := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, Truncate(s, limit))
	return Truncate(Visible(spaced), limit)
}

// IsDomain reports whether name may be passed to a resolver. It must consist of labels of
// lower-case letters, digits, hyphens and underscores. The last label must not be a number,
// because such a name would be an invalid IPv4 address.
func IsDomain(name string) bool {
	if len(name) > 253 {
		return false
	}
	numeric := false
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		numeric = true
		for _, c := range []byte(label) {
			digit := c >= '0' && c <= '9'
			if !digit && c != '-' && c != '_' && (c < 'a' || c > 'z') {
				return false
			}
			numeric = numeric && digit
		}
	}
	return !numeric
}
