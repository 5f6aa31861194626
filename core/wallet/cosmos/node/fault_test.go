package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
	"obverse/core/net/nodepool"
)

// fault is a way in which a node can fail.
type fault struct {
	name   string
	node   behaviour
	cause  error  // cause of its Attempt; nil means the type below
	reason string // reason in the Attempt
	status int
}

func faults() []fault {
	html := fetch.Response{Status: 200, ContentType: "text/html", Body: []byte("<!DOCTYPE html><title>Welcome to nginx!</title>")}
	truncated := func(ctx context.Context, a query) (fetch.Response, error) {
		r, err := at(5)(ctx, a)
		r.Body = r.Body[:len(r.Body)-3]
		return r, err
	}
	otherID := func(ctx context.Context, a query) (fetch.Response, error) {
		a.ID += "0"
		return at(5)(ctx, a)
	}
	large := func(_ context.Context, a query) (fetch.Response, error) {
		return a.result(`"` + strings.Repeat("x", nodepool.LightLimit) + `"`), nil
	}
	return []fault{
		{"dead", dead, fetch.ErrUnreachable, "unreachable: connection refused", 0},
		{"no such host", nil, fetch.ErrUnreachable, "no such host", 0},
		{"hangs", hangs(), fetch.ErrTimeout, "timed out after 15s", 0},
		{"wrong chain", on("other-1", 5), nil, `chain id is "other-1", want "test-1"`, 0},
		{"web page", says(html), nodepool.ErrHTML, "responds with an HTML page", 0},
		{"web page with a status", says(fetch.Response{Status: 502, Body: html.Body}), nil, "HTTP status 502", 502},
		{"truncated", truncated, nodepool.ErrAnswer, "invalid response: incomplete or invalid JSON", 0},
		{"empty", says(body("")), nodepool.ErrAnswer, "invalid response", 0},
		{"answers another question", otherID, nodepool.ErrOtherID, "response id does not match the request", 0},
		{"redirect", says(fetch.Response{Status: 301}), nodepool.ErrRedirect, "responds with a redirect, which is not followed", 0},
		{"too many requests", says(fetch.Response{Status: 429}), nil, "HTTP status 429", 429},
		{"too many requests, with a time", says(fetch.Response{Status: 429, RetryAfter: "30"}), nil, "HTTP status 429, retry after 30s", 429},
		{"unauthorized", says(fetch.Response{Status: 401}), nil, "HTTP status 401", 401},
		{"too large", large, fetch.ErrTooLarge, "response too large", 0},
		{"refuses to say its chain", but("status", func(_ context.Context, a query) (fetch.Response, error) { return a.refuse(-32601, "no"), nil }, at(5)),
			nodepool.ErrAnswer, "method status", 0},
		{"names no chain", on("", 5), nodepool.ErrAnswer, "no chain id", 0},
	}
}

func (f fault) check(t *testing.T, a nodepool.Attempt, url string) {
	t.Helper()
	require.Equal(t, strings.TrimSuffix(url, "/"), a.URL)
	require.Contains(t, a.Reason, f.reason)
	var status *nodepool.StatusError
	var chain *nodepool.WrongChainError
	switch {
	case f.cause != nil:
		require.ErrorIs(t, a.Err, f.cause)
	case f.status != 0:
		require.ErrorAs(t, a.Err, &status)
		require.Equal(t, f.status, status.Status)
	default:
		require.ErrorAs(t, a.Err, &chain)
	}
}

// TestFaultsAlone checks that a call fails and returns the reason if its only node has a fault.
func TestFaultsAlone(t *testing.T) {
	for _, f := range faults() {
		t.Run(f.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, _ := pool(t, f.node)
				_, err := p.Height(t.Context())
				var none *nodepool.UnreachableError
				require.ErrorAs(t, err, &none)
				require.Len(t, none.Attempts, 1)
				f.check(t, none.Attempts[0], urlA)
				require.True(t, strings.HasPrefix(err.Error(), "All the current rpc nodes are unavailable. (https://a.example: "))
				require.ErrorIs(t, err, none.Attempts[0].Err)
				require.False(t, p.Nodes()[0].Healthy)
				require.Contains(t, p.Nodes()[0].Reason, f.reason)
				text, err := json.Marshal(none.Attempts)
				require.NoError(t, err)
				require.Contains(t, string(text), `[{"url":"https://a.example","reason":"`)

				_, err = p.Probe(t.Context())
				require.ErrorAs(t, err, &none)
				require.Len(t, none.Attempts, 1)
				f.check(t, none.Attempts[0], urlA)
			})
		})
	}
}

// TestFaultsBeforeAnotherNode checks that a call succeeds if a working node follows a faulty
// one, and that the faulty node is not queried afterwards.
func TestFaultsBeforeAnotherNode(t *testing.T) {
	for _, f := range faults() {
		for _, probe := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, probed %v", f.name, probe), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p, w := pool(t, f.node, at(9))
					if probe {
						left, err := p.Probe(t.Context())
						require.NoError(t, err)
						require.Len(t, left, 1)
						require.Equal(t, "https://a.example", left[0].URL)
						if f.name != "hangs" {
							f.check(t, left[0], urlA)
						}
					}
					took := elapsed(func() {
						height, err := p.Height(t.Context())
						require.NoError(t, err)
						require.EqualValues(t, 9, height)
					})
					require.LessOrEqual(t, took, time.Second)
					require.Zero(t, w.count("abci_info", urlA), "it is not asked before it has said its chain")
					before := w.count("status", urlA)
					for range 3 {
						_, err := p.Query(t.Context(), "/path", nil)
						require.NoError(t, err)
					}
					require.Equal(t, before, w.count("status", urlA), "health is remembered")
					require.True(t, p.Nodes()[1].Healthy)
				})
			})
		}
	}
}

// TestFaultsAfterSuccess checks that another node answers the same call when a fault begins
// later.
func TestFaultsAfterSuccess(t *testing.T) {
	for _, f := range faults() {
		if f.name == "wrong chain" || strings.Contains(f.name, "chain") { // found when the chain is queried
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, w := pool(t, at(9), at(9))
				_, err := p.Probe(t.Context())
				require.NoError(t, err)
				w.set(urlA, f.node)
				_, err = p.Height(t.Context())
				require.NoError(t, err)
				require.Equal(t, 1, w.count("abci_info", urlA))
				require.Equal(t, 1, w.count("abci_info", urlB))
			})
		})
	}
}

func TestSomeNodesUnreachable(t *testing.T) {
	for live := range 5 {
		t.Run(fmt.Sprint(live, " lives"), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				nodes := []behaviour{dead, on("other-1", 5), says(fetch.Response{Status: 429}), dead, says(body("<html>"))}
				nodes[live] = at(9)
				p, _ := pool(t, nodes...)
				left, err := p.Probe(t.Context())
				require.NoError(t, err)
				require.Len(t, left, 4)
				height, err := p.Height(t.Context())
				require.NoError(t, err)
				require.EqualValues(t, 9, height)
			})
		})
	}
}

func TestAllNodesUnreachable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := pool(t, dead, on("other-1", 5), says(fetch.Response{Status: 503, RetryAfter: "60"}), hangs())
		_, err := p.Height(t.Context())
		require.EqualError(t, err, "All the current rpc nodes are unavailable. (https://a.example: unreachable: connection refused; "+
			`https://b.example: chain id is "other-1", want "test-1"; https://c.example: HTTP status 503, retry after 1m0s; `+
			"https://d.example: timed out after 15s)")
		require.ErrorIs(t, err, fetch.ErrUnreachable)
		require.ErrorIs(t, err, fetch.ErrTimeout)
		var chain *nodepool.WrongChainError
		require.ErrorAs(t, err, &chain)

		before := w.total()
		_, err = p.Height(t.Context())
		var none *nodepool.UnreachableError
		require.ErrorAs(t, err, &none)
		require.Len(t, none.Attempts, 4, "all are named, whether they were asked or not")
		require.Equal(t, 2, w.total()-before, "those that only failed are tried again")
		require.Zero(t, w.count("abci_info"))
	})
}

func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := pool(t, at(9), at(9))
		_, err := p.Probe(t.Context())
		require.NoError(t, err)
		w.set(urlA, says(fetch.Response{Status: 429, RetryAfter: "100"}))
		ask := func() {
			_, err := p.Query(t.Context(), "/path", nil)
			require.NoError(t, err)
		}
		ask()
		require.Equal(t, 1, w.count("abci_query", urlA))
		w.set(urlA, at(9))
		w.set(urlB, dead)
		time.Sleep(99 * time.Second)
		_, err = p.Query(t.Context(), "/path", nil)
		require.ErrorContains(t, err, "https://a.example: HTTP status 429, retry after 1m40s")
		require.Equal(t, 1, w.count("abci_query", urlA), "even though it is the only node")
		time.Sleep(time.Second)
		ask()
		require.Equal(t, 2, w.count("abci_query", urlA))

		w.set(urlA, says(fetch.Response{Status: 429, RetryAfter: "864000"}))
		_, err = p.Query(t.Context(), "/path", nil)
		require.Error(t, err)
		w.set(urlA, at(9))
		time.Sleep(5*time.Minute - time.Second)
		_, err = p.Query(t.Context(), "/path", nil)
		require.Error(t, err)
		require.Equal(t, 3, w.count("abci_query", urlA))
		time.Sleep(time.Second)
		ask()
		require.Equal(t, 4, w.count("abci_query", urlA), "the only node is not left alone for ten days")
	})
}

func TestDeadlineAndCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, call := range []func(*Pool, context.Context) error{
			func(p *Pool, ctx context.Context) error { _, err := p.Height(ctx); return err },
			func(p *Pool, ctx context.Context) error { _, err := p.Broadcast(ctx, []byte("x")); return err },
			func(p *Pool, ctx context.Context) error { _, err := p.Probe(ctx); return err },
		} {
			p, _ := pool(t, dead, hangs())
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			var err error
			require.Equal(t, 3*time.Second, elapsed(func() { err = call(p, ctx) }))
			cancel()
			require.ErrorIs(t, err, context.DeadlineExceeded)
			var none *nodepool.UnreachableError
			require.ErrorAs(t, err, &none)
			require.Len(t, none.Attempts, 2)
			require.Contains(t, none.Attempts[0].Reason, "connection refused")
			require.Contains(t, none.Attempts[1].Reason, "timed out")

			ctx, cancel = context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			require.Equal(t, time.Second, elapsed(func() { err = call(p, ctx) }))
			require.ErrorIs(t, err, context.Canceled)
			require.False(t, errors.Is(err, context.DeadlineExceeded))
			synctest.Wait()
			require.Empty(t, p.Nodes()[1].Reason, "a call that was given up says nothing of the node")
		}
	})
}
