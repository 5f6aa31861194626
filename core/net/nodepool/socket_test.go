package nodepool

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
)

// wire is a node with a websocket and its connections.
type wire struct {
	header map[string]string // headers of the last connection
	open   []*wireLine
	fails  error // error of the next connections
	plays  map[string]string
}

// wireLine is a connection, with the written messages and the answers to read.
type wireLine struct {
	node    *wire
	answers []string
	broken  bool // whether the server has closed it since the last message
	closed  atomic.Bool
}

func (w *wire) Dial(_ context.Context, r fetch.Request) (fetch.Socket, error) {
	if w.fails != nil {
		return nil, w.fails
	}
	w.header = r.Header
	w.open = append(w.open, &wireLine{node: w})
	return w.open[len(w.open)-1], nil
}

func (l *wireLine) Write(_ context.Context, text []byte) error {
	if l.closed.Load() {
		return fetch.ErrUnreachable
	}
	var call struct {
		ID     json.RawMessage
		Method string
	}
	if strings.HasPrefix(string(text), "[") {
		l.answers = append(l.answers, string(adder(string(text)).Body))
		return nil
	}
	_ = json.Unmarshal(text, &call)
	if play, is := l.node.plays[call.Method]; is {
		l.answers = append(l.answers, strings.ReplaceAll(play, "ID", string(call.ID)))
		return nil
	}
	l.answers = append(l.answers, `{"jsonrpc":"2.0","method":"eth_subscription","params":{}}`,
		fmt.Sprintf(`{"id":%s,"result":{"chain":"ours","name":"socket"}}`, call.ID))
	return nil
}

func (l *wireLine) Read(ctx context.Context) ([]byte, error) {
	if l.closed.Load() || l.broken || len(l.answers) == 0 {
		return nil, fetch.ErrUnreachable
	}
	if l.answers[0] == "" { // never answers
		<-ctx.Done()
		return nil, ctx.Err()
	}
	text := l.answers[0]
	l.answers = l.answers[1:]
	return []byte(text), nil
}

func (l *wireLine) Close() error {
	l.closed.Store(true)
	return nil
}

func (w *wire) living() (n int) {
	for _, l := range w.open {
		if !l.closed.Load() {
			n++
		}
	}
	return n
}

func wired(t *testing.T, w *wire, nodes ...Node) *stage {
	return configured(t, func(c *Config) { c.Dialer, c.Identity, c.Nodes = w, someone, append(nodes, c.Nodes...) }, good("a", 0))
}

// TestWebSocketNodes checks that a node with a websocket works like a node with HTTP.
func TestWebSocketNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wire{}
		s := wired(t, w, Node{URL: "wss://user:word@ws.example/v3"}).probed()
		ask := func(q Question) {
			t.Helper()
			got, err := Get[string](t.Context(), s.Pool, q)
			require.NoError(t, err)
			require.Equal(t, "socket", got)
		}
		ask(who())
		ask(who())
		require.Equal(t, map[string]string{"Authorization": "Basic dXNlcjp3b3Jk"}, w.header)
		require.Len(t, w.open, 1, "one connection for the requests of a moment")

		got, err := Get[string](t.Context(), s.Pool, doubles(2, -1))
		require.NoError(t, err)
		require.Equal(t, "4 below 0 (-1)", got)
		require.Len(t, w.open, 1)

		w.open[0].broken = true
		ask(who())
		require.Len(t, w.open, 2, "the server had closed the connection")
		require.True(t, s.Nodes()[0].Healthy)

		require.Zero(t, s.requests('a', "who"))
		writes := who()
		writes.Writes = true
		ask(writes)
		require.Len(t, w.open, 3, "a write is never sent twice")
		require.Equal(t, 2, w.living())
		time.Sleep(idleTime + time.Second)
		synctest.Wait()
		require.Zero(t, w.living(), "connections end when nothing uses them")
		require.Equal(t, 1, s.requests('a', "who"), "what one node has taken is given to the others")
	})
}

// TestWebSocketFaults checks that the next node is asked, and that the reason is reported.
func TestWebSocketFaults(t *testing.T) {
	for _, c := range []struct {
		name   string
		play   string
		reason string
	}{
		{"no answer", "", "timed out"},
		{"words", "connection limit exceeded", "invalid response: connection limit exceeded"},
		{"a limit", `{"id":ID,"error":{"code":-32005,"message":"slow down"}}`, "slow down"},
		{"another's answer", `{"id":"other","result":{}}`, "does not match the request"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &wire{plays: map[string]string{"who": c.play}}
				s := wired(t, w, Node{URL: "ws://ws.example"}).probed()
				q := who()
				q.Hedge = time.Hour
				got, err := Get[string](t.Context(), s.Pool, q)
				require.NoError(t, err)
				require.Equal(t, "a", got)
				require.Equal(t, "ws://ws.example", s.Nodes()[0].URL)
				require.Contains(t, s.Nodes()[0].Reason, c.reason)
				time.Sleep(time.Minute)
				require.Zero(t, w.living())
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		w := &wire{fails: fmt.Errorf("%w: connection refused", fetch.ErrUnreachable)}
		s := wired(t, w, Node{URL: "ws://ws.example"}, Node{URL: "ws://gateway.example", GatewayProxy: true}).probed()
		require.Equal(t, "unreachable: connection refused", s.Nodes()[0].Reason)
		require.Equal(t, State{URL: "ws://gateway.example", Reason: "its scheme is not http or https"}, s.Nodes()[2])
	})
}
