package mempool

import (
	"context"
	"errors"
	"sync"

	"obverse/core/chain"
	"obverse/core/chain/consensus"
	"obverse/core/chain/script"
	"obverse/core/chain/wire"
	"obverse/core/store"
)

// Prepare adds the transactions of disconnected blocks to the batch that disconnects them, so
// that a crash cannot lose them. Changed determines whether they are still valid.
func (p *Pool) Prepare(c *chain.Change) []store.Op {
	p.confirmed, p.returned = nil, nil
	if len(c.Disconnected) == 0 {
		for _, b := range c.Connected {
			for _, tx := range b.Txs {
				p.confirmed = append(p.confirmed, tx.ID())
			}
		}
		return nil
	}
	for i := len(c.Disconnected) - 1; i >= 0; i-- {
		for _, tx := range c.Disconnected[i].Txs[1:] {
			raw := tx.Encode()
			e := &Entry{Tx: tx, Raw: raw, Size: len(raw), ID: wire.HashOf(raw), Time: p.now()}
			p.returned = append(p.returned, e)
		}
	}
	p.first -= uint64(len(p.returned))
	ops := make([]store.Op, len(p.returned))
	for i, e := range p.returned {
		e.sequence = p.first + uint64(i)
		ops[i] = e.record()
	}
	return ops
}

// Changed updates the pool to the new tip, but does not run scripts.
func (p *Pool) Changed(v *chain.View, c *chain.Change) {
	p.epoch++
	p.height = c.Tip.Height
	if len(c.Disconnected) == 0 {
		p.extend(c)
	} else {
		all := append(p.returned, p.Entries()...)
		p.clear()
		// If the store cannot be read, the remaining transactions stay in the store, and are
		// loaded when the pool is opened again.
		_ = p.readmit(v, all)
	}
	p.notifier.set(len(p.entries) > 0)
}

// Settled runs the scripts again after a reorganisation and deletes stale records. If the store
// fails, the deletion is repeated after the next change.
func (p *Pool) Settled(ctx context.Context, c *chain.Change) {
	ctx = context.WithoutCancel(ctx)
	if len(c.Disconnected) > 0 {
		_ = p.reverify(ctx)
	}
	_ = p.forget(ctx)
}

// extend removes the transactions of new blocks, transactions that conflict with them, and
// expired transactions. If an upgrade changes the format, it removes all.
func (p *Pool) extend(c *chain.Change) {
	i := 0
	for _, b := range c.Connected {
		for _, tx := range b.Txs {
			if e := p.entries[p.confirmed[i]]; e != nil {
				p.confirm(e)
			} else {
				p.dropSpenders(tx)
			}
			i++
		}
	}
	for _, e := range p.Entries() {
		if p.isOver(e, c.Tip.Height) && p.entries[e.ID] != nil {
			p.drop(e)
		}
	}
}

// isOver reports whether the transaction can no longer be confirmed. A transaction that has
// just expired stays for one more block, as in komodod, although that block cannot include it
// (CTxMemPool::removeExpired).
func (p *Pool) isOver(e *Entry, tip int) bool {
	err := consensus.CheckTxAt(e.Tx, e.Size, tip+1, p.params)
	if errors.Is(err, consensus.ErrExpired) {
		return consensus.IsExpired(e.Tx, tip)
	}
	return err != nil
}

// confirm removes a transaction that the chain now contains. Its outputs that are spent in the
// pool become coins of the chain.
func (p *Pool) confirm(e *Entry) {
	p.remove(e)
	for i := range e.Tx.Outputs {
		out := wire.OutPoint{Hash: e.ID, Index: uint32(i)}
		child := p.spenders[out]
		if child == nil {
			continue
		}
		for j := range child.Tx.Inputs {
			if child.Tx.Inputs[j].PrevOut == out {
				p.countSpent(child, j, 1)
			}
		}
	}
}

func (p *Pool) dropSpenders(tx *wire.Tx) {
	for i := range tx.Inputs {
		if e := p.spenders[tx.Inputs[i].PrevOut]; e != nil {
			p.drop(e)
		}
	}
}

// readmit validates transactions again, parents first, and adds those that are still valid. It
// returns an error if the store fails.
func (p *Pool) readmit(v *chain.View, all []*Entry) error {
	for _, old := range all {
		e := old.afresh()
		switch err := p.examine(v, e, terms{}); {
		case err == nil:
			p.pushBack(e)
		case isRefusal(err):
			p.staleKeys = append(p.staleKeys, e.key())
		default:
			return err
		}
	}
	return nil
}

// reverify runs the scripts of all entries and drops those that fail.
func (p *Pool) reverify(ctx context.Context) error {
	var spends []consensus.Spend
	err := p.manager.Read(ctx, func(*chain.View) error {
		for _, e := range p.Entries() {
			spends = append(spends, p.spends(e)...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	var mu sync.Mutex
	var bad []*wire.Tx
	flags := consensus.Flags(script.BlockFlags, p.params)
	err = consensus.Verify(ctx, spends, func(s *consensus.Spend) error {
		if s.Verify(s.PkScript, flags) != nil {
			mu.Lock()
			defer mu.Unlock()
			bad = append(bad, s.Tx)
		}
		return nil
	})
	if err != nil || len(bad) == 0 {
		return err
	}
	return p.manager.Update(ctx, func(*chain.View) error {
		p.epoch++
		for _, tx := range bad {
			if e := p.entries[tx.ID()]; e != nil {
				p.drop(e)
			}
		}
		p.notifier.set(len(p.entries) > 0)
		return nil
	})
}
