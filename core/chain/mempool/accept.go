package mempool

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"obverse/core/chain"
	"obverse/core/chain/wire"
	"obverse/core/store"
)

// maxAttempts limits how often validation restarts after the tip changes.
const maxAttempts = 16

// errMoved says that the chain or the pool changed after an examination.
var errMoved = errors.New("the chain has changed")

// Accept judges a transaction for the block after the tip and keeps it. When it
// returns, the transaction is durable; one that the pool has already is no error.
// A refusal is an *Error. raw must not change afterwards.
func (p *Pool) Accept(ctx context.Context, raw []byte, allowHighFees bool) (wire.Hash, error) {
	id, durable, err := p.take(ctx, raw, terms{relay: true, lowFee: !allowHighFees})
	if err == nil && durable != nil {
		err = refusal(durable(ctx))
	}
	return id, err
}

// Hear is Accept for a transaction from another node. That node has it on its
// disk, so that it is kept in memory here; and what fee looked like a mistake was its
// client's to say. Bytes behind the transaction are refused with ErrDecode.
func (p *Pool) Hear(ctx context.Context, raw []byte) (wire.Hash, error) {
	if _, decoded, err := Decode(raw); err != nil || len(decoded) < len(raw) {
		return wire.Hash{}, ErrDecode // a block could not hold what follows
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

// try judges the entry at the present tip and adds it if that is still the tip
// afterwards. The scripts, which take nearly all the time, run outside the lock.
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

// record writes an entry that is not in the store yet, with those that it depends on: without
// them it could not be loaded again.
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
	if err != nil {
		return err
	}
	for _, m := range missing {
		m.unstored, m.durable = false, durable
	}
	return nil
}

// unstored adds an entry and those that it depends on to a list, without those in the store.
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

// checkNotInChain refuses a transaction of the chain some output of which is
// unspent. Of others upstream does not know that it has them: their inputs are missing.
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

// insert adds a verified entry and, unless it was only heard of, its record, unless what it was
// judged by has changed since.
func (p *Pool) insert(ctx context.Context, e *Entry, epoch uint64, heard bool) (durable store.Durable, err error) {
	err = p.manager.Update(ctx, func(v *chain.View) error {
		if p.epoch != epoch {
			return errMoved
		}
		if p.entries[e.ID] != nil {
			return errMoved // the next attempt finds it
		}
		if p.isSpent(e.Tx) {
			return ErrConflict
		}
		if err := cmp.Or(p.checkRoom(e.Size), p.checkFree(e)); err != nil {
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
