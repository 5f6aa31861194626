package params

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Kinds of OptionError.
var (
	ErrUnknownOption = errors.New("unknown option")
	ErrOptionValue   = errors.New("bad value of an option")
	ErrNotEnforced   = errors.New("unsupported option")
)

// OptionError describes an invalid option.
type OptionError struct {
	Key    string
	Value  string // as given
	Detail string // the whole message
	kind   error
}

func (e *OptionError) Error() string { return e.Detail }

// Unwrap gives the kind: ErrUnknownOption, ErrOptionValue or ErrNotEnforced.
func (e *OptionError) Unwrap() error { return e.kind }

// Set gives the option of that key ("ac_reward", "regtest") a value in the form of
// the command line.
func (o *Options) Set(key, value string) error {
	i := slices.IndexFunc(table, func(opt option) bool { return opt.key == key })
	if i < 0 {
		detail := fmt.Sprintf("unknown option %s: did you mean %s?", key, nearest(key))
		return &OptionError{key, value, detail, ErrUnknownOption}
	}
	changed := *o
	if !table[i].set(&changed, value) {
		detail := fmt.Sprintf("%s: %q is not %s", key, value, table[i].allowed)
		return &OptionError{key, value, detail, ErrOptionValue}
	}
	*o = changed
	return nil
}

// Value is the canonical text of an option, "" for an unknown key.
func (o Options) Value(key string) string {
	for _, opt := range table {
		if opt.key == key {
			return opt.get(&o)
		}
	}
	return ""
}

// Diff names the first option, in canonical order, that a and b disagree about.
func Diff(a, b Options) (key string, differs bool) {
	for _, opt := range table {
		if opt.get(&a) != opt.get(&b) {
			return opt.key, true
		}
	}
	return "", false
}

// MarshalJSON writes the canonical form: the options that are given and ac_supply,
// in canonical order. Equal options have equal forms, so it can be pinned.
func (o Options) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	for _, opt := range table {
		value := opt.get(&o)
		if value == opt.blank {
			continue
		}
		if !opt.plain || strings.Contains(value, ",") {
			value = `"` + value + `"` // no option allows a character that JSON escapes
		}
		fmt.Fprintf(&out, `,"%s":%s`, opt.key, value)
	}
	out.WriteByte('}')
	form := out.Bytes()
	form[0] = '{' // ac_supply is always there, and so is a first comma
	return form, nil
}

// UnmarshalJSON sets the options that an object holds and keeps the others.
// Numbers may be strings. Keys that neither begin with "ac_" nor are "regtest"
// are someone else's and are passed over.
func (o *Options) UnmarshalJSON(b []byte) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(b, &object); err != nil {
		return fmt.Errorf("chain options: %w", err)
	}
	changed := *o
	keys := make([]string, 0, len(object))
	for key := range object {
		keys = append(keys, key)
	}
	slices.Sort(keys) // so that of several bad options the same one is reported
	for _, key := range keys {
		if key != "regtest" && !strings.HasPrefix(key, "ac_") {
			continue
		}
		if err := changed.Set(key, jsonText(object[key])); err != nil {
			return err
		}
	}
	*o = changed
	return nil
}

// jsonText is the text of a string, and any other value as it is written.
func jsonText(raw json.RawMessage) string {
	var s string
	if raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// nearest is the known key with the fewest edits to the given one.
func nearest(key string) string {
	return slices.MinFunc(Keys(), func(a, b string) int { return edits(key, a) - edits(key, b) })
}

// Keys lists the options in their canonical order.
func Keys() []string {
	keys := make([]string, len(table))
	for i, opt := range table {
		keys[i] = opt.key
	}
	return keys
}

// edits is the Levenshtein distance.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
