package mempool

import (
	"context"

	"obverse/core/chain"
	"obverse/core/chain/consensus"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

// terms are the checks that a transaction must pass in addition to the rules of a block. A
// transaction that returns from a block or from the store was acknowledged before and needs no new record.
type terms struct {
	relay  bool // to be of a form that nodes relay
	lowFee bool // to have no fee that looks like a mistake
	heard  bool // it is another node's, who has acknowledged it
}

// examine judges all but the scripts and fills the entry in. It reads the chain
// and the pool, so it is for use inside Manager.Read and the like.
func (p *Pool) examine(v *chain.View, e *Entry, t terms) error {
	tip := v.Tip()
	height := tip.Height + 1
	e.Height = tip.Height
	t.relay = t.relay && !p.params.Regtest
	if err := p.checkAlone(e, tip, t); err != nil {
		return err
	}
	if p.isSpent(e.Tx) {
		return ErrConflict
	}
	if err := p.findCoins(v, e); err != nil {
		return err
	}
	if t.relay {
		if err := p.checkStandardInputs(e); err != nil {
			return err
		}
	}
	if e.SigOps() > maxTxSigOps {
		return ErrManySigOps
	}
	if t.lowFee {
		if err := e.checkFee(); err != nil {
			return err
		}
	}
	coins := e.Coins
	fee, err := consensus.CheckSpend(e.Tx, coins, height, p.params)
	if err != nil {
		return err
	}
	e.Fee = fee
	if t.relay {
		if err := p.checkRelayFee(e, t); err != nil {
			return err
		}
	}
	e.Transfers = consensus.Tokens(e.Tx, e.ID, coins, p.creations(v))
	return v.Err()
}

// checkAlone judges what does not depend on other transactions.
func (p *Pool) checkAlone(e *Entry, tip chain.Tip, t terms) error {
	height := tip.Height + 1
	if err := consensus.CheckTx(e.Tx, e.Size, p.params); err != nil {
		return err
	}
	if err := consensus.CheckTxAt(e.Tx, e.Size, height, p.params); err != nil {
		return err
	}
	if e.Tx.IsCoinbase() {
		return ErrCoinbase
	}
	if t.relay {
		if err := p.checkStandard(e.Tx, height); err != nil {
			return err
		}
	}
	if !consensus.IsFinal(e.Tx, height, tip.MedianTime) {
		return ErrNonFinal
	}
	return nil
}

// isSpent reports whether the pool spends an input of tx.
func (p *Pool) isSpent(tx *wire.Tx) bool {
	for i := range tx.Inputs {
		if p.spenders[tx.Inputs[i].PrevOut] != nil {
			return true
		}
	}
	return false
}

// findCoins looks up the coins that the entry spends. As upstream, it distinguishes a spent
// output from an unknown or fully spent transaction.
func (p *Pool) findCoins(v *chain.View, e *Entry) error {
	outs := make([]wire.OutPoint, len(e.Tx.Inputs))
	for i := range outs {
		outs[i] = e.Tx.Inputs[i].PrevOut
	}
	coins, found, err := v.Coins(outs...)
	if err != nil {
		return err
	}
	spent := false
	for i, out := range outs {
		if found[i] {
			continue
		}
		if p.entries[out.Hash] == nil {
			partly, err := v.HasCoins(out.Hash)
			if err != nil {
				return err
			}
			if !partly {
				return ErrMissingInputs
			}
			spent = true
			continue
		}
		coin, ok := p.Coin(out)
		coins[i], spent = coin, spent || !ok
	}
	if spent {
		return ErrInputsSpent
	}
	e.Coins = coins
	return nil
}

// creations finds tokens in the pool and in the chain.
func (p *Pool) creations(v *chain.View) token.Lookup {
	return func(id wire.Hash) (token.Creation, bool) {
		if e := p.entries[id]; e != nil {
			return e.creation()
		}
		return v.Creation(id)
	}
}

// spends lists the entry's inputs for the block after the tip at which it was examined.
func (p *Pool) spends(e *Entry) []consensus.Spend {
	height := e.Height + 1
	evals := consensus.Evals(e.Transfers, height, p.params)
	return consensus.Spends(e.Tx, e.Coins, p.params.BranchID(height), p.manager.Cache(), evals)
}

// verify runs the scripts. It needs no lock.
//
// Upstream runs them twice, with its standard flags but no evals and then with
// evals but few flags. One run with everything passes when both do, so the two
// are left to find out what to say when it fails.
func (p *Pool) verify(ctx context.Context, spends []consensus.Spend) error {
	standard := consensus.Flags(script.StandardFlags, p.params)
	err := consensus.Verify(ctx, spends, func(s *consensus.Spend) error { return s.Verify(s.PkScript, standard) })
	if err == nil || ctx.Err() != nil {
		return err
	}
	for i := range spends {
		unevaluated := spends[i]
		unevaluated.Eval = nil
		if err := unevaluated.VerifyRelay(unevaluated.PkScript, standard); err != nil {
			return err
		}
	}
	block := consensus.Flags(script.BlockFlags, p.params)
	for i := range spends {
		if err := spends[i].VerifyRelay(spends[i].PkScript, block); err != nil {
			return err
		}
	}
	return err
}
