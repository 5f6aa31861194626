package mempool_test

import (
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/cc"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/mempool"
	"obverse/core/chain/wire"
	"obverse/core/store"
	"obverse/core/store/bunt"
)

// transfers funds a node with count outputs of one token each, and returns a signed transfer of
// each, which has a condition input and a P2PK input.
func transfers(b *testing.B, kv store.KV, count int) (n *node, raws [][]byte) {
	n = open(b, kv, sapling, noLimits)
	premine := chaintest.Output(n.Mine().Txs[0], 0)
	k1 := n.key(1)
	const batch = 500
	creation := n.Tx([]chaintest.Coin{premine}, chaintest.Creation(k1, "T", int64(count+batch), premine.Value-1_000_000)...)
	n.Mine(creation)
	tokens, coins := chaintest.Output(creation, 1), chaintest.Output(creation, 2)
	for len(raws) < count {
		outs := []wire.TxOut{}
		for range batch {
			outs = append(outs, chaintest.Pay(k1.Tokens(), 1))
		}
		for range batch {
			outs = append(outs, chaintest.Pay(k1.PubKey(), 1000))
		}
		outs = append(outs, chaintest.Pay(k1.Tokens(), tokens.Value-batch),
			chaintest.Pay(k1.PubKey(), coins.Value-batch*1000), chaintest.Transfer(creation.ID(), k1))
		split := n.Tx([]chaintest.Coin{tokens, coins}, outs...)
		n.Mine(split)
		tokens, coins = chaintest.Output(split, 2*batch), chaintest.Output(split, 2*batch+1)
		for i := range batch {
			tx := n.Tx([]chaintest.Coin{chaintest.Output(split, i), chaintest.Output(split, batch+i)},
				chaintest.Pay(n.key(2).Tokens(), 1), chaintest.Transfer(creation.ID(), n.key(2)))
			raws = append(raws, tx.Encode())
		}
	}
	return n, raws[:count]
}

// acceptAll sends every transaction once, from the given number of goroutines.
func acceptAll(b *testing.B, pool *mempool.Pool, raws [][]byte, senders int) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range senders {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(raws)); i = next.Add(1) - 1 {
				if _, err := pool.Accept(context.Background(), raws[i], true); err != nil {
					b.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkAcceptTransfer(b *testing.B) {
	for name, senders := range map[string]int{"one sender": 1, "16 senders": 16} {
		for where, path := range map[string]string{"memory": bunt.Memory, "file": filepath.Join(b.TempDir(), "chain.db")} {
			b.Run(name+", "+where, func(b *testing.B) {
				if path != bunt.Memory {
					path = filepath.Join(b.TempDir(), "chain.db")
				}
				kv, err := bunt.Open(path)
				require.NoError(b, err)
				n, raws := transfers(b, kv, max(500, b.N))
				b.ReportAllocs()
				b.ResetTimer()
				acceptAll(b, n.pool, raws[:b.N], senders)
				b.StopTimer()
				require.NoError(b, kv.Close())
			})
		}
	}
}

// BenchmarkSignature measures the part of a transfer that cannot be avoided: the verification
// of its two signatures.
func BenchmarkSignature(b *testing.B) {
	k1 := chaintest.Key(b, 1)
	pub := k1.PublicKey()
	hash := wire.HashOf([]byte("transfer"))
	sig := k1.SignCompact(hash)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			for range 2 {
				if !cc.VerifySecp256k1(pub[:], hash[:], sig[:]) {
					b.Error("bad signature")
				}
			}
		}
	})
}
