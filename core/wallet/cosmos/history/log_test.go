package history

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/account/txlog"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/node"
)

// run starts loading and returns a function that ends it.
func (l *Log) run(t *testing.T) (end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- l.Run(ctx) }()
	return func() {
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
	}
}

func TestRunTellsItsState(t *testing.T) {
	kv := memory(t)
	synctest.Test(t, func(t *testing.T) {
		source := made(90, "a")
		l := New(Config{Store: kv, Source: source, Chain: "c", Address: "me1", Now: time.Now})
		l.size = 10
		require.Equal(t, coin.SyncStatus{State: coin.SyncNotStarted}, l.Status())
		var states []string
		end := l.run(t)
		for range 12 {
			synctest.Wait()
			if s := l.Status(); len(states) == 0 || states[len(states)-1] != fmt.Sprint(s) {
				states = append(states, fmt.Sprint(s))
			}
			time.Sleep(pause)
		}
		require.Equal(t, []string{"{InProgress 100 0 }", "{InProgress 80 0 }", "{InProgress 60 0 }", "{InProgress 40 0 }", "{InProgress 20 0 }", "{Finished 0 0 }"}, states)
		require.Len(t, source.calls(), 13) // 6 pages of each search, and the lowest block
		end()
	})
}

// Wake starts a run, but nodes are queried at most once in an interval.
func TestRunIsWoken(t *testing.T) {
	kv := memory(t)
	synctest.Test(t, func(t *testing.T) {
		source := made(8, "a")
		whole := source.txs
		source.txs = whole[:5]
		l := New(Config{Store: kv, Source: source, Chain: "c", Address: "me1", Now: time.Now})
		end := l.run(t)
		synctest.Wait()
		require.Len(t, source.calls(), 3)
		time.Sleep(txlog.Interval - time.Second)
		synctest.Wait()
		require.Empty(t, source.calls())
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.Equal(t, []string{"spent 1", "received 1"}, source.calls(), "it looks by itself now and then")

		source.mu.Lock()
		source.txs = whole[:7]
		source.mu.Unlock()
		for range 1000 {
			l.Wake()
		}
		synctest.Wait()
		require.Empty(t, source.calls(), "nodes index a little later")
		time.Sleep(indexDelay)
		synctest.Wait()
		require.Equal(t, []string{"spent 1", "received 1"}, source.calls())
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Empty(t, source.calls(), "there was something: no need to look again")

		for range 1000 {
			l.Wake()
			time.Sleep(time.Millisecond / 2)
		}
		time.Sleep(indexDelay)
		synctest.Wait()
		require.Len(t, source.calls(), 2)
		source.mu.Lock()
		source.txs = whole
		source.mu.Unlock()
		time.Sleep(txlog.Again)
		synctest.Wait()
		require.Len(t, source.calls(), 2, "there was nothing, so that it looks again")
		n, err := l.Txs.Count(t.Context(), kv, all(l))
		require.NoError(t, err)
		require.Equal(t, len(whole), n)
		require.Equal(t, coin.SyncFinished, l.Status().State)
		end()
	})
}

// Failures are reported, and the pauses between attempts grow.
func TestRunRetries(t *testing.T) {
	kv := memory(t)
	synctest.Test(t, func(t *testing.T) {
		source := made(30, "a")
		down := errors.New("https://node.example: 502")
		source.fail = func(string) error { return down }
		l := New(Config{Store: kv, Source: source, Chain: "c", Address: "me1", Now: time.Now})
		began := time.Now()
		end := l.run(t)
		var at []time.Duration
		for len(at) < 12 {
			synctest.Wait()
			if calls := source.calls(); len(calls) > 0 {
				require.Equal(t, []string{"spent 1"}, calls)
				require.Equal(t, coin.SyncStatus{State: coin.SyncFailed, Message: down.Error()}, l.Status())
				at = append(at, time.Since(began).Round(time.Second))
			}
			l.Wake() // Wake has no effect
			time.Sleep(time.Second)
		}
		var gaps []time.Duration
		for n := range len(at) - 1 {
			gaps = append(gaps, at[n+1]-at[n])
		}
		require.Equal(t, []time.Duration{2e9, 4e9, 8e9, 16e9, 32e9, 64e9, 128e9, 256e9, txlog.MaxRetry, txlog.MaxRetry, txlog.MaxRetry}, gaps)
		source.mu.Lock()
		source.fail = func(call string) error {
			if strings.HasPrefix(call, "block 7") {
				return down
			}
			return nil
		}
		source.mu.Unlock()
		time.Sleep(txlog.MaxRetry)
		synctest.Wait()
		require.Equal(t, "time of block 7: "+down.Error(), l.Status().Message)
		source.mu.Lock()
		source.fail = nil
		source.mu.Unlock()
		time.Sleep(txlog.MaxRetry)
		synctest.Wait()
		require.Equal(t, coin.SyncStatus{State: coin.SyncFinished}, l.Status())
		source.calls()
		time.Sleep(txlog.Interval)
		synctest.Wait()
		require.Len(t, source.calls(), 2, "back to normal")
		end()
	})
}

// TestRunWithANodeThatLags checks that a node that lags behind is reported as a failure only if
// it stays behind.
func TestRunWithANodeThatLags(t *testing.T) {
	kv := memory(t)
	synctest.Test(t, func(t *testing.T) {
		source := made(30, "a")
		whole := source.txs
		l := New(Config{Store: kv, Source: source, Chain: "c", Address: "me1", Now: time.Now})
		end := l.run(t)
		synctest.Wait()
		source.mu.Lock()
		source.txs = whole[:20]
		source.mu.Unlock()
		time.Sleep(txlog.Interval + time.Second)
		synctest.Wait()
		require.Equal(t, coin.SyncFinished, l.Status().State)
		time.Sleep(30 * time.Second)
		synctest.Wait()
		require.Equal(t, coin.SyncStatus{State: coin.SyncFailed, Message: errBehind.Error()}, l.Status())
		source.mu.Lock()
		source.txs = whole
		source.mu.Unlock()
		time.Sleep(txlog.MaxRetry)
		synctest.Wait()
		require.Equal(t, coin.SyncFinished, l.Status().State)
		end()
	})
}

// TestRunWithoutABlock checks that Run waits for a block that nodes should have but do not, but
// only for some time.
func TestRunWithoutABlock(t *testing.T) {
	kv := memory(t)
	synctest.Test(t, func(t *testing.T) {
		source := made(30, "a")
		source.pruned = 4 // although Earliest returns 1
		l := New(Config{Store: kv, Source: source, Chain: "c", Address: "me1", Now: time.Now})
		end := l.run(t)
		synctest.Wait()
		require.Equal(t, coin.SyncFailed, l.Status().State)
		require.Contains(t, l.Status().Message, node.ErrNoBlock.Error())
		time.Sleep(15 * time.Second)
		synctest.Wait()
		require.Equal(t, coin.SyncFinished, l.Status().State)
		rows, err := l.Txs.List(t.Context(), kv, all(l))
		require.NoError(t, err)
		for _, row := range rows {
			require.Equal(t, row.Height < 4, row.Timestamp == 0)
		}
		end()
	})
}

// TestReadingWakes checks that reading an old history starts one update, regardless of the
// number of readers.
func TestReadingWakes(t *testing.T) {
	kv := memory(t)
	synctest.Test(t, func(t *testing.T) {
		source := made(30, "a")
		l := New(Config{Store: kv, Source: source, Chain: "c", Address: "me1", Now: time.Now})
		view := View{Asset: Asset{Ticker: "X", Denom: "x0", Decimals: 6}, Platform: Asset{Ticker: "X", Denom: "x0", Decimals: 6}}
		read := func() {
			for range 1000 {
				_, err := l.History(t.Context(), view, coin.HistoryQuery{Limit: 1, Page: 1})
				require.NoError(t, err)
			}
		}
		read() // nothing runs yet
		source.calls()
		end := l.run(t)
		searches := func() (n int) {
			synctest.Wait()
			for _, call := range source.calls() {
				if call != "height" && call != "earliest" {
					n++
				}
			}
			return n
		}
		require.Equal(t, 2, searches())
		read()
		time.Sleep(txlog.Stale - time.Second)
		require.Zero(t, searches())
		time.Sleep(time.Second)
		read()
		time.Sleep(indexDelay)
		require.Equal(t, 2, searches())
		read()
		time.Sleep(txlog.Again)
		require.Equal(t, 2, searches())
		read()
		time.Sleep(time.Minute)
		require.Zero(t, searches())
		end()
	})
}
