package daemon

import (
	"context"
	"sort"

	"obverse/core/chain"
	"obverse/core/chain/wire"
)

// The states of a branch [komodod rpc/blockchain.cpp getchaintips]. Here every kept
// block is complete, so that headers-only and valid-headers do not occur.
const (
	branchActive  = "active"
	branchValid   = "valid-fork"
	branchInvalid = "invalid"
)

type chainTip struct {
	Height int       `json:"height"`
	Hash   wire.Hash `json:"hash"`
	Length int       `json:"branchlen" doc:"blocks that are not part of the chain"`
	Status string    `json:"status" doc:"active, valid-fork or invalid"`
}

func (b *Backend) getChainTips(ctx context.Context, _ struct{}) (tips []chainTip, err error) {
	leaves := b.Manager.Leaves() // before the read: it waits for changes, which wait for readers
	sort.Slice(leaves, func(x, y int) bool { return leaves[x].Record.Sequence < leaves[y].Record.Sequence })
	err = b.Manager.Read(ctx, func(v *chain.View) error {
		tip := v.Tip()
		tips = []chainTip{{tip.Height, tip.Hash, 0, branchActive}}
		for _, leaf := range leaves {
			if v.InChain(leaf.Hash, leaf.Record) {
				continue // the tip itself, or the chain grew meanwhile
			}
			result, err := showTip(v, leaf)
			if err != nil {
				return err
			}
			tips = append(tips, result)
		}
		return v.Err()
	})
	sort.SliceStable(tips, func(x, y int) bool { return tips[x].Height > tips[y].Height })
	return tips, err
}

// showTip walks a branch down to the chain.
func showTip(v *chain.View, leaf chain.Leaf) (chainTip, error) {
	result := chainTip{Height: leaf.Record.Height, Hash: leaf.Hash, Status: branchValid}
	hash, r := leaf.Hash, leaf.Record
	for !v.InChain(hash, r) {
		result.Length++
		if r.Failed {
			result.Status = branchInvalid
		}
		hash = r.Prev
		var err error
		if r, err = v.Record(hash); err != nil {
			return result, err
		}
	}
	return result, v.Err()
}
