package engine

import (
	"obverse/core/chain/consensus"
	"obverse/core/chain/mempool"
	"obverse/core/chain/params"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

// minerData follows the height in a coinbase, as in upstream's blocks.
const minerData = "\x01\x01"

// reserved is the space that a block reserves for its header and coinbase, in bytes.
const reserved = 10_000

// template fills a block on a tip with waiting transactions, parents first. It
// lacks bits and seal.
func (p *Producer) template(at consensus.Place, prev wire.Hash, time uint32, waiting []*mempool.Entry) *wire.Block {
	chosen := p.choose(at.Height, time, waiting)
	txs, ids, fees := make([]*wire.Tx, len(chosen)), make([]wire.Hash, len(chosen)), int64(0)
	for i, entry := range chosen {
		txs[i], ids[i] = entry.Tx, entry.ID
		fees += entry.Fee
	}
	return assemble(p.params, p.pub, at.Height, prev, time, txs, ids, fees)
}

// assemble makes a block of transactions, with a coinbase that pays to a key. It lacks bits
// and seal.
func assemble(p *params.Params, pay token.Key, height int, prev wire.Hash, time uint32, txs []*wire.Tx, ids []wire.Hash, fees int64) *wire.Block {
	block := &wire.Block{Header: wire.Header{
		Version: 4, Prev: prev, SaplingRoot: consensus.EmptySaplingRoot, Time: time,
	}}
	block.Txs = append(make([]*wire.Tx, 1, len(txs)+1), txs...)
	block.Txs[0] = coinbase(p, pay, height, time, fees)
	payCommission(p, height, block.Txs)
	block.MerkleRoot, _ = wire.MerkleRoot(append([]wire.Hash{block.Txs[0].ID()}, ids...))
	return block
}

// choose takes waiting transactions in their order while they fit. What depends on
// a transaction left out is left out too.
func (p *Producer) choose(height int, time uint32, waiting []*mempool.Entry) []*mempool.Entry {
	room := p.params.MaxBlockSize(height) - reserved
	sigOps := params.MaxBlockSigOps
	left := map[wire.Hash]bool{}
	chosen := make([]*mempool.Entry, 0, len(waiting))
	for _, entry := range waiting {
		ops := entry.SigOps()
		fits := entry.Size <= room && ops <= sigOps && !dependsOn(entry.Tx, left) &&
			!consensus.IsExpired(entry.Tx, height) && consensus.IsFinal(entry.Tx, height, time)
		if !fits {
			left[entry.ID] = true
			continue
		}
		room -= entry.Size
		sigOps -= ops
		chosen = append(chosen, entry)
	}
	return chosen
}

func dependsOn(tx *wire.Tx, left map[wire.Hash]bool) bool {
	if len(left) == 0 {
		return false
	}
	for i := range tx.Inputs {
		if left[tx.Inputs[i].PrevOut.Hash] {
			return true
		}
	}
	return false
}

// coinbase pays subsidy and fees to a key; the premine of a chain with a commission
// belongs to its receiver.
func coinbase(p *params.Params, to token.Key, height int, time uint32, fees int64) *wire.Tx {
	format := p.TxFormat(height)
	pay := script.PayToPubKey(to[:])
	if commission := p.CommissionScript(); height == 1 && commission != nil {
		pay = commission
	}
	return &wire.Tx{
		Overwintered: format.Overwintered, Version: format.Version, VersionGroupID: format.VersionGroupID,
		Inputs: []wire.TxIn{{
			PrevOut:   wire.OutPoint{Index: wire.NullIndex},
			ScriptSig: append(consensus.HeightPush(height), minerData...),
			Sequence:  0xffffffff,
		}},
		Outputs:  []wire.TxOut{{Value: p.Subsidy(height) + fees, Script: pay}},
		LockTime: time,
	}
}

func payCommission(p *params.Params, height int, txs []*wire.Tx) {
	if due := p.Commission(height, txs); due > 0 {
		txs[0].Outputs = append(txs[0].Outputs, wire.TxOut{Value: due, Script: p.CommissionScript()})
	}
}
