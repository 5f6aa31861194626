package params

import "obverse/core/chain/wire"

// Limits of consensus that do not depend on the height (consensus/consensus.h,
// script/script.h).
const (
	MaxScriptSize    = 10_001      // bytes of an output's script
	MaxBlockSigOps   = 60_000      // signature operations in a block
	ExpiryThreshold  = 500_000_000 // expiry heights are below
	MaxFutureSeconds = 60          // how far a block's time may be ahead of the clock
)

// MaxBlockSize is the size limit in bytes of a block of that height.
func (p *Params) MaxBlockSize(height int) int {
	if p.SaplingActive(height) {
		return wire.MaxBlockSize
	}
	return 2_000_000
}

// MaxTxSize is the size limit in bytes of a transaction in a block of that height.
func (p *Params) MaxTxSize(height int) int {
	if p.SaplingActive(height) {
		return 200_000
	}
	return 100_000
}
