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
	Value  string // as given by the user
	Detail string // complete message
	kind   error
}

func (e *OptionError) Error() string { return e.Detail }

// Unwrap returns the kind: ErrUnknownOption, ErrOptionValue or ErrNotEnforced.
func (e *OptionError) Unwrap() error { return e.kind }

// Set sets the option with a key ("ac_reward", "regtest") to a value in the format of the
// command line.
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

// Value returns the canonical text of an option, or "" for an unknown key.
func (o Options) Value(key string) string {
	for _, opt := range table {
		if opt.key == key {
			return opt.get(&o)
		}
	}
	return ""
}

// Diff returns the first option, in canonical order, that differs between a and b.
func Diff(a, b Options) (key string, differs bool) {
	for _, opt := range table {
		if opt.get(&a) != opt.get(&b) {
			return opt.key, true
		}
	}
	return "", false
}

// MarshalJSON returns the canonical form: ac_supply and the options that are set, in canonical
// order. Equal options have equal forms, so a store can be pinned to the form.
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
	form[0] = '{' // ac_supply is always present, and so is the first comma
	return form, nil
}

// UnmarshalJSON sets the options in an object and leaves the others unchanged. Numbers may be
// strings. Keys other than "regtest" and those with the prefix "ac_" are ignored.
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
	slices.Sort(keys) // makes the first error deterministic
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

// jsonText returns the text of a JSON string, and any other value unchanged.
func jsonText(raw json.RawMessage) string {
	var s string
	if raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// nearest returns the known key with the fewest edits to the given one.
func nearest(key string) string {
	return slices.MinFunc(Keys(), func(a, b string) int { return edits(key, a) - edits(key, b) })
}

// Keys returns the keys of all options in canonical order.
func Keys() []string {
	keys := make([]string, len(table))
	for i, opt := range table {
		keys[i] = opt.key
	}
	return keys
}

// edits returns the Levenshtein distance of two strings.
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

// nameRule holds the settings that komodod derives from the name of a chain, in addition to its
// options (komodo_utils.cpp, komodo_args). They do not affect the magic.
type nameRule struct {
	limitsCodes bool     // whether codes replaces ac_ccenable
	codes       []uint64 // enabled eval codes
	extra       int64    // satoshis that a coinbase after block 1 may pay in addition
}

// Eval codes used in the rules (cc/eval.h).
const (
	evalAssets   = 0xe3
	evalFaucet   = 0xe4
	evalDice     = 0xe6
	evalHeir     = 0xea
	evalChannels = 0xeb
	evalOracles  = 0xec
	evalTokens   = 0xf2
)

var nameRules = map[string]nameRule{
	"AXO":      {limitsCodes: true},
	"DION":     {limitsCodes: true},
	"EQL":      {limitsCodes: true},
	"ILN":      {limitsCodes: true},
	"OUR":      {limitsCodes: true},
	"ZEXO":     {limitsCodes: true},
	"CCL":      {limitsCodes: true, codes: []uint64{evalTokens, evalHeir}},
	"SEC":      {limitsCodes: true, codes: []uint64{evalAssets, evalTokens, evalOracles}},
	"COQUI":    {limitsCodes: true, codes: []uint64{evalDice, evalChannels, evalOracles, evalAssets, evalTokens}, extra: 1},
	"KMDICE":   {limitsCodes: true, codes: []uint64{evalFaucet, evalDice, evalOracles}, extra: 1},
	"SUPERNET": {extra: 1},
	"DEX":      {extra: 1},
	"PIRATE":   {extra: 1},
}

// hasNoRewards reports whether blocks after the first create no coins and pay no commission
// (notaries_staked.cpp, is_STAKED).
func (o *Options) hasNoRewards() bool { return strings.HasPrefix(o.Name, "LABS") && o.Name != "LABS" }

// isForTests reports whether the chain's coinbases are mature immediately, regardless of its
// eras.
func (o *Options) isForTests() bool {
	return slices.ContainsFunc([]string{"LABS", "CFEK", "TEST"}, func(prefix string) bool { return strings.HasPrefix(o.Name, prefix) })
}

// enabledCodes returns the eval codes that are enabled, and whether the chain limits them.
func (o *Options) enabledCodes() (codes []uint64, limited bool) {
	if rule := nameRules[o.Name]; rule.limitsCodes {
		return rule.codes, true
	}
	return o.CCEnable, len(o.CCEnable) != 0
}

// scheduled returns the options from which rewards are computed. The first halving of PIRATE
// was made five times as long after its launch. komodod computes MAX_MONEY and the magic before
// this change.
func (o Options) scheduled() Options {
	const launched, longer = 77_777, 5
	if o.Name != "PIRATE" || era(o.Halving, 0) != launched {
		return o
	}
	later := o.Halving[1:]
	if len(later) == 0 {
		later = o.Halving // the last value applies to later eras
	}
	o.Halving = append([]uint64{launched * longer}, later...)
	return o
}
