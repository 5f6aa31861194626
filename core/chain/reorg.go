package chain

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"obverse/core/chain/wire"
)

// candidate is the best block of a branch that may become the tip.
type candidate struct {
	hash   wire.Hash
	record Record
}

// betterThan reports whether c is preferred to other: the branch with more work or, with equal
// work, the one seen first.
func (c candidate) betterThan(other candidate) bool {
	if order := c.record.Work.Cmp(other.record.Work); order != 0 {
		return order > 0
	}
	return c.record.Sequence < other.record.Sequence
}

// Resume moves to the best branch, in case the node ended after storing a block and before
// connecting it. Call it once, after all followers have been added.
func (m *Manager) Resume(ctx context.Context) error {
	m.writing.Lock()
	defer m.writing.Unlock()
	_, err := m.activateBest(ctx)
	return err
}

// activateBest moves the tip to the best branch. A branch that turns out to be invalid is
// marked, and the next best branch is tried. The result refused contains the errors of the
// invalid blocks.
func (m *Manager) activateBest(ctx context.Context) (refused map[wire.Hash]error, err error) {
	for {
		o := newOverlay(ctx, m.kv)
		best := m.best(o)
		if o.err != nil || best.hash == m.tip.Hash {
			return refused, o.err
		}
		failed, err := m.moveTo(ctx, o, best)
		if err == nil || failed.IsZero() {
			return refused, err
		}
		if refused == nil {
			refused = map[wire.Hash]error{}
		}
		refused[failed] = err
		if err := m.mark(ctx, failed, true); err != nil {
			return refused, err
		}
	}
}

// best returns the best candidate among all leaves. If a branch contains a failed block, its
// candidate is the highest block below the failed one.
func (m *Manager) best(o *overlay) (best candidate) {
	first := true
	for hash, r := range m.leaves {
		c := m.sound(o, candidate{hash, r})
		if first || c.betterThan(best) {
			best, first = c, false
		}
	}
	return best
}

// sound returns the highest block of c's branch that neither failed nor descends from a failed
// block.
func (m *Manager) sound(o *overlay, c candidate) candidate {
	top, at := c, c
	for at.record.Height > 0 && (at.record.Failed || !o.inChain(at.hash, at.record.Height)) {
		prev, ok := o.record(at.record.Prev)
		if !ok {
			o.fail(corrupt("branch", ErrUnknownBlock))
			return top
		}
		failed := at.record.Failed
		at = candidate{at.record.Prev, prev}
		if failed {
			top = at
		}
	}
	return top
}

// moveTo disconnects blocks down to the fork and connects blocks up to the candidate, in one
// batch. If a block is invalid, moveTo returns the block's hash.
func (m *Manager) moveTo(ctx context.Context, o *overlay, to candidate) (failed wire.Hash, err error) {
	path, fork, err := m.path(o, to)
	if err != nil {
		return wire.Hash{}, err
	}
	change := &Change{}
	for hash, height := m.tip.Hash, m.tip.Height; height > fork; height-- {
		r, _ := o.record(hash)
		b, ok := o.loadBlock(hash)
		if !ok {
			return wire.Hash{}, o.err
		}
		if err := o.disconnect(b, &r); err != nil {
			return wire.Hash{}, err
		}
		change.Disconnected = append(change.Disconnected, b.Block)
		hash = r.Prev
	}
	for i := len(path) - 1; i >= 0; i-- {
		b, ok := o.loadBlock(path[i].hash)
		if !ok {
			return wire.Hash{}, o.err
		}
		if err := m.connect(o, b, &path[i].record, o.stamps(b.Prev)); err != nil {
			return m.failBlock(o, path[i].hash, err)
		}
		change.Connected = append(change.Connected, b.Block)
		to.record = path[i].record
	}
	return wire.Hash{}, m.commit(ctx, o, to.hash, to.record, change, wire.Hash{})
}

// failBlock returns the hash of the block to mark as invalid, or no hash if the error comes
// from the store or from ctx.
func (m *Manager) failBlock(o *overlay, hash wire.Hash, err error) (wire.Hash, error) {
	if o.err != nil {
		return wire.Hash{}, o.err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return wire.Hash{}, err
	}
	return hash, fmt.Errorf("connect block %v: %w", hash, err)
}

// path returns the blocks from the candidate down to the chain, in descending order, and the
// height of the fork.
func (m *Manager) path(o *overlay, to candidate) (path []candidate, fork int, err error) {
	for !o.inChain(to.hash, to.record.Height) {
		path = append(path, to)
		prev, ok := o.record(to.record.Prev)
		if !ok {
			return nil, 0, cmp.Or(o.err, corrupt("branch", ErrUnknownBlock))
		}
		to = candidate{to.record.Prev, prev}
	}
	return path, to.record.Height, o.err
}

// mark sets or clears the failed state of a block.
func (m *Manager) mark(ctx context.Context, hash wire.Hash, failed bool) error {
	o := newOverlay(ctx, m.kv)
	r, ok := o.record(hash)
	if !ok {
		return cmp.Or(o.err, ErrUnknownBlock)
	}
	if r.Failed == failed {
		return nil
	}
	r.Failed = failed
	o.put(hashKey(tableRecord, hash), r.encode())
	return m.write(ctx, o, func() { m.updateLeaf(hash, r) })
}

func (m *Manager) updateLeaf(hash wire.Hash, r Record) {
	if _, leaf := m.leaves[hash]; leaf {
		m.leaves[hash] = r
	}
}

// Invalidate marks a block and all its descendants as invalid, and moves to the best remaining
// branch.
func (m *Manager) Invalidate(ctx context.Context, hash wire.Hash) error {
	m.writing.Lock()
	defer m.writing.Unlock()
	o := newOverlay(ctx, m.kv)
	r, ok := o.record(hash)
	if !ok {
		return cmp.Or(o.err, ErrUnknownBlock)
	}
	if r.Height == 0 {
		return ErrGenesis
	}
	inChain, err := o.inChain(hash, r.Height), o.err
	switch {
	case err != nil: // it is unknown whether the block is in the chain
	case inChain:
		err = m.retreat(ctx, o, hash, r)
	default:
		err = m.mark(ctx, hash, true)
	}
	if err != nil {
		return err
	}
	_, err = m.activateBest(ctx)
	return err
}

// retreat marks a block of the chain as failed and moves to its parent in one batch, so that
// the chain never contains a failed block.
func (m *Manager) retreat(ctx context.Context, o *overlay, hash wire.Hash, r Record) error {
	parent, ok := o.record(r.Prev)
	if !ok {
		return cmp.Or(o.err, corrupt("chain", ErrUnknownBlock))
	}
	r.Failed = true
	o.put(hashKey(tableRecord, hash), r.encode())
	_, err := m.moveTo(ctx, o, candidate{r.Prev, parent})
	if m.tip.Hash == r.Prev { // true even if the wait for the disk was cancelled
		m.updateLeaf(hash, r)
	}
	return err
}

// Reconsider clears the failed state of a block, its ancestors and its descendants, and moves
// to the best branch.
func (m *Manager) Reconsider(ctx context.Context, hash wire.Hash) error {
	m.writing.Lock()
	defer m.writing.Unlock()
	o := newOverlay(ctx, m.kv)
	if _, ok := o.record(hash); !ok {
		return cmp.Or(o.err, ErrUnknownBlock)
	}
	related, err := m.failedAround(o, hash)
	if err != nil {
		return err
	}
	for _, failed := range related {
		if err := m.mark(ctx, failed, false); err != nil {
			return err
		}
	}
	_, err = m.activateBest(ctx)
	return err
}

// failedAround returns the failed blocks of every branch that contains hash.
func (m *Manager) failedAround(o *overlay, hash wire.Hash) (related []wire.Hash, err error) {
	for leaf, r := range m.leaves {
		var failed []wire.Hash
		through := false
		for at := (candidate{leaf, r}); ; {
			through = through || at.hash == hash
			if at.record.Failed {
				failed = append(failed, at.hash)
			} else if o.inChain(at.hash, at.record.Height) && at.hash != hash {
				break
			}
			if at.record.Height == 0 {
				break
			}
			at.hash = at.record.Prev
			at.record, _ = o.record(at.hash)
			if o.err != nil {
				return nil, o.err
			}
		}
		if through {
			related = append(related, failed...)
		}
	}
	return related, o.err
}
