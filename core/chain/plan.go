package chain

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"obverse/core/chain/consensus"
	"obverse/core/chain/params"
	"obverse/core/chain/wire"
)

// ErrStalePlan says that the chain moved on after a block was planned.
var ErrStalePlan = errors.New("the planned block does not continue the chain any more")

// Plan is a block that may follow the tip: judged, its effects worked out, nothing written.
type Plan struct {
	Hash wire.Hash

	overlay *overlay
	block   *consensus.Block
	record  Record
}

// Plan judges a block that continues the tip by all rules, and changes nothing. A caller that
// has to agree with others on a block before it is written starts here and ends with
// Execute.
func (m *Manager) Plan(ctx context.Context, raw []byte) (*Plan, error) {
	m.writing.Lock()
	defer m.writing.Unlock()
	b, err := consensus.DecodeBlock(raw)
	if err != nil {
		return nil, fmt.Errorf("decode block: %w", err)
	}
	o := newOverlay(ctx, m.kv)
	r, before, err := m.place(o, b)
	if err != nil {
		return nil, err
	}
	if r.Prev != m.tip.Hash {
		return nil, ErrStalePlan
	}
	m.keep(o, b, r)
	if err := m.connect(o, b, &r, before); err != nil {
		return nil, cmp.Or(o.err, err)
	}
	return &Plan{Hash: b.Hash, overlay: o, block: b, record: r}, nil
}

// Height is that of the block.
func (p *Plan) Height() int { return p.record.Height }

// Keep has a record written together with the block. Its key has a prefix that package chain does not use.
func (p *Plan) Keep(key, data string) { p.overlay.put(key, data) }

// Drop has a record deleted together with the block being written.
func (p *Plan) Drop(key string) { p.overlay.del(key) }

// PlannedRoot returns the value that StateRoot will have after a planned block.
func (m *Manager) PlannedRoot(ctx context.Context, p *Plan) (root [32]byte, err error) {
	m.writing.Lock()
	defer m.writing.Unlock()
	if m.state == nil {
		return root, nil
	}
	if p.record.Prev != m.tip.Hash {
		return root, ErrStalePlan
	}
	p.overlay.ctx = ctx
	staged, err := m.state.Stage(&View{m, p.overlay}, p.overlay.tipOf(p.Hash, p.record), p.overlay.batch().Ops)
	if err != nil {
		return root, fmt.Errorf("state after block %v: %w", p.Hash, err)
	}
	return staged.Root, p.overlay.err
}

// Execute writes a planned block, which is durable when it returns, and part of the chain.
func (m *Manager) Execute(ctx context.Context, p *Plan) error {
	m.writing.Lock()
	defer m.writing.Unlock()
	if p.record.Prev != m.tip.Hash {
		return ErrStalePlan
	}
	p.overlay.ctx = ctx
	return m.commit(ctx, p.overlay, p.Hash, p.record, &Change{Connected: []*wire.Block{p.block.Block}}, p.Hash)
}

// Judge lets judge ask what the chain holds while it does not change.
func (m *Manager) Judge(ctx context.Context, judge func(consensus.Ledger) error) error {
	m.writing.Lock()
	defer m.writing.Unlock()
	return judge(ledger{newOverlay(ctx, m.kv)})
}

// Adopt connects blocks that continue the tip and are known to be final, since their hashes
// are: neither who made them nor their scripts are judged again. All of them are written, or
// none.
func (m *Manager) Adopt(ctx context.Context, raws [][]byte) error {
	m.writing.Lock()
	defer m.writing.Unlock()
	o, change := newOverlay(ctx, m.kv), &Change{}
	last, r := m.tip.Hash, Record{}
	for i, raw := range raws {
		b, err := consensus.DecodeBlock(raw)
		if err != nil {
			return fmt.Errorf("decode block: %w", err)
		}
		if b.Prev != last {
			return ErrStalePlan
		}
		var before []params.Stamp
		if r, before, err = m.locate(o, b); err != nil {
			return err
		}
		r.Sequence += uint64(i)
		m.keep(o, b, r)
		if err := m.connectBlock(o, b, &r, before, true); err != nil {
			return fmt.Errorf("connect block %v: %w", b.Hash, cmp.Or(o.err, err))
		}
		last = b.Hash
		change.Connected = append(change.Connected, b.Block)
	}
	if len(raws) == 0 {
		return nil
	}
	delete(m.leaves, m.tip.Hash)
	return m.commit(ctx, o, last, r, change, last)
}
