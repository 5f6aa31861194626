package node

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
	"obverse/core/wallet/cosmos/wire"
)

const chainID = "test-1"

// world is a network of simulated nodes, by URL.
type world struct {
	mu    sync.Mutex
	nodes map[string]behaviour
	calls []query
}

// query is a request to a node.
type query struct {
	fetch.Request
	ID, Method string
	Params     json.RawMessage
}

// behaviour is a function that answers the requests to a node.
type behaviour func(ctx context.Context, a query) (fetch.Response, error)

func (w *world) Fetch(ctx context.Context, r fetch.Request) (fetch.Response, error) {
	a := query{Request: r}
	if err := json.Unmarshal(r.Body, &a); err != nil || a.ID == "" || r.Method != "POST" {
		return fetch.Response{}, fmt.Errorf("%w: %s", fetch.ErrRequest, r.Body)
	}
	w.mu.Lock()
	w.calls = append(w.calls, a)
	b := w.nodes[r.URL]
	w.mu.Unlock()
	if b == nil {
		return fetch.Response{}, fmt.Errorf("%w: no such host", fetch.ErrUnreachable)
	}
	answer, err := b(ctx, a)
	if err == nil && int64(len(answer.Body)) > r.Limit {
		err = fetch.ErrTooLarge
	}
	return answer, err
}

// count returns the number of calls of a method, to all nodes or to one.
func (w *world) count(method string, urls ...string) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.calls {
		if c.Method == method && (len(urls) == 0 || c.URL == urls[0]) {
			n++
		}
	}
	return n
}

// total returns the number of requests to all nodes.
func (w *world) total() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.calls)
}

// set changes the behaviour of a node.
func (w *world) set(url string, b behaviour) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.nodes[url] = b
}

const urlA, urlB, urlC = "https://a.example/", "https://b.example/", "https://c.example/"

// pool returns a pool of nodes A, B, C, … with the given behaviours.
func pool(t *testing.T, nodes ...behaviour) (*Pool, *world) {
	t.Helper()
	w := &world{nodes: map[string]behaviour{}}
	c := Config{ChainID: chainID, Fetcher: w, Now: time.Now}
	for i, b := range nodes {
		url := "https://" + string(rune('a'+i)) + ".example/"
		w.nodes[url] = b
		c.Nodes = append(c.Nodes, Node{URL: url})
	}
	p, err := New(c)
	require.NoError(t, err)
	return p, w
}

func body(text string) fetch.Response {
	return fetch.Response{Status: 200, ContentType: "application/json", Body: []byte(text)}
}

func (a query) result(result string) fetch.Response {
	return body(`{"jsonrpc":"2.0","id":"` + a.ID + `","result":` + result + `}`)
}

func (a query) refuse(code int, data string) fetch.Response {
	return body(fmt.Sprintf(`{"jsonrpc":"2.0","id":"%s","error":{"code":%d,"message":"Internal error","data":%q}}`, a.ID, code, data))
}

// at returns a working node with a chain of the given height.
func at(height int64) behaviour { return on(chainID, height) }

func on(chain string, height int64) behaviour {
	return func(_ context.Context, a query) (fetch.Response, error) {
		switch a.Method {
		case "health":
			return a.result("{}"), nil
		case "status":
			return a.result(fmt.Sprintf(`{"node_info":{"network":%q,"version":"0.34.0"},"sync_info":{"latest_block_height":"%d",
				"latest_block_time":"2026-01-02T03:04:05Z","earliest_block_height":"7","catching_up":false}}`, chain, height)), nil
		case "abci_info":
			return a.result(fmt.Sprintf(`{"response":{"last_block_height":"%d"}}`, height)), nil
		case "abci_query":
			return a.balance(fmt.Sprint(height), height), nil
		}
		return a.refuse(-32601, ""), nil
	}
}

// balance returns an answer with an amount of "u".
func (a query) balance(amount string, height int64) fetch.Response {
	value := wire.Encode(&wire.BalanceResponse{Balance: wire.Coin{Denom: "u", Amount: amount}})
	return a.result(fmt.Sprintf(`{"response":{"code":0,"value":%q,"height":"%d"}}`, base64.StdEncoding.EncodeToString(value), height))
}

// after returns a node that answers with a delay.
func after(d time.Duration, b behaviour) behaviour {
	return func(ctx context.Context, a query) (fetch.Response, error) {
		select {
		case <-time.After(d):
			return b(ctx, a)
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return fetch.Response{}, fmt.Errorf("%w: %w", fetch.ErrTimeout, ctx.Err())
			}
			return fetch.Response{}, ctx.Err()
		}
	}
}

// but returns a node that answers one method differently.
func but(method string, other, b behaviour) behaviour {
	return func(ctx context.Context, a query) (fetch.Response, error) {
		if a.Method == method {
			return other(ctx, a)
		}
		return b(ctx, a)
	}
}

func hangs() behaviour { return after(24*time.Hour, at(1)) }

func dead(context.Context, query) (fetch.Response, error) {
	return fetch.Response{}, fmt.Errorf("%w: connection refused", fetch.ErrUnreachable)
}

// says returns a node that always gives the same response.
func says(r fetch.Response) behaviour {
	return func(context.Context, query) (fetch.Response, error) { return r, nil }
}

// elapsed returns the synthetic time that a function takes.
func elapsed(f func()) time.Duration {
	begin := time.Now()
	f()
	return time.Since(begin)
}

// recorded is a node that replays the answers of a real one.
type recorded struct {
	answers map[string]fetch.Response // by method and parameters
	names   map[string]recording
	chain   struct {
		ID           string `json:"chain_id"`
		Denom        string
		Height       int64
		Accounts     map[string]struct{ Address string }
		Balances     map[string][]wire.Coin
		Transactions []struct {
			Name, Hash string
			Height     int64
			Code       uint32
		}
	}
}

type recording struct {
	Name    string
	Request struct {
		ID     any
		Method string
		Params json.RawMessage
	}
	Status   int
	Headers  map[string]string
	Response json.RawMessage
	Text     *string
}

func (r recording) answer() fetch.Response {
	answer := fetch.Response{Status: r.Status, ContentType: r.Headers["Content-Type"], RetryAfter: r.Headers["Retry-After"], Body: r.Response}
	if r.Text != nil {
		answer.Body = []byte(*r.Text)
	}
	return answer
}

func kinds() []string { return []string{"gaiad", "iris"} }

func readJSON(t testing.TB, kind, file string, into any) {
	t.Helper()
	text, err := os.ReadFile("../testdata/" + kind + "/" + file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, into))
}

func load(t *testing.T, kind string) *recorded {
	t.Helper()
	node := &recorded{answers: map[string]fetch.Response{}, names: map[string]recording{}}
	readJSON(t, kind, "chain.json", &node.chain)
	for _, file := range []string{"rpc.json", "query.json", "broadcast.json", "history.json"} {
		var all []json.RawMessage
		readJSON(t, kind, file, &all)
		for _, raw := range all {
			var r recording
			if json.Unmarshal(raw, &r) != nil { // some requests are batches
				continue
			}
			if _, twice := node.names[r.Name]; !twice {
				node.names[r.Name] = r
			}
			if _, is := r.Request.ID.(string); is && r.Status != 0 {
				node.answers[signature(t, r.Request.Method, r.Request.Params)] = r.answer()
			}
		}
	}
	return node
}

// signature returns a key for a request that does not depend on the order of its parameters.
func signature(t testing.TB, method string, params json.RawMessage) string {
	var sorted any
	if len(params) > 0 {
		require.NoError(t, json.Unmarshal(params, &sorted))
	}
	if fields, is := sorted.(map[string]any); is && fields["prove"] == false {
		delete(fields, "prove") // ignore this parameter
	}
	text, err := json.Marshal(sorted)
	require.NoError(t, err)
	return method + strings.ToLower(string(text))
}

// node returns a node with the recorded answers, with the id of the request.
func (r *recorded) node(t *testing.T) behaviour {
	return func(_ context.Context, a query) (fetch.Response, error) {
		answer, ok := r.answers[signature(t, a.Method, a.Params)]
		if !ok {
			return fetch.Response{}, fmt.Errorf("%w: not recorded: %s %s", fetch.ErrUnreachable, a.Method, a.Params)
		}
		var fields map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(answer.Body, &fields))
		fields["id"] = json.RawMessage(`"` + a.ID + `"`)
		text, err := json.Marshal(fields)
		require.NoError(t, err)
		answer.Body = text
		return answer, nil
	}
}

// pool returns a pool with one recorded node.
func (r *recorded) pool(t *testing.T) *Pool {
	w := &world{nodes: map[string]behaviour{urlA: r.node(t)}}
	p, err := New(Config{Nodes: []Node{{URL: urlA}}, ChainID: r.chain.ID, Fetcher: w, Now: time.Now})
	require.NoError(t, err)
	return p
}

// hash returns the hash of a recorded transaction.
func (r *recorded) hash(t *testing.T, name string) (hash [32]byte) {
	for _, tx := range r.chain.Transactions {
		if tx.Name == name {
			_, err := hex.Decode(hash[:], []byte(tx.Hash))
			require.NoError(t, err)
			return hash
		}
	}
	require.Fail(t, "no such transaction", name)
	return hash
}

// The same values as in nodepool.
const (
	firstRest   = 2 * time.Second
	foreignRest = 10 * time.Minute
	fastest     = 400 * time.Millisecond
	grace       = time.Second
	stale       = time.Minute
	heardFor    = 30 * time.Second
)
