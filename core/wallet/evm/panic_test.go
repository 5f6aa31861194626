package evm

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/guard"
	"obverse/core/net/fetch"
	"obverse/core/store/bunttest"
	"obverse/core/wallet/coin"
)

// A response that makes its decoder panic fails only the activation, the query or the health check.
// Once the node recovers, so does the coin.
func TestNodesWhoseAnswersPanic(t *testing.T) {
	kv := bunttest.Memory(t) // opened outside the bubble because buntdb has a goroutine
	synctest.Test(t, func(t *testing.T) {
		var panics atomic.Int64
		ctx := guard.With(t.Context(), func(*guard.Panic) { panics.Add(1) })
		mad := func(context.Context, fetch.Request) (fetch.Response, error) { panic("s3cret") }
		b := openBench(t, kv)
		b.net.Set(ethURL, mad)
		_, err := b.Activate(ctx, eth())
		require.ErrorIs(t, err, coin.ErrTransport)
		require.Empty(t, b.active())
		require.Positive(t, panics.Load())

		b.net.Set(ethURL, b.eth.Well)
		_, err = b.Activate(ctx, eth("SIX-ERC20"))
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		ended := make(chan error, 1)
		go func() { ended <- b.Active.Run(ctx) }()
		platform := get[*Platform](t, b, "ETH")
		watched := make(chan error, 1)
		go func() { watched <- platform.WatchBalances(ctx, nil) }()
		synctest.Wait()
		b.net.Set(ethURL, mad)
		require.ErrorIs(t, <-watched, coin.ErrTransport)
		panics.Store(0)
		time.Sleep(10 * time.Minute)
		require.Positive(t, panics.Load(), "the nodes are looked after")
		_, err = platform.Balance(ctx)
		require.ErrorIs(t, err, coin.ErrTransport)
		require.NotContains(t, err.Error(), "s3cret")
		_, err = platform.Withdraw(ctx, coin.WithdrawRequest{To: payee, Max: true})
		require.ErrorIs(t, err, coin.ErrTransport)

		b.net.Set(ethURL, b.eth.Well)
		time.Sleep(10 * time.Minute)
		_, err = platform.Balance(ctx)
		require.NoError(t, err)
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
	})
}
