package coin

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/store/bunttest"
)

var errNodesDown = errors.New("nodes are down")

// restoring is a Restorer with coins that fail as a test sets it. It records the attempts and
// reports.
type restoring struct {
	Restorer
	mu       sync.Mutex
	fails    map[string]error // by ticker
	attempts []string
	failures []string
	begun    []string
	back     []string
}

func newRestoring(a *Active) *restoring {
	r := &restoring{fails: map[string]error{}}
	kind := func(ctx context.Context, saved SavedCoin) error {
		r.mu.Lock()
		r.attempts = append(r.attempts, saved.Ticker)
		r.mu.Unlock()
		work, x, err := a.Restore(ctx, saved.Ticker)
		if err != nil {
			return err
		}
		defer x.Abort()
		r.mu.Lock()
		err = r.fails[saved.Ticker]
		r.mu.Unlock()
		if err != nil {
			return err
		}
		if saved.Platform == "" {
			return x.Commit(work, Item{Coin: &plain{ticker: saved.Ticker}})
		}
		platform, err := x.Platform(work, saved.Platform)
		if err != nil {
			return err
		}
		return x.Commit(work, Item{Coin: &onPlain{saved.Ticker, saved.Platform, platform}})
	}
	r.Restorer = Restorer{
		Active: a, Registry: NewRegistry(nil),
		Kinds:   map[ProtocolType]func(context.Context, SavedCoin) error{TypeTendermint: kind, TypeTendermintToken: kind},
		Started: func(tickers []string) { r.begun = append(r.begun, tickers...) },
		Restored: func(ticker string) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.back = append(r.back, ticker)
		},
		Failed: func(ticker string, err error) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.failures = append(r.failures, ticker+": "+err.Error())
		},
	}
	return r
}

// fail sets the error of a coin's restorations from now on; nil makes them succeed.
func (r *restoring) fail(ticker string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fails[ticker] = err
}

// start runs the restorer until the test ends.
func (r *restoring) start(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		require.NoError(t, r.Run(ctx))
	}()
	t.Cleanup(func() { cancel(); <-ended })
}

func TestRestorerBringsAllBack(t *testing.T) {
	kv, empty := bunttest.Memory(t), bunttest.Memory(t) // opened outside the bubble because buntdb has a goroutine
	synctest.Test(t, func(t *testing.T) {
		before := open(t, kv)
		enable(t, before, "IRIS", "ATOM-IBC_IRIS")
		enable(t, before, "ATOM", "IRIS-IBC_ATOM")
		_, err := before.Disable(t.Context(), "ATOM", false)
		require.NoError(t, err)
		a := open(t, kv)
		r := newRestoring(a)
		require.NoError(t, r.Run(t.Context()), "it ends when there is nothing left to do")
		require.Empty(t, a.Saved())
		require.ElementsMatch(t, []string{"IRIS", "ATOM-IBC_IRIS", "IRIS-IBC_ATOM"}, tickers(a))
		requireState(t, a, "ATOM", StatePassive, true)
		require.Empty(t, r.failures)
		require.ElementsMatch(t, []string{"IRIS", "ATOM-IBC_IRIS", "IRIS-IBC_ATOM", "ATOM"}, r.back, "ATOM for its token")
		require.ElementsMatch(t, r.begun, r.back)

		again := newRestoring(open(t, empty))
		require.NoError(t, again.Run(t.Context()))
		require.Nil(t, again.begun, "Started is not called without coins")
	})
}

func TestRestorerBackoff(t *testing.T) {
	kv := bunttest.Memory(t)
	synctest.Test(t, func(t *testing.T) {
		enable(t, open(t, kv), "IRIS", "ATOM-IBC_IRIS")
		a := open(t, kv)
		r := newRestoring(a)
		r.fail("IRIS", errNodesDown)
		r.start(t)
		time.Sleep(time.Hour)
		synctest.Wait()
		require.Len(t, r.attempts, 8+11, "after 2, 4, 8 … 256 seconds, then every 5 minutes")
		require.Equal(t, []string{"IRIS: nodes are down"}, r.failures, "a repeated failure is reported once")
		require.NotContains(t, r.attempts, "ATOM-IBC_IRIS", "its platform comes first")

		r.fail("IRIS", nil)
		r.fail("ATOM-IBC_IRIS", errNodesDown)
		time.Sleep(lastPause)
		synctest.Wait()
		requireState(t, a, "IRIS", StateActive, true)
		require.Equal(t, []string{"IRIS"}, r.back)
		requireState(t, a, "ATOM-IBC_IRIS", StateSaved, false)
		r.fail("ATOM-IBC_IRIS", nil)
		time.Sleep(lastPause)
		synctest.Wait()
		requireState(t, a, "ATOM-IBC_IRIS", StateActive, true)
		require.Equal(t, []string{"IRIS: nodes are down", "ATOM-IBC_IRIS: nodes are down"}, r.failures)
		attempts := len(r.attempts)
		time.Sleep(time.Hour)
		synctest.Wait()
		require.Len(t, r.attempts, attempts, "all is done")
	})
}

// A user who enables the platform by hand need not wait for its tokens.
func TestRestorerFollowsTheUser(t *testing.T) {
	kv := bunttest.Memory(t)
	synctest.Test(t, func(t *testing.T) {
		enable(t, open(t, kv), "IRIS", "ATOM-IBC_IRIS", "OSMOSIS-IBC_IRIS")
		a := open(t, kv)
		r := newRestoring(a)
		r.fail("IRIS", errNodesDown)
		r.start(t)
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		enable(t, a, "IRIS", "ATOM-IBC_IRIS")
		synctest.Wait()
		requireState(t, a, "IRIS", StateActive, false)
		requireState(t, a, "ATOM-IBC_IRIS", StateActive, false)
		requireState(t, a, "OSMOSIS-IBC_IRIS", StateActive, true)
		require.Empty(t, a.Saved())
	})
}

// TestRestorerFollowsAUserWhoIsQuick checks that tokens do not wait for a pause if the user's
// call ends before the restoration has noticed that it was preempted.
func TestRestorerFollowsAUserWhoIsQuick(t *testing.T) {
	kv := bunttest.Memory(t)
	synctest.Test(t, func(t *testing.T) {
		enable(t, open(t, kv), "ATOM", "IRIS-IBC_ATOM")
		a := open(t, kv)
		r := newRestoring(a)
		token := r.Kinds[TypeTendermintToken]
		r.Kinds[TypeTendermint] = func(context.Context, SavedCoin) error { return ErrPreempted }
		r.Kinds[TypeTendermintToken] = func(context.Context, SavedCoin) error {
			r.Kinds[TypeTendermintToken] = token
			enable(t, a, "ATOM")
			return &PlatformError{"ATOM"}
		}
		r.start(t)
		synctest.Wait()
		require.Equal(t, []string{"ATOM", "IRIS-IBC_ATOM"}, tickers(a))
	})
}

func TestRestorerLetsTheUserDisable(t *testing.T) {
	kv := bunttest.Memory(t)
	synctest.Test(t, func(t *testing.T) {
		enable(t, open(t, kv), "IRIS", "ATOM-IBC_IRIS")
		a := open(t, kv)
		r := newRestoring(a)
		r.fail("IRIS", errNodesDown)
		r.start(t)
		synctest.Wait()
		_, err := a.Disable(t.Context(), "IRIS", true)
		require.NoError(t, err)
		attempts := len(r.attempts)
		time.Sleep(time.Hour)
		synctest.Wait()
		require.Len(t, r.attempts, attempts, "there is nothing to restore any more")
		require.Empty(t, tickers(a))
	})
}

// A panic in the restoration of one coin is a failure of that coin: the others are restored, and it
// is retried.
func TestRestorerSurvivesAPanic(t *testing.T) {
	kv := bunttest.Memory(t)
	synctest.Test(t, func(t *testing.T) {
		enable(t, open(t, kv), "IRIS")
		enable(t, open(t, kv), "ATOM")
		a := open(t, kv)
		r := newRestoring(a)
		kind, mad := r.Kinds[TypeTendermint], true
		r.Kinds[TypeTendermint] = func(ctx context.Context, saved SavedCoin) error {
			if saved.Ticker == "IRIS" && mad {
				mad = false
				panic("mad")
			}
			return kind(ctx, saved)
		}
		r.start(t)
		synctest.Wait()
		require.Equal(t, []string{"ATOM"}, tickers(a))
		time.Sleep(firstPause)
		synctest.Wait()
		require.ElementsMatch(t, []string{"IRIS", "ATOM"}, tickers(a))
		require.Equal(t, []string{"IRIS: restoring a coin panicked: string"}, r.failures)
	})
}

// Coins that cannot be restored stay in the store, and the failure is reported.
func TestRestorerWithoutAKind(t *testing.T) {
	kv := bunttest.Memory(t)
	synctest.Test(t, func(t *testing.T) {
		enable(t, open(t, kv), "ETH", "NFT_ETH")
		enable(t, open(t, kv), "WAS-IN-MY-LIST")
		a := open(t, kv)
		r := newRestoring(a)
		r.start(t)
		time.Sleep(time.Minute)
		synctest.Wait()
		require.ElementsMatch(t, []string{
			"ETH: ETH: coins of this protocol cannot be restored", "WAS-IN-MY-LIST: WAS-IN-MY-LIST: the coins file has no such coin",
		}, r.failures)
		require.Len(t, a.Saved(), 3)
	})
}
