package consensus

import (
	"obverse/core/chain/params"
	"obverse/core/chain/wire"
)

// CheckTx judges what a transaction shows by itself. size is that of its encoding.
func CheckTx(tx *wire.Tx, size int, p *params.Params) error {
	switch {
	case !tx.Overwintered && tx.Version < 1:
		return ErrVersionTooLow
	case tx.Overwintered && tx.ExpiryHeight >= params.ExpiryThreshold:
		return ErrExpiryTooHigh
	case len(tx.Inputs) == 0 && len(tx.JoinSplits) == 0 && len(tx.Spends) == 0:
		return ErrNoInputs
	case len(tx.Outputs) == 0 && len(tx.JoinSplits) == 0 && len(tx.ShieldedOutputs) == 0:
		return ErrNoOutputs
	case size > params.MaxTxSizeSapling:
		return ErrOversize
	case tx.IsShielded():
		return ErrShielded
	}
	if err := checkOutputs(tx.Outputs, p.MaxMoney); err != nil {
		return err
	}
	return checkInputs(tx)
}

func checkOutputs(outputs []wire.TxOut, maxMoney int64) error {
	var total int64
	for i := range outputs {
		switch value := outputs[i].Value; {
		case value < 0:
			return ErrValueNegative
		case value > maxMoney:
			return ErrValueTooLarge
		case len(outputs[i].Script) > params.MaxScriptSize:
			return ErrScriptTooBig
		default:
			total += value // both terms are below 2^62
		}
		if total > maxMoney {
			return ErrTotalTooLarge
		}
	}
	return nil
}

func checkInputs(tx *wire.Tx) error {
	seen := make(map[wire.OutPoint]struct{}, len(tx.Inputs))
	for i := range tx.Inputs {
		if _, twice := seen[tx.Inputs[i].PrevOut]; twice {
			return ErrDuplicateInputs
		}
		seen[tx.Inputs[i].PrevOut] = struct{}{}
	}
	if tx.IsCoinbase() {
		if n := len(tx.Inputs[0].ScriptSig); n < 2 || n > 100 {
			return ErrCoinbaseLength
		}
		return nil
	}
	if tx.IsCoinImport() {
		return ErrCoinImport
	}
	for i := range tx.Inputs {
		if tx.Inputs[i].PrevOut.IsNull() {
			return ErrNullPrevout
		}
	}
	return nil
}

// CheckTxAt judges a transaction for a block of that height: its format must be
// that of the upgrade in force and it must not have expired.
func CheckTxAt(tx *wire.Tx, size, height int, p *params.Params) error {
	if !p.OverwinterActive(height) && tx.Overwintered {
		return ErrOverwinterNotActive
	}
	if err := checkFormat(tx, height, p); err != nil {
		return err
	}
	switch {
	case p.OverwinterActive(height) && !tx.Overwintered:
		return ErrOverwinterActive
	case tx.Overwintered && !tx.IsCoinbase() && IsExpired(tx, height):
		return ErrExpired
	case size > p.MaxTxSize(height):
		return ErrOversize
	}
	return nil
}

func checkFormat(tx *wire.Tx, height int, p *params.Params) error {
	switch {
	case p.SaplingActive(height):
		if !tx.Overwintered && tx.Version >= wire.SaplingVersion {
			return ErrSaplingFlagNotSet
		}
		if tx.Overwintered && tx.VersionGroupID != wire.SaplingGroupID {
			return ErrSaplingGroup
		}
	case p.OverwinterActive(height):
		if !tx.Overwintered && tx.Version >= wire.OverwinterVersion {
			return ErrOverwinterFlagNotSet
		}
		if tx.Overwintered && tx.VersionGroupID != wire.OverwinterGroupID {
			return ErrOverwinterGroup
		}
	}
	return nil
}

// IsExpired reports whether no block of that height or above may hold tx (ZIP 203).
func IsExpired(tx *wire.Tx, height int) bool {
	return tx.ExpiryHeight != 0 && height > int(tx.ExpiryHeight)
}

// lockTimeThreshold parts lock times into heights and Unix times.
const lockTimeThreshold = 500_000_000

// IsFinal reports whether a block of that height and time may hold tx (IsFinalTx).
// Komodo's rule since December 2019 differs from Bitcoin's in the one block of just
// the lock time: there a sequence number one below the final one is as good.
func IsFinal(tx *wire.Tx, height int, time uint32) bool {
	limit := int64(time)
	if tx.LockTime < lockTimeThreshold {
		limit = int64(height)
	}
	lockTime := int64(tx.LockTime)
	if lockTime < limit || lockTime == 0 {
		return true
	}
	lowest := uint32(0xffffffff)
	if lockTime == limit {
		lowest--
	}
	for i := range tx.Inputs {
		if tx.Inputs[i].Sequence < lowest {
			return false
		}
	}
	return true
}
