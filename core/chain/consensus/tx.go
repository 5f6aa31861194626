package consensus

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"obverse/core/chain/params"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
	"obverse/core/guard"
)

// CheckTx validates a transaction by itself. The argument size is the size of its encoding.
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
		case value > maxMoney-total: // avoids an overflow of the sum
			return ErrTotalTooLarge
		}
		total += outputs[i].Value
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

// CheckTxAt validates a transaction for a block at height: its format must be that of the
// active upgrade, and it must not have expired.
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

// IsExpired reports whether tx is invalid in blocks at and above height because it has expired
// (ZIP 203).
func IsExpired(tx *wire.Tx, height int) bool {
	return tx.ExpiryHeight != 0 && height > int(tx.ExpiryHeight)
}

// lockTimeThreshold separates lock times that are heights from those that are Unix times.
const lockTimeThreshold = 500_000_000

// IsFinal reports whether tx may be included in a block at a height and time (IsFinalTx). Since
// December 2019, Komodo's rule differs from Bitcoin's in the block whose height or time equals
// the lock time: in that block, a sequence number one below the final one is accepted too.
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

// CheckSpend validates the amounts and ages of the coins that tx spends in a block at height,
// and returns the fee in satoshis.
func CheckSpend(tx *wire.Tx, coins []Coin, height int, p *params.Params) (fee int64, err error) {
	var in, out int64
	for i := range coins {
		if coins[i].Coinbase && height-coins[i].Height < p.Maturity {
			return 0, ErrPrematureSpend
		}
		if coins[i].Value < 0 || coins[i].Value > p.MaxMoney-in { // avoids an overflow of the sum
			return 0, ErrInputRange
		}
		in += coins[i].Value
	}
	for i := range tx.Outputs {
		out += tx.Outputs[i].Value
	}
	if in < out {
		return 0, ErrInBelowOut
	}
	return in - out, nil
}

// Tokens examines the token transfers of tx (package token).
func Tokens(tx *wire.Tx, id wire.Hash, coins []Coin, lookup token.Lookup) *token.Transfers {
	spent := make([]token.Coin, len(coins))
	for i := range coins {
		spent[i] = coins[i].Coin
	}
	return token.Examine(tx, id, spent, lookup)
}

// Eval codes of modules that are accepted although the modules are not implemented here: in
// komodod, the handlers of f1 and f3 check nothing that applies.
const (
	evalGateways      = 0xf1
	evalImportGateway = 0xf3
)

// Evals returns a function that evaluates the eval nodes of a transaction in a block at height
// (Eval::Dispatch, ProcessCC).
func Evals(moves *token.Transfers, height int, p *params.Params) func(code []byte) bool {
	return func(code []byte) bool {
		if len(code) != 1 || !p.CCActive(height) || !p.EvalEnabled(code[0], height) {
			return false
		}
		switch code[0] {
		case token.Eval:
			return moves.Validate() == nil
		case evalGateways, evalImportGateway:
			return true
		}
		return false
	}
}

// Flags returns the script flags of a chain, given the flags of a block or of relaying.
func Flags(flags script.Flags, p *params.Params) script.Flags {
	if !p.CCEnabled {
		flags |= script.NoCC
	}
	return flags
}

// Spends returns the inputs of tx in the form that Verify needs.
func Spends(tx *wire.Tx, coins []Coin, branch uint32, cache *script.SigCache, eval func([]byte) bool) []Spend {
	hashes := script.NewSigHashes(tx)
	spends := make([]Spend, len(coins))
	for i := range coins {
		spends[i] = Spend{script.Spend{
			Tx: tx, Index: i, Amount: coins[i].Value, BranchID: branch, Hashes: hashes, Cache: cache, Eval: eval,
		}, coins[i].Script}
	}
	return spends
}

// Spend is an input and the script that it must satisfy.
type Spend struct {
	script.Spend
	PkScript []byte
}

// verifyInTurn is the minimum number of spends per goroutine.
const verifyInTurn = 4

// Verify calls check for every spend, using all cores if there are many spends, and returns the
// error of the first spend that fails.
func Verify(ctx context.Context, spends []Spend, check func(*Spend) error) error {
	workers := min(runtime.GOMAXPROCS(0), (len(spends)+verifyInTurn-1)/verifyInTurn)
	errs := make([]error, len(spends))
	var next, failed atomic.Int64
	work := func() {
		for failed.Load() == 0 && ctx.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= len(spends) {
				return
			}
			errs[i] = guard.Do(ctx, "checking a spend", func() error { return check(&spends[i]) })
			if errs[i] != nil {
				failed.Add(1)
			}
		}
	}
	var wg sync.WaitGroup
	for range workers - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}
