package nodepool

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
)

// saying answers everything but greetings with one thing, after a while.
func saying(answer fetch.Response, after time.Duration) host {
	return func(body string) fetch.Response {
		if greets(body) {
			return adder(body)
		}
		time.Sleep(after)
		return answer
	}
}

// after is a node that knows the answers, and takes its time.
func after(d time.Duration) host {
	return func(body string) fetch.Response {
		if !greets(body) {
			time.Sleep(d)
		}
		return adder(body)
	}
}

func greets(body string) bool { return len(body) > 0 && body[0] == '{' }

func TestPoll(t *testing.T) {
	slow := saying(ok("[]"), 2*time.Second)
	liar := func(body string) fetch.Response {
		if greets(body) {
			return adder(body)
		}
		return adder(`[{"id":` + idOf(body) + `,"method":"double","params":[50]}]`)
	}
	for _, c := range []struct {
		name  string
		hosts []host
		want  map[string]string
		takes time.Duration
		fails string
	}{
		{"one", []host{adder}, map[string]string{"a": "6"}, 0, ""},
		{"three", []host{adder, liar, adder}, map[string]string{"a": "6", "b": "100", "c": "6"}, 0, ""},
		{"a late one", []host{adder, slow}, map[string]string{"a": "6"}, time.Second, ""},
		{"one that is late after two", []host{adder, after(700 * time.Millisecond), after(1200 * time.Millisecond)}, map[string]string{"a": "6", "b": "6"},
			time.Second, ""},
		{"one that fails", []host{saying(ok("<html>"), 0), adder}, map[string]string{"b": "6"}, 0, ""},
		{"none", []host{saying(ok("<html>"), 0), saying(fetch.Response{Status: 502}, time.Minute)}, nil, time.Minute,
			"responds with an HTML page; https://b.example: HTTP status 502"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPool(t, c.hosts...)
				began := time.Now()
				votes, err := p.Poll(t.Context(), doubles(3), time.Second)
				if c.fails == "" {
					require.NoError(t, err)
				} else {
					require.ErrorContains(t, err, c.fails)
					require.ErrorAs(t, err, new(*UnreachableError))
				}
				require.Equal(t, c.takes, time.Since(began))
				got := map[string]string{}
				for _, v := range votes {
					got[v.URL[len("https://"):len("https://")+1]] = v.Answer.(string)
				}
				require.Len(t, got, len(c.want))
				for node, want := range c.want {
					require.Equal(t, want, got[node])
				}
				time.Sleep(time.Hour) // for those who are late
			})
		})
	}
}

// Who is not waited for has done nothing wrong, and who asks need not wait.
func TestPollTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(t, adder, saying(ok("<html>"), 2*time.Second))
		_, err := p.Poll(t.Context(), doubles(3), time.Second)
		require.NoError(t, err)
		time.Sleep(time.Hour)
		require.True(t, p.Nodes()[1].Healthy)

		p = newPool(t, after(time.Minute))
		short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		began := time.Now()
		_, err = p.Poll(short, doubles(3), time.Second)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 300*time.Millisecond, time.Since(began))
		time.Sleep(time.Hour)
		require.True(t, p.Nodes()[0].Healthy)
	})
}

func idOf(body string) string {
	_, rest, _ := strings.Cut(body, `"id":`)
	id, _, _ := strings.Cut(rest, ",")
	return id
}

// A node that says no has answered, and only sound ones are asked while there are some.
func TestPollIgnoresErrors(t *testing.T) {
	no := errors.New("no")
	p := newPool(t, adder, adder)
	q := doubles(1)
	q.ReadAll = func([]Outcome) (any, int64, error) { return nil, 0, verdict{no} }
	_, err := p.Poll(t.Context(), q, time.Second)
	require.ErrorIs(t, err, no)

	p.fail(p.nodes[0], no)
	votes, err := p.Poll(t.Context(), doubles(1), time.Second)
	require.NoError(t, err)
	require.Len(t, votes, 1)
	require.Equal(t, "https://b.example", votes[0].URL)
	p.fail(p.nodes[1], no)
	votes, err = p.Poll(t.Context(), doubles(1), time.Second)
	require.NoError(t, err)
	require.Len(t, votes, 2, "all rest: they are asked for their chain first")
}

type verdict struct{ error }

func (verdict) Final() bool     { return false }
func (v verdict) Unwrap() error { return v.error }
