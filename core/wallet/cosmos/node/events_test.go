package node

import (
	"context"
	"encoding/json"
	"errors"
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

// line is a websocket of a simulated node.
type line struct {
	*exchange
	url    string
	header map[string]string
	out    chan string // messages of the node
	broken chan struct{}
	once   sync.Once
}

// exchange opens lines. The node at the other end answers with a function.
type exchange struct {
	mu     sync.Mutex
	lines  []*line
	answer func(l *line, id, method, query string)
	refuse error
}

func (e *exchange) Dial(ctx context.Context, r fetch.Request) (fetch.Socket, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	l := &line{exchange: e, url: r.URL, header: r.Header, out: make(chan string, 100), broken: make(chan struct{})}
	e.lines = append(e.lines, l)
	if e.refuse != nil {
		return nil, e.refuse
	}
	return l, ctx.Err()
}

func (e *exchange) opened() []*line {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]*line{}, e.lines...)
}

func (l *line) Read(ctx context.Context) ([]byte, error) {
	select {
	case text := <-l.out:
		return []byte(text), nil
	case <-l.broken:
		return nil, fmt.Errorf("%w: EOF", fetch.ErrUnreachable)
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: %w", fetch.ErrTimeout, ctx.Err())
	}
}

func (l *line) Write(_ context.Context, text []byte) error {
	var request struct {
		ID, Method string
		Params     struct{ Query string }
	}
	if err := json.Unmarshal(text, &request); err != nil {
		return err
	}
	select {
	case <-l.broken:
		return fetch.ErrUnreachable
	default:
	}
	l.answer(l, request.ID, request.Method, request.Params.Query)
	return nil
}

func (l *line) Close() error {
	l.once.Do(func() { close(l.broken) })
	return nil
}

func (l *line) say(id, result string) {
	l.out <- `{"jsonrpc":"2.0","id":"` + id + `","result":` + result + `}`
}

// well returns a node on a chain that accepts every subscription.
func well(chain string) func(l *line, id, method, query string) {
	return func(l *line, id, method, _ string) {
		if method == "status" {
			l.say(id, `{"node_info":{"network":"`+chain+`"},"sync_info":{}}`)
			return
		}
		l.say(id, "{}")
	}
}

// listening is a running Events.
type listening struct {
	*exchange
	pool    *Pool
	world   *world
	stop    func()
	changes chan *Tx
	failed  chan nodepool.Attempt
}

func listen(t *testing.T, answer func(l *line, id, method, query string), nodes ...Node) *listening {
	if nodes == nil {
		nodes = []Node{{URL: urlA}}
	}
	e := &listening{exchange: &exchange{answer: answer}, changes: make(chan *Tx, 100), failed: make(chan nodepool.Attempt, 1000),
		world: &world{nodes: map[string]behaviour{urlA: at(9), urlB: at(9)}}}
	var err error
	e.pool, err = New(Config{Nodes: nodes, ChainID: chainID, Fetcher: e.world, Dialer: e.exchange, Now: time.Now})
	require.NoError(t, err)
	events := &Events{Pool: e.pool, Address: "cosmos1a", Changed: func(tx *Tx) { e.changes <- tx }, Failed: func(a nodepool.Attempt) { e.failed <- a }}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- events.Run(ctx) }()
	e.stop = func() {
		cancel()
		require.ErrorIs(t, <-done, context.Canceled)
		synctest.Wait()
		for _, l := range e.opened() {
			if e.refuse == nil {
				<-l.broken // wait until every connection is closed
			}
		}
	}
	return e
}

func TestEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said []string
		e := listen(t, func(l *line, id, method, query string) {
			said = append(said, method+" "+query)
			well(chainID)(l, id, method, query)
		})
		require.Nil(t, <-e.changes, "listening begins")
		require.Equal(t, []string{"status ", "subscribe tm.event='Tx' AND coin_spent.spender='cosmos1a'",
			"subscribe tm.event='Tx' AND coin_received.receiver='cosmos1a'"}, said)
		l := e.opened()[0]
		require.Equal(t, "wss://a.example/websocket", l.url)

		coin, err := e.pool.Balance(t.Context(), "cosmos1a", "u")
		require.NoError(t, err)
		require.Equal(t, "9", coin.Amount)
		e.world.set(urlA, at(12))
		l.say(idSpent, `{"data":{"type":"tendermint/event/Tx","value":{"TxResult":{"height":"12","index":3,"tx":"AQID","result":{"code":5,"log":"no","gas_used":"7"}}}}}`)
		l.say(idReceived, `{"data":{"type":"tendermint/event/Tx","value":{"TxResult":{"height":"12","index":3,"tx":"AQID"}}}}`)
		tx := <-e.changes
		require.EqualValues(t, 12, tx.Height)
		require.EqualValues(t, 3, tx.Index)
		require.EqualValues(t, 5, tx.Code)
		require.EqualValues(t, 7, tx.GasUsed)
		require.Equal(t, []byte{1, 2, 3}, tx.Raw)
		coin, err = e.pool.Balance(t.Context(), "cosmos1a", "u")
		require.NoError(t, err)
		require.Equal(t, "12", coin.Amount, "what was kept is forgotten")
		l.say(idReceived, `{"data":{"type":"tendermint/event/Tx","value":{"TxResult":{"height":"13","tx":"BAUG"}}}}`)
		require.EqualValues(t, 13, (<-e.changes).Height, "a transaction that takes and gives is reported once")
		_, err = e.pool.Height(t.Context())
		require.NoError(t, err)
		require.True(t, e.pool.Nodes()[0].Behind, "nodes should have this block now")
		l.say(idSpent, `{"data":{"type":"tendermint/event/NewBlock","value":{"block":{}}}}`)
		synctest.Wait()
		require.Empty(t, e.changes)
		e.stop()
		require.Empty(t, e.failed)
		require.Len(t, e.opened(), 1)
	})
}

// TestRecordedEvents checks events of real chains, as their nodes sent them.
func TestRecordedEvents(t *testing.T) {
	for _, kind := range kinds() {
		synctest.Test(t, func(t *testing.T) {
			r := load(t, kind)
			var all []struct {
				Name     string
				Request  json.RawMessage
				Response json.RawMessage
			}
			readJSON(t, kind, "events.json", &all)
			ids := strings.NewReplacer(`"id":1,`, `"id":"`+idSpent+`",`, `"id":2,`, `"id":"`+idReceived+`",`)
			e := listen(t, well(chainID))
			require.Nil(t, <-e.changes)
			for _, message := range all {
				if strings.HasPrefix(message.Name, "seen") {
					e.opened()[0].out <- ids.Replace(string(message.Response))
				}
			}
			for _, name := range []string{"seen to go out", "seen to come in", "seen on both sides", "seen to fail"} {
				tx := <-e.changes
				require.Equal(t, hashText(r.hash(t, name)), tx.Hash, name)
				require.Equal(t, name == "seen to fail", tx.Code != 0)
				var decoded wire.Tx
				require.NoError(t, wire.Decode(tx.Raw, &decoded))
				require.NotEmpty(t, tx.Events)
			}
			synctest.Wait()
			require.Empty(t, e.changes)
			e.stop()
		})
	}
}

func TestEventsGoOnElsewhere(t *testing.T) {
	bad := func(reply string) func(*line, string, string, string) {
		return func(l *line, id, _, _ string) { l.out <- strings.ReplaceAll(reply, "ID", id) }
	}
	refusesSecond := func(l *line, id, method, query string) {
		if strings.Contains(query, "received") {
			l.out <- `{"id":"` + id + `","error":{"code":-32603,"message":"Internal error","data":"max_subscriptions_per_client 5 reached"}}`
			return
		}
		well(chainID)(l, id, method, query)
	}
	for _, c := range []struct {
		name   string
		answer func(*line, string, string, string)
		reason string
	}{
		{"wrong chain", well("other-1"), `chain id is "other-1", want "test-1"`},
		{"subscription refused", refusesSecond, "max_subscriptions_per_client 5 reached"},
		{"no JSON", bad("hello"), "invalid response"},
		{"no answer to anything", bad(`{"id":"ID"}`), "neither result nor error"},
		{"id of no request", bad(`{"id":null,"result":{}}`), "does not match the request"},
		{"hangs up", func(l *line, _, _, _ string) { _ = l.Close() }, "unreachable"},
		{"says nothing", func(*line, string, string, string) {}, "timed out after 1m15s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				answer := func(l *line, id, method, query string) {
					if strings.Contains(l.url, "b.example") {
						well(chainID)(l, id, method, query)
						return
					}
					c.answer(l, id, method, query)
				}
				e := listen(t, answer, Node{URL: urlA}, Node{URL: urlB})
				require.Nil(t, <-e.changes)
				failed := <-e.failed
				require.Equal(t, "wss://a.example/websocket", failed.URL)
				require.Contains(t, failed.Reason, c.reason)
				e.stop()
				require.Len(t, e.opened(), 2)
			})
		})
	}
}

func TestEventsPauseBetweenConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := listen(t, well(chainID), Node{URL: "https://user:s3cret@a.example"})
		require.Nil(t, <-e.changes)
		require.Equal(t, "Basic dXNlcjpzM2NyZXQ=", e.opened()[0].header["Authorization"])
		for _, pause := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
			_ = e.opened()[len(e.opened())-1].Close()
			require.Equal(t, pause*time.Second, elapsed(func() { require.Nil(t, <-e.changes, "who listens again may have missed something") }))
		}
		time.Sleep(2 * time.Minute) // the connection lasts
		_ = e.opened()[len(e.opened())-1].Close()
		require.Equal(t, time.Second, elapsed(func() { <-e.changes }))
		e.stop()
		for range len(e.failed) {
			require.NotContains(t, (<-e.failed).Reason, "s3cret")
		}
	})
	synctest.Test(t, func(t *testing.T) {
		e := listen(t, nil)
		e.mu.Lock()
		e.refuse = errors.New("no")
		e.mu.Unlock()
		time.Sleep(time.Hour)
		require.InDelta(t, 60+7, len(e.opened()), 3)
		e.stop()
	})
}

// TestEventsKeepAlive checks that a connection without events is kept, and that one without any
// answers is closed.
func TestEventsKeepAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var queries atomic.Int64
		var silent atomic.Bool
		e := listen(t, func(l *line, id, method, query string) {
			if method == "status" {
				queries.Add(1)
			}
			if !silent.Load() {
				well(chainID)(l, id, method, query)
			}
		})
		require.Nil(t, <-e.changes)
		time.Sleep(time.Hour)
		synctest.Wait()
		require.Len(t, e.opened(), 1)
		require.InDelta(t, 121, queries.Load(), 1)
		require.Empty(t, e.changes)
		silent.Store(true)
		failed := <-e.failed
		require.Contains(t, failed.Reason, "timed out after")
		e.stop()
	})
}

// TestEventsKeepAliveSurvivesAPanic checks that a panic while a connection is kept alive ends
// only the connection.
func TestEventsKeepAliveSurvivesAPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		e := listen(t, func(l *line, id, method, query string) {
			if method == "status" {
				if asked++; asked == 2 {
					panic("mad")
				}
			}
			well(chainID)(l, id, method, query)
		})
		require.Nil(t, <-e.changes)
		failed := <-e.failed
		require.Contains(t, failed.Reason, "timed out after")
		require.Nil(t, <-e.changes, "it listens again")
		e.stop()
	})
}

func TestEventsWithoutSockets(t *testing.T) {
	p, _ := pool(t, at(9))
	require.ErrorIs(t, (&Events{Pool: p}).Run(t.Context()), ErrNoSockets)
}

func FuzzEvent(f *testing.F) {
	for _, kind := range kinds() {
		var all []struct{ Response json.RawMessage }
		readJSON(f, kind, "events.json", &all)
		for _, r := range all[:6] {
			f.Add([]byte(strings.Replace(string(r.Response), `"id":1,`, `"id":"1",`, 1)))
		}
	}
	f.Add([]byte(`{"id":"status","result":{"node_info":{"network":"test-1"}}}`))
	f.Fuzz(func(t *testing.T, message []byte) {
		p, err := New(Config{Nodes: []Node{{URL: urlA}}, ChainID: chainID, Now: time.Now})
		require.NoError(t, err)
		reported := 0
		c := conversation{events: &Events{Pool: p, Changed: func(*Tx) { reported++ }}, waiting: map[string]bool{}}
		l := &line{exchange: &exchange{answer: func(*line, string, string, string) {}}, broken: make(chan struct{})}
		first := c.take(t.Context(), l, message)
		before := reported
		require.Equal(t, first == nil, c.take(t.Context(), l, message) == nil)
		require.Equal(t, before, reported, "nothing is reported twice")
	})
}
