package nodepool

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
)

const refusalJSON = `{"code":-5,"message":"no such thing"}`

// silent returns a node that never answers.
func silent() play { return doing(act{after: time.Hour}) }

// refusing returns a node that passes the health check with a height and refuses all other
// requests.
func refusing(height int64) play {
	return func(method string, before int) act {
		if method == "hello" {
			return tall("", height, 0)(method, before)
		}
		return act{error: refusalJSON}
	}
}

// TestRace checks the times at which nodes are asked, and the node that the answer is from.
func TestRace(t *testing.T) {
	second := func(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }
	down := doing(act{err: fetch.ErrUnreachable})
	page := doing(act{body: "<html>"})
	no := doing(act{error: refusalJSON})
	late := func(a act, after time.Duration) play { a.after = after; return doing(a) }
	for _, c := range []struct {
		name      string
		nodes     []play
		hedge     time.Duration
		want      string // the answer, or a part of the error
		fails     bool
		takes     time.Duration
		requested string
	}{
		{"the first answers", []play{good("a", 0), good("b", 0)}, 0, "a", false, 0, "a"},
		{"the first fails", []play{down, good("b", 0)}, 0, "b", false, 0, "ab"},
		{"two fail, each in its way", []play{down, page, good("c", 0)}, 0, "c", false, 0, "abc"},
		{"the first is slow", []play{good("a", second(9)), good("b", 0)}, 0, "b", false, minHedge, "ab"},
		{"the first is slow, and hedged soon", []play{good("a", second(9)), good("b", 0)}, second(.2), "b", false, second(.2), "ab"},
		{"the first is slow, but faster than the second", []play{good("a", second(1.5)), good("b", second(9))}, 0, "a", false, second(1.5), "ab"},
		{"two are slow", []play{good("a", second(9)), good("b", second(9)), good("c", 0)}, 0, "c", false, 2 * minHedge, "abc"},
		{"all are slow", []play{good("a", second(5)), good("b", second(3)), good("c", second(8))}, 0, "b", false, minHedge + second(3), "abc"},
		{"one fails while others are waited for", []play{late(act{body: "<"}, second(.5)), good("b", second(2)), silent()}, 0, "b", false, minHedge + second(2), "abc"},
		{"one never answers", []play{silent()}, 0, "timed out after 15s", true, LightTimeout, "a"},
		{"none answers", []play{down, page, late(act{status: 502}, second(3))}, 0,
			"(https://a.example: unreachable; https://b.example: responds with an HTML page; https://c.example: HTTP status 502)", true, second(3), "abc"},
		{"a refusal, which others may not share", []play{no, good("b", 0)}, 0, "b", false, 0, "ab"},
		{"a refusal by all", []play{no, no}, 0, "https://a.example: no such thing (-5)", true, 0, "ab"},
		{"a refusal, and others who fail", []play{no, down, page}, 0, "https://a.example: no such thing (-5)", true, 0, "abc"},
		{"a refusal, and one who is late", []play{no, silent()}, 0, "https://a.example: no such thing", true, grace, "ab"},
		{"a refusal, one who is late, and an answer", []play{no, silent(), good("c", 0)}, 0, "c", false, minHedge, "abc"},
		{"two refusals, and others who are slow", []play{no, no, good("c", second(1.5)), silent(), good("e", second(9))}, 0, "c", false, second(1.5), "abcde"},
		{"one that is behind", []play{tall("a", 900, 0), tall("b", 1000, 0), tall("c", 1000, 0)}, 0, "b", false, 0, "b"},
		{"one that is behind answers first", []play{tall("a", 900, 0), tall("b", 1000, second(1.7)), tall("c", 1000, second(9))}, 0,
			"b", false, second(1.7), "bca"},
		{"the others are too late", []play{tall("a", 900, 0), tall("b", 1000, second(9)), tall("c", 1000, second(9))}, 0,
			"a", false, 2*minHedge + grace, "bca"},
		{"refusals, and an answer of one that is behind", []play{refusing(1000), refusing(1000), tall("c", 900, 0)}, 0, "c", false, 0, "abc"},
		{"a node that says it is behind is the last", []play{standing(`{"chain":"ours","behind":true}`), good("b", 0)}, 0, "b", false, 0, "b"},
		{"a node on another chain is not asked", []play{standing(`{"chain":"theirs"}`), good("b", 0)}, 0, "b", false, 0, "b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t, c.nodes...).probed()
				q := who()
				q.Hedge = c.hedge
				began := time.Now()
				got, err := Get[string](t.Context(), s.Pool, q)
				require.Equal(t, c.takes, time.Since(began))
				if c.fails {
					require.ErrorContains(t, err, c.want)
				} else {
					require.NoError(t, err)
					require.Equal(t, c.want, got)
				}
				requested := ""
				for _, line := range s.log {
					requested += line[:1]
				}
				require.Equal(t, c.requested, requested)
				time.Sleep(2 * time.Hour) // waits for late requests
			})
		})
	}
}

// sure is a refusal that all nodes would return.
type sure struct{ *RPCError }

func (sure) Final() bool { return true }

// TestFinalVerdict checks that no other node is asked if all nodes would return the same
// answer.
func TestFinalVerdict(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, doing(act{error: refusalJSON}), good("b", 0)).probed()
		q := who()
		q.Refine = func(e *RPCError) (any, error) { return nil, sure{e} }
		_, err := s.Ask(t.Context(), q)
		require.Equal(t, sure{&RPCError{Code: -5, Message: "no such thing"}}, err)
		require.Zero(t, s.requests('b', "who"))
		q.Refine = func(*RPCError) (any, error) { return "none", nil }
		got, err := Get[string](t.Context(), s.Pool, q)
		require.NoError(t, err)
		require.Equal(t, "none", got, "an error may be an answer")
		require.True(t, s.Nodes()[0].Healthy)
	})
}

// TestWrites checks that a write is sent to other nodes when a node fails, and that a refusal
// is not final after a failure that leaves open whether the write was executed.
func TestWrites(t *testing.T) {
	lost := func(after time.Duration) play { return doing(act{after: after, err: fetch.ErrUnreachable}) }
	no := doing(act{error: refusalJSON})
	rejectedUnread := doing(act{status: 413})
	for _, c := range []struct {
		name  string
		nodes []play
		want  string
		final bool // whether the error is only the node's answer
	}{
		{"written", []play{good("a", 0), no}, "a", false},
		{"refused", []play{no}, "no such thing", true},
		{"refused by all", []play{no, no, no}, "no such thing", true},
		{"lost, then written", []play{lost(0), good("b", 0)}, "b", false},
		{"lost, then refused", []play{lost(0), no}, "https://a.example: unreachable; https://b.example: no such thing", false},
		{"turned away, then refused", []play{rejectedUnread, no}, "no such thing", true},
		{"turned away, then written", []play{rejectedUnread, good("b", 0)}, "b", false},
		{"refused while one is on its way, who writes it", []play{good("a", 3*time.Second), no}, "a", false},
		{"refused while one is on its way, who is lost", []play{lost(3 * time.Second), no}, "unreachable", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t, c.nodes...).probed()
				q := who()
				q.Writes = true
				q.Refine = func(e *RPCError) (any, error) { return nil, sure{e} }
				got, err := Get[string](t.Context(), s.Pool, q)
				if err == nil {
					require.Equal(t, c.want, got)
					return
				}
				require.ErrorContains(t, err, c.want)
				var unreachable *UnreachableError
				require.Equal(t, !c.final, errors.As(err, &unreachable), err)
			})
		})
	}
}

// TestCallerGivesUp checks that the error describes the state of each node, and that no node is
// recorded as failed.
func TestCallerGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, silent(), doing(act{err: fetch.ErrUnreachable}), silent()).probed()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		_, err := s.Ask(ctx, who())
		var unreachable *UnreachableError
		require.ErrorAs(t, err, &unreachable)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorIs(t, err, fetch.ErrUnreachable)
		var attempts []string
		for _, a := range unreachable.Attempts {
			attempts = append(attempts, a.URL+" "+a.Reason)
		}
		require.Equal(t, []string{"https://a.example " + errLate.Error(), "https://b.example unreachable", "https://c.example " + errLate.Error()}, attempts)
		synctest.Wait()
		require.True(t, s.Nodes()[0].Healthy)
		require.False(t, s.Nodes()[1].Healthy)

		gone, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = s.Ask(gone, who())
		require.ErrorIs(t, err, context.Canceled)
		require.False(t, errors.As(err, &unreachable))
	})
}

// TestSharedQuestions checks that concurrent callers with equal questions share the answer,
// except for writes.
func TestSharedQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := configured(t, func(c *Config) { c.TTL = map[string]time.Duration{"who": 10 * time.Second} }, good("a", 100*time.Millisecond)).probed()
		all := func(q Question) {
			done := make(chan error, 5)
			for range 5 {
				go func() { _, err := s.Ask(t.Context(), q); done <- err }()
			}
			for range 5 {
				require.NoError(t, <-done)
			}
		}
		all(who())
		require.Equal(t, 1, s.requests('a', "who"))
		time.Sleep(9 * time.Second)
		all(who())
		require.Equal(t, 1, s.requests('a', "who"), "it is kept for a while")
		time.Sleep(2 * time.Second)
		all(who())
		require.Equal(t, 2, s.requests('a', "who"))
		s.Invalidate("other")
		all(who())
		require.Equal(t, 2, s.requests('a', "who"))
		s.Invalidate("who")
		all(who())
		require.Equal(t, 3, s.requests('a', "who"))
		q := who()
		q.Writes = true
		all(q)
		require.Equal(t, 8, s.requests('a', "who"))

		q = who()
		q.Params = make(chan int)
		_, err := s.Ask(t.Context(), q)
		require.Error(t, err)
		q.Params, q.Read = nil, func(json.RawMessage) (any, int64, error) { return 5, 0, nil }
		q.Method = "other"
		_, err = Get[string](t.Context(), s.Pool, q)
		require.NoError(t, err, "an answer of another type is ignored")
	})
}
