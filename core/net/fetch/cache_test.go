package fetch

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

var balance = Question{"balance", "a"}

// counter returns the number of its calls, after a delay.
type counter struct {
	requests atomic.Int64
	takes    time.Duration
	fails    error
}

func (c *counter) ask(ctx context.Context) (int64, error) {
	n := c.requests.Add(1)
	select {
	case <-time.After(c.takes):
		return n, c.fails
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

func TestCacheSharesAndKeeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cache, source := NewCache[int64](time.Now), &counter{takes: time.Second}
		get := func() int64 {
			n, err := cache.Get(t.Context(), balance, 2*time.Second, source.ask)
			require.NoError(t, err)
			return n
		}
		var all sync.WaitGroup
		for n := range 1000 {
			all.Go(func() {
				time.Sleep(time.Duration(n) * time.Millisecond / 2) // all within the second that the request takes
				require.EqualValues(t, 1, get())
			})
		}
		all.Wait()
		time.Sleep(2*time.Second - 1)
		require.EqualValues(t, 1, get(), "within its time")
		time.Sleep(time.Nanosecond)
		require.EqualValues(t, 2, get(), "after its time")
		n, err := cache.Get(t.Context(), Question{"balance", "b"}, time.Second, source.ask)
		require.NoError(t, err)
		require.EqualValues(t, 3, n, "another question")
	})
}

func TestCacheKeepsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cache := NewCache[int64](time.Now)
		fails := &counter{fails: errors.New("no")}
		for range 2 {
			_, err := cache.Get(t.Context(), balance, time.Hour, fails.ask)
			require.ErrorIs(t, err, fails.fails)
		}
		require.EqualValues(t, 2, fails.requests.Load(), "an error is not kept")
		works := &counter{takes: time.Second}
		for range 2 {
			_, err := cache.Get(t.Context(), balance, 0, works.ask)
			require.NoError(t, err)
		}
		require.EqualValues(t, 2, works.requests.Load(), "no time to keep it")
		require.Empty(t, cache.flights.answers)
	})
}

type key struct{}

func TestCacheOutlivesTheFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cache := NewCache[string](time.Now)
		var given error
		ask := func(ctx context.Context) (string, error) {
			<-time.After(time.Second)
			given = ctx.Err()
			return ctx.Value(key{}).(string), ctx.Err()
		}
		first, leave := context.WithTimeout(context.WithValue(t.Context(), key{}, "first"), time.Second/2)
		defer leave()
		var all sync.WaitGroup
		all.Go(func() {
			_, err := cache.Get(first, balance, time.Hour, ask)
			require.ErrorIs(t, err, context.DeadlineExceeded)
		})
		synctest.Wait()
		value, err := cache.Get(t.Context(), balance, time.Hour, ask)
		require.NoError(t, err)
		require.Equal(t, "first", value, "the second joined")
		require.NoError(t, given)
		all.Wait()
	})
}

func TestCacheGivesUpWithTheLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cache := NewCache[int64](time.Now)
		ctx, cancel := context.WithCancel(t.Context())
		ended, start := make(chan time.Duration, 1), time.Now()
		hangs := func(ctx context.Context) (int64, error) {
			<-ctx.Done()
			time.Sleep(time.Minute) // later callers must not receive this
			ended <- time.Since(start)
			return 0, ctx.Err()
		}
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				_, err := cache.Get(ctx, balance, time.Hour, hangs)
				require.ErrorIs(t, err, context.Canceled)
			})
		}
		synctest.Wait()
		cancel()
		all.Wait()
		works := &counter{}
		n, err := cache.Get(t.Context(), balance, time.Hour, works.ask)
		require.NoError(t, err)
		require.EqualValues(t, 1, n)
		require.Equal(t, time.Minute, <-ended)
		n, err = cache.Get(t.Context(), balance, time.Hour, works.ask)
		require.NoError(t, err)
		require.EqualValues(t, 1, n, "what was given up has not replaced the answer")
	})
}

func TestCacheInvalidate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cache, source := NewCache[int64](time.Now), &counter{takes: time.Second}
		height := Question{"height", ""}
		get := func(q Question) int64 {
			n, err := cache.Get(t.Context(), q, time.Hour, source.ask)
			require.NoError(t, err)
			return n
		}
		require.EqualValues(t, 1, get(balance))
		require.EqualValues(t, 2, get(height))
		cache.Invalidate("balance", "other")
		require.EqualValues(t, 2, get(height), "another quantity")
		var all sync.WaitGroup
		all.Go(func() { require.EqualValues(t, 3, get(balance), "who waited gets what was on its way") })
		time.Sleep(time.Second / 2)
		cache.Invalidate("balance")
		require.EqualValues(t, 4, get(balance), "who comes later does not")
		all.Wait()
		require.EqualValues(t, 4, get(balance), "and it is not kept")
		cache.Invalidate()
		require.EqualValues(t, 5, get(height))
		require.EqualValues(t, 6, get(balance))
	})
}

func TestCacheIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cache := NewCache[int64](time.Now)
		ctx, cancel := context.WithCancel(t.Context())
		hangs := &counter{takes: time.Hour}
		var all sync.WaitGroup
		all.Go(func() { _, _ = cache.Get(ctx, balance, time.Hour, hangs.ask) })
		synctest.Wait()
		works := &counter{}
		for n := range 3 * maxCached {
			_, err := cache.Get(t.Context(), Question{"n", fmt.Sprint(n)}, time.Minute, works.ask)
			require.NoError(t, err)
		}
		require.Len(t, cache.flights.answers, maxCached)
		require.Contains(t, cache.flights.answers, balance, "a pending request stays")
		time.Sleep(time.Minute)
		_, err := cache.Get(t.Context(), Question{"n", "last"}, time.Minute, works.ask)
		require.NoError(t, err)
		require.Len(t, cache.flights.answers, 2, "expired answers are removed first")
		cancel()
		all.Wait()
	})
}
