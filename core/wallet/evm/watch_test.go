package evm

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/store/bunttest"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
)

// TestWatchBalancesOfATokenActivatedLater checks that a token which an HD wallet activates
// while the network is watched is watched from then on, with all addresses.
func TestWatchBalancesOfATokenActivatedLater(t *testing.T) {
	kv := bunttest.Memory(t)
	synctest.Test(t, func(t *testing.T) {
		b := openBench(t, kv)
		ring, err := key.Open("february soldier message acid member jump shadow walk novel impose puppy tornado", true)
		require.NoError(t, err)
		b.Providers, b.HD, b.Config.Store = key.Providers{ring}, true, kv
		done, err := b.Activate(t.Context(), eth())
		require.NoError(t, err)
		b.run(t)
		updates := make(chan []coin.TickerBalance, 10)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			ended <- get[*Platform](t, b, "ETH").WatchBalances(ctx, func(list []coin.TickerBalance) error { updates <- list; return nil })
		}()
		synctest.Wait()
		_, err = b.ActivateToken(t.Context(), account.TokenRequest{Ticker: "SIX-ERC20"})
		require.NoError(t, err)
		b.eth.GiveToken(sixAt, done.Owner.Address, "8")
		time.Sleep(20 * time.Second)
		list := <-updates
		require.Len(t, list, 1)
		require.Equal(t, []string{"SIX-ERC20", done.Owner.Address, "0.000008"}, []string{list[0].Ticker, list[0].Address, list[0].Spendable.String()})
		time.Sleep(time.Minute)
		require.Empty(t, updates)
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
	})
}
