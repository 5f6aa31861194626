package auth

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// machine is the clock of a synctest bubble.
type machine struct{}

func (machine) Now() time.Time { return time.Now() }

func (machine) Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

const weak = "Ent3r_Un1Qu3-X"

// guesser tries passwords and counts those that were checked.
type guesser struct {
	*Limiter
	looks atomic.Int64
}

func newGuesser(password string) *guesser { return &guesser{Limiter: New(Strong(password), machine{})} }

func (g *guesser) wrong(ctx context.Context, name string) (Record, error) {
	return g.Try(ctx, Attempt{Origin: name, Right: func() bool {
		g.looks.Add(1)
		return false
	}})
}

func (g *guesser) right(t *testing.T, name string) {
	t.Helper()
	_, err := g.Try(t.Context(), Attempt{Origin: name, Right: func() bool { return true }})
	require.NoError(t, err)
}

// flood starts workers that guess from changing origins and disconnect after a timeout, until
// ctx ends.
func (g *guesser) flood(ctx context.Context, workers int, timeout time.Duration, origin func(worker, guess int) string) {
	for w := range workers {
		go func() {
			time.Sleep(time.Duration(w) * time.Microsecond)
			for n := 0; ctx.Err() == nil; n++ {
				call, hangUp := context.WithTimeout(ctx, timeout)
				_, err := g.wrong(call, origin(w, n))
				if err != nil {
					<-call.Done() // the client does not know why there is no answer
				}
				hangUp()
			}
		}()
	}
}

func TestGuessesOfAnOriginAreBounded(t *testing.T) {
	for name, c := range map[string]struct {
		workers  int
		timeout  time.Duration
		origin   func(worker, guess int) string
		maxPause time.Duration // maximum time between two checks
	}{
		"one address, hanging up":  {40, 10 * time.Millisecond, func(int, int) string { return "127.0.0.1" }, pause},
		"one address, patient":     {50, 4 * time.Second, func(int, int) string { return "127.0.0.1" }, pause},
		"many networks":            {40, 10 * time.Millisecond, func(w, n int) string { return Origin(fmt.Sprintf("2001:db8:%x:%x::1", w, n)) }, overallPause},
		"networks, one guess each": {500, time.Hour, func(w, n int) string { return fmt.Sprintf("198.51.%d.%d", w/250, w%250) }, overallPause},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancel(t.Context())
				g := newGuesser(weak)
				g.flood(ctx, c.workers, c.timeout, c.origin)
				const span = 2 * time.Second
				time.Sleep(span)
				require.LessOrEqual(t, g.looks.Load(), int64(span/c.maxPause)+1)
				require.GreaterOrEqual(t, g.looks.Load(), int64(min(span/c.maxPause/2, 30)), "the flood is one")
				stop()
				synctest.Wait()
				require.LessOrEqual(t, len(g.origins), maxWatched)
			})
		})
	}
}

// TestOwnerPassesDuringFlood checks that the owner's password is accepted while others guess,
// from the owner's address and from others.
func TestOwnerPassesDuringFlood(t *testing.T) {
	for name, c := range map[string]struct {
		password string
		workers  int
		timeout  time.Duration
		longest  time.Duration
	}{
		"guessers that hang up":       {weak, 100, 30 * time.Millisecond, 30*time.Millisecond + 2*pause},
		"guessers that wait":          {weak, 50, time.Second, 50*pause + pause},
		"a strong password":           {strings.Repeat("0123456789abcdef", 2), 500, time.Hour, 0},
		"a strong one, those hang up": {strings.Repeat("0123456789abcdef", 2), 100, 20 * time.Millisecond, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancel(t.Context())
				g := newGuesser(c.password)
				g.flood(ctx, c.workers, c.timeout, func(int, int) string { return "127.0.0.1" })
				for range 5 {
					time.Sleep(333 * time.Millisecond)
					start := time.Now()
					g.right(t, "127.0.0.1")
					require.LessOrEqual(t, time.Since(start), c.longest)
				}
				stop()
			})
		})
	}
}

// TestUnknownOriginsDoNotDelayOwner checks that a flood from many networks delays neither this
// machine nor a network that has used the correct password.
func TestUnknownOriginsDoNotDelayOwner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		g := newGuesser(weak)
		g.right(t, "203.0.113.5")
		g.flood(ctx, 500, time.Minute, func(w, n int) string { return Origin(fmt.Sprintf("2001:db8:%x:%x::1", w, n)) })
		time.Sleep(time.Second)
		for _, name := range []string{"203.0.113.5", "127.0.0.1", "::1", "forwarded", ""} {
			start := time.Now()
			g.right(t, name)
			require.Zero(t, time.Since(start), name)
		}
		stop()
	})
}

// TestHangingUp checks that a caller that disconnects before its turn has not made a guess, and
// that one that disconnects afterwards does not shorten the pause.
func TestHangingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuesser(weak)
		start := time.Now()
		_, err := g.wrong(t.Context(), "a")
		require.ErrorIs(t, err, ErrWrong)
		ctx, hangUp := context.WithTimeout(t.Context(), pause/2)
		defer hangUp()
		_, err = g.wrong(ctx, "a")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.EqualValues(t, 1, g.looks.Load())
		g.right(t, "a")
		require.Equal(t, pause, time.Since(start))
		g.right(t, "a")
		require.Equal(t, pause, time.Since(start), "a right one is followed by no pause")
		require.Empty(t, g.origins)
	})
}

func TestRecords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuesser(weak)
		require.Equal(t, Record{Left: Allowed}, g.Record("a"))
		for n := 1; n <= Allowed+2; n++ {
			r, err := g.wrong(t.Context(), "a")
			require.ErrorIs(t, err, ErrWrong)
			require.Equal(t, n, r.Wrong)
			require.Equal(t, max(0, Allowed-n), r.Left)
			require.Equal(t, max(0, n-Allowed), r.Over)
			require.Equal(t, n >= Allowed, r.Ban > 0)
			again, err := g.Try(t.Context(), Attempt{Origin: "a", Again: true, Right: func() bool { return false }})
			require.ErrorIs(t, err, ErrWrong)
			require.Equal(t, n, again.Wrong)
			time.Sleep(time.Second)
		}
		require.Equal(t, Record{Left: Allowed}, g.Record("b"))
		time.Sleep(g.Record("a").Ban)
		require.Equal(t, 1, g.Record("a").Left)
		r, err := g.wrong(t.Context(), "a")
		require.ErrorIs(t, err, ErrWrong)
		require.Zero(t, r.Over, "no longer banned, and again")
		require.Positive(t, r.Ban)
		g.right(t, "a")
		require.Equal(t, Record{Left: Allowed}, g.Record("a"))
		_, err = g.wrong(t.Context(), "a")
		require.ErrorIs(t, err, ErrWrong)
		time.Sleep(window)
		require.Equal(t, Record{Left: Allowed}, g.Record("a"))
	})
	ms := time.Millisecond
	for n, want := range []time.Duration{250 * ms, 500 * ms, 1000 * ms, 2000 * ms, 4000 * ms, 4000 * ms} {
		require.Equal(t, want, Delay(n+1))
	}
}

func TestQuietestOriginIsEvicted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuesser(weak)
		for n := range maxWatched + 1 {
			_, err := g.wrong(t.Context(), fmt.Sprint(n))
			require.ErrorIs(t, err, ErrWrong)
		}
		require.Len(t, g.origins, maxWatched)
		require.Equal(t, maxWatched, g.recent.Len())
		require.Zero(t, g.Record("0").Wrong)
		require.Equal(t, 1, g.Record("1").Wrong)
		for n := range maxKnown + 1 {
			time.Sleep(time.Nanosecond)
			g.right(t, fmt.Sprintf("203.0.%d.%d", n/250, n%250))
		}
		require.Len(t, g.known, maxKnown)
		require.False(t, g.isKnown("203.0.0.0"))
		require.True(t, g.isKnown("203.0.0.1"))
	})
}

func TestTooManyWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		g := newGuesser(weak)
		g.flood(ctx, maxWaiting+1, time.Hour, func(int, int) string { return "a" })
		time.Sleep(2 * time.Millisecond)
		_, err := g.wrong(ctx, "a")
		require.ErrorIs(t, err, ErrBusy)
		g.right(t, "b")
		stop()
		synctest.Wait()
	})
}

// TestOneUnknownOriginLeavesRoom checks that one remote address does not lock out an owner at
// another, unknown address.
func TestOneUnknownOriginLeavesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		g := newGuesser(weak)
		g.flood(ctx, maxWaiting+1, time.Hour, func(int, int) string { return "198.51.100.1" })
		time.Sleep(2 * time.Millisecond)
		_, err := g.wrong(ctx, "198.51.100.1")
		require.ErrorIs(t, err, ErrBusy)
		g.right(t, "203.0.113.5")
		stop()
		synctest.Wait()
	})
}

// TestGuessesOfAKnownNetworkWhileTooManyWait checks that a network that has used the correct
// password may still send it while too many unknown networks wait, and that its guesses are
// counted and delayed.
func TestGuessesOfAKnownNetworkWhileTooManyWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		g := newGuesser(weak)
		g.right(t, "203.0.113.5")
		attacker := newGuesser(weak)
		attacker.Limiter = g.Limiter
		attacker.flood(ctx, maxWaiting+1, time.Hour, func(w, _ int) string { return fmt.Sprintf("198.51.%d.%d", w/250, w%250) })
		time.Sleep(2 * time.Millisecond)
		_, err := attacker.wrong(ctx, "203.0.114.1")
		require.ErrorIs(t, err, ErrBusy)
		start := time.Now()
		for n := range 5 {
			r, err := g.wrong(ctx, "203.0.113.5")
			require.ErrorIs(t, err, ErrWrong)
			require.Equal(t, n+1, r.Wrong)
		}
		require.GreaterOrEqual(t, time.Since(start), 4*pause)
		g.right(t, "203.0.113.5")
		stop()
		synctest.Wait()
	})
}

// TestTheFirstGuessCounts checks that a checked password counts, whether or not the caller
// waits for the answer, and that the pause begins at that time.
func TestTheFirstGuessCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuesser(weak)
		ctx, hangUp := context.WithCancel(t.Context())
		hangUp()
		var wait sync.WaitGroup
		start := time.Now()
		for range 200 {
			wait.Go(func() { _, _ = g.wrong(ctx, "127.0.0.1") })
		}
		wait.Wait()
		require.Equal(t, start, time.Now())
		require.EqualValues(t, 1, g.looks.Load(), "one for each pause")
		require.Equal(t, 1, g.Record("127.0.0.1").Wrong)
	})
}

// TestWaitingReleasesSlot checks that only waiting callers release their slot.
func TestWaitingReleasesSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuesser(weak)
		times := 0
		waiter := func(wait func(context.Context) error) error {
			times++
			return wait(t.Context())
		}
		attempt := Attempt{Origin: "a", Waiter: waiter, Right: func() bool { return false }}
		_, err := g.Try(t.Context(), attempt)
		require.ErrorIs(t, err, ErrWrong)
		require.Zero(t, times)
		_, err = g.Try(t.Context(), attempt)
		require.ErrorIs(t, err, ErrWrong)
		require.Equal(t, 1, times)
		start := time.Now()
		require.NoError(t, g.WaitDelay(t.Context(), 2, waiter))
		require.Equal(t, 500*time.Millisecond, time.Since(start))
		require.Equal(t, 2, times)
	})
}

func TestOrigins(t *testing.T) {
	for address, want := range map[string]string{
		"127.0.0.1": "127.0.0.1", "127.8.9.10": "127.0.0.1", "::ffff:127.0.0.1": "127.0.0.1", "::1": "::1",
		"203.0.113.5": "203.0.113.5", "::ffff:203.0.113.5": "203.0.113.5",
		"2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64", "2001:db8:1:2::9": "2001:db8:1:2::/64", "fe80::1%eth0": "fe80::/64",
		"": "", "somewhere": "somewhere", "forwarded": "forwarded", "2001:db8:1:2::/64": "2001:db8:1:2::/64",
	} {
		require.Equal(t, want, Origin(address), address)
	}
}

func TestStrong(t *testing.T) {
	for password, want := range map[string]bool{
		"":                                 false,
		weak:                               false,
		"0f1e2d3c4b5a69788796a5b4c3d2e1f0": true,
		"0f1e2d3c4b5a69788796a5b4c3d2e1f":  false,
		strings.Repeat("ab12", 16):         false,
		"passd8f3b1a90c4e7265d8f3b1a90c4e7265aa01": true,
	} {
		require.Equal(t, want, Strong(password), password)
	}
}
