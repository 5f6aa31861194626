package params

import "obverse/core/chain/wire"

// Limits of consensus (consensus/consensus.h, script/script.h), sizes in bytes.
const (
	MaxBlockSizeSapling = wire.MaxBlockSize
	MaxBlockSizeLegacy  = 2_000_000 // before Sapling
	MaxTxSizeSapling    = 200_000
	MaxTxSizeLegacy     = 100_000     // before Sapling
	MaxScriptSize       = 10_001      // of an output
	MaxBlockSigOps      = 60_000      // signature operations in a block
	ExpiryThreshold     = 500_000_000 // expiry heights are below
	MaxFutureSeconds    = 60          // how far a block's time may be ahead of the clock
)

// MaxBlockSize is the size limit of a block of that height.
func (p *Params) MaxBlockSize(height int) int {
	if p.SaplingActive(height) {
		return MaxBlockSizeSapling
	}
	return MaxBlockSizeLegacy
}

// MaxTxSize is the size limit of a transaction in a block of that height.
func (p *Params) MaxTxSize(height int) int {
	if p.SaplingActive(height) {
		return MaxTxSizeSapling
	}
	return MaxTxSizeLegacy
}
