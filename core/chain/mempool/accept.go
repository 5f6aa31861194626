package mempool

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"obverse/core/chain"
	"obverse/core/chain/consensus"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
	"obverse/core/store"
)

// maxAttempts limits how often validation restarts after the tip changes.
const maxAttempts = 16

// errMoved reports that the chain or the pool changed after an examination.
var errMoved = errors.New("the chain has changed")

// Accept validates a transaction for the block after the tip and adds it to the pool. The
// transaction is durable when Accept returns. A transaction that is already in the pool is not
// an error. If the transaction is refused, the error is an *Error. If it may be in the pool
// nevertheless, or may be there after a restart, the error is an *UnclearError. The caller must
// not modify raw afterwards.
func (p *Pool) Accept(ctx context.Context, raw []byte, allowHighFees bool) (wire.Hash, error) {
	id, durable, err := p.take(ctx, raw, terms{relay: true, lowFee: !allowHighFees})
	if err != nil || durable == nil {
		return id, err
	}
	if err := durable(ctx); err != nil {
		return id, &UnclearError{id, err}
	}
	return id, nil
}

// Hear is like Accept, for a transaction from another node. It stores the transaction in memory
// only, because the other node has it on disk, and does not check for absurdly high fees,
// because only the client can confirm them. If bytes follow the transaction, Hear returns
// ErrDecode.
func (p *Pool) Hear(ctx context.Context, raw []byte) (wire.Hash, error) {
	if _, decoded, err := Decode(raw); err != nil || len(decoded) < len(raw) {
		return wire.Hash{}, ErrDecode // a block could not contain the trailing bytes
	}
	id, _, err := p.take(ctx, raw, terms{relay: true, heard: true})
	return id, err
}

func (p *Pool) take(ctx context.Context, raw []byte, t terms) (wire.Hash, store.Durable, error) {
	e, err := newEntry(raw)
	if err != nil {
		return wire.Hash{}, nil, err
	}
	e.Time = p.now()
	for range maxAttempts {
		durable, err := p.try(ctx, e, t)
		if err == nil || !errors.Is(err, errMoved) {
			return e.ID, durable, refusal(err)
		}
	}
	return e.ID, nil, &Error{CodeFailed, ErrUnsettled.Error(), ErrUnsettled}
}

// try examines the entry at the current tip, and adds it if the tip is still the same
// afterwards. The scripts, which take nearly all the time, run without the lock.
func (p *Pool) try(ctx context.Context, e *Entry, t terms) (store.Durable, error) {
	var known *Entry
	var epoch uint64
	err := p.manager.Read(ctx, func(v *chain.View) error {
		epoch = p.epoch
		if known = p.entries[e.ID]; known != nil {
			return nil
		}
		if err := p.checkNotInChain(v, e.ID); err != nil {
			return err
		}
		return p.examine(v, e, t)
	})
	if err != nil {
		return nil, err
	}
	if known != nil {
		return p.acknowledge(ctx, known, t)
	}
	if err := p.verify(ctx, p.spends(e)); err != nil {
		return nil, err
	}
	return p.insert(ctx, e, epoch, t.heard)
}

// acknowledge stores a durable record of a transaction that is already in the mempool, if the
// terms require one.
func (p *Pool) acknowledge(ctx context.Context, known *Entry, t terms) (durable store.Durable, err error) {
	if t.heard {
		return nil, nil
	}
	defer func() {
		if err != nil && !errors.As(err, new(*UnclearError)) {
			err = &UnclearError{known.ID, err} // the entry stays in the pool
		}
	}()
	err = p.manager.Update(ctx, func(v *chain.View) error {
		if p.entries[known.ID] == known {
			err := p.record(v, known)
			durable = known.durable
			return err
		}
		durable = known.durable
		return nil
	})
	return durable, err
}

// record writes the record of an entry that is not in the store yet, and those of the entries
// that it depends on. Without them, the entry could not be loaded again.
func (p *Pool) record(v *chain.View, e *Entry) error {
	var batch store.Batch
	missing := p.unstored(e, nil)
	for _, m := range missing {
		batch.Ops = append(batch.Ops, m.record())
	}
	if len(missing) == 0 {
		return nil
	}
	durable, err := v.Stage(batch)
	if errors.Is(err, store.ErrMaybeStored) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return &UnclearError{e.ID, err}
	}
	if err != nil {
		return err
	}
	for _, m := range missing {
		m.unstored, m.durable = false, durable
	}
	return nil
}

// unstored appends an entry and the entries that it depends on to a list, except those that are
// already in the store.
func (p *Pool) unstored(e *Entry, list []*Entry) []*Entry {
	if !e.unstored || slices.Contains(list, e) {
		return list
	}
	list = append(list, e)
	for i := range e.Tx.Inputs {
		if parent := p.entries[e.Tx.Inputs[i].PrevOut.Hash]; parent != nil {
			list = p.unstored(parent, list)
		}
	}
	return list
}

// checkNotInChain refuses a transaction that is in the chain and has an unspent output. If all
// outputs are spent, the transaction is refused later because its inputs are missing, as in
// komodod.
func (p *Pool) checkNotInChain(v *chain.View, id wire.Hash) error {
	known, err := v.HasTx(id)
	if err != nil || !known {
		return err
	}
	unspent, err := v.HasCoins(id)
	if err == nil && unspent {
		return ErrInChain
	}
	return err
}

// insert adds a verified entry, and its record unless heard is set. It returns errMoved if the
// chain or the pool changed after the examination.
func (p *Pool) insert(ctx context.Context, e *Entry, epoch uint64, heard bool) (durable store.Durable, err error) {
	err = p.manager.Update(ctx, func(v *chain.View) error {
		if p.epoch != epoch {
			return errMoved
		}
		if p.entries[e.ID] != nil {
			return errMoved // the next attempt finds the entry
		}
		if p.isSpent(e.Tx) {
			return ErrConflict
		}
		if err := cmp.Or(p.checkRoom(e.Size), p.checkFree(e)); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		e.sequence, e.unstored = p.next, true
		if !heard {
			if err := p.record(v, e); err != nil {
				return err
			}
		}
		durable = e.durable
		if e.free {
			p.free.add(e.Time, e.Size)
		}
		p.next++
		p.pushBack(e)
		p.notifier.set(true)
		return nil
	})
	return durable, err
}

func (p *Pool) checkRoom(size int) error {
	switch {
	case len(p.entries) >= p.maxCount:
		return full("transactions", p.maxCount)
	case p.bytes+size > p.maxBytes:
		return full("bytes", p.maxBytes)
	}
	return nil
}

// terms are the checks that a transaction must pass in addition to the rules of a block. A
// transaction that returns from a block or from the store has already been acknowledged and
// needs no new record.
type terms struct {
	relay  bool // the transaction must have a form that nodes relay
	lowFee bool // the fee must not be absurdly high
	heard  bool // another node sent the transaction and has acknowledged it
}

// examine makes all checks except those of the scripts, and fills in the entry. It reads the
// chain and the pool, so it must be called inside Manager.Read or a similar method.
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

// checkAlone makes the checks that do not depend on other transactions.
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

// isSpent reports whether a transaction in the pool spends an input of tx.
func (p *Pool) isSpent(tx *wire.Tx) bool {
	for i := range tx.Inputs {
		if p.spenders[tx.Inputs[i].PrevOut] != nil {
			return true
		}
	}
	return false
}

// findCoins looks up the coins that the entry spends. Like komodod, it distinguishes a spent
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

// creations returns a lookup of tokens in the pool and in the chain.
func (p *Pool) creations(v *chain.View) token.Lookup {
	return func(id wire.Hash) (token.Creation, bool) {
		if e := p.entries[id]; e != nil {
			return e.creation()
		}
		return v.Creation(id)
	}
}

// spends returns the entry's inputs, for the block after the tip at which it was examined.
func (p *Pool) spends(e *Entry) []consensus.Spend {
	height := e.Height + 1
	evals := consensus.Evals(e.Transfers, height, p.params)
	return consensus.Spends(e.Tx, e.Coins, p.params.BranchID(height), p.manager.Cache(), evals)
}

// verify runs the scripts. It does not need the lock.
//
// komodod runs the scripts twice: with its standard flags but without evals, and with evals but
// few flags. A single run with everything passes if both runs would pass. If it fails, the two
// runs determine the error.
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
