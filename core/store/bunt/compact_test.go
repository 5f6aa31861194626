package bunt

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/store"
)

// script records the steps of a Compaction, one per line. Its clock advances by itself.
type script struct {
	lines []string
	turns int // number of sleeps until the context ends
	each  func(turn int)
}

func (s *script) compaction() Compaction {
	turn := 0
	return Compaction{
		Interval: time.Minute, MaxRetry: 4 * time.Minute, Step: 1000,
		Sleep: func(_ context.Context, d time.Duration) error {
			if turn++; turn > s.turns {
				return context.Canceled
			}
			s.lines = append(s.lines, fmt.Sprint("wait ", d))
			if s.each != nil {
				s.each(turn)
			}
			return nil
		},
		Shrunk: func(before, after int64) { s.lines = append(s.lines, fmt.Sprint("shrunk ", after < before)) },
		Failed: func(err error, retry time.Duration) {
			s.lines = append(s.lines, fmt.Sprint("failed, again in ", retry))
		},
	}
}

// TestCompactionThatFails checks that a failed compaction is not reported as done and is
// retried after growing delays while the store works on.
func TestCompactionThatFails(t *testing.T) {
	db, disk, path := openDisk(t)
	full := errors.New("disk full")
	s := &script{turns: 7}
	s.each = func(turn int) {
		if turn == 1 {
			return
		}
		for range 30 {
			require.NoError(t, store.Apply(t.Context(), db, batch("a", fmt.Sprintf("%1000d", turn))))
		}
		disk.set(func(d *testDisk) { d.newErr = nil })
		if turn < 6 {
			disk.set(func(d *testDisk) { d.newErr = full })
		}
	}
	s.compaction().Run(t.Context(), db)
	require.Equal(t, []string{
		"wait 1m0s",
		"wait 1m0s", "failed, again in 2m0s",
		"wait 2m0s", "failed, again in 4m0s",
		"wait 4m0s", "failed, again in 4m0s",
		"wait 4m0s", "failed, again in 4m0s",
		"wait 4m0s", "shrunk true",
		"wait 1m0s",
	}, s.lines[:12])
	require.NoError(t, db.Healthy())
	left, err := filepath.Glob(path + ".*")
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestCompactionAtTheEnd checks that stopping the node during a compaction reports no failure.
func TestCompactionAtTheEnd(t *testing.T) {
	db, _, _ := openDisk(t)
	ctx, cancel := context.WithCancel(t.Context())
	s := &script{turns: 3}
	s.each = func(int) {
		require.NoError(t, store.Apply(t.Context(), db, batch("a", string(make([]byte, 50_000)))))
		cancel()
	}
	s.compaction().Run(ctx, db)
	require.Equal(t, []string{"wait 1m0s"}, s.lines)
}

// TestCompactionOfAnotherRun checks that rows overwritten before the store was opened count.
func TestCompactionOfAnotherRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store")
	db, err := Open(path)
	require.NoError(t, err)
	for n := range 30 {
		require.NoError(t, store.Apply(t.Context(), db, batch("a", fmt.Sprintf("%1000d", n))))
	}
	require.NoError(t, db.Close())
	db, err = Open(path)
	require.NoError(t, err)
	defer db.Close()
	live, err := db.Live(t.Context())
	require.NoError(t, err)
	s := &script{turns: 2}
	s.compaction().Run(t.Context(), db)
	require.Equal(t, []string{"wait 1m0s", "shrunk true", "wait 1m0s"}, s.lines)
	require.InDelta(t, db.Size(), live, 100)
}

// TestCompactionGrowth checks that a store with a lower limit for growth is shrunk earlier.
func TestCompactionGrowth(t *testing.T) {
	db, _, _ := openDisk(t)
	s := &script{turns: 2}
	s.each = func(int) {
		for range 4 {
			require.NoError(t, store.Apply(t.Context(), db, batch("a", string(make([]byte, 1000)))))
		}
	}
	c := s.compaction()
	c.Growth = 10
	c.Run(t.Context(), db)
	require.Contains(t, s.lines, "shrunk true")
}
