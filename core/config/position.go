package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"
)

// Position says where in the text of a config an error of Merge or Validate lies: the
// value of its key, or what is no JSON. Lines and columns count from 1, columns in
// characters. ok is false for an error of a key that the text does not have.
func Position(text []byte, err error) (line, column int, ok bool) {
	var (
		syntax *json.SyntaxError
		bad    *Error
		at     int
	)
	switch {
	case errors.As(err, &syntax):
		at, ok = min(int(max(syntax.Offset, 1))-1, len(text)), true
		if strings.HasPrefix(syntax.Error(), "unexpected end") {
			at = len(text)
		}
	case errors.As(err, &bad):
		at, ok = offsetOf(text, bad.Key)
	}
	if !ok {
		return 0, 0, false
	}
	before := text[:at]
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]), true
}

// offsetOf finds the value of a dotted key in an object; of several, the last, which counts.
func offsetOf(text []byte, key string) (at int, ok bool) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if start, err := decoder.Token(); err != nil || start != json.Delim('{') {
		return 0, false
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return 0, false
		}
		var value json.RawMessage
		if decoder.Decode(&value) != nil {
			return 0, false
		}
		from := int(decoder.InputOffset()) - len(value)
		if name == key {
			at, ok = from, true
		} else if section, rest, nested := strings.Cut(key, "."); nested && name == section {
			if inner, found := offsetOf(value, rest); found {
				at, ok = from+inner, true
			}
		}
	}
	return at, ok
}
