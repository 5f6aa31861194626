// Package params turns the ac_* options of a chain into its constants: magic, ports, genesis,
// reward schedule, commission, activation heights, limits and the difficulty rule. It reads no
// state: all values that depend on the chain are functions of the caller's arguments.
//
// The general rules apply to chains for which komodod has special rules (LABS…, HUSH3, …).
//
// Source: komodod, komodo_utils.cpp, komodo_globals.cpp,
// komodo_bitcoind.cpp, pow.cpp and chainparams.cpp, checked against recordings of
// a running daemon.
//
// Invariant: two chains with the same Options have the same Params, and New refuses options
// whose rules are not implemented here.
package params

import (
	"encoding/binary"
	"fmt"
	"slices"

	"obverse/core/chain/wire"
)

// Params are the constants of one chain. They are immutable.
type Params struct {
	Name         string
	Magic        uint32
	MessageStart [4]byte // network magic, little endian
	P2PPort      uint16  // default port of peers, as chosen by komodod
	RPCPort      uint16
	Regtest      bool

	CCID               int  // ac_cc; or 2 if only an activation height is given
	CCEnabled          bool // whether crypto-condition outputs are recognised
	CCActivationHeight int  // first height at which evals are accepted; 0 for all heights

	OverwinterHeight int  // first height with Overwinter's rules
	SaplingHeight    int  // first height with Sapling's rules
	TimedActivation  bool // whether no height was given; see ActivationAfter

	Maturity int   // minimum difference between the heights of a coinbase and its spend
	MaxMoney int64 // in satoshis; limits all values and sums of values

	Supply       int64 // premine in whole coins
	Spacing      int64 // seconds between blocks
	options      Options
	schedule     Options  // options with the changes to rewards that depend on the name
	codes        []uint64 // eval codes that are enabled, if codesLimited is set
	codesLimited bool
	activateCode map[byte]int // ac_ccactivateht
}

// defaultMaturity is COINBASE_MATURITY of a chain with more than one era. It does not apply to
// regtest, where the default is 1.
const defaultMaturity = 100

// New validates the options and derives the params from them. The error is an *OptionError that
// names the option to change.
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

// Options returns the chain's options with defaults filled in. A store is pinned to them.
func (p *Params) Options() Options { return p.options }

// Schedule returns the options from which rewards are computed. They differ from Options for
// some chain names.
func (p *Params) Schedule() Options { return p.schedule }

// ExtraCoinbase returns the amount, in satoshis, that a coinbase after block 1 may pay in
// addition to subsidy, fees and commission (KOMODO_EXTRASATOSHI).
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

// regtestSpacing is the target spacing of regtest unless ac_blocktime is set.
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
		p.CCID = 2 // set after the magic was computed, which includes the given ac_cc
	}
	p.CCEnabled = p.CCID != 0
	p.codes, p.codesLimited = o.enabledCodes()
	for pair := range slices.Chunk(o.CCActivateAt, 2) {
		p.activateCode[byte(pair[0])] = int(pair[1])
	}
}

// CCActive reports whether evals are accepted in a block at height.
func (p *Params) CCActive(height int) bool { return p.CCEnabled && height >= p.CCActivationHeight }

// EvalEnabled reports whether an eval code is enabled in a block at height, either by
// ac_ccenable and the chain's name, or later by ac_ccactivateht. komodod compares the height in
// ac_ccactivateht with the tip, so a code is enabled in the block after that height
// (Eval::Dispatch).
func (p *Params) EvalEnabled(code byte, height int) bool {
	if !p.codesLimited || slices.Contains(p.codes, uint64(code)) {
		return true
	}
	from, given := p.activateCode[code]
	return given && height > from
}

// check returns an error for values out of range, for combinations that komodod refuses, and
// for options whose rules are not implemented here.
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

// checkCombinations returns an error for combinations of options that komodod refuses to start
// with or silently ignores.
func (o *Options) checkCombinations() error {
	destination := o.PubKey != "" || o.Script != ""
	for _, c := range []struct {
		key    string
		bad    bool
		reason string
	}{
		{"ac_supply", destination && o.Supply > spreadSupply, "a supply over ten billion coins excludes ac_pubkey and ac_script"},
		{"ac_perc", o.Perc != 0 && !destination, "requires ac_pubkey or ac_script as the recipient"},
		{"ac_founders", o.Founders != 0 && !destination, "requires ac_pubkey or ac_script as the recipient"},
		{"ac_founders_reward", o.FoundersReward != 0 && o.Perc != 0, "excludes ac_perc"},
		{"ac_founders_reward", o.FoundersReward != 0 && o.Founders == 0, "requires ac_founders"},
		{"ac_ccenable", len(o.CCEnable) != 0 && o.CC == 0, "requires ac_cc"},
		{"ac_overwinter", o.Overwinter != 0 && o.Sapling == 0, "requires ac_sapling, which otherwise replaces it later"},
		{"ac_overwinter", o.Overwinter > o.Sapling, "must not be greater than ac_sapling"},
	} {
		if c.bad {
			return refuse(c.key, o.Value(c.key), ErrOptionValue, c.reason)
		}
	}
	return nil
}

// notEnforced lists the options that change consensus in ways that are not implemented here,
// with the only accepted value of each.
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

// Consensus branch ids, which are part of signature hashes (consensus/upgrades.cpp). The id is
// 0 before Overwinter.
const (
	OverwinterBranch = 0x5ba81b19
	SaplingBranch    = 0x76b809bb
)

// ExpiryDelta is the number of blocks after the next one in which a transaction built by a node
// remains valid (-txexpirydelta).
const ExpiryDelta = 200

// Never is the activation height of rules that are not activated.
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
		// On a chain that starts today, block 1 is later than the deadline, but the genesis
		// block is not.
		p.TimedActivation = true
		p.OverwinterHeight, p.SaplingHeight = 1+activationDelay, 1+activationDelay
	}
}

// ActivationAfter determines the activation height of a chain with TimedActivation. It must be
// called for each block, with the time of its predecessor: the block that crosses the deadline
// determines the height of both upgrades. Params assume that block 1 crosses the deadline. A
// chain for which this is false continues with ActivateAt(Never), and then with the height
// found here (komodo_activate_sapling).
func (p *Params) ActivationAfter(height int, prevTime, time uint32) (activation int, crosses bool) {
	if !p.TimedActivation || prevTime > activationDeadline || time <= activationDeadline {
		return 0, false
	}
	return height + activationDelay, true
}

// ActivateAt returns a copy of p in which both upgrades activate at height.
func (p *Params) ActivateAt(height int) *Params {
	moved := *p
	moved.OverwinterHeight, moved.SaplingHeight = height, height
	return &moved
}

// OverwinterActive reports whether Overwinter's rules apply to a block at height.
func (p *Params) OverwinterActive(height int) bool { return height >= p.OverwinterHeight }

// SaplingActive reports whether Sapling's rules apply to a block at height.
func (p *Params) SaplingActive(height int) bool { return height >= p.SaplingHeight }

// BranchID returns the consensus branch id of a block at height.
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

// TxFormat returns the format in which a node builds transactions for a block at height
// (CreateNewContextualCMutableTransaction). After Overwinter, no other format is valid; before
// it, any legacy version is.
func (p *Params) TxFormat(height int) Format {
	switch {
	case p.SaplingActive(height):
		return Format{true, wire.SaplingVersion, wire.SaplingGroupID}
	case p.OverwinterActive(height):
		return Format{true, wire.OverwinterVersion, wire.OverwinterGroupID}
	}
	return Format{Version: 1}
}

// TxExpiry returns the expiry height of a transaction that a node builds for a block at height.
// A v3 transaction must not outlive Overwinter.
func (p *Params) TxExpiry(height int) uint32 {
	switch {
	case p.SaplingActive(height):
		return uint32(height + ExpiryDelta)
	case p.OverwinterActive(height):
		return uint32(min(height+ExpiryDelta, p.SaplingHeight-1))
	}
	return 0
}
