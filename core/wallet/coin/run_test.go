package coin

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"obverse/core/guard"
	"obverse/core/store/bunttest"
)

// running runs the work of a's coins until stop is called.
func running(t *testing.T, a *Active) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		require.ErrorIs(t, a.Run(ctx), context.Canceled)
	}()
	return func() { cancel(); <-ended }
}

func commit(t *testing.T, a *Active, coins ...Coin) {
	t.Helper()
	var tokens []string
	for _, c := range coins[1:] {
		tokens = append(tokens, c.Ticker())
	}
	x, err := a.Begin(t.Context(), coins[0].Ticker(), tokens...)
	require.NoError(t, err)
	var items []Item
	for _, c := range coins {
		items = append(items, Item{Coin: c})
	}
	require.NoError(t, x.Commit(t.Context(), items...))
}

func TestRunFollowsTheCoins(t *testing.T) {
	kv := bunttest.Memory(t) // opened outside the bubble because buntdb has a goroutine
	synctest.Test(t, func(t *testing.T) {
		var eth, usdt, moved atomic.Int64
		a := open(t, kv)
		commit(t, a, &busy{plain{ticker: "ETH"}, &eth})
		commit(t, a, &busy{plain{ticker: "GONE"}, &moved})
		_, err := a.Disable(t.Context(), "GONE", false)
		require.NoError(t, err, "before Run there is no work to wait for")
		stop := running(t, a)
		synctest.Wait()
		require.EqualValues(t, 1, eth.Load(), "coins that were active before Run run too")
		require.Zero(t, moved.Load())

		x, err := a.Begin(t.Context(), "USDT")
		require.NoError(t, err)
		p, err := x.Platform(t.Context(), "ETH")
		require.NoError(t, err)
		require.NoError(t, x.Commit(t.Context(), Item{Coin: &busyToken{onPlain{"USDT", "ETH", p}, &usdt}}))
		synctest.Wait()
		require.EqualValues(t, 1, usdt.Load())

		_, err = a.Disable(t.Context(), "ETH", false)
		require.NoError(t, err)
		synctest.Wait()
		require.EqualValues(t, 1, eth.Load(), "a passive platform works on for its tokens")
		enable(t, a, "ETH")
		synctest.Wait()
		require.EqualValues(t, 1, eth.Load(), "the same coin goes on, and does not begin again")

		_, err = a.Disable(t.Context(), "ETH", true)
		require.NoError(t, err)
		require.Zero(t, eth.Load()+usdt.Load(), "work has ended when Disable returns")
		commit(t, a, &busy{plain{ticker: "ETH"}, &eth})
		synctest.Wait()
		require.EqualValues(t, 1, eth.Load())
		stop()
		require.Zero(t, eth.Load())
		_, err = a.Disable(t.Context(), "ETH", false)
		require.NoError(t, err, "after Run too")
	})
}

func TestReplacedWorkEndsFirst(t *testing.T) {
	kv := bunttest.Memory(t) // opened outside the bubble because buntdb has a goroutine
	synctest.Test(t, func(t *testing.T) {
		var old, fresh, token atomic.Int64
		enable(t, open(t, kv), "ETH", "USDT")
		a := open(t, kv)
		defer running(t, a)()
		_, x, err := a.Restore(t.Context(), "ETH")
		require.NoError(t, err)
		eth := &busy{plain{ticker: "ETH"}, &old}
		require.NoError(t, x.Commit(t.Context(), Item{Coin: eth}))
		_, x, err = a.Restore(t.Context(), "USDT")
		require.NoError(t, err)
		require.NoError(t, x.Commit(t.Context(), Item{Coin: &busyToken{onPlain{"USDT", "ETH", eth}, &token}}))
		synctest.Wait()
		require.EqualValues(t, 1, old.Load())
		require.EqualValues(t, 1, token.Load())
		commit(t, a, &overlap{busy{plain{ticker: "ETH"}, &fresh}, &old, t})
		synctest.Wait()
		require.Zero(t, old.Load())
		require.EqualValues(t, 1, fresh.Load())
		require.EqualValues(t, 1, token.Load(), "the token works on the new platform")
	})
}

// TestReplacedTogether checks that a platform which is activated with tokens replaces the
// tokens and their work.
func TestReplacedTogether(t *testing.T) {
	kv := bunttest.Memory(t)
	synctest.Test(t, func(t *testing.T) {
		var old, fresh atomic.Int64
		enable(t, open(t, kv), "ETH", "USDT")
		a := open(t, kv)
		stop := running(t, a)
		_, x, err := a.Restore(t.Context(), "ETH")
		require.NoError(t, err)
		eth := &plain{ticker: "ETH"}
		require.NoError(t, x.Commit(t.Context(), Item{Coin: eth}))
		_, x, err = a.Restore(t.Context(), "USDT")
		require.NoError(t, err)
		require.NoError(t, x.Commit(t.Context(), Item{Coin: &busyToken{onPlain{"USDT", "ETH", eth}, &old}}))
		synctest.Wait()
		again := &plain{ticker: "ETH"}
		usdt := &busyToken{onPlain{"USDT", "ETH", again}, &fresh}
		commit(t, a, again, usdt)
		synctest.Wait()
		require.Zero(t, old.Load())
		require.EqualValues(t, 1, fresh.Load())
		got, err := a.Get("USDT")
		require.NoError(t, err)
		require.Same(t, usdt, got)
		stop()
		require.Zero(t, fresh.Load())
	})
}

// overlap fails the test if the previous work has not ended.
type overlap struct {
	busy
	before *atomic.Int64
	t      *testing.T
}

func (c *overlap) Run(ctx context.Context) error {
	require.Zero(c.t, c.before.Load())
	return c.busy.Run(ctx)
}

// faulty is a coin whose work ends with a given error or a panic.
type faulty struct {
	plain
	end func() error
}

func (c *faulty) Run(context.Context) error { return c.end() }

func TestRunReportsFailures(t *testing.T) {
	kv := bunttest.Memory(t) // opened outside the bubble because buntdb has a goroutine
	synctest.Test(t, func(t *testing.T) {
		errHistory := errors.New("history is broken")
		failures := make(map[string]error)
		a, err := Open(t.Context(), Config{Store: kv, Failed: func(ticker string, err error) { failures[ticker] = err }})
		require.NoError(t, err)
		stop := running(t, a)
		for _, c := range []*faulty{
			{plain{ticker: "GOOD"}, func() error { return nil }},
			{plain{ticker: "BAD"}, func() error { return errHistory }},
			{plain{ticker: "MAD"}, func() error { panic("boom") }},
		} {
			commit(t, a, c)
			synctest.Wait()
		}
		require.Len(t, failures, 2)
		require.ErrorIs(t, failures["BAD"], errHistory)
		require.ErrorIs(t, failures["MAD"], guard.ErrPanic)
		require.Equal(t, []string{"GOOD", "BAD", "MAD"}, tickers(a), "a coin stays active when its work ends")
		_, err = a.Disable(t.Context(), "BAD", false)
		require.NoError(t, err)
		var working atomic.Int64
		commit(t, a, &busy{plain{ticker: "BUSY"}, &working})
		synctest.Wait()
		stop()
		require.Len(t, failures, 2, "work that ends when cancelled has not failed")
	})
}
