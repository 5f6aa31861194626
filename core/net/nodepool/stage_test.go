package nodepool

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
)

// act is a node's response to a request.
type act struct {
	after  time.Duration
	result string // result in JSON
	error  string // JSON-RPC error in JSON
	status int    // 0 means 200
	body   string // body in place of a result
	retry  string // value of Retry-After
	err    error  // error of the connection
}

// play defines how a node responds, given the method and the number of previous requests for
// it.
type play func(method string, before int) act

// good returns a node that passes the health check, and answers all other requests with its
// name after a delay.
func good(name string, after time.Duration) play {
	return func(method string, _ int) act {
		if method == "hello" {
			return act{result: `{"chain":"ours"}`}
		}
		return act{after: after, result: fmt.Sprintf(`{"name":%q}`, name)}
	}
}

// tall is like good, with a height in all answers.
func tall(name string, height int64, after time.Duration) play {
	return func(method string, _ int) act {
		if method == "hello" {
			return act{result: fmt.Sprintf(`{"chain":"ours","height":%d}`, height)}
		}
		return act{after: after, result: fmt.Sprintf(`{"name":%q,"height":%d}`, name, height)}
	}
}

// standing returns a node that answers the health check with hello.
func standing(hello string) play {
	return func(method string, _ int) act { return act{result: hello} }
}

// doing returns a node that passes the health check and then always responds in the same way.
func doing(a act) play {
	return func(method string, before int) act {
		if method == "hello" {
			return good("", 0)(method, before)
		}
		return a
	}
}

// stage is a pool with nodes a, b, c, … that behave as defined by plays.
type stage struct {
	*Pool
	t     *testing.T
	began time.Time
	mu    sync.Mutex
	plays map[byte]play
	count map[string]int // number of requests by node and method
	log   []string       // node, method and time since the start
	sent  []fetch.Request
}

func newStage(t *testing.T, plays ...play) *stage { return configured(t, nil, plays...) }

func configured(t *testing.T, configure func(*Config), plays ...play) *stage {
	t.Helper()
	s := &stage{t: t, began: time.Now(), plays: map[byte]play{}, count: map[string]int{}}
	c := Config{HealthCheck: Light("hello", readHello), Now: time.Now, MaxLag: 2, Block: chainBlock, Fetcher: fetch.Func(s.fetch)}
	for i, p := range plays {
		s.plays[byte('a'+i)] = p
		c.Nodes = append(c.Nodes, Node{URL: fmt.Sprintf("https://%c.example", 'a'+i)})
	}
	if configure != nil {
		configure(&c)
	}
	var err error
	s.Pool, err = New(c)
	require.NoError(t, err)
	return s
}

func readHello(result json.RawMessage) (any, int64, error) {
	var hello struct {
		Chain            string
		Behind           bool
		Height, Earliest int64
	}
	if err := Read(result, &hello); err != nil {
		return nil, 0, err
	}
	if hello.Chain != "ours" {
		return nil, 0, &WrongChainError{hello.Chain, "ours"}
	}
	return Health{hello.Behind, hello.Earliest}, hello.Height, nil
}

func (s *stage) fetch(ctx context.Context, r fetch.Request) (fetch.Response, error) {
	var call struct {
		ID     json.RawMessage
		Method string
	}
	require.NoError(s.t, json.Unmarshal(r.Body, &call))
	name := r.URL[len("https://")]
	s.mu.Lock()
	s.sent = append(s.sent, r)
	s.log = append(s.log, fmt.Sprintf("%c %s %v", name, call.Method, time.Since(s.began)))
	key := string(name) + call.Method
	a := s.plays[name](call.Method, s.count[key])
	s.count[key]++
	s.mu.Unlock()
	select {
	case <-time.After(a.after):
	case <-ctx.Done():
		return fetch.Response{}, ctx.Err()
	}
	answer := fetch.Response{Status: 200, Body: []byte(a.body), RetryAfter: a.retry}
	switch {
	case a.status != 0:
		answer.Status = a.status
	case a.result != "":
		answer.Body = fmt.Appendf(nil, `{"id":%s,"result":%s}`, call.ID, a.result)
	case a.error != "":
		answer.Body = fmt.Appendf(nil, `{"id":%s,"error":%s}`, call.ID, a.error)
	}
	return answer, a.err
}

// requests returns how many requests for a method a node received.
func (s *stage) requests(name byte, method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count[string(name)+method]
}

// who returns a question whose answer contains the name of a node.
func who() Question {
	return Light("who", func(result json.RawMessage) (any, int64, error) {
		var who struct {
			Name   string
			Height int64
		}
		err := Read(result, &who)
		return who.Name, who.Height, err
	})
}

// probed runs all health checks first.
func (s *stage) probed() *stage {
	_, err := s.Probe(s.t.Context())
	require.NoError(s.t, err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log, s.sent = nil, nil
	return s
}
