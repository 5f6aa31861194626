package chain

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"obverse/core/chain/consensus"
	"obverse/core/chain/params"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

// ErrStalePlan reports that the tip changed after a block was planned.
var ErrStalePlan = errors.New("the planned block does not continue the chain any more")

// Plan is a validated block that may follow the tip, with its effects. Nothing of it has been
// written.
type Plan struct {
	Hash wire.Hash

	overlay *overlay
	block   *consensus.Block
	record  Record
}

// Plan validates a block that continues the tip by all rules, without changing anything. A
// caller that has to agree with others on a block before it is written calls Plan first and
// Execute at the end.
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

// Height returns the height of the block.
func (p *Plan) Height() int { return p.record.Height }

// Keep adds a record that is written together with the block. Its key must start with a prefix
// that package chain does not use.
func (p *Plan) Keep(key, data string) { p.overlay.put(key, data) }

// Drop adds the deletion of a record that is carried out when the block is written.
func (p *Plan) Drop(key string) { p.overlay.del(key) }

// PlannedRoot returns the value that StateRoot will have after a planned block has been
// executed.
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

// Execute writes a planned block and makes it the tip. The block is durable when Execute
// returns.
func (m *Manager) Execute(ctx context.Context, p *Plan) error {
	m.writing.Lock()
	defer m.writing.Unlock()
	if p.record.Prev != m.tip.Hash {
		return ErrStalePlan
	}
	p.overlay.ctx = ctx
	return m.commit(ctx, p.overlay, p.Hash, p.record, &Change{Connected: []*wire.Block{p.block.Block}}, p.Hash)
}

// Judge calls judge with a ledger of the chain, which does not change during the call.
func (m *Manager) Judge(ctx context.Context, judge func(consensus.Ledger) error) error {
	m.writing.Lock()
	defer m.writing.Unlock()
	return judge(ledger{newOverlay(ctx, m.kv)})
}

// Adopt connects blocks that continue the tip and are known to be final because their hashes
// are. It verifies neither their producers nor their scripts. Either all blocks are written or
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

// loadBlock reads a stored block.
func (o *overlay) loadBlock(hash wire.Hash) (*consensus.Block, bool) {
	v := o.get(hashKey(tableBlock, hash))
	if o.err != nil {
		return nil, false
	}
	b, err := consensus.DecodeBlock([]byte(v.Data))
	if err == nil && b.Hash != hash {
		err = fmt.Errorf("its bytes hash to block %v", b.Hash)
	}
	if err != nil {
		o.fail(corrupt(fmt.Sprintf("block %v", hash), err))
	}
	return b, err == nil
}

// ledger implements consensus.Ledger on an overlay.
type ledger struct{ *overlay }

var _ consensus.Ledger = ledger{}

// HasTx implements consensus.Ledger.
func (l ledger) HasTx(id wire.Hash) (bool, error) {
	return l.get(hashKey(tableTx, id)).Present, l.err
}

// Coin implements consensus.Ledger.
func (l ledger) Coin(out wire.OutPoint) (consensus.Coin, bool, error) {
	c, ok := l.coin(out)
	return c, ok, l.err
}

// Creation implements consensus.Ledger.
func (l ledger) Creation(id wire.Hash) (token.Creation, bool, error) {
	c, ok := l.creation(id)
	return c, ok, l.err
}

// connect applies a block that continues the overlay's chain. The argument before has the
// stamps of the last blocks. If connect returns an error and o.err is nil, the block is
// invalid.
func (m *Manager) connect(o *overlay, b *consensus.Block, r *Record, before []params.Stamp) error {
	return m.connectBlock(o, b, r, before, false)
}

// connectBlock is like connect, but does not run scripts if the block is final.
func (m *Manager) connectBlock(o *overlay, b *consensus.Block, r *Record, before []params.Stamp, final bool) error {
	o.prefetch(b)
	if o.err != nil {
		return o.err
	}
	at := consensus.Place{Height: r.Height, MedianTime: params.MedianTime(before)}
	effects, err := consensus.Apply(o.ctx, consensus.State{Params: m.params, Place: at, Ledger: ledger{o}, Cache: m.cache, Final: final}, b)
	if err != nil {
		return err
	}
	o.persist(b, r, effects)
	return o.err
}

// prefetch reads all records that a block's inputs may need, in one round trip.
func (o *overlay) prefetch(b *consensus.Block) {
	var keys []string
	for i, tx := range b.Txs {
		keys = append(keys, hashKey(tableTx, b.IDs[i]))
		for j := range tx.Inputs {
			keys = append(keys, outKey(tableCoin, tx.Inputs[j].PrevOut))
		}
	}
	o.fetch(keys...)
}

// persist writes a block's effects, and the data required to disconnect the block again.
func (o *overlay) persist(b *consensus.Block, r *Record, effects *consensus.Effects) {
	parent, _ := o.record(r.Prev)
	r.Totals = Totals{
		Known: true, Delta: effects.Delta, BurnedDelta: effects.Burned,
		Value: parent.Totals.Value + effects.Delta, Burned: parent.Totals.Burned + effects.Burned,
	}
	o.reserve(recordsOf(effects))
	x := newIndexer(o, false)
	var undo []consensus.Coin
	for i := range effects.Txs {
		x.connect(&effects.Txs[i], placeOf(b, i, r.Height))
		undo = append(undo, effects.Txs[i].Spent...)
	}
	x.set(heightKey(r.Height), string(b.Hash[:]))
	o.put(hashKey(tableRecord, b.Hash), r.encode())
	o.put(hashKey(tableUndo, b.Hash), encodeUndo(undo))
}

// recordsOf returns the approximate number of records that a block changes.
func recordsOf(effects *consensus.Effects) (n int) {
	for i := range effects.Txs {
		e := &effects.Txs[i]
		n += 4 + 5*len(e.Spent) + 4*len(e.Created)
	}
	return n
}

func placeOf(b *consensus.Block, i, height int) txPlace { return txPlace{height, i, b.Spans[i]} }

// disconnect reverts the block at the tip. Each transaction is examined with the tokens that
// existed before it, as when it was connected.
func (o *overlay) disconnect(b *consensus.Block, r *Record) error {
	undo, err := decodeUndo(o.get(hashKey(tableUndo, b.Hash)).Data)
	if err != nil || o.err != nil {
		return cmp.Or(o.err, corrupt("undo data", err))
	}
	x := newIndexer(o, true)
	for i := len(b.Txs) - 1; i >= 0; i-- {
		tx := b.Txs[i]
		var coins []consensus.Coin
		if !tx.IsCoinbase() {
			if len(undo) < len(tx.Inputs) {
				return corrupt("undo data", wire.ErrShort)
			}
			cut := len(undo) - len(tx.Inputs)
			undo, coins = undo[:cut], undo[cut:]
		}
		effects := consensus.NewTxEffects(tx, b.IDs[i], r.Height, coins, o.creation)
		x.disconnect(&effects, placeOf(b, i, r.Height))
	}
	if len(undo) > 0 {
		return corrupt("undo data", fmt.Errorf("%d coins more than block %v spends", len(undo), b.Hash))
	}
	x.set(heightKey(r.Height), "")
	o.del(hashKey(tableUndo, b.Hash))
	return o.err
}
