package versionstat

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"obverse/core/net/peerid"
)

// times returns the times at which answers were stored, in seconds after the start, the newest
// first.
func times(answers []Answer, start time.Time) []int {
	var all []int
	for _, a := range answers {
		if at := int(a.Timestamp) - int(start.Unix()); len(all) == 0 || all[len(all)-1] != at {
			all = append(all, at)
		}
	}
	return all
}

func TestRoundsAreStored(t *testing.T) {
	probe := probeFunc(func(_ context.Context, peer peerid.ID, address string) (string, error) {
		switch peer.String() {
		case peerNumber(1):
			return "2.5.0 at " + address, nil
		case peerNumber(2):
			return "", nil
		}
		return "ignored", errors.New("no node")
	})
	timed(t, probe, func(t *testing.T, s *station) {
		s.add(1, 2, 3)
		defer s.run()()
		start := time.Now()
		require.NoError(t, s.Start(t.Context(), time.Minute))
		synctest.Wait()
		now := uint64(start.Unix())
		require.Equal(t, []Answer{
			{Name: "node 1", Version: "2.5.0 at 10.0.0.1", Timestamp: now},
			{Name: "node 2", Timestamp: now},
			{Name: "node 3", Timestamp: now, Error: "no node"},
		}, s.all())
		s.add(4) // asked in the next round
		time.Sleep(2*time.Minute + time.Second)
		synctest.Wait()
		require.Equal(t, []int{120, 60, 0}, times(s.all(), start))
		require.Len(t, s.all(), 3+4+4)
		require.NoError(t, s.Remove(t.Context(), "node 1"))
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Len(t, s.all(), 3+4+4+3, "what a removed node said stays")
		require.Empty(t, s.failed)
	})
}

// TestProbeThatPanics checks that a panic of the probe becomes the error of its node.
func TestProbeThatPanics(t *testing.T) {
	probe := probeFunc(func(_ context.Context, peer peerid.ID, _ string) (string, error) {
		if peer.String() == peerNumber(1) {
			panic("s3cret")
		}
		return "2.5.0", nil
	})
	timed(t, probe, func(t *testing.T, s *station) {
		s.add(1, 2)
		defer s.run()()
		now := uint64(time.Now().Unix())
		require.NoError(t, s.Start(t.Context(), time.Minute))
		synctest.Wait()
		require.Equal(t, []Answer{
			{Name: "node 1", Timestamp: now, Error: "asking a node for its version panicked: string"},
			{Name: "node 2", Version: "2.5.0", Timestamp: now},
		}, s.all())
	})
}

func TestEmptyRound(t *testing.T) {
	timed(t, same("1"), func(t *testing.T, s *station) {
		defer s.run()()
		require.NoError(t, s.Start(t.Context(), time.Minute))
		synctest.Wait()
		require.Equal(t, Running, s.State())
		require.Empty(t, s.all())
		s.add(1)
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Len(t, s.all(), 1)
	})
}

func TestUpdateTakesEffectAfterTheWait(t *testing.T) {
	timed(t, same("1"), func(t *testing.T, s *station) {
		s.add(1)
		defer s.run()()
		start := time.Now()
		require.NoError(t, s.Start(t.Context(), 100*time.Second))
		synctest.Wait()
		require.NoError(t, s.Update(10*time.Second))
		require.Equal(t, Updating, s.State())
		time.Sleep(99 * time.Second)
		synctest.Wait()
		require.Equal(t, []int{0}, times(s.all(), start))
		require.Equal(t, Updating, s.State())
		time.Sleep(22 * time.Second)
		synctest.Wait()
		require.Equal(t, []int{120, 110, 100, 0}, times(s.all(), start))
		require.Equal(t, Running, s.State())
	})
}

func TestStopEndsTheWait(t *testing.T) {
	timed(t, same("1"), func(t *testing.T, s *station) {
		s.add(1)
		defer s.run()()
		start := time.Now()
		for range 3 {
			require.NoError(t, s.Start(t.Context(), MaxInterval))
			synctest.Wait()
			require.NoError(t, s.Stop())
			synctest.Wait()
			require.Equal(t, Stopped, s.State())
			time.Sleep(time.Second)
		}
		require.Equal(t, []int{2, 1, 0}, times(s.all(), start))
		require.NoError(t, s.Start(t.Context(), time.Minute))
		require.NoError(t, s.Stop(), "before the loop ran at all")
		synctest.Wait()
		require.Equal(t, Stopped, s.State())
	})
}

// TestStopDuringARound checks that a stop waits for nodes that were asked, and asks no others.
func TestStopDuringARound(t *testing.T) {
	var requests atomic.Int64
	probe := probeFunc(func(context.Context, peerid.ID, string) (string, error) {
		requests.Add(1)
		time.Sleep(5 * time.Second)
		return "1", nil
	})
	timed(t, probe, func(t *testing.T, s *station) {
		s.crowd(3 * parallel)
		defer s.run()()
		require.NoError(t, s.Start(t.Context(), time.Minute))
		time.Sleep(7 * time.Second)
		require.NoError(t, s.Stop())
		synctest.Wait()
		require.Equal(t, Stopping, s.State())
		require.ErrorIs(t, s.Start(t.Context(), time.Minute), ErrStopping)
		time.Sleep(4 * time.Second)
		synctest.Wait()
		require.Equal(t, Stopped, s.State())
		require.EqualValues(t, 2*parallel, requests.Load())
		answers := s.all()
		require.Len(t, answers, 2*parallel)
		for _, a := range answers {
			require.Equal(t, "1", a.Version)
			require.NotEmpty(t, a.Name)
		}
		require.NoError(t, s.Start(t.Context(), time.Minute))
		time.Sleep(16 * time.Second)
		synctest.Wait()
		require.Len(t, s.all(), 5*parallel)
	})
}

func TestNodesAreProbedInParallelWithATimeout(t *testing.T) {
	var mu sync.Mutex
	at, peak := 0, 0
	probe := probeFunc(func(ctx context.Context, _ peerid.ID, _ string) (string, error) {
		mu.Lock()
		at++
		peak = max(peak, at)
		mu.Unlock()
		<-ctx.Done()
		mu.Lock()
		at--
		mu.Unlock()
		return "", ctx.Err()
	})
	timed(t, probe, func(t *testing.T, s *station) {
		s.crowd(parallel + 1)
		defer s.run()()
		start := time.Now()
		require.NoError(t, s.Start(t.Context(), time.Minute))
		time.Sleep(2*probeTimeout + time.Second)
		synctest.Wait()
		require.Equal(t, parallel, peak)
		answers := s.all()
		require.Len(t, answers, parallel+1)
		require.Equal(t, []int{20}, times(answers, start), "a round has one time: its end")
		require.Equal(t, "context deadline exceeded", answers[0].Error)
	})
}

func TestEndOfTheNodeStoresNoHalfRound(t *testing.T) {
	probe := probeFunc(func(ctx context.Context, _ peerid.ID, _ string) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	})
	timed(t, probe, func(t *testing.T, s *station) {
		s.add(1, 2)
		end := s.run()
		require.NoError(t, s.Start(t.Context(), time.Minute))
		synctest.Wait()
		end()
		require.Empty(t, s.all())
		require.Empty(t, s.failed)
	})
}

func TestStoreFailureIsRetried(t *testing.T) {
	timed(t, same("1"), func(t *testing.T, s *station) {
		s.add(1)
		defer s.run()()
		start := time.Now()
		require.NoError(t, s.Start(t.Context(), time.Hour))
		s.kv.breakWith(errBroken)
		time.Sleep(15 * time.Second)
		synctest.Wait()
		require.Len(t, s.failed, 2)
		require.ErrorIs(t, s.failed[0], errBroken)
		s.kv.breakWith(nil)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		require.Equal(t, []int{20}, times(s.all(), start))
		require.Len(t, s.failed, 2)
		time.Sleep(time.Hour)
		synctest.Wait()
		require.Equal(t, []int{3620, 20}, times(s.all(), start))
	})
}

// TestRestart checks that the list and the answers survive a restart, after which the collector
// is stopped.
func TestRestart(t *testing.T) {
	timed(t, same("1"), func(t *testing.T, s *station) {
		s.add(1, 2)
		end := s.run()
		require.NoError(t, s.Start(t.Context(), time.Minute))
		synctest.Wait()
		end()
		s.open(same("2"))
		require.Equal(t, Stopped, s.State())
		require.Len(t, s.all(), 2)
		defer s.run()()
		time.Sleep(time.Hour)
		synctest.Wait()
		require.Len(t, s.all(), 2)
		require.NoError(t, s.Start(t.Context(), time.Minute))
		synctest.Wait()
		require.Len(t, s.all(), 4)
		require.Equal(t, "2", s.all()[0].Version)
	})
}

func TestCorruptNodeReportsError(t *testing.T) {
	s := newStation(t, same("1"))
	require.Equal(t, Answer{Name: "x", Error: "invalid multihash"}, s.askOne(t.Context(), Node{Name: "x", PeerID: "1"}))
}

func TestClip(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"short", "2.5", "2.5"},
		{"full", strings.Repeat("x", MaxText), strings.Repeat("x", MaxText)},
		{"long", strings.Repeat("x", 1<<20), strings.Repeat("x", MaxText)},
		{"a version that reads as another one", "2.1.0\u202e\u200b-beta\x1b[31m\n", "2.1.0-beta[31m "},
		{"whole characters", strings.Repeat("ü", 200), strings.Repeat("ü", MaxText/2)},
		{"not UTF-8", "a\xffb", "a\ufffdb"},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, clip(c.text)) })
	}
	require.True(t, utf8.ValidString(clip(strings.Repeat("\xff", 2000))))
}

func TestSupported(t *testing.T) {
	require.False(t, newStation(t, nil).Supported())
	require.True(t, newStation(t, same("")).Supported())
}
