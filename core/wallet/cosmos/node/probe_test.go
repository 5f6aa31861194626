package node

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

	"obverse/core/net/fetch"
	"obverse/core/net/nodepool"
	"obverse/core/wallet/cosmos/wire"
)

func TestProbeWaitsASecondForTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := pool(t, hangs(), after(2*time.Second, at(9)), after(2500*time.Millisecond, at(9)))
		var left []nodepool.Attempt
		var err error
		took := elapsed(func() { left, err = p.Probe(t.Context()) })
		require.NoError(t, err)
		require.Equal(t, 3*time.Second, took)
		require.Len(t, left, 1)
		require.Equal(t, "https://a.example", left[0].URL)
		require.Contains(t, left[0].Reason, "timed out")
		require.Equal(t, 3, w.count("status"), "side by side")
		w.set(urlA, at(9))
		synctest.Wait()
		require.Empty(t, p.Nodes()[0].Reason, "it is only late")
	})
}

func TestNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _ := pool(t, after(time.Second, at(9)), dead)
		require.Equal(t, []nodepool.State{{URL: "https://a.example"}, {URL: "https://b.example"}}, p.Nodes())
		_, err := p.Probe(t.Context())
		require.NoError(t, err)
		require.Equal(t, []nodepool.State{{URL: "https://a.example", Healthy: true, Height: 9, EarliestHeight: 7, Delay: time.Second},
			{URL: "https://b.example", Reason: "unreachable: connection refused", RetryAt: time.Now().Add(firstRest - time.Second)}}, p.Nodes())
		earliest, err := p.Earliest(t.Context())
		require.NoError(t, err)
		require.EqualValues(t, 7, earliest)
	})
}

// TestPausedNodes checks that the end of a node's pause, and the reason for it, is known until
// the node recovers.
func TestPausedNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := pool(t, at(9), on("other-1", 9), says(fetch.Response{Status: 429, RetryAfter: "40"}), says(fetch.Response{Status: 503}))
		began := time.Now()
		_, err := p.Probe(t.Context())
		require.NoError(t, err)
		rests := func(url, reason string, rest time.Duration, suspended bool) nodepool.State {
			return nodepool.State{URL: url, Reason: reason, RetryAt: began.Add(rest), Suspended: suspended}
		}
		require.Equal(t, []nodepool.State{
			rests("https://b.example", `chain id is "other-1", want "test-1"`, foreignRest, false),
			rests("https://c.example", "HTTP status 429, retry after 40s", 40*time.Second, true),
			rests("https://d.example", "HTTP status 503", firstRest, false)}, p.Nodes()[1:])
		stop := run(t, p)
		for _, url := range []string{urlB, urlC, "https://d.example/"} {
			w.set(url, at(9))
		}
		time.Sleep(foreignRest + 1)
		synctest.Wait()
		for _, n := range p.Nodes() {
			require.True(t, n.Healthy)
			require.Empty(t, n.Reason)
			require.Zero(t, n.RetryAt)
			require.False(t, n.Suspended)
		}
		stop()
	})
}

// TestEarliest checks that the oldest block is the oldest block of all nodes.
func TestEarliest(t *testing.T) {
	from := func(earliest int) behaviour {
		return but("status", result(fmt.Sprintf(`{"node_info":{"network":%q},"sync_info":{"latest_block_height":"9","earliest_block_height":"%d"}}`, chainID, earliest)), at(9))
	}
	for _, nodes := range [][]behaviour{{from(5), from(3), from(8)}, {from(3), from(5), dead}, {from(8), dead, from(3)}} {
		synctest.Test(t, func(t *testing.T) {
			p, _ := pool(t, nodes...)
			_, err := p.Probe(t.Context())
			require.NoError(t, err)
			earliest, err := p.Earliest(t.Context())
			require.NoError(t, err)
			require.EqualValues(t, 3, earliest)
		})
	}
}

func TestCatchingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		syncs := func(ctx context.Context, a query) (fetch.Response, error) {
			r, err := at(9)(ctx, a)
			r.Body = []byte(strings.Replace(string(r.Body), `"catching_up":false`, `"catching_up":true`, 1))
			return r, err
		}
		p, w := pool(t, syncs, at(9))
		_, err := p.Probe(t.Context())
		require.NoError(t, err)
		require.True(t, p.Nodes()[0].Behind)
		_, err = p.Query(t.Context(), "/path", nil)
		require.NoError(t, err)
		require.Zero(t, w.count("abci_query", urlA))
	})
}

// TestNodeWithoutBlocks checks that a node without blocks is not preferred to a node with
// blocks.
func TestNodeWithoutBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _ := pool(t, at(0), at(1000))
		_, err := p.Probe(t.Context())
		require.NoError(t, err)
		height, err := p.Height(t.Context())
		require.NoError(t, err)
		require.EqualValues(t, 1000, height)
		require.NotEmpty(t, p.Nodes()[0].HeightProblem)
		require.Empty(t, p.Nodes()[1].HeightProblem)
	})
}

// run runs a pool until the end of the test.
func run(t *testing.T, p *Pool) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx) }()
	return func() {
		cancel()
		require.ErrorIs(t, <-done, context.Canceled)
	}
}

func TestRunBringsNodesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := pool(t, dead, at(9), on("other-1", 9))
		stop := run(t, p)
		time.Sleep(time.Hour)
		require.Equal(t, 1, w.count("status", urlB), "nodes that are well are left alone")
		// The first checks are after 0, 2, 4, …, 256 seconds, and then there is one every five
		// minutes.
		require.InDelta(t, 8+(3600-510)/300, w.count("status", urlA), 1)
		require.InDelta(t, 7, w.count("status", urlC), 1, "one on another chain is asked every ten minutes")
		w.set(urlA, at(9))
		w.set(urlC, at(9))
		time.Sleep(11 * time.Minute)
		for _, n := range p.Nodes() {
			require.True(t, n.Healthy)
			require.Empty(t, n.Reason)
		}
		w.set(urlA, dead)
		_, err := p.Query(t.Context(), "/path", nil)
		require.NoError(t, err)
		w.set(urlA, at(9))
		time.Sleep(firstRest + 1)
		synctest.Wait()
		require.True(t, p.Nodes()[0].Healthy, "the first rest is short again")
		stop()
	})
}

func TestRunChecksNodesBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := probed(t, at(100), at(101))
		stop := run(t, p)
		w.set(urlA, at(50))
		_, err := p.Height(t.Context())
		require.NoError(t, err)
		require.True(t, p.Nodes()[0].Behind)
		w.set(urlA, at(101))
		time.Sleep(time.Hour)
		require.False(t, p.Nodes()[0].Behind)
		require.Equal(t, 2, w.count("status", urlA))
		stop()
	})
}

func TestRunDoesNotSpin(t *testing.T) {
	for _, f := range faults() {
		synctest.Test(t, func(t *testing.T) {
			p, w := pool(t, f.node)
			stop := run(t, p)
			time.Sleep(time.Minute)
			require.LessOrEqual(t, w.total(), 7, f.name)
			stop()
		})
	}
	synctest.Test(t, func(t *testing.T) {
		syncs := func(_ context.Context, a query) (fetch.Response, error) {
			return a.result(`{"node_info":{"network":"test-1"},"sync_info":{"catching_up":true}}`), nil
		}
		p, w := pool(t, syncs)
		stop := run(t, p)
		time.Sleep(10 * time.Minute)
		require.InDelta(t, 11, w.total(), 1)
		stop()
	})
}

// TestNodesComeBackWithoutRun checks that calls query a failed node again if the pool does not
// run.
func TestNodesComeBackWithoutRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := pool(t, dead)
		_, err := p.Height(t.Context())
		require.Error(t, err)
		w.set(urlA, at(9))
		height, err := p.Height(t.Context())
		require.NoError(t, err, "there is no other node")
		require.EqualValues(t, 9, height)

		w.set(urlA, on("other-1", 9))
		time.Sleep(time.Second)
		_, err = p.Height(t.Context())
		require.NoError(t, err, "a node is not asked for its chain each time")
		w.set(urlA, dead)
		time.Sleep(time.Second)
		_, err = p.Height(t.Context())
		require.Error(t, err)
		w.set(urlA, on("other-1", 9))
		_, err = p.Height(t.Context())
		require.ErrorContains(t, err, "other-1", "but after it failed")
		w.set(urlA, at(9))
		_, err = p.Height(t.Context())
		require.ErrorContains(t, err, "other-1")
		time.Sleep(foreignRest)
		_, err = p.Height(t.Context())
		require.NoError(t, err)
	})
}

// TestThousandIdenticalCalls makes a thousand calls per second for ten seconds.
func TestThousandIdenticalCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var flying, peak atomic.Int64
		slow := after(300*time.Millisecond, at(9))
		counted := func(ctx context.Context, a query) (fetch.Response, error) {
			peak.Store(max(peak.Load(), flying.Add(1)))
			defer flying.Add(-1)
			return slow(ctx, a)
		}
		p, w := probed(t, at(9), at(9))
		w.set(urlA, counted)
		w.set(urlB, counted)
		begin := time.Now()
		for range 10 {
			var all sync.WaitGroup
			for n := range 1000 {
				all.Go(func() {
					time.Sleep(time.Duration(n) * time.Millisecond)
					coin, err := p.Balance(t.Context(), "a", "u")
					require.NoError(t, err)
					require.Equal(t, "9", coin.Amount)
				})
			}
			all.Wait()
			require.LessOrEqual(t, w.count("abci_query"), int(time.Since(begin)/(2*time.Second))+1, "one in the time of an answer")
		}
		require.GreaterOrEqual(t, w.count("abci_query"), int(time.Since(begin)/(2300*time.Millisecond)), "and not one less: answers do not grow old")
		require.EqualValues(t, 1, peak.Load(), "one at a time")
	})
}

func TestTTL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{nodes: map[string]behaviour{urlA: at(9)}}
		p, err := New(Config{Nodes: []Node{{URL: urlA}}, ChainID: chainID, Fetcher: w, Now: time.Now,
			TTL: map[string]time.Duration{wire.PathBalance: time.Hour, "/custom": time.Second}})
		require.NoError(t, err)
		call := func(path, data string) int {
			before := w.count("abci_query")
			_, err := p.Query(t.Context(), path, []byte(data))
			require.NoError(t, err)
			return w.count("abci_query") - before
		}
		require.Equal(t, 1, call(wire.PathBalance, "a"))
		require.Equal(t, 1, call(wire.PathBalance, "b"))
		require.Equal(t, 1, call("/custom", "a"))
		require.Equal(t, 1, call(wire.PathAccount, "a"))
		require.Equal(t, 1, call(wire.PathAccount, "a"), "what a signature needs is not cached")
		time.Sleep(time.Second)
		require.Zero(t, call(wire.PathBalance, "a"))
		require.Equal(t, 1, call("/custom", "a"))
		p.Invalidate(wire.PathAllBalances)
		require.Zero(t, call(wire.PathBalance, "a"))
		p.Invalidate(wire.PathBalance)
		require.Equal(t, 1, call(wire.PathBalance, "a"))
		_, err = p.Broadcast(t.Context(), []byte("x"))
		require.Error(t, err)
		require.Equal(t, 1, call(wire.PathBalance, "a"), "a transaction may have changed it")
	})
}

// TestErrorsAreNotCached checks that errors are not cached.
func TestErrorsAreNotCached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := pool(t, dead)
		for n := range 3 {
			_, err := p.Balance(t.Context(), "a", "u")
			require.Error(t, err)
			require.Equal(t, n+1, w.total())
		}
		w.set(urlA, at(9))
		_, err := p.Balance(t.Context(), "a", "u")
		require.NoError(t, err)
	})
}

func TestManyNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{nodes: map[string]behaviour{}}
		c := Config{ChainID: chainID, Fetcher: w, Now: time.Now}
		for n := range nodepool.MaxNodes {
			c.Nodes = append(c.Nodes, Node{URL: fmt.Sprintf("https://n%d.example", n)})
		}
		p, err := New(c)
		require.NoError(t, err)
		_, err = p.Probe(t.Context())
		require.Error(t, err)
		w.set("https://n63.example/", at(9))
		height, err := p.Height(t.Context())
		require.NoError(t, err)
		require.EqualValues(t, 9, height)
		c.Nodes = append(c.Nodes, Node{URL: urlA})
		_, err = New(c)
		require.ErrorIs(t, err, nodepool.ErrTooManyNodes)
	})
}
