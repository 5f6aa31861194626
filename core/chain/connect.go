package chain

import (
	"fmt"

	"obverse/core/chain/consensus"
	"obverse/core/chain/params"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

// body is a decoded block with what its bytes give.
type body struct {
	*wire.Block
	raw   []byte
	hash  wire.Hash
	ids   []wire.Hash
	spans []wire.Span
}

func decodeBody(raw []byte) (*body, error) {
	block, spans, err := wire.DecodeBlockSpans(raw)
	if err != nil {
		return nil, err
	}
	b := &body{Block: block, raw: raw, hash: block.Hash(), spans: spans, ids: make([]wire.Hash, len(spans))}
	for i, s := range spans {
		b.ids[i] = wire.HashOf(raw[s.Offset : s.Offset+s.Size])
	}
	return b, nil
}

func (b *body) place(i, height int) txPlace { return txPlace{height, i, b.spans[i]} }

// loadBody reads a stored block.
func (o *overlay) loadBody(hash wire.Hash) (*body, bool) {
	v := o.get(hashKey(tableBlock, hash))
	if o.err != nil {
		return nil, false
	}
	b, err := decodeBody([]byte(v.Data))
	if err != nil {
		o.fail(corrupt(fmt.Sprintf("block %v", hash), err))
	}
	return b, err == nil
}

// creation finds a token's creation in the chain.
func (o *overlay) creation(id wire.Hash) (token.Creation, bool) {
	v := o.get(hashKey(tableToken, id))
	if !v.Present || o.err != nil {
		return token.Creation{}, false
	}
	t, err := decodeToken(v.Data)
	if err != nil {
		o.fail(corrupt("token", err))
	}
	return t.creation, err == nil
}

// connection is one block being connected.
type connection struct {
	m      *Manager
	e      effects
	height int
	spends []consensus.Spend // to verify when everything else holds
	undo   []Coin
	fees   int64
	sigOps int
	totals Totals
}

// connect checks what a block spends and applies it to the overlay. Whether the
// error is the block's fault tells o.err: a verdict leaves it nil.
func (m *Manager) connect(o *overlay, b *body, r *Record) error {
	c := &connection{m: m, e: effects{overlay: o}, height: r.Height}
	o.prefetch(b)
	for i, tx := range b.Txs {
		if err := c.tx(tx, b.ids[i], b.place(i, r.Height)); err != nil {
			return fmt.Errorf("transaction %v: %w", b.ids[i], err)
		}
	}
	if err := consensus.CheckCoinbase(b.Block, r.Height, c.fees, m.params); err != nil {
		return err
	}
	flags := consensus.Flags(script.BlockFlags, m.params)
	err := consensus.Verify(o.ctx, c.spends, func(s *consensus.Spend) error { return s.Verify(s.PkScript, flags) })
	if err != nil {
		return err
	}
	if o.err != nil {
		return o.err
	}
	c.finish(b, r)
	return o.err
}

// prefetch reads in one round trip all that a block's inputs may need.
func (o *overlay) prefetch(b *body) {
	var keys []string
	for i, tx := range b.Txs {
		keys = append(keys, hashKey(tableTx, b.ids[i]))
		for j := range tx.Inputs {
			keys = append(keys, outKey(tableCoin, tx.Inputs[j].PrevOut))
		}
	}
	o.fetch(keys...)
}

func (c *connection) tx(tx *wire.Tx, id wire.Hash, at txPlace) error {
	if c.e.get(hashKey(tableTx, id)).Present {
		return consensus.ErrExistingTx
	}
	var coins []Coin
	if !tx.IsCoinbase() {
		var err error
		if coins, err = c.coins(tx); err != nil {
			return err
		}
	}
	c.sigOps += consensus.SigOps(tx)
	change := newTxChange(tx, id, at, coins, c.e.creation)
	if !tx.IsCoinbase() {
		if err := c.spend(change); err != nil {
			return err
		}
	}
	c.count(change)
	c.e.connect(change)
	c.undo = append(c.undo, coins...)
	return c.e.err
}

func (c *connection) coins(tx *wire.Tx) ([]Coin, error) {
	coins := make([]Coin, len(tx.Inputs))
	for i := range tx.Inputs {
		coin, ok := c.e.coin(tx.Inputs[i].PrevOut)
		if !ok {
			return nil, firstError(c.e.err, consensus.ErrMissingOrSpent)
		}
		coins[i] = coin
	}
	return coins, nil
}

func firstError(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}

// spend checks amounts and keeps the scripts for later.
func (c *connection) spend(change *txChange) error {
	p, coins := c.m.params, PlainCoins(change.spent)
	fee, err := consensus.CheckSpend(change.tx, coins, c.height, p)
	if err != nil {
		return err
	}
	c.fees += fee
	c.sigOps += consensus.SpentSigOps(change.tx, coins)
	if c.sigOps > params.MaxBlockSigOps {
		return consensus.ErrBlockSigOps
	}
	evals := consensus.Evals(change.moves, c.height, p)
	c.spends = append(c.spends, consensus.Spends(change.tx, coins, p.BranchID(c.height), c.m.cache, evals)...)
	return nil
}

func (c *connection) count(change *txChange) {
	for i := range change.spent {
		c.totals.Delta -= change.spent[i].Value
	}
	for i := range change.created {
		value := change.created[i].Value
		if script.IsUnspendable(change.created[i].Script) {
			c.totals.BurnedDelta += value
		} else {
			c.totals.Delta += value
		}
	}
}

// finish writes what belongs to the block itself.
func (c *connection) finish(b *body, r *Record) {
	o := c.e.overlay
	parent, _ := o.record(r.Prev)
	c.totals.Known = true
	c.totals.Value = parent.Totals.Value + c.totals.Delta
	c.totals.Burned = parent.Totals.Burned + c.totals.BurnedDelta
	r.Totals = c.totals
	o.put(hashKey(tableRecord, b.hash), r.encode())
	o.put(hashKey(tableUndo, b.hash), encodeUndo(c.undo))
	c.e.set(heightKey(r.Height), string(b.hash[:]))
}

// disconnect takes the block at the tip back.
func (o *overlay) disconnect(b *body, r *Record) error {
	undo, err := decodeUndo(o.get(hashKey(tableUndo, b.hash)).Data)
	if err != nil || o.err != nil {
		return firstError(o.err, corrupt("undo data", err))
	}
	e := effects{overlay: o, undo: true}
	for i := len(b.Txs) - 1; i >= 0; i-- {
		tx := b.Txs[i]
		var coins []Coin
		if !tx.IsCoinbase() {
			if len(undo) < len(tx.Inputs) {
				return corrupt("undo data", wire.ErrShort)
			}
			cut := len(undo) - len(tx.Inputs)
			undo, coins = undo[:cut], undo[cut:]
		}
		e.disconnect(newTxChange(tx, b.ids[i], b.place(i, r.Height), coins, o.creation))
	}
	e.set(heightKey(r.Height), "")
	o.del(hashKey(tableUndo, b.hash))
	return o.err
}
