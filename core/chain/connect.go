package chain

import (
	"cmp"
	"fmt"

	"obverse/core/chain/consensus"
	"obverse/core/chain/params"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

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

// ledger shows an overlay to package consensus.
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

// connect applies a block that continues the overlay's chain, whose last stamps are
// before. o.err is nil if the error is a verdict on the block.
func (m *Manager) connect(o *overlay, b *consensus.Block, r *Record, before []params.Stamp) error {
	return m.connectBlock(o, b, r, before, false)
}

// connectBlock is connect, without running scripts if the block is final.
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

// prefetch reads in one round trip all that a block's inputs may need.
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

// persist writes a block's effects, with what it takes to disconnect it again.
func (o *overlay) persist(b *consensus.Block, r *Record, effects *consensus.Effects) {
	parent, _ := o.record(r.Prev)
	r.Totals = Totals{
		Known: true, Delta: effects.Delta, BurnedDelta: effects.Burned,
		Value: parent.Totals.Value + effects.Delta, Burned: parent.Totals.Burned + effects.Burned,
	}
	o.reserve(recordsOf(effects))
	x := indexer{overlay: o}
	var undo []consensus.Coin
	for i := range effects.Txs {
		x.connect(&effects.Txs[i], placeOf(b, i, r.Height))
		undo = append(undo, effects.Txs[i].Spent...)
	}
	x.set(heightKey(r.Height), string(b.Hash[:]))
	o.put(hashKey(tableRecord, b.Hash), r.encode())
	o.put(hashKey(tableUndo, b.Hash), encodeUndo(undo))
}

// recordsOf is about how many records a block changes.
func recordsOf(effects *consensus.Effects) (n int) {
	for i := range effects.Txs {
		e := &effects.Txs[i]
		n += 1 + 5*len(e.Spent) + 4*len(e.Created)
	}
	return n
}

func placeOf(b *consensus.Block, i, height int) txPlace { return txPlace{height, i, b.Spans[i]} }

// disconnect takes the block at the tip back. Each transaction is examined with the
// tokens that were there before it, as when it was connected.
func (o *overlay) disconnect(b *consensus.Block, r *Record) error {
	undo, err := decodeUndo(o.get(hashKey(tableUndo, b.Hash)).Data)
	if err != nil || o.err != nil {
		return cmp.Or(o.err, corrupt("undo data", err))
	}
	x := indexer{overlay: o, undo: true}
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
