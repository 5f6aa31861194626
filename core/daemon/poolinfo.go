package daemon

import (
	"context"
	"slices"

	"obverse/core/chain"
	"obverse/core/chain/consensus"
	"obverse/core/chain/mempool"
	"obverse/core/chain/wire"
	"obverse/core/number"
	"obverse/core/rpc"
)

func (b *Backend) poolMethods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("getmempoolinfo", rpc.Doc{
			Summary: "Return the size of the mempool", Category: categoryBlockchain,
		}, b.getMempoolInfo),
		rpc.Handle("getrawmempool", rpc.Doc{Reads: true,
			Usage:    "getrawmempool ( verbose )",
			Summary:  "List the transactions in the mempool, parents before children",
			Category: categoryBlockchain,
		}, b.getRawMempool).Gives([]wire.Hash{}, map[string]poolEntry{}),
		rpc.Handle("gettxout", rpc.Doc{Reads: true,
			Usage:    `gettxout "txid" n ( includemempool )`,
			Summary:  "Return an unspent output, or null if it is spent or unknown",
			Category: categoryBlockchain,
		}, b.getTxOut),
	}
}

type poolInfo struct {
	Size          int  `json:"size" doc:"number of transactions"`
	Bytes         int  `json:"bytes"`
	Usage         int  `json:"usage" doc:"approximate memory use in bytes"`
	FullyNotified bool `json:"fullyNotified" doc:"always true"`
}

func (b *Backend) getMempoolInfo(ctx context.Context, _ struct{}) (info poolInfo, err error) {
	const overhead = 512 // memory used by an entry and its index records, in addition to its bytes
	err = b.Manager.Read(ctx, func(*chain.View) error {
		size, bytes := b.Pool.Size(), b.Pool.Bytes()
		info = poolInfo{size, bytes, bytes + size*overhead, true}
		return nil
	})
	return info, err
}

type rawMempoolParams struct {
	Verbose Flag `json:"verbose" rpc:"optional" doc:"return an object with details by txid instead of a list"`
}

type poolEntry struct {
	Size     int          `json:"size" doc:"size in bytes"`
	Fee      number.Coins `json:"fee"`
	Time     int64        `json:"time" doc:"time of arrival, in seconds since 1970"`
	Height   int          `json:"height" doc:"height of the chain at the time of arrival"`
	Starting int          `json:"startingpriority" doc:"always 0; transactions have no priority"`
	Current  int          `json:"currentpriority"`
	Depends  []string     `json:"depends" doc:"parents of the transaction in the mempool"`
}

func (b *Backend) getRawMempool(ctx context.Context, p rawMempoolParams) (listed any, err error) {
	err = b.Manager.Read(ctx, func(*chain.View) error {
		entries := b.Pool.Entries()
		if p.Verbose {
			listed = b.showPool(entries)
			return nil
		}
		ids := make([]wire.Hash, len(entries))
		for i, entry := range entries {
			ids[i] = entry.ID
		}
		listed = ids
		return nil
	})
	return listed, err
}

func (b *Backend) showPool(entries []*mempool.Entry) map[string]poolEntry {
	result := make(map[string]poolEntry, len(entries))
	for _, entry := range entries {
		depends := []string{}
		for i := range entry.Tx.Inputs {
			if parent := entry.Tx.Inputs[i].PrevOut.Hash; b.waits(parent) {
				depends = append(depends, parent.String())
			}
		}
		slices.Sort(depends)
		result[entry.ID.String()] = poolEntry{
			Size: entry.Size, Fee: number.Coins(entry.Fee), Time: entry.Time.Unix(), Height: entry.Height,
			Depends: slices.Compact(depends),
		}
	}
	return result
}

func (b *Backend) waits(id wire.Hash) bool {
	_, ok := b.Pool.Entry(id)
	return ok
}

type txOutParams struct {
	TxID    Text `json:"txid"`
	N       Int  `json:"n" doc:"index of the output"`
	Mempool Flag `json:"includemempool" default:"true" doc:"take the transactions in the mempool into account"`
}

type txOut struct {
	Best             wire.Hash    `json:"bestblock"`
	Confirmations    int          `json:"confirmations"`
	RawConfirmations int          `json:"rawconfirmations"`
	Value            number.Coins `json:"value"`
	Script           outputScript `json:"scriptPubKey"`
	Version          uint32       `json:"version" doc:"version of the transaction"`
	Coinbase         bool         `json:"coinbase"`
}

func (b *Backend) getTxOut(ctx context.Context, p txOutParams) (result *txOut, err error) {
	id := looseHash(string(p.TxID))
	if p.N < 0 {
		return nil, nil
	}
	out := wire.OutPoint{Hash: id, Index: uint32(p.N)}
	err = b.Manager.Read(ctx, func(v *chain.View) error {
		if p.Mempool {
			if _, spent := b.Pool.SpentBy(out); spent {
				return nil
			}
			if coin, ok := b.Pool.Coin(out); ok {
				entry, _ := b.Pool.Entry(id)
				result = b.showCoin(v.Tip(), &coin, entry.Tx.Version, 0)
				return nil
			}
		}
		result, err = b.chainCoin(v, out)
		return err
	})
	return result, err
}

func (b *Backend) chainCoin(v *chain.View, out wire.OutPoint) (*txOut, error) {
	coins, ok, err := v.Coins(out)
	if err != nil || !ok[0] {
		return nil, err
	}
	tx, err := chainTx(v, out.Hash)
	if err != nil {
		return nil, err
	}
	return b.showCoin(v.Tip(), &coins[0], tx.Version, v.Tip().Height-coins[0].Height+1), nil
}

func chainTx(v *chain.View, id wire.Hash) (*wire.Tx, error) {
	at, err := v.Tx(id)
	if err != nil {
		return nil, err
	}
	return wire.DecodeTx(at.Raw)
}

func (b *Backend) showCoin(tip chain.Tip, coin *consensus.Coin, version uint32, confirmations int) *txOut {
	return &txOut{
		Best: tip.Hash, Confirmations: confirmations, RawConfirmations: confirmations, Value: number.Coins(coin.Value),
		Script: showScript(coin.Script, b.Manager.Params()), Version: version, Coinbase: coin.Coinbase,
	}
}
