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

// Unwrap returns the kind: ErrUnknownOption, ErrOptionValue or ErrNotEnforced.
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

// Value returns the canonical text of an option, "" for an unknown key.
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

// jsonText returns the text of a string, and any other value as it is written.
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

// Keys lists the options in their canonical order.
func Keys() []string {
	keys := make([]string, len(table))
	for i, opt := range table {
		keys[i] = opt.key
	}
	return keys
}

// edits returns the Levenshtein distance.
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
	limitsCodes bool     // codes take the place of ac_ccenable
	codes       []uint64 // eval codes left enabled
	extra       int64    // satoshis that a coinbase after block 1 may take beyond all else
}

// Eval codes that rules name (cc/eval.h).
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

// isForTests reports whether coinbases of the chain are mature at once, whatever its eras.
func (o *Options) isForTests() bool {
	return slices.ContainsFunc([]string{"LABS", "CFEK", "TEST"}, func(prefix string) bool { return strings.HasPrefix(o.Name, prefix) })
}

// enabledCodes returns the eval codes that the chain leaves enabled, if it limits them.
func (o *Options) enabledCodes() (codes []uint64, limited bool) {
	if rule := nameRules[o.Name]; rule.limitsCodes {
		return rule.codes, true
	}
	return o.CCEnable, len(o.CCEnable) != 0
}

// scheduled returns the options by which rewards are counted: the first halving of
// PIRATE, as it was launched, became five times as long. MAX_MONEY and the magic are
// worked out before komodod changes it.
func (o Options) scheduled() Options {
	const launched, longer = 77_777, 5
	if o.Name != "PIRATE" || era(o.Halving, 0) != launched {
		return o
	}
	later := o.Halving[1:]
	if len(later) == 0 {
		later = o.Halving // the last value counts on
	}
	o.Halving = append([]uint64{launched * longer}, later...)
	return o
}
