package chain

import (
	"cmp"

	"obverse/core/chain/consensus"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

// Effects returns the effects of the transactions at the given positions in a block of the
// chain. The positions are in ascending order.
func (v *View) Effects(height int, positions ...int) (effects []consensus.TxEffects, err error) {
	hash, err := v.HashAt(height)
	if err != nil {
		return nil, err
	}
	b, ok := v.o.loadBlock(hash)
	if !ok {
		return nil, v.o.err
	}
	undo, err := decodeUndo(v.o.get(hashKey(tableUndo, hash)).Data)
	if err != nil || v.o.err != nil {
		return nil, cmp.Or(v.o.err, corrupt("undo data", err))
	}
	for i, tx := range b.Txs {
		if len(effects) == len(positions) {
			break
		}
		var spent []consensus.Coin
		if !tx.IsCoinbase() {
			if len(undo) < len(tx.Inputs) {
				return nil, corrupt("undo data", wire.ErrShort)
			}
			spent, undo = undo[:len(tx.Inputs)], undo[len(tx.Inputs):]
		}
		if i != positions[len(effects)] {
			continue
		}
		at := placeOf(b, i, height)
		effects = append(effects, consensus.NewTxEffects(tx, b.IDs[i], height, spent, func(id wire.Hash) (token.Creation, bool) {
			return v.o.creationBefore(id, at)
		}))
	}
	return effects, v.o.err
}
