package params

import "obverse/core/chain/wire"

// Consensus branch ids, which signature hashes contain (consensus/upgrades.cpp).
// It is 0 before Overwinter.
const (
	OverwinterBranch = 0x5ba81b19
	SaplingBranch    = 0x76b809bb
)

// ExpiryDelta is how many blocks after the next one a built transaction stays
// valid (-txexpirydelta).
const ExpiryDelta = 200

// Never is the activation height of rules that have none yet.
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

// ActivationAfter is the rule of a chain with TimedActivation, which asks it for
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

// ActivateAt gives the same chain with both upgrades at that height.
func (p *Params) ActivateAt(height int) *Params {
	moved := *p
	moved.OverwinterHeight, moved.SaplingHeight = height, height
	return &moved
}

// OverwinterActive reports whether a block of that height has Overwinter's rules.
func (p *Params) OverwinterActive(height int) bool { return height >= p.OverwinterHeight }

// SaplingActive reports whether a block of that height has Sapling's rules.
func (p *Params) SaplingActive(height int) bool { return height >= p.SaplingHeight }

// BranchID is the consensus branch of a block of that height.
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

// TxFormat is the format that a node builds for a block of that height
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

// TxExpiry is the expiry height that a node gives a transaction which it builds
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
