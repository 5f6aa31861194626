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

// CheckSpend judges the amounts and ages of the coins that tx spends in a block of
// that height, and returns the fee in satoshis.
func CheckSpend(tx *wire.Tx, coins []Coin, height int, p *params.Params) (fee int64, err error) {
	var in, out int64
	for i := range coins {
		if coins[i].Coinbase && height-coins[i].Height < p.Maturity {
			return 0, ErrPrematureSpend
		}
		in += coins[i].Value
		if coins[i].Value < 0 || coins[i].Value > p.MaxMoney || in > p.MaxMoney {
			return 0, ErrInputRange
		}
	}
	for i := range tx.Outputs {
		out += tx.Outputs[i].Value
	}
	if in < out {
		return 0, ErrInBelowOut
	}
	return in - out, nil
}

// Tokens examines what tx does with tokens (package token).
func Tokens(tx *wire.Tx, id wire.Hash, coins []Coin, lookup token.Lookup) *token.Transfers {
	spent := make([]token.Coin, len(coins))
	for i := range coins {
		spent[i] = coins[i].Coin
	}
	return token.Examine(tx, id, spent, lookup)
}

// Codes of modules whose spends were recorded as valid without a module of theirs:
// the f1 and f3 handlers of upstream check nothing that applies.
const (
	evalGateways      = 0xf1
	evalImportGateway = 0xf3
)

// Evals decides the eval nodes of a transaction in a block of that height
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

// Flags are the script flags of a chain, for those of a block or of relay.
func Flags(flags script.Flags, p *params.Params) script.Flags {
	if !p.CCEnabled {
		flags |= script.NoCC
	}
	return flags
}

// Spends lists the inputs of tx for Verify.
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

// verifyInTurn is how many spends one goroutine takes before another is worth it.
const verifyInTurn = 4

// Verify runs check on every spend, on all cores when there are many, and returns
// the error of the first spend that fails.
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
