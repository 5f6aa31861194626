package params

import (
	"slices"
	"strings"
)

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

// enabledCodes are the eval codes that the chain leaves enabled, if it limits them.
func (o *Options) enabledCodes() (codes []uint64, limited bool) {
	if rule := nameRules[o.Name]; rule.limitsCodes {
		return rule.codes, true
	}
	return o.CCEnable, len(o.CCEnable) != 0
}

// scheduled are the options by which rewards are counted: the first halving of
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
