package task

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/guard"
)

const kind = "brew"

// bench runs a test with a running manager and synthetic time.
func bench(t *testing.T, test func(t *testing.T, m *Manager)) {
	synctest.Test(t, func(t *testing.T) {
		m := New()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- m.Run(ctx) }()
		test(t, m)
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
		_, err := m.Start(Options{Kind: kind}, nil)
		require.ErrorIs(t, err, ErrStopped)
	})
}

func start(t *testing.T, m *Manager, o Options, work Work) ID {
	t.Helper()
	o.Kind = kind
	id, err := m.Start(o, work)
	require.NoError(t, err)
	return id
}

func status(t *testing.T, m *Manager, id ID) Status {
	t.Helper()
	synctest.Wait()
	s, err := m.Status(kind, id, false)
	require.NoError(t, err)
	return s
}

// wait is a Work that runs until its context ends.
func wait(ctx context.Context, _ *Task) (any, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

var errBurnt = errors.New("burnt")

// TestCancelledWorkCounts checks that cancelled work counts as running until it has ended.
func TestCancelledWorkCounts(t *testing.T) {
	bench(t, func(t *testing.T, m *Manager) {
		slow := make(chan struct{})
		var working atomic.Int64
		stubborn := func(ctx context.Context, _ *Task) (any, error) {
			working.Add(1)
			defer working.Add(-1)
			<-ctx.Done()
			<-slow
			return nil, ctx.Err()
		}
		for range MaxRunning {
			id := start(t, m, Options{}, stubborn)
			synctest.Wait()
			require.NoError(t, m.Cancel(kind, id))
		}
		for range 500 - MaxRunning {
			_, err := m.Start(Options{Kind: kind}, stubborn)
			require.ErrorIs(t, err, ErrTooMany)
		}
		require.EqualValues(t, MaxRunning, working.Load())
		close(slow)
		synctest.Wait()
		require.Zero(t, working.Load())
		for range 10 * MaxRunning {
			require.NoError(t, m.Cancel(kind, start(t, m, Options{}, stubborn)), "also before it has begun")
			synctest.Wait()
		}
		require.Zero(t, m.active)
	})
}

func TestLife(t *testing.T) {
	bench(t, func(t *testing.T, m *Manager) {
		going := make(chan struct{})
		id := start(t, m, Options{First: "boiling"}, func(_ context.Context, t *Task) (any, error) {
			<-going
			t.Report("pouring")
			<-going
			return "tea", nil
		})
		require.Equal(t, Status{State: InProgress, Detail: "boiling"}, status(t, m, id))
		going <- struct{}{}
		require.Equal(t, Status{State: InProgress, Detail: "pouring"}, status(t, m, id))
		close(going)
		require.Equal(t, Status{State: Done, Detail: "tea"}, status(t, m, id))
		require.ErrorIs(t, m.Cancel(kind, id), ErrFinished)
		require.ErrorIs(t, m.Answer(kind, id, nil), ErrFinished)
		_, err := m.Status("another kind", id, true)
		require.ErrorIs(t, err, ErrNoSuchTask)
		s, err := m.Status(kind, id, true)
		require.NoError(t, err)
		require.Equal(t, Done, s.State)
		_, err = m.Status(kind, id, true)
		require.ErrorIs(t, err, ErrNoSuchTask, "a returned outcome is forgotten")
		require.ErrorIs(t, m.Cancel(kind, id), ErrNoSuchTask)
		require.ErrorIs(t, m.Answer(kind, id, nil), ErrNoSuchTask)
		require.Equal(t, id+1, start(t, m, Options{}, wait))
	})
}

func TestFailures(t *testing.T) {
	for _, c := range []struct {
		name string
		work Work
		want error
	}{
		{"its own", func(context.Context, *Task) (any, error) { return nil, errBurnt }, errBurnt},
		{"late", wait, ErrTimeout},
		{"late with another error", func(ctx context.Context, _ *Task) (any, error) { <-ctx.Done(); return nil, errBurnt }, ErrTimeout},
		{"a panic", func(context.Context, *Task) (any, error) { panic("pot") }, guard.ErrPanic},
		{"an unanswered question", func(ctx context.Context, t *Task) (any, error) { return t.Ask(ctx, "milk?") }, ErrTimeout},
	} {
		t.Run(c.name, func(t *testing.T) {
			bench(t, func(t *testing.T, m *Manager) {
				id := start(t, m, Options{Limit: time.Minute}, c.work)
				time.Sleep(time.Minute)
				got := status(t, m, id)
				require.Equal(t, Failed, got.State)
				require.ErrorIs(t, got.Err, c.want)
			})
		})
	}
}

// TestReadyBeforeTimeout checks that work which returns a result after its time limit succeeds.
func TestReadyBeforeTimeout(t *testing.T) {
	bench(t, func(t *testing.T, m *Manager) {
		id := start(t, m, Options{Limit: time.Minute}, func(ctx context.Context, _ *Task) (any, error) { <-ctx.Done(); return "tea", nil })
		time.Sleep(time.Minute)
		require.Equal(t, Status{State: Done, Detail: "tea"}, status(t, m, id))
	})
}

func TestCancel(t *testing.T) {
	bench(t, func(t *testing.T, m *Manager) {
		ended := make(chan error, 1)
		id := start(t, m, Options{}, func(ctx context.Context, t *Task) (any, error) {
			_, err := wait(ctx, t)
			ended <- err
			return "too late", err
		})
		require.Equal(t, InProgress, status(t, m, id).State)
		require.NoError(t, m.Cancel(kind, id))
		require.ErrorIs(t, <-ended, context.Canceled)
		synctest.Wait()
		_, err := m.Status(kind, id, false)
		require.ErrorIs(t, err, ErrNoSuchTask)
	})
}

func TestCancelBeforeTheBeginning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New()
		id := start(t, m, Options{}, func(context.Context, *Task) (any, error) { panic("it was cancelled") })
		require.NoError(t, m.Cancel(kind, id))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.ErrorIs(t, m.Run(ctx), context.DeadlineExceeded)
	})
}

func TestAsk(t *testing.T) {
	bench(t, func(t *testing.T, m *Manager) {
		id := start(t, m, Options{First: "boiling"}, func(ctx context.Context, t *Task) (any, error) {
			var all []string
			for _, question := range []string{"milk?", "sugar?"} {
				answer, err := t.Ask(ctx, question)
				if err != nil {
					return nil, err
				}
				all = append(all, string(answer))
			}
			_, err := wait(ctx, t)
			return all, errors.Join(err, errBurnt)
		})
		require.Equal(t, Status{State: Asking, Detail: "milk?"}, status(t, m, id))
		require.NoError(t, m.Answer(kind, id, json.RawMessage(`true`)))
		require.ErrorIs(t, m.Answer(kind, id, json.RawMessage(`true`)), ErrNotAwaiting, "it was answered just now")
		require.Equal(t, Status{State: Asking, Detail: "sugar?"}, status(t, m, id))
		require.NoError(t, m.Answer(kind, id, json.RawMessage(`2`)))
		require.Equal(t, Status{State: InProgress, Detail: "boiling"}, status(t, m, id))
		require.ErrorIs(t, m.Answer(kind, id, nil), ErrNotAwaiting)
	})
}

func TestBounds(t *testing.T) {
	bench(t, func(t *testing.T, m *Manager) {
		for range MaxRunning {
			start(t, m, Options{}, wait)
		}
		_, err := m.Start(Options{Kind: kind}, wait)
		require.ErrorIs(t, err, ErrTooMany)
		require.NoError(t, m.Cancel(kind, 1))
		synctest.Wait()
		first := start(t, m, Options{}, func(context.Context, *Task) (any, error) { return nil, nil })
		require.Equal(t, Done, status(t, m, first).State)
		for range MaxEnded - 1 {
			status(t, m, start(t, m, Options{}, func(context.Context, *Task) (any, error) { return nil, nil }))
		}
		require.Equal(t, Done, status(t, m, first).State)
		status(t, m, start(t, m, Options{}, func(context.Context, *Task) (any, error) { return nil, nil }))
		_, err = m.Status(kind, first, false)
		require.ErrorIs(t, err, ErrNoSuchTask, "others ended after it")
		require.Len(t, m.ended, MaxEnded)
		require.Len(t, m.tasks, MaxEnded+MaxRunning-1)
	})
}
