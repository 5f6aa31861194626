package nft

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// maxDepth is the maximum nesting depth of JSON from servers.
const maxDepth = 32

var errTooDeep = errors.New("nested more than 32 levels deep")

// checkDepth rejects text that is nested too deeply, whether or not it is valid JSON.
func checkDepth(raw []byte) error {
	depth := 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '{', '[':
			if depth++; depth > maxDepth {
				return errTooDeep
			}
		case '}', ']':
			depth--
		case '"':
			i = stringEnd(raw, i)
		}
	}
	return nil
}

// stringEnd returns the end of the string that begins at i: the index of its closing quote, or
// the length of the text.
func stringEnd(raw []byte, i int) int {
	for i++; i < len(raw) && raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return min(i, len(raw)-1)
}

// rewrite calls edit for each string value in a valid JSON text and puts the result in its
// place. edit gets the depth of the value, which is 1 within the outermost object, and the key
// before it.
func rewrite(text string, edit func(depth int, key, value string) string) string {
	raw, out := []byte(text), []byte(nil)
	depth, key, copied := 0, "", 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			end := stringEnd(raw, i) + 1
			value := string(raw[i+1 : end-1])
			if strings.Contains(value, `\`) {
				_ = json.Unmarshal(raw[i:end], &value) // valid JSON
			}
			if rest := bytes.TrimLeft(raw[end:], " \t\r\n"); len(rest) > 0 && rest[0] == ':' {
				key = value
			} else if edited := edit(depth, key, value); edited != value {
				quoted, _ := json.Marshal(edited) // strings do not fail
				out = append(append(out, raw[copied:i]...), quoted...)
				copied = end
			}
			i = end - 1
		}
	}
	return string(append(out, raw[copied:]...))
}

// lenient returns a JSON text as lenient parsers accept it. It removes a byte order mark, which
// RFC 8259 permits parsers to ignore, and replaces control characters by spaces, since
// contracts write documents with unescaped line breaks.
func lenient(raw []byte) []byte {
	raw = bytes.Clone(bytes.TrimPrefix(raw, []byte("\ufeff")))
	for i, c := range raw {
		if c < ' ' {
			raw[i] = ' '
		}
	}
	return raw
}

// decode parses untrusted JSON.
func decode(raw []byte, into any) error {
	raw = lenient(raw)
	if err := checkDepth(raw); err != nil {
		return err
	}
	err := json.Unmarshal(raw, into)
	var other *json.UnmarshalTypeError
	if errors.As(err, &other) { // its text contains Go type names
		return fmt.Errorf("member %q has the wrong type: %.50s", other.Field, other.Value)
	}
	return err
}

// rawText is a JSON text, or other JSON as it is written; null is "".
type rawText string

// UnmarshalJSON implements json.Unmarshaler.
func (t *rawText) UnmarshalJSON(raw []byte) error {
	switch raw[0] {
	case '"':
		return json.Unmarshal(raw, (*string)(t))
	case 'n':
		return nil
	}
	*t = rawText(raw)
	return nil
}

// isTrue reports whether a flag is set, which indexers write as true or as "true".
func (t rawText) isTrue() bool { return t == "true" }
