package rpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"unicode/utf8"
)

// Names that KindOf gives; they are the ones of komodod's messages ("Expected type
// string, got number").
const (
	KindNull   = "null"
	KindBool   = "bool"
	KindNumber = "number"
	KindString = "string"
	KindArray  = "array"
	KindObject = "object"
)

// KindOf names the JSON type of a valid JSON text; it looks at the first byte that
// is not white space. Nothing at all counts as null.
func KindOf(raw []byte) string {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	if len(raw) == 0 {
		return KindNull
	}
	switch raw[0] {
	case '{':
		return KindObject
	case '[':
		return KindArray
	case '"':
		return KindString
	case 't', 'f':
		return KindBool
	case 'n':
		return KindNull
	}
	return KindNumber
}

// Field is one member of a JSON object.
type Field struct {
	Name  string
	Value json.RawMessage
}

// Fields splits a JSON object into its members, in order and with duplicates. The
// names are exact, unlike encoding/json's, which ignores case. The values are parts
// of raw.
func Fields(raw []byte) ([]Field, error) {
	if !json.Valid(raw) {
		return nil, fmt.Errorf("object: %w", json.Unmarshal(raw, new(any)))
	}
	if got := KindOf(raw); got != KindObject {
		return nil, fmt.Errorf("object: %w: %s", ErrType, got)
	}
	fields := []Field{}
	for name, value := range Members(raw) {
		fields = append(fields, Field{name, value})
	}
	return fields, nil
}

// Elements splits an array of a valid JSON text, such as a Field's value. The
// elements are parts of raw.
func Elements(raw []byte) ([]json.RawMessage, error) {
	if got := KindOf(raw); got != KindArray {
		return nil, fmt.Errorf("array: %w: %s", ErrType, got)
	}
	var list []json.RawMessage
	for element := range Items(raw) {
		list = append(list, element)
	}
	return list, nil
}

// Unquote reads a string of a valid JSON text. Half surrogate pairs and bytes that
// are not UTF-8 become U+FFFD, as in encoding/json, which most strings can do without.
func Unquote(raw []byte) (string, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) >= 2 && raw[0] == '"' && bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw[1 : len(raw)-1]), nil
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err
}

// Members goes through an object of a text that CheckText took, in order and with
// duplicates. The values are parts of raw.
func Members(raw []byte) iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) {
		var name string
		isName := true
		for part := range parts(raw) {
			if isName {
				// The text is known to be valid, and its names with it.
				name, _ = Unquote(part)
			} else if !yield(name, part) {
				return
			}
			isName = !isName
		}
	}
}

// Items goes through an array of a text that CheckText took. The elements are parts
// of raw.
func Items(raw []byte) iter.Seq[json.RawMessage] { return parts(raw) }

// parts cuts the inside of a valid object or array at its commas and colons.
func parts(raw []byte) iter.Seq[json.RawMessage] {
	return func(yield func(json.RawMessage) bool) {
		raw := bytes.TrimSpace(raw)
		inside := raw[1 : len(raw)-1]
		depth, start := 0, 0
		for i := 0; i < len(inside); i++ {
			switch inside[i] {
			case '"':
				i = closingQuote(inside, i)
			case '{', '[':
				depth++
			case '}', ']':
				depth--
			case ',', ':':
				if depth > 0 {
					continue
				}
				if !yield(bytes.TrimSpace(inside[start:i])) {
					return
				}
				start = i + 1
			}
		}
		if last := bytes.TrimSpace(inside[start:]); len(last) > 0 {
			yield(last)
		}
	}
}

// closingQuote finds the end of the string of a valid text that opens at i.
func closingQuote(text []byte, i int) int {
	for i++; text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}
