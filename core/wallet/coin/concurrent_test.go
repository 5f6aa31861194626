package coin

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/store"
	"obverse/core/store/bunttest"
)

func TestSecondActivationWaitsForTheFirst(t *testing.T) {
	for _, c := range []struct {
		name    string
		succeed bool
	}{{"which succeeds", true}, {"which fails", false}} {
		t.Run(c.name, func(t *testing.T) {
			kv := bunttest.Memory(t) // opened outside the bubble because buntdb has a goroutine
			synctest.Test(t, func(t *testing.T) {
				a := open(t, kv)
				first, err := a.Begin(t.Context(), "OSMO")
				require.NoError(t, err)
				var second *Activation
				var failed error
				done := make(chan struct{})
				go func() {
					defer close(done)
					second, failed = a.Begin(t.Context(), "OSMOSIS", "X")
				}()
				synctest.Wait()
				select {
				case <-done:
					t.Fatal("the second did not wait")
				default:
				}
				if c.succeed {
					require.NoError(t, first.Commit(t.Context(), Item{Coin: &plain{ticker: "OSMO"}}))
					<-done
					require.ErrorIs(t, failed, ErrAlreadyActive)
					requireState(t, a, "X", StateInactive, false)
					return
				}
				first.Abort()
				<-done
				require.NoError(t, failed)
				require.NoError(t, second.Commit(t.Context(), Item{Coin: &plain{ticker: "OSMO"}}, Item{Coin: &onPlain{ticker: "X", platform: "OSMO"}}))
				require.Equal(t, []string{"OSMO", "X"}, tickers(a))
			})
		})
	}
}

func TestWaitingEndsWithItsContext(t *testing.T) {
	kv := bunttest.Memory(t) // opened outside the bubble because buntdb has a goroutine
	synctest.Test(t, func(t *testing.T) {
		a := open(t, kv)
		first, err := a.Begin(t.Context(), "ATOM", "X")
		require.NoError(t, err)
		errTired := errors.New("tired")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, errTired)
		defer cancel()
		_, err = a.Begin(ctx, "X")
		require.ErrorIs(t, err, errTired)
		_, err = a.Disable(ctx, "ATOM", true)
		require.ErrorIs(t, err, errTired)
		first.Abort()
		_, err = a.Begin(ctx, "IRIS")
		require.ErrorIs(t, err, errTired, "nothing begins after its time")
		require.Empty(t, a.slots)
	})
}

func TestDisableCancelsTheActivation(t *testing.T) {
	kv := bunttest.Memory(t) // opened outside the bubble because buntdb has a goroutine
	synctest.Test(t, func(t *testing.T) {
		a := open(t, kv)
		first, err := a.Begin(t.Context(), "OSMO", "X")
		require.NoError(t, err)
		var failed error
		go func() {
			defer first.End(&failed)
			<-first.Context().Done()
			failed = first.Context().Err()
			time.Sleep(time.Minute) // so that another call comes before the end
		}()
		var group sync.WaitGroup
		group.Go(func() {
			_, err := a.Disable(t.Context(), "OSMOSIS", true)
			require.ErrorIs(t, err, ErrNotActive)
		})
		synctest.Wait()
		second, err := a.Begin(t.Context(), "OSMO")
		require.NoError(t, err)
		group.Wait()
		require.ErrorIs(t, failed, ErrDisabled)
		synctest.Wait()
		require.NoError(t, second.Context().Err(), "it began after the coin was disabled")
		require.NoError(t, second.Commit(t.Context(), Item{Coin: &plain{ticker: "OSMO"}}))
		require.ErrorIs(t, context.Cause(second.Context()), context.Canceled)
		require.Equal(t, []string{"OSMO"}, tickers(a))
	})
}

func TestDisableOfATokenWaitsForItsPlatformsActivation(t *testing.T) {
	kv := bunttest.Memory(t) // opened outside the bubble because buntdb has a goroutine
	synctest.Test(t, func(t *testing.T) {
		a := open(t, kv)
		x, err := a.Begin(t.Context(), "OSMO", "X")
		require.NoError(t, err)
		var group sync.WaitGroup
		group.Go(func() {
			_, err := a.Disable(t.Context(), "X", false)
			require.ErrorIs(t, err, ErrNotActive)
		})
		synctest.Wait()
		require.NoError(t, x.Context().Err())
		x.Abort()
		group.Wait()
		require.Empty(t, a.slots)
	})
}

// A restoration whose Commit failed must return that error, not ErrPreempted.
func TestFinishedRestorationIsNotPreempted(t *testing.T) {
	kv := bunttest.Memory(t)
	enable(t, open(t, kv), "ATOM")
	ctx, x, err := open(t, kv).Restore(t.Context(), "ATOM")
	require.NoError(t, err)
	require.ErrorIs(t, x.Commit(ctx), errItems)
	require.Error(t, ctx.Err())
	require.NotErrorIs(t, context.Cause(ctx), ErrPreempted)
}

func TestTokenWaitsForItsPlatform(t *testing.T) {
	kv := bunttest.Memory(t) // opened outside the bubble because buntdb has a goroutine
	synctest.Test(t, func(t *testing.T) {
		a := open(t, kv)
		first, err := a.Begin(t.Context(), "ATOM")
		require.NoError(t, err)
		var failed error
		done := make(chan struct{})
		go func() {
			defer close(done)
			failed = enableToken(t, a, "X", "ATOM")
		}()
		synctest.Wait()
		require.NoError(t, first.Commit(t.Context(), Item{Coin: &plain{ticker: "ATOM"}}))
		<-done
		require.NoError(t, failed)
		require.Equal(t, []string{"ATOM", "X"}, tickers(a))
	})
}

func TestPlatformStaysWhileATokenIsActivated(t *testing.T) {
	kv := bunttest.Memory(t) // opened outside the bubble because buntdb has a goroutine
	synctest.Test(t, func(t *testing.T) {
		a := open(t, kv)
		enable(t, a, "ATOM")
		x, err := a.Begin(t.Context(), "X")
		require.NoError(t, err)
		platform, err := x.Platform(t.Context(), "ATOM")
		require.NoError(t, err)
		var done Disabled
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			done, _ = a.Disable(t.Context(), "ATOM", true)
		}()
		synctest.Wait()
		requireState(t, a, "ATOM", StateActive, false)
		_, err = a.Begin(t.Context(), "ATOM")
		require.ErrorIs(t, err, ErrAlreadyActive, "which is known without waiting")
		require.NoError(t, x.Commit(t.Context(), Item{Coin: &onPlain{"X", "ATOM", platform}}))
		<-ended
		require.Equal(t, Disabled{Ticker: "ATOM", Tokens: []string{"X"}}, done)
		require.Empty(t, a.slots)
	})
}

func TestRestorationIsPreempted(t *testing.T) {
	for _, c := range []struct {
		name string
		user func(t *testing.T, a *Active)
		want []string
	}{
		{"to an activation", func(t *testing.T, a *Active) { enable(t, a, "ATOM") }, []string{"ATOM"}},
		{"to an activation of its platform", func(t *testing.T, a *Active) { enable(t, a, "ETH") }, []string{"ETH"}},
		{"to disabling", func(t *testing.T, a *Active) {
			_, err := a.Disable(t.Context(), "ATOM", false)
			require.NoError(t, err)
		}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			kv := bunttest.Memory(t) // opened outside the bubble because buntdb has a goroutine
			synctest.Test(t, func(t *testing.T) {
				before := open(t, kv)
				enable(t, before, "ETH", "USDT")
				enable(t, before, "ATOM")
				a := open(t, kv)
				require.NoError(t, restore(t, a, a.Saved()[0]))
				var slow sync.WaitGroup
				for _, ticker := range []string{"ATOM", "USDT"} {
					slow.Go(func() {
						ctx, x, err := a.Restore(t.Context(), ticker)
						require.NoError(t, err)
						defer x.Abort()
						select {
						case <-ctx.Done(): // nodes that never answer
							require.ErrorIs(t, context.Cause(ctx), ErrPreempted)
						case <-time.After(time.Hour):
						}
					})
				}
				synctest.Wait()
				began := time.Now()
				c.user(t, a)
				require.Zero(t, time.Since(began), "it did not wait for dead nodes")
				for _, ticker := range c.want {
					requireState(t, a, ticker, StateActive, false)
				}
				slow.Wait()
			})
		})
	}
}

func TestTokenWaitsForTheRestorationOfItsPlatform(t *testing.T) {
	for _, c := range []struct {
		name     string
		token    func(t *testing.T, a *Active) error
		restored bool
	}{
		{"a user's", func(t *testing.T, a *Active) error { return enableToken(t, a, "USDT", "ETH") }, false},
		{"a restored one", func(t *testing.T, a *Active) error { return restore(t, a, SavedCoin{Ticker: "USDT", Platform: "ETH"}) }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			kv := bunttest.Memory(t)
			synctest.Test(t, func(t *testing.T) {
				enable(t, open(t, kv), "ETH", "USDT")
				a := open(t, kv)
				var restoring sync.WaitGroup
				restoring.Go(func() {
					ctx, x, err := a.Restore(t.Context(), "ETH")
					require.NoError(t, err)
					time.Sleep(time.Second)
					require.NoError(t, ctx.Err(), "a token does not end the restoration of its platform")
					require.NoError(t, x.Commit(ctx, Item{Coin: &plain{ticker: "ETH"}}))
				})
				synctest.Wait()
				require.NoError(t, c.token(t, a))
				requireState(t, a, "USDT", StateActive, c.restored)
				requireState(t, a, "ETH", StateActive, true)
				restoring.Wait()
			})
		})
	}
}

// TestManyAtOnce is for the race detector. It checks that every call ends, that one activation
// of each coin succeeds, and that no token is active without its platform.
func TestManyAtOnce(t *testing.T) {
	const workers, rounds = 8, 60
	kv := bunttest.Memory(t)
	a := open(t, kv)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = a.Run(ctx) })
	var working atomic.Int64 // number of running coins
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			random := rand.New(rand.NewPCG(uint64(w), 7))
			for range rounds {
				storm(t, a, random, &working)
			}
		})
	}
	all.Wait()
	for _, s := range a.slots {
		require.Nil(t, s.exclusive)
		require.Empty(t, s.shared)
		require.NotNil(t, s.record)
	}
	for key, s := range a.slots {
		if platform := s.record.Platform; platform != "" {
			require.NotNil(t, a.slots[platform], key)
			require.Same(t, a.slots[platform].live, s.live.(*busyToken).on, "each token is on its platform as it is now")
		}
	}
	require.Len(t, open(t, kv).Saved(), len(a.slots), "the store knows the same coins")
	cancel()
	running.Wait()
	require.Zero(t, working.Load())
}

// storm makes one random call.
func storm(t *testing.T, a *Active, random *rand.Rand, working *atomic.Int64) {
	n := random.IntN(3)
	platform := "P" + strconv.Itoa(n)
	token := "T" + strconv.Itoa(random.IntN(3)) + "-" + platform
	switch random.IntN(5) {
	case 0, 1:
		x, err := a.Begin(t.Context(), platform, token)
		if err != nil {
			require.ErrorIs(t, err, ErrAlreadyActive)
			return
		}
		defer x.Abort()
		p := x.Existing()
		if p == nil {
			p = &busy{plain{ticker: platform}, working}
		}
		if random.IntN(4) > 0 {
			require.NoError(t, x.Commit(t.Context(), Item{Coin: p}, Item{Coin: &busyToken{onPlain{token, platform, p}, working}}))
		}
	case 2, 3:
		x, err := a.Begin(t.Context(), token)
		if err != nil {
			require.ErrorIs(t, err, ErrAlreadyActive)
			return
		}
		defer x.Abort()
		p, err := x.Platform(t.Context(), platform)
		if err != nil {
			require.ErrorAs(t, err, new(*PlatformError))
			return
		}
		require.NoError(t, x.Commit(t.Context(), Item{Coin: &busyToken{onPlain{token, platform, p}, working}}))
	default:
		ticker := platform
		if random.IntN(2) == 0 {
			ticker = token
		}
		if _, err := a.Disable(t.Context(), ticker, random.IntN(2) == 0); err != nil {
			require.ErrorIs(t, err, ErrNotActive)
		}
	}
}

// busy is a coin that counts its runs.
type busy struct {
	plain
	working *atomic.Int64
}

func (c *busy) Run(ctx context.Context) error { return work(ctx, c.working) }

type busyToken struct {
	onPlain
	working *atomic.Int64
}

func (c *busyToken) Run(ctx context.Context) error { return work(ctx, c.working) }

func (c *busyToken) OnPlatform(p Coin) Token {
	return &busyToken{onPlain{c.ticker, c.platform, p}, c.working}
}

func work(ctx context.Context, working *atomic.Int64) error {
	working.Add(1)
	defer working.Add(-1)
	<-ctx.Done()
	return ctx.Err()
}

// gate is a store that blocks writes until it is open.
type gate struct {
	store.KV
	open chan struct{}
}

func (g gate) Stage(ctx context.Context, b store.Batch) (store.Durable, error) {
	<-g.open
	return g.KV.Stage(ctx, b)
}

func TestLastTokensAtOnce(t *testing.T) {
	kv := bunttest.Memory(t)
	synctest.Test(t, func(t *testing.T) {
		a := open(t, kv)
		enable(t, a, "ATOM", "X", "Y")
		_, err := a.Disable(t.Context(), "ATOM", false)
		require.NoError(t, err)
		slow := gate{kv, make(chan struct{})}
		a.kv = slow
		var both sync.WaitGroup
		for _, ticker := range []string{"X", "Y"} {
			both.Go(func() {
				_, err := a.Disable(t.Context(), ticker, false)
				require.NoError(t, err)
			})
		}
		synctest.Wait()
		close(slow.open)
		both.Wait()
		require.Empty(t, a.slots, "the passive platform ended with the second")
	})
}

// A token that is activated again locks its platform from the start, and one that the coins file
// has moved to another platform is not disabled with the old one.
func TestPlatformsWaitForTokensAtWork(t *testing.T) {
	for _, c := range []struct {
		name   string
		force  bool // disable the platform; otherwise activate it again
		ticker string
		tokens []string
		left   []string
	}{
		{"a restored token", true, "X", nil, nil},
		{"a token that moved", true, "IRIS", []string{"X"}, []string{"X", "IRIS"}},
		{"a platform that was restored", false, "X", nil, []string{"ATOM", "X"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			kv := bunttest.Memory(t)
			synctest.Test(t, func(t *testing.T) {
				enable(t, open(t, kv), "ATOM", "X")
				a := open(t, kv)
				for _, s := range a.Saved() {
					require.NoError(t, restore(t, a, s))
				}
				x, err := a.Begin(t.Context(), c.ticker, c.tokens...)
				require.NoError(t, err)
				var done bool
				var waiting sync.WaitGroup
				waiting.Go(func() {
					if c.force {
						_, err := a.Disable(t.Context(), "ATOM", true)
						require.NoError(t, err)
					} else {
						enable(t, a, "ATOM")
					}
					done = true
				})
				synctest.Wait()
				require.False(t, done)
				if c.tokens == nil {
					x.Abort()
				} else {
					iris := &plain{ticker: "IRIS"}
					require.NoError(t, x.Commit(t.Context(), Item{Coin: iris}, Item{Coin: &onPlain{"X", "IRIS", iris}}))
				}
				waiting.Wait()
				require.Equal(t, c.left, tickers(a))
			})
		})
	}
}

func TestDisconnectedCallerChangesNoResult(t *testing.T) {
	kv := bunttest.Memory(t)
	a := open(t, kv)
	ctx, cancel := context.WithCancel(t.Context())
	x, err := a.Begin(ctx, "ATOM")
	require.NoError(t, err)
	cancel()
	require.NoError(t, x.Commit(ctx, Item{Coin: &plain{ticker: "ATOM"}}))
	require.Equal(t, []string{"ATOM"}, tickers(a))
	require.Equal(t, []string{"ATOM"}, savedTickers(open(t, kv)))
}
