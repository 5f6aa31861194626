package chain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"

	"obverse/core/chain/consensus"
	"obverse/core/chain/params"
	"obverse/core/chain/wire"
	"obverse/core/store"
)

// Submit adds a block. If Submit returns nil, the block is durable and part of the chain. If it
// returns ErrSideBranch, the block is durable and passed all checks that are possible without
// connecting it, but another branch has at least as much work.
func (m *Manager) Submit(ctx context.Context, raw []byte) (wire.Hash, error) {
	m.writing.Lock()
	defer m.writing.Unlock()
	b, err := consensus.DecodeBlock(raw)
	if err != nil {
		return wire.Hash{}, fmt.Errorf("decode block: %w", err)
	}
	o := newOverlay(ctx, m.kv)
	r, before, err := m.place(o, b)
	if err != nil {
		return b.Hash, err
	}
	m.keep(o, b, r)
	if r.Prev == m.tip.Hash {
		return b.Hash, m.extend(ctx, o, b, r, before)
	}
	at := consensus.Place{Height: r.Height, MedianTime: params.MedianTime(before)}
	if err := consensus.CheckBlock(b, at, m.params); err != nil {
		return b.Hash, err
	}
	if err := m.save(ctx, o, b.Hash, r); err != nil {
		return b.Hash, err
	}
	refused, err := m.activateBest(ctx)
	if err == nil {
		err = refused[b.Hash]
	}
	if err != nil {
		return b.Hash, err
	}
	return b.Hash, m.standing(ctx, b.Hash)
}

// ErrSideBranch reports that a block was stored but is not part of the chain.
var ErrSideBranch = errors.New("block is on a side branch")

// place determines a block's place in the tree of blocks and validates its header. The result
// before has the stamps of the blocks up to the parent.
func (m *Manager) place(o *overlay, b *consensus.Block) (r Record, before []params.Stamp, err error) {
	if r, before, err = m.locate(o, b); err != nil {
		return r, nil, err
	}
	return r, before, m.headerRules.Check(&b.Header, r.Height, before)
}

// locate is like place, but does not validate the header.
func (m *Manager) locate(o *overlay, b *consensus.Block) (r Record, before []params.Stamp, err error) {
	if known, ok := o.record(b.Hash); ok {
		if known.Failed {
			return r, nil, ErrKnownInvalid
		}
		return r, nil, ErrKnownBlock
	}
	parent, ok := o.record(b.Prev)
	if !ok {
		return r, nil, cmp.Or(o.err, ErrUnknownParent)
	}
	if m.onFailedBranch(o, b.Prev, parent) {
		return r, nil, cmp.Or(o.err, ErrBadParent)
	}
	r = Record{Height: parent.Height + 1, Time: b.Time, Bits: b.Bits, Prev: b.Prev, Size: len(b.Raw),
		Work: new(big.Int).Add(parent.Work, params.Work(b.Bits)), Sequence: m.arrived + 1}
	if r.Work.BitLen() > 8*workSize {
		return r, nil, consensus.ErrBits
	}
	if before = o.stamps(b.Prev); o.err != nil {
		return r, nil, o.err
	}
	return r, before, nil
}

// onFailedBranch reports whether a block or one of its ancestors outside the chain has failed.
func (m *Manager) onFailedBranch(o *overlay, hash wire.Hash, r Record) bool {
	for !r.Failed && r.Height > 0 && !o.inChain(hash, r.Height) {
		hash = r.Prev
		r, _ = o.record(hash)
		if o.err != nil {
			return false
		}
	}
	return r.Failed
}

// inChain reports whether a block is part of the chain.
func (o *overlay) inChain(hash wire.Hash, height int) bool {
	return o.get(heightKey(height)).Data == string(hash[:])
}

// extend connects a child of the tip, which is the common case, and stores its bytes in the
// same batch.
func (m *Manager) extend(ctx context.Context, o *overlay, b *consensus.Block, r Record, before []params.Stamp) error {
	if err := m.connect(o, b, &r, before); err != nil {
		return cmp.Or(o.err, err)
	}
	return m.commit(ctx, o, b.Hash, r, &Change{Connected: []*wire.Block{b.Block}}, b.Hash)
}

// commit makes a change: it stages one batch, calls the followers while readers are blocked,
// and waits for the disk. The block arrived becomes a leaf.
func (m *Manager) commit(ctx context.Context, o *overlay, tip wire.Hash, r Record, c *Change, arrived wire.Hash) error {
	c.Tip = o.tipOf(tip, r)
	o.put(tipKey, string(tip[:]))
	batch := o.batch()
	if o.err != nil {
		return o.err
	}
	publishState, err := m.stageState(o, c.Tip, &batch)
	if err != nil {
		return err
	}
	for _, f := range m.followers {
		batch.Ops = append(batch.Ops, f.Prepare(c)...)
	}
	durable, err := m.publish(ctx, batch, c, publishState)
	if err != nil {
		return err
	}
	if !arrived.IsZero() {
		m.addLeaf(arrived, r)
	}
	for _, f := range m.followers {
		f.Settled(ctx, c)
	}
	return durable(ctx)
}

func (m *Manager) publish(ctx context.Context, batch store.Batch, c *Change, publishState func()) (store.Durable, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	durable, err := m.kv.Stage(ctx, batch)
	if err != nil {
		return nil, fmt.Errorf("write block: %w", err)
	}
	m.tip = c.Tip
	publishState()
	v := &View{m, newOverlay(context.WithoutCancel(ctx), m.kv)}
	for _, f := range m.followers {
		f.Changed(v, c)
	}
	return durable, nil
}

// save stores a block of a side branch.
func (m *Manager) save(ctx context.Context, o *overlay, hash wire.Hash, r Record) error {
	if o.err != nil {
		return o.err
	}
	if err := m.write(ctx, o, func() { m.addLeaf(hash, r) }); err != nil {
		return fmt.Errorf("write block: %w", err)
	}
	return nil
}

// write stages the overlay's changes, calls done once they are visible, and waits for the disk.
// It calls done even if the wait is cancelled.
func (m *Manager) write(ctx context.Context, o *overlay, done func()) error {
	durable, err := m.kv.Stage(ctx, o.batch())
	if err != nil {
		return err
	}
	done()
	return durable(ctx)
}

func (m *Manager) addLeaf(hash wire.Hash, r Record) {
	m.arrived = max(m.arrived, r.Sequence)
	delete(m.leaves, r.Prev)
	m.leaves[hash] = r
}

// standing returns the result of Submit for a stored block, after the best branch has been
// chosen.
func (m *Manager) standing(ctx context.Context, hash wire.Hash) error {
	o := newOverlay(ctx, m.kv)
	r, _ := o.record(hash)
	inChain := o.inChain(hash, r.Height)
	switch {
	case o.err != nil:
		return o.err
	case inChain:
		return nil
	case r.Failed:
		return ErrKnownInvalid
	}
	return ErrSideBranch
}
