package mempool_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/mempool"
	"obverse/core/chain/wire"
)

// TestRivals sends many spends of one coin at once: exactly one is kept.
func TestRivals(t *testing.T) {
	n := start(t, sapling)
	for range 5 {
		coin := n.coin()
		var wg sync.WaitGroup
		var kept atomic.Int32
		for i := range 16 {
			tx := n.Tx([]chaintest.Coin{coin}, chaintest.Pay(n.key(2).PubKey(), coinValue-int64(i)))
			wg.Go(func() {
				id, err := n.pool.Accept(t.Context(), tx.Encode(), false)
				if err == nil {
					kept.Add(1)
					n.look(func(*chain.View) {
						by, spent := n.pool.SpentBy(coin.Out)
						require.True(t, spent)
						require.Equal(t, id, by)
					})
					return
				}
				require.ErrorIs(t, err, mempool.ErrConflict)
			})
		}
		wg.Wait()
		require.Equal(t, int32(1), kept.Load())
	}
	n.look(func(*chain.View) { require.Equal(t, 5, n.pool.Size()) })
}

// TestSameTransaction sends one transaction from many sides: all are told its id.
func TestSameTransaction(t *testing.T) {
	n := start(t, sapling)
	tx := n.payment(n.coin())
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() { require.NoError(t, n.accept(tx)) })
	}
	wg.Wait()
	n.requirePool(tx)
}

// TestAcceptWhileTheChainMoves sends transactions, children right after their
// parents, while blocks take what waits and are taken back.
func TestAcceptWhileTheChainMoves(t *testing.T) {
	n := start(t, sapling)
	var wg sync.WaitGroup
	var sent atomic.Int32
	ids := make([][]wire.Hash, 4)
	for i := range ids {
		var chains [][]*wire.Tx
		for range 10 {
			parent := n.payment(n.coin())
			chains = append(chains, []*wire.Tx{parent, n.payment(chaintest.Output(parent, 0))})
		}
		wg.Go(func() {
			for _, txs := range chains {
				for _, tx := range txs {
					require.NoError(t, n.accept(tx))
					ids[i] = append(ids[i], tx.ID())
					sent.Add(1)
				}
			}
		})
	}
	for sent.Load() < 80 {
		var waiting []*wire.Tx
		n.look(func(*chain.View) {
			for _, e := range n.pool.Entries() {
				waiting = append(waiting, e.Tx)
			}
		})
		n.Mine(waiting...)
		if len(waiting)%3 == 1 {
			require.NoError(t, n.Invalidate(t.Context(), n.Tip().Hash))
		}
	}
	wg.Wait()
	for _, list := range ids {
		for _, id := range list {
			n.requireKept(id, 0)
		}
	}
}
