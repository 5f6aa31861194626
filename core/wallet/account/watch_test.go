package account_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/store"
	"obverse/core/store/bunttest"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
)

// watching is a watch of balances.
type watching struct {
	updates chan string
	ended   chan error
	stop    context.CancelFunc
}

func watch(t *testing.T, watched coin.BalanceWatcher) *watching {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	w := &watching{make(chan string, 10), make(chan error, 1), cancel}
	go func() {
		w.ended <- watched.WatchBalances(ctx, func(list []coin.TickerBalance) error {
			text := ""
			for _, b := range list {
				text += b.Ticker + " " + b.Spendable.String() + " "
			}
			w.updates <- text
			return nil
		})
	}()
	synctest.Wait()
	return w
}

// inBubble runs a test with a running node and synthetic time.
func inBubble(t *testing.T, test func(t *testing.T, b *bench)) {
	t.Helper()
	kv := bunttest.Memory(t) // opened outside the bubble because buntdb has a goroutine
	synctest.Test(t, func(t *testing.T) { test(t, openRunning(t, kv)) })
}

func openRunning(t *testing.T, kv store.KV) *bench {
	t.Helper()
	b := openBench(t, kv)
	b.run(t)
	return b
}

func (s *toyServer) give(name string, units int64) {
	s.set(func(s *toyServer) { s.balances[name] = units })
}

// Nodes are polled once a block while balances of a platform and its tokens are watched.
func TestWatchByPolling(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bench) {
		_, err := b.activate(t.Context(), toy("CUBE"))
		require.NoError(t, err)
		time.Sleep(time.Hour)
		before := b.toy.requests("balance")
		require.LessOrEqual(t, before, 2, "no watcher")
		platform := watch(t, get[*toyPlatform](t, b, "TOY"))
		token := watch(t, get[*toyToken](t, b, "CUBE"))
		before = b.toy.requests("balance")
		time.Sleep(time.Minute)
		synctest.Wait()
		require.InDelta(t, 15, b.toy.requests("balance")-before, 4, "every ten seconds; concurrent queries share a request")
		require.Empty(t, platform.updates, "nothing changed")
		b.toy.give("CUBE", 30)
		b.toy.give("TOY", 1)
		time.Sleep(11 * time.Second)
		require.Equal(t, "TOY 0.00000001 CUBE 3 ", <-platform.updates)
		require.Equal(t, "CUBE 3 ", <-token.updates)
		_, err = b.activate(t.Context(), toy())
		require.ErrorIs(t, err, coin.ErrAlreadyActive)

		platform.stop()
		require.ErrorIs(t, <-platform.ended, context.Canceled)
		token.stop()
		require.ErrorIs(t, <-token.ended, context.Canceled)
		synctest.Wait()
		before = b.toy.requests("balance")
		time.Sleep(time.Hour)
		require.Equal(t, before, b.toy.requests("balance"), "the watch has ended")
	})
}

// A watch after a failure of nodes reports the changes since; one after a normal end starts again.
func TestWatchAfterNodesFailed(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bench) {
		_, err := b.activate(t.Context(), toy())
		require.NoError(t, err)
		platform := get[*toyPlatform](t, b, "TOY")
		w := watch(t, platform)
		b.toy.set(func(s *toyServer) { s.failing = "balance" })
		require.ErrorIs(t, <-w.ended, coin.ErrTransport)
		w = watch(t, platform)
		require.ErrorIs(t, <-w.ended, coin.ErrTransport)
		b.toy.set(func(s *toyServer) { s.failing = "" })
		b.toy.give("TOY", 2)
		time.Sleep(10 * time.Minute) // the pause of the node is over
		w = watch(t, platform)
		require.Equal(t, "TOY 0.00000002 ", <-w.updates)
		w.stop()
		require.ErrorIs(t, <-w.ended, context.Canceled)
		b.toy.give("TOY", 3)
		w = watch(t, platform)
		require.Empty(t, w.updates)
	})
}

// A token that is activated while its platform is watched is watched from then on: amounts that it
// received before the next query are in an event, whether nodes are polled or report changes.
func TestWatchATokenActivatedLater(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bench) {
		_, err := b.activate(t.Context(), toy())
		require.NoError(t, err)
		w := watch(t, get[*toyPlatform](t, b, "TOY"))
		_, err = b.activateToken(t.Context(), account.TokenRequest{Ticker: "CUBE"})
		require.NoError(t, err)
		b.toy.give("CUBE", 30)
		time.Sleep(11 * time.Second)
		require.Equal(t, "CUBE 3 ", <-w.updates)
		time.Sleep(time.Minute)
		require.Empty(t, w.updates, "once")
		b.toy.give("CUBE", 40)
		time.Sleep(11 * time.Second)
		require.Equal(t, "CUBE 4 ", <-w.updates)
	})
	inBubble(t, func(t *testing.T, b *bench) {
		events := &toyEvents{}
		b.listen = events.listen
		_, err := b.activate(t.Context(), toy())
		require.NoError(t, err)
		w := watch(t, get[*toyPlatform](t, b, "TOY"))
		_, err = b.activateToken(t.Context(), account.TokenRequest{Ticker: "CUBE"})
		require.NoError(t, err)
		time.Sleep(time.Hour)
		b.toy.give("CUBE", 30)
		events.changed()
		require.Equal(t, "CUBE 3 ", <-w.updates)
	})
}

// A token that is restored after its platform is watched too.
func TestWatchATokenRestoredLater(t *testing.T) {
	kv := bunttest.Memory(t)
	_, err := openBench(t, kv).activate(t.Context(), toy("CUBE"))
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		b := openRunning(t, kv)
		saved := b.Active.Saved()
		require.NoError(t, b.engine().Restore(t.Context(), saved[0]))
		w := watch(t, get[*toyPlatform](t, b, "TOY"))
		require.NoError(t, b.engine().Restore(t.Context(), saved[1]))
		b.toy.give("CUBE", 30)
		time.Sleep(11 * time.Second)
		require.Equal(t, "CUBE 3 ", <-w.updates)
	})
}

// A watch that fails from the start sends all balances once nodes answer, since earlier changes are
// unknown.
func TestWatchThatFailsAtFirst(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bench) {
		_, err := b.activate(t.Context(), toy())
		require.NoError(t, err)
		b.toy.set(func(s *toyServer) { s.failing = "balance" })
		w := watch(t, get[*toyPlatform](t, b, "TOY"))
		require.ErrorIs(t, <-w.ended, coin.ErrTransport)
		b.toy.set(func(s *toyServer) { s.failing = "" })
		time.Sleep(10 * time.Minute) // the pause of the node is over
		w = watch(t, get[*toyPlatform](t, b, "TOY"))
		require.Equal(t, "TOY 1.5 ", <-w.updates)
	})
}

// A token whose balance cannot be queried does not end the watch of its platform and of others.
func TestWatchWithABrokenToken(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bench) {
		_, err := b.activate(t.Context(), toy("CUBE", "BALL"))
		require.NoError(t, err)
		b.toy.set(func(s *toyServer) { s.broken = "CUBE" })
		w := watch(t, get[*toyPlatform](t, b, "TOY"))
		b.toy.give("BALL", 90)
		time.Sleep(11 * time.Second)
		require.Equal(t, "BALL 9 ", <-w.updates)
		b.toy.set(func(s *toyServer) { s.broken = "" })
		b.toy.give("CUBE", 60)
		time.Sleep(time.Minute)
		require.Equal(t, "CUBE 6 ", <-w.updates)
		b.toy.set(func(s *toyServer) { s.broken = "TOY" })
		require.ErrorIs(t, <-w.ended, coin.ErrTransport)
	})
}

// Watching ends when the platform is disabled or replaced.
func TestWatchAfterDisable(t *testing.T) {
	kv := bunttest.Memory(t)
	_, err := openBench(t, kv).activate(t.Context(), toy("CUBE"))
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		b := openRunning(t, kv)
		for _, saved := range b.Active.Saved() {
			require.NoError(t, b.engine().Restore(t.Context(), saved))
		}
		platform, token := watch(t, get[*toyPlatform](t, b, "TOY")), watch(t, get[*toyToken](t, b, "CUBE"))
		_, err := b.activate(t.Context(), toy())
		require.NoError(t, err, "it was only restored")
		require.ErrorIs(t, <-platform.ended, coin.ErrNotActive)
		require.ErrorIs(t, <-token.ended, coin.ErrNotActive)

		platform, token = watch(t, get[*toyPlatform](t, b, "TOY")), watch(t, get[*toyToken](t, b, "CUBE"))
		_, err = b.Active.Disable(t.Context(), "TOY", true)
		require.NoError(t, err)
		require.ErrorIs(t, <-platform.ended, coin.ErrNotActive)
		require.ErrorIs(t, <-token.ended, coin.ErrNotActive)
	})
}

var errListener = errors.New("the listener has gone")

// A failing callback ends its own watch only.
func TestWatchEndsWithItsListener(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bench) {
		_, err := b.activate(t.Context(), toy())
		require.NoError(t, err)
		platform := get[*toyPlatform](t, b, "TOY")
		other := watch(t, platform)
		ended := make(chan error, 1)
		go func() {
			ended <- platform.WatchBalances(t.Context(), func([]coin.TickerBalance) error { return errListener })
		}()
		synctest.Wait()
		b.toy.give("TOY", 4)
		require.ErrorIs(t, <-ended, errListener)
		require.Equal(t, "TOY 0.00000004 ", <-other.updates)
		require.Empty(t, other.ended)
	})
}

// toyEvents is a node that reports changes.
type toyEvents struct {
	mu      sync.Mutex
	up      func(bool)
	changed func()
	began   int
	ended   int
	panics  bool
}

func (e *toyEvents) listen(ctx context.Context, up func(bool), changed func()) {
	e.mu.Lock()
	e.up, e.changed = up, changed
	e.began++
	panics := e.panics
	e.mu.Unlock()
	if panics {
		up(true)
		panic("s3cret")
	}
	up(true)
	<-ctx.Done()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ended++
}

func (e *toyEvents) over() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.ended
}

func (e *toyEvents) begun() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.began
}

// Nodes are polled only while no node reports changes.
func TestWatchByListening(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bench) {
		events := &toyEvents{}
		b.listen = events.listen
		_, err := b.activate(t.Context(), toy())
		require.NoError(t, err)
		require.Zero(t, events.begun(), "no watcher")
		w := watch(t, get[*toyPlatform](t, b, "TOY"))
		other := watch(t, get[*toyPlatform](t, b, "TOY"))
		require.Equal(t, 1, events.begun(), "however many watch")
		before := b.toy.requests("balance")
		b.toy.give("TOY", 5)
		time.Sleep(time.Hour)
		require.Equal(t, before, b.toy.requests("balance"))
		events.changed()
		require.Equal(t, "TOY 0.00000005 ", <-w.updates)
		events.up(false)
		b.toy.give("TOY", 6)
		time.Sleep(11 * time.Second)
		require.Equal(t, "TOY 0.00000006 ", <-w.updates)
		w.stop()
		synctest.Wait()
		require.Zero(t, events.over(), "one watcher remains")
		other.stop()
		synctest.Wait()
		require.Equal(t, 1, events.over())
		watch(t, get[*toyPlatform](t, b, "TOY"))
		require.Equal(t, 2, events.begun())
	})
}

// If a family's listener panics, nodes are polled.
func TestWatchWithAListenerThatPanics(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bench) {
		b.listen = (&toyEvents{panics: true}).listen
		_, err := b.activate(t.Context(), toy())
		require.NoError(t, err)
		w := watch(t, get[*toyPlatform](t, b, "TOY"))
		b.toy.give("TOY", 7)
		time.Sleep(11 * time.Second)
		require.Equal(t, "TOY 0.00000007 ", <-w.updates)
	})
}
