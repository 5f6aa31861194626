package rpc

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"
)

// MaxNesting limits the nesting depth of arrays and objects. It is univalue's limit.
const MaxNesting = 512

// ErrText reports bytes that are not a JSON text accepted by CheckText.
var ErrText = errors.New("not a JSON text")

// TextError is the position and the reason of an error in a JSON text, in the words of
// serde_json.
type TextError struct {
	Reason string
	Line   int // counted from 1
	Column int // number of bytes in the line up to and including the invalid one; 0 at its start
}

func (e *TextError) Error() string {
	return fmt.Sprintf("%s at line %d column %d", e.Reason, e.Line, e.Column)
}

// Unwrap returns ErrText.
func (e *TextError) Unwrap() error { return ErrText }

// CheckText returns nil for JSON texts that both interfaces accept, and a TextError for all
// others. In addition to texts that encoding/json refuses, it refuses invalid UTF-8, unpaired
// surrogates and deep nesting, as univalue and serde_json do. Numbers may have any size.
func CheckText(text []byte) error {
	c := checker{text: text}
	reason := c.value(0)
	if reason == "" {
		if c.space(); c.at == len(text) {
			return nil
		}
		reason = c.next("trailing characters")
	}
	before := text[:min(c.at, len(text))]
	return &TextError{
		Reason: reason,
		Line:   1 + bytes.Count(before, []byte{'\n'}),
		Column: len(before) - 1 - bytes.LastIndexByte(before, '\n'),
	}
}

// Reasons used in several places.
const (
	endInValue  = "EOF while parsing a value"
	endInString = "EOF while parsing a string"
	badNumber   = "invalid number"
	notKey      = "key must be a string"
)

// checker checks a text. Its methods return the reason why the text is invalid. In this case,
// at is the index after the invalid byte.
type checker struct {
	text []byte
	at   int
}

// next reports the next byte as invalid.
func (c *checker) next(reason string) string {
	c.at++
	return reason
}

// peek returns the next byte, or 0 at the end.
func (c *checker) peek() byte {
	if c.at < len(c.text) {
		return c.text[c.at]
	}
	return 0
}

func (c *checker) ended() bool { return c.at >= len(c.text) }

func (c *checker) space() {
	for c.at < len(c.text) {
		switch c.text[c.at] {
		case ' ', '\t', '\r', '\n':
			c.at++
		default:
			return
		}
	}
}

func (c *checker) value(depth int) string {
	c.space()
	if c.ended() {
		return endInValue
	}
	switch b := c.text[c.at]; b {
	case '"':
		return c.str()
	case '{', '[':
		if depth == MaxNesting {
			return c.next("recursion limit exceeded")
		}
		c.at++
		if b == '{' {
			return c.object(depth + 1)
		}
		return c.array(depth + 1)
	case 't':
		return c.word("true")
	case 'f':
		return c.word("false")
	case 'n':
		return c.word("null")
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return c.number()
	}
	return c.next("expected value")
}

func (c *checker) word(word string) string {
	for i := range len(word) {
		if c.ended() {
			return endInValue
		}
		if c.at++; c.text[c.at-1] != word[i] {
			return "expected ident"
		}
	}
	return ""
}

func (c *checker) array(depth int) string {
	for first := true; ; first = false {
		c.space()
		switch {
		case c.ended():
			return "EOF while parsing a list"
		case c.peek() == ']':
			c.at++
			return ""
		case first:
		case c.peek() != ',':
			return c.next("expected `,` or `]`")
		default:
			c.at++
			if c.space(); c.peek() == ']' {
				return c.next("trailing comma")
			}
		}
		if reason := c.value(depth); reason != "" {
			return reason
		}
	}
}

func (c *checker) object(depth int) string {
	for first := true; ; first = false {
		c.space()
		switch {
		case c.ended():
			return "EOF while parsing an object"
		case c.peek() == '}':
			c.at++
			return ""
		case first:
		case c.peek() != ',':
			return c.next("expected `,` or `}`")
		default:
			c.at++
			if c.space(); c.ended() {
				return endInValue
			}
			if c.peek() == '}' {
				return c.next("trailing comma")
			}
		}
		if reason := c.member(depth); reason != "" {
			return reason
		}
	}
}

func (c *checker) member(depth int) string {
	if c.peek() != '"' {
		return c.next(notKey)
	}
	if reason := c.str(); reason != "" {
		return reason
	}
	c.space()
	if c.ended() {
		return "EOF while parsing an object"
	}
	if c.peek() != ':' {
		return c.next("expected `:`")
	}
	c.at++
	return c.value(depth)
}

func (c *checker) number() string {
	if c.peek() == '-' {
		c.at++
	}
	switch b := c.peek(); {
	case b == '0':
		if c.at++; isDigit(c.peek()) {
			return c.next(badNumber)
		}
	case isDigit(b):
		c.digits()
	case c.ended():
		return endInValue
	default:
		return c.next(badNumber)
	}
	if c.peek() == '.' {
		c.at++
		if reason := c.digitSequence(); reason != "" {
			return reason
		}
	}
	if b := c.peek(); b == 'e' || b == 'E' {
		c.at++
		if b = c.peek(); b == '+' || b == '-' {
			c.at++
		}
		return c.digitSequence()
	}
	return ""
}

func (c *checker) digitSequence() string {
	switch {
	case c.ended():
		return endInValue
	case !isDigit(c.peek()):
		return c.next(badNumber)
	}
	c.digits()
	return ""
}

func (c *checker) digits() {
	for isDigit(c.peek()) {
		c.at++
	}
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// str checks a string, starting at its opening quote.
func (c *checker) str() string {
	c.at++
	start, plain := c.at, true
	for c.at < len(c.text) {
		switch b := c.text[c.at]; {
		case b == '"':
			c.at++
			if !plain && !utf8.Valid(c.text[start:c.at]) {
				return "invalid unicode code point"
			}
			return ""
		case b == '\\':
			c.at++
			if reason := c.escape(); reason != "" {
				return reason
			}
		case b < ' ':
			return c.next(`control character (\u0000-\u001F) found while parsing a string`)
		default:
			plain = plain && b < utf8.RuneSelf
			c.at++
		}
	}
	return endInString
}

// escape checks the characters after a backslash. It checks both halves of a surrogate pair
// together.
func (c *checker) escape() string {
	if c.ended() {
		return endInString
	}
	c.at++
	switch c.text[c.at-1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return ""
	case 'u':
	default:
		return "invalid escape"
	}
	unit, reason := c.unit()
	switch {
	case reason != "" || unit < 0xd800 || unit > 0xdfff:
		return reason
	case unit >= 0xdc00:
		return "lone leading surrogate in hex escape"
	}
	for _, b := range []byte(`\u`) {
		if c.ended() {
			return endInString
		}
		if c.at++; c.text[c.at-1] != b {
			return "unexpected end of hex escape"
		}
	}
	if unit, reason = c.unit(); reason == "" && (unit < 0xdc00 || unit > 0xdfff) {
		return "lone leading surrogate in hex escape"
	}
	return reason
}

// unit decodes the four digits of a \u escape.
func (c *checker) unit() (unit rune, reason string) {
	if len(c.text)-c.at < 4 {
		c.at = len(c.text)
		return 0, endInString
	}
	for range 4 {
		b := c.text[c.at]
		switch c.at++; {
		case isDigit(b):
			unit = unit<<4 | rune(b-'0')
		case b|0x20 >= 'a' && b|0x20 <= 'f':
			unit = unit<<4 | rune(b|0x20-'a'+10)
		default:
			return 0, "invalid escape"
		}
	}
	return unit, ""
}
