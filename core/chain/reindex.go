package chain

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"

	"obverse/core/chain/consensus"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
	"obverse/core/store"
)

const (
	// keyIndexes is the key that records how far the tables of holders, token transactions and
	// public keys have been filled. Its value is indexed if they are complete and updated with
	// the chain, or the height of the last block while the store of an older version is
	// upgraded. Without the key, the tables are empty.
	keyIndexes = "iindexes"
	indexed    = "1"

	// Approximate limits of a batch, so that an interrupted upgrade has stored its progress.
	reindexRows   = 20_000  // written records
	reindexBlocks = 1000    // read blocks
	reindexBytes  = 8 << 20 // read data, which remains in memory
)

// reindex fills the tables that older versions did not have from the blocks of the chain. It
// writes one batch after the other. If it was interrupted, it continues with the next block.
func (m *Manager) reindex(ctx context.Context) error {
	o := newOverlay(ctx, m.kv)
	state := o.get(keyIndexes).Data
	if state == indexed || o.err != nil {
		return o.err
	}
	next := 1
	if len(state) == 4 {
		next = int(binary.BigEndian.Uint32([]byte(state))) + 1
	}
	for last := m.tip.Height; next <= last; {
		o := newOverlay(ctx, m.kv)
		for first := next; next <= last && len(o.changed) < reindexRows && next-first < reindexBlocks && o.bytes < reindexBytes; next++ {
			if err := m.reindexBlock(o, next); err != nil {
				return fmt.Errorf("index block %d: %w", next, err)
			}
		}
		o.put(keyIndexes, string(binary.BigEndian.AppendUint32(nil, uint32(next-1))))
		if err := store.Apply(ctx, m.kv, o.batch()); err != nil {
			return err
		}
		if m.progress != nil {
			m.progress(next-1, last)
		}
	}
	o = newOverlay(ctx, m.kv)
	if err := m.countHolders(ctx, o); err != nil {
		return err
	}
	o.put(keyIndexes, indexed)
	return store.Apply(ctx, m.kv, o.batch())
}

// reindexBlock writes the rows of one block of the chain.
func (m *Manager) reindexBlock(o *overlay, height int) error {
	hash := wire.Hash{}
	copy(hash[:], o.get(heightKey(height)).Data)
	b, ok := o.loadBlock(hash)
	if !ok {
		return o.err
	}
	undo, err := decodeUndo(o.get(hashKey(tableUndo, hash)).Data)
	if err != nil || o.err != nil {
		return cmp.Or(o.err, corrupt("undo data", err))
	}
	x := newIndexer(o, false)
	for i, tx := range b.Txs {
		var spent []consensus.Coin
		if !tx.IsCoinbase() {
			if len(undo) < len(tx.Inputs) {
				return corrupt("undo data", wire.ErrShort)
			}
			spent, undo = undo[:len(tx.Inputs)], undo[len(tx.Inputs):]
		}
		at := placeOf(b, i, height)
		effects := consensus.NewTxEffects(tx, b.IDs[i], height, spent, func(id wire.Hash) (token.Creation, bool) {
			return o.creationBefore(id, at)
		})
		x.tokenHistory(&effects, at)
	}
	return o.err
}

// creationBefore returns a token that was created before the transaction at a place.
func (o *overlay) creationBefore(id wire.Hash, at txPlace) (token.Creation, bool) {
	c, ok := o.creation(id)
	if !ok {
		return c, false
	}
	created, err := decodePlace(o.get(hashKey(tableTx, id)).Data)
	if err != nil {
		o.fail(corrupt("transaction index", err))
		return c, false
	}
	earlier := created.height < at.height || created.height == at.height && created.position < at.position
	return c, earlier
}

// countHolders writes the number of holders of every token.
func (m *Manager) countHolders(ctx context.Context, o *overlay) error {
	counts := map[wire.Hash]int64{}
	err := m.each(ctx, tableTokenBalance, func(e store.Entry) error {
		const end = 1 + len(wire.Hash{})
		if len(e.Key) < end {
			return wire.ErrShort
		}
		counts[wire.Hash([]byte(e.Key[1:end]))]++
		return nil
	})
	for id, n := range counts {
		o.put(hashKey(tableHolders, id), encodeAmounts(n))
	}
	return err
}
