package engine

import (
	"obverse/core/chain/consensus"
	"obverse/core/chain/mempool"
	"obverse/core/chain/params"
	"obverse/core/chain/script"
	"obverse/core/chain/wire"
)

// minerData follows the height in a coinbase, as in upstream's blocks.
const minerData = "\x01\x01"

// reserved is what a block keeps free for its header and coinbase, in bytes.
const reserved = 10_000

// template fills a block on a tip with waiting transactions, parents first. It
// lacks bits and seal.
func (p *Producer) template(at consensus.Place, prev wire.Hash, time uint32, waiting []*mempool.Entry) *wire.Block {
	block := &wire.Block{Header: wire.Header{
		Version: 4, Prev: prev, SaplingRoot: consensus.EmptySaplingRoot, Time: time,
	}}
	chosen := p.choose(at.Height, time, waiting)
	block.Txs = make([]*wire.Tx, 1, len(chosen)+1)
	fees := int64(0)
	for _, entry := range chosen {
		block.Txs = append(block.Txs, entry.Tx)
		fees += entry.Fee
	}
	block.Txs[0] = p.coinbase(at.Height, time, fees)
	p.payCommission(at.Height, block.Txs)
	ids := make([]wire.Hash, len(block.Txs))
	ids[0] = block.Txs[0].ID()
	for i, entry := range chosen {
		ids[i+1] = entry.ID
	}
	block.MerkleRoot, _ = wire.MerkleRoot(ids)
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

// coinbase pays subsidy and fees to the producer; the premine of a chain with a
// commission belongs to its receiver.
func (p *Producer) coinbase(height int, time uint32, fees int64) *wire.Tx {
	format := p.params.TxFormat(height)
	pay := script.PayToPubKey(p.pub[:])
	if own := p.params.CommissionScript(); height == 1 && own != nil {
		pay = own
	}
	return &wire.Tx{
		Overwintered: format.Overwintered, Version: format.Version, VersionGroupID: format.VersionGroupID,
		Inputs: []wire.TxIn{{
			PrevOut:   wire.OutPoint{Index: wire.NullIndex},
			ScriptSig: append(consensus.HeightPush(height), minerData...),
			Sequence:  0xffffffff,
		}},
		Outputs:  []wire.TxOut{{Value: p.params.Subsidy(height) + fees, Script: pay}},
		LockTime: time,
	}
}

func (p *Producer) payCommission(height int, txs []*wire.Tx) {
	if due := p.params.Commission(height, txs); due > 0 {
		txs[0].Outputs = append(txs[0].Outputs, wire.TxOut{Value: due, Script: p.params.CommissionScript()})
	}
}
