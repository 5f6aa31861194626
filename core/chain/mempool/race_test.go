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

// TestConcurrentDoubleSpends sends many spends of one coin concurrently. Exactly one must be
// accepted.
func TestConcurrentDoubleSpends(t *testing.T) {
	n := start(t, sapling)
	for range 5 {
		coin := n.coin()
		var wg sync.WaitGroup
		var accepted atomic.Int32
		for i := range 16 {
			tx := n.Tx([]chaintest.Coin{coin}, chaintest.Pay(n.key(2).PubKey(), coinValue-100-int64(i)))
			wg.Go(func() {
				id, err := n.pool.Accept(t.Context(), tx.Encode(), false)
				if err == nil {
					accepted.Add(1)
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
		require.Equal(t, int32(1), accepted.Load())
	}
	n.look(func(*chain.View) { require.Equal(t, 5, n.pool.Size()) })
}

// TestSameTransaction sends one transaction concurrently. Every sender must receive its id.
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

// TestAcceptWhileTheChainMoves sends transactions, and children right after their parents,
// while blocks confirm them and are disconnected again.
func TestAcceptWhileTheChainMoves(t *testing.T) {
	n := start(t, sapling)
	var wg sync.WaitGroup
	ids := make([][]wire.Hash, 4)
	for i := range ids {
		var txs []*wire.Tx
		for range 10 {
			parent := n.payment(n.coin())
			txs = append(txs, parent, n.payment(chaintest.Output(parent, 0)))
		}
		wg.Go(func() {
			for _, tx := range txs {
				require.NoError(t, n.accept(tx))
				ids[i] = append(ids[i], tx.ID())
			}
		})
	}
	sent := make(chan struct{})
	go func() {
		wg.Wait()
		close(sent)
	}()
	n.mineUntil(sent)
	for _, list := range ids {
		for _, id := range list {
			n.requireStored(id, 0)
		}
	}
}

// mineUntil makes a block whenever the pool has transactions, and disconnects every third one.
func (n *node) mineUntil(done <-chan struct{}) {
	for round := 0; ; round++ {
		select {
		case <-done:
			return
		case <-n.pool.Waiting():
		}
		var waiting []*wire.Tx
		n.look(func(*chain.View) {
			for _, e := range n.pool.Entries() {
				waiting = append(waiting, e.Tx)
			}
		})
		n.Mine(waiting...)
		if round%3 == 0 {
			require.NoError(n.t, n.Invalidate(n.t.Context(), n.Tip().Hash))
		}
	}
}
