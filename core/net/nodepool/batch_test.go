package nodepool

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
)

// host answers requests in any form.
type host func(body string) fetch.Response

func (h host) Fetch(_ context.Context, r fetch.Request) (fetch.Response, error) {
	return h(string(r.Body)), nil
}

func ok(body string) fetch.Response { return fetch.Response{Status: 200, Body: []byte(body)} }

// adder is a host that answers calls of "double", single or in a batch, in reverse order, and
// passes the health check.
func adder(body string) fetch.Response {
	type call struct {
		ID     json.RawMessage
		Method string
		Params []int
	}
	var list []call
	if json.Unmarshal([]byte(body), &list) != nil {
		var c call
		if json.Unmarshal([]byte(body), &c) != nil {
			return ok(`{"id":null,"error":{"code":-32700,"message":"what?"}}`)
		}
		return ok(double(c.ID, c.Method, c.Params))
	}
	var all []string
	for i := len(list) - 1; i >= 0; i-- {
		all = append(all, double(list[i].ID, list[i].Method, list[i].Params))
	}
	return ok("[" + strings.Join(all, ",") + "]")
}

func double(id json.RawMessage, method string, params []int) string {
	switch {
	case method == "hello":
		return fmt.Sprintf(`{"id":%s,"result":"yes"}`, id)
	case params[0] < 0:
		return fmt.Sprintf(`{"id":%s,"error":{"code":-1,"message":"below 0"}}`, id)
	}
	return fmt.Sprintf(`{"id":%s,"result":%d}`, id, 2*params[0])
}

func newPool(t *testing.T, hosts ...host) *Pool {
	t.Helper()
	var urls []string
	for i := range hosts {
		urls = append(urls, "https://"+string(rune('a'+i))+".example")
	}
	return newPoolAt(t, urls, hosts...)
}

// newPoolAt is like newPool, with other URLs for the hosts a, b, and so on.
func newPoolAt(t *testing.T, urls []string, hosts ...host) *Pool {
	t.Helper()
	greeting := Light("hello", func(json.RawMessage) (any, int64, error) { return Health{}, 0, nil })
	greeting.Params = []int{}
	c := Config{HealthCheck: greeting, Now: time.Now, NumericIDs: true, Fetcher: fetch.Func(func(ctx context.Context, r fetch.Request) (fetch.Response, error) {
		return hosts[strings.ToLower(r.URL)[len("https://")]-'a'].Fetch(ctx, r)
	})}
	for _, url := range urls {
		c.Nodes = append(c.Nodes, Node{URL: url})
	}
	p, err := New(c)
	require.NoError(t, err)
	_, err = p.Probe(t.Context())
	require.NoError(t, err)
	return p
}

// doubles returns a question with a batch of numbers to double.
func doubles(numbers ...int) Question {
	q := Light("", nil)
	q.ReadAll = func(outcomes []Outcome) (any, int64, error) {
		var results []string
		for _, o := range outcomes {
			if o.Err != nil {
				results = append(results, o.Err.Error())
			} else {
				results = append(results, string(o.Result))
			}
		}
		return strings.Join(results, " "), 0, nil
	}
	for _, n := range numbers {
		q.Batch = append(q.Batch, Call{"double", []int{n}})
	}
	return q
}

func TestBatch(t *testing.T) {
	var requests atomic.Int32
	p := newPool(t, func(body string) fetch.Response {
		requests.Add(1)
		return adder(body)
	})
	got, err := Get[string](t.Context(), p, doubles(1, 2, -3, 4))
	require.NoError(t, err)
	require.Equal(t, "2 4 below 0 (-1) 8", got)
	require.EqualValues(t, 2, requests.Load(), "a greeting and a batch")
	a, err := doubles(1, 2).key()
	require.NoError(t, err)
	b, err := doubles(1, 3).key()
	require.NoError(t, err)
	require.NotEqual(t, a, b, "other batches are other questions")
}

// TestNodesWithoutBatches checks the responses of nodes that do not support batches. Such nodes
// must be remembered, and receive single calls.
func TestNodesWithoutBatches(t *testing.T) {
	for name, answer := range map[string]fetch.Response{
		"an error":             ok(`{"id":null,"error":{"code":-32600,"message":"no batches"}}`),
		"an error in a list":   ok(`[{"id":null,"error":{"code":-32600,"message":"too many"}}]`),
		"an error with status": {Status: 400, Body: []byte(`{"error":{"code":-32600,"message":"no batches"}}`)},
		"a status":             {Status: 413, Body: []byte(`too large`)},
		"another result":       ok(`{"id":1,"result":"x"}`),
		"null":                 ok(`null`),
		"an error for the first call, as go-ethereum": ok(`[{"id":2,"error":{"code":-32600,"message":"too large"}}]`),
		"a text for an error":                         ok(`{"error":"batch requests are not allowed on the free plan"}`),
		"a code of limits":                            ok(`{"id":null,"error":{"code":-32005,"message":"maximum 3 calls in 1 batch"}}`),
		"a code of limits, in a list":                 ok(`[{"id":null,"error":{"code":-32005,"message":"Batch size limit exceeded"}}]`),
		"too many requests, in words":                 {Status: 429, Body: []byte(`{"error":{"code":-32029,"message":"a batch of more than 3 is not allowed"}}`)},
		"a fault of the server, in words":             {Status: 500, Body: []byte(`Batch requests are not supported`)},
	} {
		t.Run(name, func(t *testing.T) {
			var batches atomic.Int32
			p := newPool(t, func(body string) fetch.Response {
				if body[0] == '[' {
					batches.Add(1)
					return answer
				}
				return adder(body)
			})
			for range 2 {
				got, err := Get[string](t.Context(), p, doubles(5, -1, 7))
				require.NoError(t, err)
				require.Equal(t, "10 below 0 (-1) 14", got)
			}
			require.EqualValues(t, 1, batches.Load())
			require.True(t, p.Nodes()[0].Healthy)
		})
	}
}

// TestNumbersAsTexts checks that responses are accepted if a gateway converts numeric request
// ids to strings.
func TestNumbersAsTexts(t *testing.T) {
	ids := regexp.MustCompile(`"id":(\d+)`)
	p := newPool(t, func(body string) fetch.Response { return adder(body) }, func(body string) fetch.Response {
		r := adder(body)
		r.Body = ids.ReplaceAll(r.Body, []byte(`"id":"$1"`))
		return r
	})
	p.nodes = p.nodes[1:]
	got, err := Get[string](t.Context(), p, doubles(1, 2, -3))
	require.NoError(t, err)
	require.Equal(t, "2 4 below 0 (-1)", got)
	one := Light("double", func(result json.RawMessage) (any, int64, error) { return string(result), 0, nil })
	one.Params = []int{4}
	got, err = Get[string](t.Context(), p, one)
	require.NoError(t, err)
	require.Equal(t, "8", got)
	require.True(t, p.Nodes()[0].Healthy)
}

// TestRanges checks that a refusal of a range that is too large is not treated as a rate limit,
// although some providers use the same code for both.
func TestRanges(t *testing.T) {
	for words, limit := range map[string]bool{
		"query returned more than 10000 results":             false,
		"query timeout exceeded":                             false,
		"limit exceeded":                                     false,
		"project ID request rate exceeded":                   true,
		"daily request count exceeded, request rate limited": true,
	} {
		p := newPool(t, func(body string) fetch.Response {
			if strings.Contains(body, "logs") {
				return ok(fmt.Sprintf(`[{"id":2,"error":{"code":-32005,"message":%q}}]`, words))
			}
			return adder(body)
		})
		q := doubles(1)
		q.Batch[0].Method, q.Ranged = "logs", true
		q.ReadAll = func(o []Outcome) (any, int64, error) { return nil, 0, o[0].Err }
		_, err := p.Ask(t.Context(), q)
		require.ErrorContains(t, err, words)
		require.Equal(t, !limit, p.Nodes()[0].Healthy, words)
		if limit {
			require.ErrorAs(t, err, new(*LimitError))
			continue
		}
		require.ErrorAs(t, err, new(*RPCError))
		got, err := Get[string](t.Context(), p, doubles(4))
		require.NoError(t, err)
		require.Equal(t, "8", got)
	}
}

// TestFaultyBatches checks that faults in a batch are attributed to the node, and that the next
// node is asked.
func TestFaultyBatches(t *testing.T) {
	for name, c := range map[string]struct {
		answer fetch.Response
		reason string
	}{
		"busy":             {fetch.Response{Status: 429}, "HTTP status 429"},
		"busy, in words":   {ok(`{"id":null,"error":"rate limit exceeded"}`), "rate limit exceeded"},
		"busy, for one":    {ok(`[{"id":3,"result":1},{"id":4,"error":{"code":-32005,"message":"slow down"}}]`), "slow down"},
		"a page":           {ok("<html>"), "HTML page"},
		"cut off":          {ok(`[{"id":1`), "incomplete or invalid JSON"},
		"a redirect":       {fetch.Response{Status: 302}, "redirect"},
		"broken":           {fetch.Response{Status: 500, Body: []byte("oops")}, "HTTP status 500"},
		"broken, a list":   {fetch.Response{Status: 500, Body: []byte("[]")}, "HTTP status 500"},
		"nothing":          {ok("[]"), "no response to 2 calls"},
		"another's answer": {ok(`[{"id":99,"result":1}]`), "does not match the request"},
		"no result":        {ok(`[{"id":3},{"id":4}]`), "neither result nor error"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // in a bubble, so that all nodes are equally fast
				p := newPool(t, func(body string) fetch.Response {
					if body[0] == '[' {
						return c.answer
					}
					return adder(body)
				}, adder)
				got, err := Get[string](t.Context(), p, doubles(5, 7))
				require.NoError(t, err)
				require.Equal(t, "10 14", got)
				require.Contains(t, p.Nodes()[0].Reason, c.reason)
			})
		})
	}
}

func FuzzBatch(f *testing.F) {
	f.Add(200, `[{"id":2,"result":4},{"id":3,"error":{"code":1,"message":"m"}}]`)
	f.Add(413, `{"error":{}}`)
	f.Fuzz(func(t *testing.T, status int, body string) {
		p := newPool(t, func(body string) fetch.Response {
			if strings.Contains(body, "hello") {
				return adder(body)
			}
			return fetch.Response{Status: status, Body: []byte(body)}
		})
		if _, err := p.Ask(t.Context(), doubles(1, 2)); err != nil {
			require.Less(t, len(err.Error()), 5000)
		}
	})
}
