// Package params turns the ac_* options of a chain into its constants: magic, ports, genesis,
// reward schedule, commission, activation heights, limits and the difficulty rule. It reads no
// state: all values that depend on the chain are functions of the caller's arguments.
//
// Chains for which komodod has special rules (LABS…, HUSH3, …) get the general rules here.
//
// Source: komodod, komodo_utils.cpp, komodo_globals.cpp,
// komodo_bitcoind.cpp, pow.cpp and chainparams.cpp, checked against recordings of
// a running daemon.
//
// Invariant: two chains with the same Options have the same Params, and options with rules that
// are not implemented here never become Params.
package params

import (
	"encoding/binary"
	"fmt"
	"slices"

	"obverse/core/chain/wire"
)

// Params are the constants of one chain. Nothing changes them.
type Params struct {
	Name         string
	Magic        uint32
	MessageStart [4]byte // the magic on the wire, little endian
	P2PPort      uint16  // default, as komodod would choose it
	RPCPort      uint16
	Regtest      bool

	CCID               int  // ac_cc; 2 when only an activation height is given
	CCEnabled          bool // crypto-condition outputs are recognised
	CCActivationHeight int  // the first height at which evals are accepted, 0 for all

	OverwinterHeight int  // first height with Overwinter's rules
	SaplingHeight    int  // first height with Sapling's rules
	TimedActivation  bool // no height was given: see ActivationAfter

	Maturity int   // spend height - coinbase height must be at least this
	MaxMoney int64 // satoshis; no value or sum of values may be above

	Supply       int64 // whole coins of the premine
	Spacing      int64 // seconds between blocks
	options      Options
	schedule     Options  // options, but for what the name changes in rewards
	codes        []uint64 // eval codes left enabled, if codesLimited
	codesLimited bool
	activateCode map[byte]int // ac_ccactivateht
}

// defaultMaturity is COINBASE_MATURITY of a chain with more than one era, unless
// its parameters are regtest's, which start from 1.
const defaultMaturity = 100

// New checks the options and derives everything from them. The error is an
// *OptionError that names the option to change.
func New(given Options) (*Params, error) {
	if err := given.check(); err != nil {
		return nil, err
	}
	o := given.effective()
	p := &Params{
		Name:         o.Name,
		Magic:        Magic(o),
		Regtest:      o.Regtest,
		Maturity:     o.maturity(),
		MaxMoney:     maxMoney(o),
		Supply:       int64(o.Supply),
		Spacing:      o.spacing(),
		options:      o,
		schedule:     o.scheduled(),
		activateCode: map[byte]int{},
	}
	binary.LittleEndian.PutUint32(p.MessageStart[:], p.Magic)
	p.P2PPort, p.RPCPort = Ports(o)
	p.setContracts(o)
	p.setUpgrades(o)
	return p, nil
}

// Options returns the chain's options with defaults filled in, for pinning.
func (p *Params) Options() Options { return p.options }

// Schedule returns the options by which rewards are counted, which some names change.
func (p *Params) Schedule() Options { return p.schedule }

// ExtraCoinbase returns how many satoshis a coinbase after block 1 may take beyond subsidy,
// fees and commission (KOMODO_EXTRASATOSHI).
func (p *Params) ExtraCoinbase() int64 { return nameRules[p.Name].extra }

func (o *Options) maturity() int {
	switch {
	case o.CBMaturity != 0:
		return int(o.CBMaturity)
	case o.Eras == 1 || o.Regtest || o.isForTests():
		return 1
	}
	return defaultMaturity
}

// regtestSpacing is regtest's goal unless ac_blocktime says otherwise.
const regtestSpacing = 150

func (o *Options) spacing() int64 {
	if o.Regtest && o.BlockTime == 60 {
		return regtestSpacing
	}
	return int64(o.BlockTime)
}

func (p *Params) setContracts(o Options) {
	p.CCID, p.CCActivationHeight = int(o.CC), int(o.CCActivate)
	if p.CCID < 2 && (o.CCActivate != 0 || len(o.CCActivateAt) != 0) {
		p.CCID = 2 // after the magic was made, so it keeps the given ac_cc
	}
	p.CCEnabled = p.CCID != 0
	p.codes, p.codesLimited = o.enabledCodes()
	for pair := range slices.Chunk(o.CCActivateAt, 2) {
		p.activateCode[byte(pair[0])] = int(pair[1])
	}
}

// CCActive reports whether evals are accepted in a block of that height.
func (p *Params) CCActive(height int) bool { return p.CCEnabled && height >= p.CCActivationHeight }

// EvalEnabled reports whether ac_ccenable and the chain's name leave an eval code enabled
// in a block of that height, or ac_ccactivateht has enabled it again. komodod compares that
// height with the tip, so a code is enabled in the block after it
// (Eval::Dispatch).
func (p *Params) EvalEnabled(code byte, height int) bool {
	if !p.codesLimited || slices.Contains(p.codes, uint64(code)) {
		return true
	}
	from, given := p.activateCode[code]
	return given && height > from
}

// check refuses values out of range, combinations that komodod refuses, and
// options whose rules are not kept here.
func (o Options) check() error {
	for _, opt := range table {
		if value := opt.get(&o); value != opt.blank {
			if err := new(Options).Set(opt.key, value); err != nil {
				return err
			}
		}
	}
	if o.Name == "" || o.Name == "KMD" {
		return refuse("ac_name", o.Name, ErrOptionValue, "a chain needs a name other than KMD")
	}
	if err := o.checkCombinations(); err != nil {
		return err
	}
	return o.checkEnforced()
}

func refuse(key, value string, kind error, reason string) error {
	return &OptionError{key, value, fmt.Sprintf("%s: %q cannot be used: %s", key, value, reason), kind}
}

// checkCombinations refuses what komodod refuses to start with, and what it would
// silently take as not given.
func (o *Options) checkCombinations() error {
	destination := o.PubKey != "" || o.Script != ""
	for _, c := range []struct {
		key    string
		bad    bool
		reason string
	}{
		{"ac_supply", destination && o.Supply > spreadSupply, "over ten billion coins it excludes ac_pubkey and ac_script"},
		{"ac_perc", o.Perc != 0 && !destination, "it needs ac_pubkey or ac_script to pay to"},
		{"ac_founders", o.Founders != 0 && !destination, "it needs ac_pubkey or ac_script to pay to"},
		{"ac_founders_reward", o.FoundersReward != 0 && o.Perc != 0, "it excludes ac_perc"},
		{"ac_founders_reward", o.FoundersReward != 0 && o.Founders == 0, "it needs ac_founders"},
		{"ac_ccenable", len(o.CCEnable) != 0 && o.CC == 0, "it needs ac_cc"},
		{"ac_overwinter", o.Overwinter != 0 && o.Sapling == 0, "it needs ac_sapling, which otherwise replaces it later"},
		{"ac_overwinter", o.Overwinter > o.Sapling, "it must not come after ac_sapling"},
	} {
		if c.bad {
			return refuse(c.key, o.Value(c.key), ErrOptionValue, c.reason)
		}
	}
	return nil
}

// notEnforced are the options that change consensus in a way that is not kept
// here, with the one value each may have.
var notEnforced = []struct{ key, harmless, what string }{
	{"ac_notarypay", "", "payments to notaries"},
	{"ac_cclib", "", "an external library of eval codes"},
	{"ac_algo", "equihash", "another proof of work"},
	{"ac_private", "0", "shielded-only transactions"},
	{"ac_staked", "0", "proof of stake"},
	{"ac_adaptivepow", "0", "adaptive difficulty"},
	{"ac_txpow", "0", "proof of work of transactions"},
	{"ac_timelockgte", "0", "time-locked coinbases"},
	{"ac_import", "", "coin imports"},
	{"ac_beam", "0", "imports from Beam"},
	{"ac_coda", "0", "imports from Coda"},
	{"ac_mineropret", "", "data in coinbases"},
	{"ac_snapshot", "0", "address snapshots"},
	{"ac_earlytxidcontract", "0", "contracts that depend on an early transaction"},
}

func (o *Options) checkEnforced() error {
	for _, rule := range notEnforced {
		if value := o.Value(rule.key); value != "" && value != rule.harmless {
			return refuse(rule.key, value, ErrNotEnforced, "this node does not keep the rules of "+rule.what)
		}
	}
	return nil
}

// Consensus branch ids, which signature hashes contain (consensus/upgrades.cpp).
// It is 0 before Overwinter.
const (
	OverwinterBranch = 0x5ba81b19
	SaplingBranch    = 0x76b809bb
)

// ExpiryDelta is how many blocks after the next one a built transaction stays
// valid (-txexpirydelta).
const ExpiryDelta = 200

// Never is the activation height of rules without one.
const Never = 1<<31 - 1

const (
	activationDeadline = 1_544_832_000 // 2018-12-15: KOMODO_SAPLING_ACTIVATION
	activationDelay    = 60            // blocks after the first block past the deadline
)

func (p *Params) setUpgrades(o Options) {
	p.OverwinterHeight, p.SaplingHeight = int(o.Overwinter), int(o.Sapling)
	if o.Overwinter == 0 {
		p.OverwinterHeight = p.SaplingHeight
	}
	if o.Sapling == 0 {
		// Block 1 of a chain that starts today is past the deadline, genesis is not.
		p.TimedActivation = true
		p.OverwinterHeight, p.SaplingHeight = 1+activationDelay, 1+activationDelay
	}
}

// ActivationAfter returns the rule of a chain with TimedActivation, which asks it for
// each block and its predecessor's time: the one block that crosses the deadline
// decides the height of both upgrades. Params assume that block 1 crosses it; a
// chain for which that is false goes on with ActivateAt(Never), and then with
// the height found here (komodo_activate_sapling).
func (p *Params) ActivationAfter(height int, prevTime, time uint32) (activation int, crosses bool) {
	if !p.TimedActivation || prevTime > activationDeadline || time <= activationDeadline {
		return 0, false
	}
	return height + activationDelay, true
}

// ActivateAt returns the same chain with both upgrades at that height.
func (p *Params) ActivateAt(height int) *Params {
	moved := *p
	moved.OverwinterHeight, moved.SaplingHeight = height, height
	return &moved
}

// OverwinterActive reports whether a block of that height has Overwinter's rules.
func (p *Params) OverwinterActive(height int) bool { return height >= p.OverwinterHeight }

// SaplingActive reports whether a block of that height has Sapling's rules.
func (p *Params) SaplingActive(height int) bool { return height >= p.SaplingHeight }

// BranchID returns the consensus branch of a block of that height.
func (p *Params) BranchID(height int) uint32 {
	switch {
	case p.SaplingActive(height):
		return SaplingBranch
	case p.OverwinterActive(height):
		return OverwinterBranch
	}
	return 0
}

// Format is a transaction format.
type Format struct {
	Overwintered   bool
	Version        uint32
	VersionGroupID uint32
}

// TxFormat returns the format that a node builds for a block of that height
// (CreateNewContextualCMutableTransaction). With Overwinter no other is valid;
// before it any legacy version is.
func (p *Params) TxFormat(height int) Format {
	switch {
	case p.SaplingActive(height):
		return Format{true, wire.SaplingVersion, wire.SaplingGroupID}
	case p.OverwinterActive(height):
		return Format{true, wire.OverwinterVersion, wire.OverwinterGroupID}
	}
	return Format{Version: 1}
}

// TxExpiry returns the expiry height that a node gives a transaction which it builds
// for a block of that height: a v3 transaction must not outlive Overwinter.
func (p *Params) TxExpiry(height int) uint32 {
	switch {
	case p.SaplingActive(height):
		return uint32(height + ExpiryDelta)
	case p.OverwinterActive(height):
		return uint32(min(height+ExpiryDelta, p.SaplingHeight-1))
	}
	return 0
}
