package cometbft

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/daemon"
)

// setClock is a clock with a time that the test sets.
type setClock struct{ at atomic.Pointer[time.Time] }

func (c *setClock) set(at time.Time) { c.at.Store(&at) }
func (c *setClock) now() time.Time   { return *c.at.Load() }

func TestStalled(t *testing.T) {
	var lines strings.Builder
	clock, start := new(setClock), time.Unix(1_700_000_000, 0)
	h := newHealth(slog.New(slog.NewTextHandler(&lines, nil)))
	h.now, h.detail = clock.now, func() string { return "; votes are missing" }
	for _, step := range []struct {
		after           time.Duration
		height, waiting int
		stalled         bool
		quiet           time.Duration
	}{
		{0, 5, 0, false, 0},
		{time.Hour, 5, 0, false, 0}, // no blocks are made without transactions
		{2 * time.Hour, 5, 1, false, 0},
		{2*time.Hour + stallTime - 1, 5, 3, false, stallTime - 1},
		{2*time.Hour + stallTime, 5, 3, true, stallTime},
		{3 * time.Hour, 5, 4, true, time.Hour},
		{3*time.Hour + 1, 6, 4, false, 0}, // a block
		{3*time.Hour + 1 + stallTime, 6, 4, true, stallTime},
		{3*time.Hour + 2 + stallTime, 6, 0, false, 0},
	} {
		clock.set(start.Add(step.after))
		h.observe(step.height, step.waiting)
		require.Equal(t, step.stalled, h.Stalled() != nil, step)
		require.Equal(t, step.quiet, h.Quiet(), step)
		if step.stalled {
			require.ErrorIs(t, h.Stalled(), ErrStalled)
		}
	}
	require.Equal(t, 2, strings.Count(lines.String(), "level=WARN"), lines.String())
	require.Equal(t, 2, strings.Count(lines.String(), "make blocks again"))
	require.Contains(t, lines.String(), "stalled: no block after block 5 for 15 s, waiting transactions: 3; votes are missing")
}

// TestQuorum stops two of four validators. The others must report that they make no blocks and
// which votes are missing, until one of the two is started again.
func TestQuorum(t *testing.T) {
	w := newNetwork(t, testOptions(t), 4)
	for i, v := range w.nodes {
		v.inMemory(t)
		w.genesis.Validators[i].Name = []string{"north", "east", "south", "west"}[i]
	}
	w.begin(t)
	at := w.nodes[0]
	first := at.payment(t, at.premine(t), 1_000)
	require.NoError(t, at.send(first.Encode()))
	w.agree(t, 2)
	require.NoError(t, at.engine.Stalled())
	require.Eventually(t, func() bool {
		n, err := at.engine.Network(t.Context())
		return err == nil && n == daemon.Network{Connections: 3, Port: portOf(w.settings[0].Listen)}
	}, soon, 50*time.Millisecond)
	w.nodes[2].end(t)
	w.nodes[3].end(t)
	_, err := w.nodes[3].engine.Network(t.Context())
	require.ErrorIs(t, err, errNoNode)
	require.Eventually(t, func() bool {
		n, err := at.engine.Network(t.Context())
		return err == nil && n.Connections == 1
	}, soon, 50*time.Millisecond)
	second := at.payment(t, first, 1_000)
	require.NoError(t, at.send(second.Encode()))
	for _, v := range w.nodes[:2] {
		require.Eventually(t, func() bool { return v.engine.Stalled() != nil }, soon, 50*time.Millisecond)
		require.ErrorContains(t, v.engine.Stalled(), "waiting transactions: 1")
		require.Positive(t, v.engine.Quiet())
	}
	require.Eventually(t, func() bool {
		return strings.HasSuffix(at.engine.Stalled().Error(), "; 2 of 4 validators vote, and more than two thirds must: missing are south, west")
	}, soon, 50*time.Millisecond, "%v", at.engine.Stalled())
	w.nodes[2].open(t, w)
	w.nodes[2].start(t, w.settings[2])
	for _, v := range w.nodes[:2] {
		require.Eventually(t, func() bool { return v.has(t, second) && v.engine.Stalled() == nil }, soon, 50*time.Millisecond)
	}
}

// TestClockBeforeGenesis checks that the node waits while the clock is before the time in the
// genesis, logs this, and ends when its context ends.
func TestClockBeforeGenesis(t *testing.T) {
	var lines lockedLines
	w := newNetwork(t, testOptions(t), 1)
	v := w.nodes[0]
	v.inMemory(t)
	require.NoError(t, w.genesis.Save(v.home))
	v.open(t, w)
	clock := new(setClock)
	clock.set(w.genesis.Time.Add(-56 * 365 * 24 * time.Hour)) // 1970, like a machine without a battery for its clock
	v.engine.Health = newHealth(slog.New(slog.NewTextHandler(&lines, nil)))
	v.engine.now = clock.now

	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- v.engine.Open(ctx, w.settings[0], v.shared) }()
	waits := func() bool { return v.engine.Stalled() != nil }
	require.Eventually(t, waits, soon, time.Millisecond)
	require.ErrorContains(t, v.engine.Stalled(), "before the genesis of "+w.genesis.Time.UTC().Format(time.RFC3339)+": set the clock")
	require.Contains(t, lines.String(), "waiting for the time in the genesis")
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	require.NoError(t, v.engine.Stalled())
	require.Nil(t, v.engine.Node())

	go func() { ended <- v.engine.Open(t.Context(), w.settings[0], v.shared) }()
	require.Eventually(t, waits, soon, time.Millisecond)
	clock.set(time.Now()) // the clock has been synchronized
	require.NoError(t, <-ended)
	require.NoError(t, v.engine.Stalled())
	require.NotNil(t, v.engine.Node())
	require.NoError(t, v.engine.Close())
}

// lockedLines is a log for multiple goroutines.
type lockedLines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
