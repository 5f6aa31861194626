package versionstat

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/peerid"
	"obverse/core/store"
	"obverse/core/store/bunttest"
	"obverse/core/store/table"
)

// probeFunc is a function that implements Probe.
type probeFunc func(ctx context.Context, peer peerid.ID, address string) (string, error)

func (f probeFunc) Version(ctx context.Context, peer peerid.ID, address string) (string, error) {
	return f(ctx, peer, address)
}

// same returns a Probe that returns the same version for every node.
func same(version string) probeFunc {
	return func(context.Context, peerid.ID, string) (string, error) { return version, nil }
}

// peerNumber returns the text of a peer id that is different for every number.
func peerNumber(n int) string {
	return peerid.FromEd25519([32]byte{byte(n), byte(n >> 8)}).String()
}

// shaky is a store that can be made to fail.
type shaky struct {
	store.KV
	mu     sync.Mutex
	broken error
}

func (s *shaky) breakWith(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = err
}

func (s *shaky) fault() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.broken
}

func (s *shaky) Scan(ctx context.Context, prefix, after string, limit int) ([]store.Entry, error) {
	if err := s.fault(); err != nil {
		return nil, err
	}
	return s.KV.Scan(ctx, prefix, after, limit)
}

func (s *shaky) Stage(ctx context.Context, b store.Batch) (store.Durable, error) {
	if err := s.fault(); err != nil {
		return nil, err
	}
	return s.KV.Stage(ctx, b)
}

// station is a collector with an empty store in memory.
type station struct {
	*Collector
	t      testing.TB
	kv     *shaky
	failed []error
}

func newStation(t testing.TB, probe Probe) *station {
	t.Helper()
	s := &station{t: t, kv: &shaky{KV: bunttest.Memory(t)}}
	s.open(probe)
	return s
}

// timed runs a test with synthetic time.
func timed(t *testing.T, probe Probe, test func(*testing.T, *station)) {
	t.Helper()
	kv := bunttest.Memory(t) // opened outside the bubble because buntdb has a ticker
	synctest.Test(t, func(t *testing.T) {
		s := &station{t: t, kv: &shaky{KV: kv}}
		s.open(probe)
		test(t, s)
	})
}

// open makes a collector with the store, as a restart of the node does.
func (s *station) open(probe Probe) {
	s.Collector = New(Config{Store: s.kv, Now: time.Now, Probe: probe, Failed: func(err error) { s.failed = append(s.failed, err) }})
}

// run runs the collector; end stops it and waits until it has ended.
func (s *station) run() (end func()) {
	ctx, cancel := context.WithCancel(s.t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	return func() {
		cancel()
		require.ErrorIs(s.t, <-done, context.Canceled)
	}
}

func (s *station) add(numbers ...int) {
	s.t.Helper()
	for _, n := range numbers {
		node := Node{Name: fmt.Sprintf("node %d", n), Address: fmt.Sprintf("10.0.%d.%d", n>>8, n&0xff), PeerID: peerNumber(n)}
		require.NoError(s.t, s.Add(s.t.Context(), node))
	}
}

// crowd adds many nodes quickly.
func (s *station) crowd(count int) {
	s.t.Helper()
	require.NoError(s.t, table.Change(s.t.Context(), s.kv, func(tx *table.Tx) error {
		for n := range count {
			node := Node{Name: fmt.Sprintf("crowd %d", n), Address: "10.0.0.1", PeerID: peerNumber(n)}
			if err := s.nodes.Insert(s.t.Context(), tx, node); err != nil {
				return err
			}
		}
		return nil
	}))
}

// everything returns a query for all answers.
func everything() Query { return Query{To: ^uint64(0), Limit: 1000, Page: 1} }

func (s *station) all() []Answer {
	s.t.Helper()
	return s.query(everything())
}

func (s *station) query(q Query) []Answer {
	s.t.Helper()
	answers, total, err := s.Stats(s.t.Context(), q)
	require.NoError(s.t, err)
	if q.Page == 1 && total <= q.Limit {
		require.Len(s.t, answers, total)
	}
	return answers
}

var errBroken = errors.New("the disk is broken")
