package chain_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/script"
	"obverse/core/chain/wire"
	"obverse/core/store/bunt"
)

// busyBlocks returns a chain's blocks with 20 payments each, preceded by the blocks that create
// its tokens.
func busyBlocks(b *testing.B, c *chaintest.Chain) []*wire.Block {
	const count, each = 20, 20
	w := begin(b, c)
	w.write(c.Tip().Hash, 8)
	outs := make([]wire.TxOut, count*each)
	for i := range outs {
		outs[i] = chaintest.Pay(w.key(1).PubKeyHash(), 2000)
	}
	split := c.Tx([]chaintest.Coin{w.coin()}, outs...)
	blocks := append(w.blocks, c.Mine(split))
	for i := range count {
		var txs []*wire.Tx
		for j := range each {
			from := []chaintest.Coin{chaintest.Output(split, i*each+j)}
			txs = append(txs, c.Tx(from, chaintest.Pay(w.key(2).PubKeyHash(), 500), chaintest.Pay(w.key(1).PubKey(), 500)))
		}
		blocks = append(blocks, c.Mine(txs...))
	}
	return blocks
}

// BenchmarkConnect connects blocks with a cache that knows their signatures, as after they
// passed the mempool, and with an empty cache.
func BenchmarkConnect(b *testing.B) {
	source := chaintest.InMemory(b, options)
	blocks, params := busyBlocks(b, source), source.Params()
	connect := func(b *testing.B, cache *script.SigCache) {
		kv, err := bunt.Open(bunt.Memory)
		require.NoError(b, err)
		defer kv.Close()
		m, err := chain.Open(b.Context(), chain.Config{Store: kv, Params: params, HeaderRules: chaintest.AnyProducer{},
			Now: chaintest.Now, Cache: cache})
		require.NoError(b, err)
		for _, block := range blocks {
			_, err := m.Submit(b.Context(), block.Encode())
			require.NoError(b, err)
		}
	}
	known := script.NewSigCache(1<<12, nil)
	connect(b, known)
	for name, cache := range map[string]func() *script.SigCache{
		"known signatures": func() *script.SigCache { return known },
		"new signatures":   func() *script.SigCache { return nil },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				connect(b, cache())
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(blocks)), "µs/block")
		})
	}
}
