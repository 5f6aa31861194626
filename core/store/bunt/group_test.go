package bunt

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/store"
)

// slowSync is a sync that blocks until the test returns its result.
type slowSync struct {
	begun int
	end   chan error
}

func (s *slowSync) sync() error {
	s.begun++
	return <-s.end
}

// waiter waits for a ticket in a separate goroutine.
type waiter struct {
	done bool
	err  error
}

func wait(ctx context.Context, g *group, ticket uint64) *waiter {
	var w waiter
	go func() {
		w.err = g.wait(ctx, ticket)
		w.done = true
	}()
	return &w
}

func testGroup(t *testing.T, test func(t *testing.T, g *group, s *slowSync)) {
	synctest.Test(t, func(t *testing.T) {
		s := &slowSync{end: make(chan error)}
		test(t, &group{sync: s.sync}, s)
	})
}

func TestTicketNeedsASyncThatBeganLater(t *testing.T) {
	testGroup(t, func(t *testing.T, g *group, s *slowSync) {
		first := wait(t.Context(), g, g.ticket())
		synctest.Wait()
		require.Equal(t, 1, s.begun)

		second := wait(t.Context(), g, g.ticket())
		synctest.Wait()
		require.Equal(t, 1, s.begun, "one sync at a time")

		s.end <- nil
		synctest.Wait()
		require.True(t, first.done)
		require.False(t, second.done, "the sync began before the write")
		require.Equal(t, 2, s.begun)

		s.end <- nil
		synctest.Wait()
		require.True(t, second.done)
		require.NoError(t, errors.Join(first.err, second.err))
		require.NoError(t, g.wait(t.Context(), 1))
		require.Equal(t, 2, s.begun, "a good ticket needs no sync")
	})
}

func TestWaitersShareASync(t *testing.T) {
	testGroup(t, func(t *testing.T, g *group, s *slowSync) {
		var waiters []*waiter
		for range 100 {
			waiters = append(waiters, wait(t.Context(), g, g.ticket()))
			synctest.Wait()
		}
		require.Equal(t, 1, s.begun)
		s.end <- nil
		synctest.Wait()
		s.end <- nil
		synctest.Wait()
		require.Equal(t, 2, s.begun)
		for _, w := range waiters {
			require.True(t, w.done)
			require.NoError(t, w.err)
		}
	})
}

// TestSyncBeginsAtOnce checks that there is no pause before a sync, even if the last one served
// many callers, because clients that wait for their answers do not write in the meantime.
func TestSyncBeginsAtOnce(t *testing.T) {
	testGroup(t, func(t *testing.T, g *group, s *slowSync) {
		started := time.Now()
		wait(t.Context(), g, g.ticket())
		synctest.Wait()
		for range 50 {
			wait(t.Context(), g, g.ticket())
		}
		s.end <- nil
		s.end <- nil
		synctest.Wait()
		next := wait(t.Context(), g, g.ticket())
		synctest.Wait()
		require.Equal(t, 3, s.begun)
		s.end <- nil
		synctest.Wait()
		require.True(t, next.done)
		require.Equal(t, started, time.Now())
	})
}

func TestWaiterMayStop(t *testing.T) {
	testGroup(t, func(t *testing.T, g *group, s *slowSync) {
		ctx, cancel := context.WithCancel(t.Context())
		leaver := wait(ctx, g, g.ticket())
		synctest.Wait()
		stayer := wait(t.Context(), g, 1)
		cancel()
		synctest.Wait()
		require.True(t, leaver.done)
		require.ErrorIs(t, leaver.err, context.Canceled)
		require.False(t, stayer.done)
		s.end <- nil
		synctest.Wait()
		require.True(t, stayer.done)
		require.NoError(t, stayer.err)
		require.NoError(t, g.wait(ctx, 1), "the batch is durable for every caller")
	})
}

func TestFailedSyncIsFinal(t *testing.T) {
	testGroup(t, func(t *testing.T, g *group, s *slowSync) {
		broken := errors.New("broken")
		good := wait(t.Context(), g, g.ticket())
		synctest.Wait()
		s.end <- nil
		synctest.Wait()

		second := wait(t.Context(), g, g.ticket())
		synctest.Wait()
		third := wait(t.Context(), g, g.ticket())
		s.end <- broken
		synctest.Wait()

		require.NoError(t, good.err)
		for _, w := range []*waiter{second, third} {
			require.True(t, w.done)
			require.ErrorIs(t, w.err, store.ErrFailed)
			require.ErrorIs(t, w.err, broken)
		}
		require.ErrorIs(t, g.failure(), broken)
		require.NoError(t, g.wait(t.Context(), 1), "what was durable stays so")
		require.Equal(t, 2, s.begun, "a failed sync is not tried again")
	})
}

func TestRefusedWriteLeavesSyncing(t *testing.T) {
	testGroup(t, func(t *testing.T, g *group, s *slowSync) {
		ticket := g.ticket()
		require.ErrorIs(t, g.fail(errors.New("disk full")), store.ErrFailed)
		w := wait(t.Context(), g, ticket)
		synctest.Wait()
		require.Equal(t, 1, s.begun)
		s.end <- nil
		synctest.Wait()
		require.True(t, w.done)
		require.NoError(t, w.err)
		require.ErrorIs(t, g.failure(), store.ErrFailed)
	})
}

func TestMarkSyncedSkipsSync(t *testing.T) {
	testGroup(t, func(t *testing.T, g *group, s *slowSync) {
		w := wait(t.Context(), g, g.ticket())
		synctest.Wait()
		g.markSynced()
		require.NoError(t, g.wait(t.Context(), 1))
		s.end <- errors.New("file already closed")
		synctest.Wait()
		require.True(t, w.done)
		require.NoError(t, w.err)
		require.NoError(t, g.failure())
	})
}
