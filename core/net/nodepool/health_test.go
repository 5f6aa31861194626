package nodepool

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
)

// TestPauses checks how long a node is paused after faults.
func TestPauses(t *testing.T) {
	down := fetch.ErrUnreachable
	status := func(status int, wait time.Duration) error { return &StatusError{status, wait, ""} }
	many := func(n int, err error) (all []error) {
		for range n {
			all = append(all, err)
		}
		return all
	}
	for _, c := range []struct {
		name      string
		faults    []error
		rest      time.Duration
		suspended bool
	}{
		{"one fault", many(1, down), minPause, false},
		{"two", many(2, down), 2 * minPause, false},
		{"five", many(5, down), 16 * minPause, false},
		{"many", many(9, down), maxPause, false},
		{"more than a shift takes", many(100, down), maxPause, false},
		{"another chain", many(1, &WrongChainError{"a", "b"}), wrongChainPause, false},
		{"busy", many(1, status(429, 0)), minPause, true},
		{"busy for a second", many(1, status(429, time.Second)), minPause, true},
		{"busy for a minute", many(1, status(429, time.Minute)), time.Minute, true},
		{"overloaded for a minute", many(1, status(503, time.Minute)), time.Minute, true},
		{"overloaded", many(1, status(503, 0)), minPause, false},
		{"busy for a day", many(1, status(429, 24*time.Hour)), maxLoneRetryAfter, true},
		{"busy, often", many(8, status(429, time.Second)), minPause << 7, true},
		{"a limit in words", many(2, &LimitError{"slow down"}), 2 * minPause, true},
		{"busy, then another fault", []error{status(429, time.Hour), down}, 2 * minPause, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t, good("a", 0)).probed()
				for _, err := range c.faults {
					s.fail(s.nodes[0], err)
				}
				state := s.Nodes()[0]
				require.Equal(t, c.rest, time.Until(state.RetryAt))
				require.Equal(t, c.suspended, state.Suspended)
				require.False(t, state.Healthy)
				require.Equal(t, c.faults[len(c.faults)-1].Error(), state.Reason)

				s.succeed(s.nodes[0], who(), 0)
				state = s.Nodes()[0]
				require.True(t, state.RetryAt.IsZero() && state.Reason == "" && !state.Suspended)
				s.fail(s.nodes[0], down)
				require.Equal(t, minPause, time.Until(s.Nodes()[0].RetryAt), "faults in a row count")
			})
		})
	}
}

// TestSuspendedNodes checks that a node that asks for a pause is not used before its end, even
// if no other node is left, and that other paused nodes are used if no better one is left.
func TestSuspendedNodes(t *testing.T) {
	for _, c := range []struct {
		name    string
		first   act
		retried bool // whether it is asked again during the pause
	}{
		{"busy", act{status: 429, retry: "60"}, false},
		{"busy, and names a date", act{status: 503, retry: "Sat, 01 Jan 2000 00:01:00 GMT"}, false}, // one minute after the bubble begins
		{"broken", act{status: 500}, true},
		{"no connection", act{err: fetch.ErrUnreachable}, true},
		{"too much", act{err: fetch.ErrTooLarge}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t, func(method string, before int) act {
					if method == "who" && before == 0 {
						return c.first
					}
					return good("a", 0)(method, before)
				}).probed()
				_, err := s.Ask(t.Context(), who())
				require.ErrorAs(t, err, new(*UnreachableError))
				time.Sleep(time.Second)
				got, err := Get[string](t.Context(), s.Pool, who())
				if c.retried {
					require.NoError(t, err)
					require.Equal(t, "a", got)
					require.Equal(t, 2, s.requests('a', "hello"), "it is asked for its chain first")
					return
				}
				require.ErrorContains(t, err, "retry after")
				require.Equal(t, 1, s.requests('a', "who"))
				time.Sleep(time.Minute)
				got, err = Get[string](t.Context(), s.Pool, who())
				require.NoError(t, err)
				require.Equal(t, "a", got)
			})
		})
	}
}

// TestLongRetryAfter checks that the reported pause is the one that is used, and that the only
// node of a coin is asked again soon.
func TestLongRetryAfter(t *testing.T) {
	for _, c := range []struct {
		name   string
		others []play
		pause  time.Duration
	}{
		{"the only node", nil, 5 * time.Minute},
		{"another one is down", []play{doing(act{err: fetch.ErrUnreachable})}, 5 * time.Minute},
		{"another one is well", []play{good("b", 0)}, time.Hour},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				busy := func(method string, before int) act {
					if method == "who" && before == 0 {
						return act{status: 429, retry: "99999999"}
					}
					return good("a", 0)(method, before)
				}
				s := newStage(t, append([]play{busy}, c.others...)...).probed()
				if len(c.others) > 0 {
					_, _ = s.ask(t.Context(), s.nodes[1], who())
				}
				_, err := s.ask(t.Context(), s.nodes[0], who())
				require.ErrorContains(t, err, "HTTP status 429, retry after "+c.pause.String())
				state := s.Nodes()[0]
				require.Equal(t, c.pause, time.Until(state.RetryAt))
				require.Equal(t, err.Error(), state.Reason)
				time.Sleep(c.pause)
				may, _ := s.order()
				require.Contains(t, may, s.nodes[0])
			})
		})
	}
}

// TestProbe checks which nodes are excluded, the reasons, and the duration.
func TestProbe(t *testing.T) {
	slow := func(d time.Duration) play {
		return func(string, int) act { return act{after: d, result: `{"chain":"ours"}`} }
	}
	for _, c := range []struct {
		name  string
		nodes []play
		out   map[string]string // node → part of the reason
		fails bool
		takes time.Duration
	}{
		{"all well", []play{good("a", 0), good("b", 0)}, nil, false, 0},
		{"one on another chain", []play{standing(`{"chain":"theirs"}`), good("b", 0)}, map[string]string{"a": `chain id is "theirs", want "ours"`}, false, 0},
		{"one refuses the question", []play{func(string, int) act { return act{error: refusalJSON} }, good("b", 0)},
			map[string]string{"a": "invalid response: method hello: no such thing"}, false, 0},
		{"one says something else", []play{standing(`"hi"`), good("b", 0)}, map[string]string{"a": "unexpected value of type string"}, false, 0},
		{"one is late", []play{slow(3 * time.Second), good("b", 0)}, map[string]string{"a": errLate.Error()}, false, grace},
		{"one is in time", []play{slow(900 * time.Millisecond), good("b", 0)}, nil, false, 900 * time.Millisecond},
		{"all are slow", []play{slow(14 * time.Second), slow(14500 * time.Millisecond)}, nil, false, 14500 * time.Millisecond},
		{"none answers", []play{slow(time.Hour), slow(time.Hour)}, map[string]string{"a": "timed out after 15s", "b": "timed out after 15s"}, true, LightTimeout},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t, c.nodes...)
				began := time.Now()
				out, err := s.Probe(t.Context())
				require.Equal(t, c.takes, time.Since(began))
				if c.fails {
					var unreachable *UnreachableError
					require.ErrorAs(t, err, &unreachable)
					out = unreachable.Attempts
				} else {
					require.NoError(t, err)
				}
				require.Len(t, out, len(c.out))
				for _, a := range out {
					require.Contains(t, a.Reason, c.out[a.URL[len("https://"):len("https://")+1]])
				}
				time.Sleep(time.Hour)
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, slow(10*time.Second))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := s.Probe(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		time.Sleep(time.Hour)
	})
}

// TestHealthCheckThatSaysNothing checks a health check whose answer cannot be read as a Health.
func TestHealthCheckThatSaysNothing(t *testing.T) {
	s := configured(t, func(c *Config) { c.HealthCheck = who() }, good("a", 0))
	_, err := s.Probe(t.Context())
	require.ErrorIs(t, err, ErrAnswer)
	require.Contains(t, s.Nodes()[0].Reason, "it has no health status")
}

// TestRun checks that failed nodes are checked at increasing intervals until they are healthy.
func TestRun(t *testing.T) {
	for _, c := range []struct {
		name  string
		well  int // number of health checks before the node is healthy
		fault act
		at    []time.Duration // times of the health checks since the start
	}{
		{"down", 4, act{err: fetch.ErrUnreachable}, []time.Duration{0, 2 * time.Second, 6 * time.Second, 14 * time.Second, 30 * time.Second}},
		{"another chain", 2, act{result: `{"chain":"theirs"}`}, []time.Duration{0, wrongChainPause, 2 * wrongChainPause}},
		{"busy", 2, act{status: 429, retry: "90"}, []time.Duration{0, 90 * time.Second, 180 * time.Second}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t, good("a", 0), func(method string, before int) act {
					if method == "hello" && before < c.well {
						return c.fault
					}
					return good("b", 0)(method, before)
				})
				ctx, cancel := context.WithCancel(t.Context())
				done := make(chan error, 1)
				go func() { done <- s.Run(ctx) }()
				time.Sleep(10 * time.Hour)
				synctest.Wait()
				var at []time.Duration
				for _, line := range s.log {
					if rest, is := strings.CutPrefix(line, "b hello "); is {
						d, err := time.ParseDuration(rest)
						require.NoError(t, err)
						at = append(at, d)
					}
				}
				require.Equal(t, c.at, at)
				require.Equal(t, 1, s.requests('a', "hello"), "a sound node is left alone")
				require.True(t, s.Nodes()[1].Healthy)
				cancel()
				require.ErrorIs(t, <-done, context.Canceled)
			})
		})
	}
}

// TestRunWakesOnFaults checks that a node that fails while Run sleeps is checked again.
func TestRunWakesOnFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, func(method string, before int) act {
			if method == "who" && before == 0 {
				return act{err: fetch.ErrUnreachable}
			}
			return good("a", 0)(method, before)
		}, good("b", 0))
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.Run(ctx) }()
		time.Sleep(time.Hour)
		got, err := Get[string](t.Context(), s.Pool, who())
		require.NoError(t, err)
		require.Equal(t, "b", got)
		require.False(t, s.Nodes()[0].Healthy)
		time.Sleep(minPause)
		synctest.Wait()
		require.True(t, s.Nodes()[0].Healthy)
		cancel()
		<-done
	})
}

// TestHealthCheckRunsOnce checks that concurrent questions to nodes of unknown state wait for
// one health check of each.
func TestHealthCheckRunsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, func(method string, before int) act {
			a := good("a", 0)(method, before)
			a.after = 300 * time.Millisecond
			return a
		})
		done := make(chan error, 10)
		for i := range 10 {
			q := who()
			q.Params = map[string]int{"n": i}
			go func() { _, err := s.Ask(t.Context(), q); done <- err }()
		}
		for range 10 {
			require.NoError(t, <-done)
		}
		require.Equal(t, 1, s.requests('a', "hello"))
		require.Equal(t, 10, s.requests('a', "who"))
	})
}

// TestLatency checks the latencies derived from a node's last answers.
func TestLatency(t *testing.T) {
	ms := func(list ...int) (all []time.Duration) {
		for _, n := range list {
			all = append(all, time.Duration(n)*time.Millisecond)
		}
		return all
	}
	for _, c := range []struct {
		times        []time.Duration
		half, tenth  int // median and 90th percentile in milliseconds
		hedge, class int
	}{
		{nil, 0, 0, 1000, 0},
		{ms(0), 0, 0, 400, 0},
		{ms(40), 40, 40, 400, 0},
		{ms(50), 50, 50, 400, 1},
		{ms(100), 100, 100, 400, 2},
		{ms(300, 300, 300), 300, 300, 450, 3},
		{ms(5000), 5000, 5000, 1000, 7},
		{ms(10, 20, 30, 40, 50, 60, 70, 80, 90, 600), 50, 90, 400, 1},
		{ms(600, 10, 600, 20, 600), 600, 600, 900, 4},
		{append(ms(9000, 9000, 9000), ms(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)...), 1, 1, 400, 0}, // old answers are forgotten
	} {
		t.Run(fmt.Sprint(c.times), func(t *testing.T) {
			var p pace
			for _, d := range c.times {
				p.note(d)
			}
			require.Equal(t, ms(c.half, c.tenth, c.hedge), []time.Duration{p.quantile(50), p.quantile(90), p.hedge()})
			require.Equal(t, c.class, p.class())
		})
	}
}

// TestFasterNodeIsPreferred checks that the faster of two nodes is eventually asked first.
// Answers to questions with a custom hedge time, and answers of abandoned nodes, do not count
// towards the latency.
func TestFasterNodeIsPreferred(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, good("a", 350*time.Millisecond), good("b", 20*time.Millisecond)).probed()
		hedged := who()
		hedged.Hedge = time.Minute
		for range 20 {
			_, err := s.Ask(t.Context(), hedged)
			require.NoError(t, err)
		}
		require.Equal(t, 20, s.requests('a', "who"))
		require.Zero(t, s.Nodes()[0].Delay)
		for range 8 {
			_, err := s.Ask(t.Context(), who())
			require.NoError(t, err)
		}
		require.Less(t, s.requests('a', "who"), 26)
		require.Positive(t, s.requests('b', "who"))
		require.Equal(t, 350*time.Millisecond, s.Nodes()[0].Delay)

		left, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		before := s.nodes[1].pace
		_, err := s.Ask(left, who())
		require.Error(t, err)
		synctest.Wait()
		require.Equal(t, before, s.nodes[1].pace)
		s.abandon(s.nodes[1], who(), time.Minute)
		require.Equal(t, before.count+1, s.nodes[1].pace.count, "a long wait in vain counts")
	})
}
