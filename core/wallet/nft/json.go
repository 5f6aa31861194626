package nft

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// maxDepth bounds the nesting of what servers answer.
const maxDepth = 32

var errTooDeep = errors.New("it is nested more than 32 deep")

// checkDepth refuses what is nested too deep, valid JSON or not.
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

// stringEnd is where the string ends that begins at i: the index of its last quote, or of
// the end of the text.
func stringEnd(raw []byte, i int) int {
	for i++; i < len(raw) && raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return min(i, len(raw)-1)
}

// rewrite lets edit change the strings that are values in a valid JSON text. edit is
// told how deep a value lies, 1 being within the outermost object, and the last key
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
				_ = json.Unmarshal(raw[i:end], &value) // which is valid
			}
			if rest := bytes.TrimLeft(raw[end:], " \t\r\n"); len(rest) > 0 && rest[0] == ':' {
				key = value
			} else if edited := edit(depth, key, value); edited != value {
				quoted, _ := json.Marshal(edited) // as every string can be
				out = append(append(out, raw[copied:i]...), quoted...)
				copied = end
			}
			i = end - 1
		}
	}
	return string(append(out, raw[copied:]...))
}

// lenient returns a JSON text as readers take it that are not strict: without a byte order mark,
// which RFC 8259 lets them ignore, and with spaces in the place of control characters, since
// contracts write documents whose texts have unescaped line breaks.
func lenient(raw []byte) []byte {
	raw = bytes.Clone(bytes.TrimPrefix(raw, []byte("\ufeff")))
	for i, c := range raw {
		if c < ' ' {
			raw[i] = ' '
		}
	}
	return raw
}

// decode reads JSON of a stranger.
func decode(raw []byte, into any) error {
	raw = lenient(raw)
	if err := checkDepth(raw); err != nil {
		return err
	}
	err := json.Unmarshal(raw, into)
	var other *json.UnmarshalTypeError
	if errors.As(err, &other) { // whose text tells of this program
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
