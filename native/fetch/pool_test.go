package fetch

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"obverse/core/net/nodepool"
	"obverse/core/net/peerid"
	"obverse/core/net/proxyauth"
	"obverse/core/wallet/cosmos/node"
	"obverse/core/wallet/cosmos/wire"
)

const chainID = "test-1"

// answer returns the response of a simulated node of a chain.
func answer(chain string, height int64, id, method string) string {
	result := "{}"
	switch method {
	case "status":
		result = fmt.Sprintf(`{"node_info":{"network":%q},"sync_info":{"latest_block_height":"%d"}}`, chain, height)
	case "abci_info":
		result = fmt.Sprintf(`{"response":{"last_block_height":"%d"}}`, height)
	case "abci_query":
		value := wire.Encode(&wire.BalanceResponse{Balance: wire.Coin{Denom: "u", Amount: fmt.Sprint(height)}})
		result = fmt.Sprintf(`{"response":{"value":%q,"height":"%d"}}`, base64.StdEncoding.EncodeToString(value), height)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"result":%s}`, id, result)
}

func readRequest(r *http.Request) (id, method string, body []byte) {
	var request struct{ ID, Method string }
	body, _ = io.ReadAll(r.Body)
	_ = json.Unmarshal(body, &request)
	return request.ID, request.Method, body
}

// at returns a working node of a chain.
func at(chain string, height int64) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id, method, _ := readRequest(r)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, answer(chain, height, id, method))
	}
}

// faults are the kinds of broken nodes, by their behaviour on the connection.
func faults(t *testing.T) map[string]struct{ url, reason string } {
	status := func(code int, header ...string) string {
		return serve(t, func(w http.ResponseWriter, r *http.Request) {
			for i := 0; i < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.WriteHeader(code)
			_, _ = io.WriteString(w, "<html>")
		}).URL
	}
	sound := serve(t, at(chainID, 9)).URL
	return map[string]struct{ url, reason string }{
		"dead":        {closed(t), "unreachable: connection refused"},
		"hangs up":    {raw(t, ""), "unreachable"},
		"no HTTP":     {raw(t, "SSH-2.0\r\n"), "unreachable"},
		"cut off":     {raw(t, "HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{\"jsonrpc\":"), "unreachable: unexpected EOF"},
		"cut JSON":    {raw(t, "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n{\"jsonrpc\":"), "invalid response: incomplete or invalid JSON"},
		"wrong chain": {serve(t, at("other-1", 9)).URL, `chain id is "other-1", want "test-1"`},
		"web page":    {status(200), "responds with an HTML page"},
		"gateway":     {status(502), "HTTP status 502"},
		"too many":    {status(429, "Retry-After", "30"), "HTTP status 429, retry after 30s"},
		"redirect":    {status(307, "Location", sound), "responds with a redirect, which is not followed"},
		"too large": {serve(t, func(w http.ResponseWriter, r *http.Request) {
			for range 64 {
				if _, err := w.Write(make([]byte, 1<<20)); err != nil {
					return
				}
			}
		}).URL, "response too large"},
		"hangs": {serve(t, hang).URL, ""},
	}
}

func poolOf(t *testing.T, urls ...string) *node.Pool {
	c := node.Config{ChainID: chainID, Fetcher: client(t), Now: time.Now}
	for _, url := range urls {
		c.Nodes = append(c.Nodes, node.Node{URL: url})
	}
	p, err := node.New(c)
	require.NoError(t, err)
	return p
}

func TestFaultyNodes(t *testing.T) {
	sound := serve(t, at(chainID, 9)).URL
	var all []string
	for name, fault := range faults(t) {
		if name != "hangs" {
			all = append(all, fault.url)
		}
		t.Run(name, func(t *testing.T) {
			if fault.reason != "" {
				left, err := poolOf(t, fault.url, sound).Probe(t.Context())
				require.NoError(t, err)
				require.Equal(t, fault.url, left[0].URL)
				require.Contains(t, left[0].Reason, fault.reason)
				_, err = poolOf(t, fault.url).Height(t.Context())
				var none *nodepool.UnreachableError
				require.ErrorAs(t, err, &none)
				require.Contains(t, err.Error(), fault.reason)
			}
			height, err := poolOf(t, fault.url, sound).Height(t.Context())
			require.NoError(t, err)
			require.EqualValues(t, 9, height)
		})
	}
	t.Run("all of them", func(t *testing.T) {
		_, err := poolOf(t, all...).Probe(t.Context())
		var none *nodepool.UnreachableError
		require.ErrorAs(t, err, &none)
		require.Len(t, none.Attempts, len(all))
	})
	t.Run("all but one", func(t *testing.T) {
		p := poolOf(t, append(all, sound)...)
		left, err := p.Probe(t.Context())
		require.NoError(t, err)
		require.Len(t, left, len(all))
		coin, err := p.Balance(t.Context(), "a", "u")
		require.NoError(t, err)
		require.Equal(t, "9", coin.Amount)
	})
	_, err := node.New(node.Config{})
	require.ErrorIs(t, err, nodepool.ErrNoNodes)
}

func TestHeightThatGoesBack(t *testing.T) {
	var height atomic.Int64
	height.Store(100)
	a := serve(t, func(w http.ResponseWriter, r *http.Request) { at(chainID, height.Load())(w, r) }).URL
	p := poolOf(t, a, serve(t, at(chainID, 101)).URL)
	_, err := p.Probe(t.Context())
	require.NoError(t, err)
	height.Store(50)
	got, err := p.Height(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 101, got)
}

func TestManyCallersOverTheWire(t *testing.T) {
	var queries atomic.Int64
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		id, method, _ := readRequest(r)
		if method == "abci_query" {
			queries.Add(1)
			time.Sleep(50 * time.Millisecond)
		}
		_, _ = io.WriteString(w, answer(chainID, 9, id, method))
	}).URL
	now := time.Now()
	p, err := node.New(node.Config{Nodes: []node.Node{{URL: url}}, ChainID: chainID, Fetcher: client(t), Now: func() time.Time { return now }})
	require.NoError(t, err)
	var all sync.WaitGroup
	for range 1000 {
		all.Go(func() {
			coin, err := p.Balance(t.Context(), "a", "u")
			require.NoError(t, err)
			require.Equal(t, "9", coin.Amount)
		})
	}
	all.Wait()
	require.EqualValues(t, 1, queries.Load())
}

type identity struct{ secret ed25519.PrivateKey }

func (i identity) public() [32]byte             { return [32]byte(i.secret.Public().(ed25519.PublicKey)) }
func (i identity) PublicKeyEncoded() []byte     { return peerid.EncodeEd25519(i.public()) }
func (i identity) PeerID() peerid.ID            { return peerid.FromEd25519(i.public()) }
func (i identity) Sign(message []byte) [64]byte { return [64]byte(ed25519.Sign(i.secret, message)) }

// A gateway accepts only requests with a signature of the request, and a node requires a password.
func TestGatewayAndPassword(t *testing.T) {
	var url string
	gateway := func(w http.ResponseWriter, r *http.Request) {
		id, method, body := readRequest(r)
		signed, err := proxyauth.Verify(r.Header.Get(proxyauth.Header), time.Now(), proxyauth.Lifetime)
		user, password, _ := r.BasicAuth()
		if err != nil || signed.URI != url+r.URL.String() || signed.BodySize != uint64(len(body)) || user != "u" || password != secret {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, answer(chainID, 9, id, method))
	}
	url = serve(t, gateway).URL
	named := strings.Replace(url, "http://", "http://u:"+secret+"@", 1) + "/rpc?x=y"
	config := node.Config{Nodes: []node.Node{{URL: named, GatewayProxy: true}}, ChainID: chainID, Fetcher: client(t), Now: time.Now,
		Identity: identity{ed25519.NewKeyFromSeed(bytes.Repeat([]byte{0x7b}, 32))}}
	p, err := node.New(config)
	require.NoError(t, err)
	height, err := p.Height(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 9, height)

	config.Nodes[0].GatewayProxy = false
	p, err = node.New(config)
	require.NoError(t, err)
	_, err = p.Height(t.Context())
	require.ErrorContains(t, err, "HTTP status 401")
	require.NotContains(t, err.Error(), secret)
}

// Events arrive over a real websocket, before and after the connection is lost.
func TestEventsOverTheWire(t *testing.T) {
	var sockets atomic.Int64
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/websocket" {
			at(chainID, 9)(w, r)
			return
		}
		connection, err := websocket.Accept(w, r, nil)
		require.NoError(t, err)
		defer connection.CloseNow()
		turn := sockets.Add(1)
		for said := 0; ; said++ {
			_, text, err := connection.Read(r.Context())
			if err != nil {
				return
			}
			var request struct{ ID, Method string }
			_ = json.Unmarshal(text, &request)
			reply := answer(chainID, 9, request.ID, request.Method)
			if connection.Write(r.Context(), websocket.MessageText, []byte(reply)) != nil {
				return
			}
			if said == 2 {
				event := fmt.Sprintf(`{"id":"spent","result":{"data":{"value":{"TxResult":{"height":"%d","tx":"AQID"}}}}}`, turn)
				_ = connection.Write(r.Context(), websocket.MessageText, []byte(event))
				if turn == 1 {
					return
				}
			}
		}
	}).URL
	c := client(t)
	p, err := node.New(node.Config{Nodes: []node.Node{{URL: url}}, ChainID: chainID, Fetcher: c, Dialer: c, Now: time.Now})
	require.NoError(t, err)
	changes := make(chan *node.Tx, 10)
	done := make(chan error, 1)
	events := node.Events{Pool: p, Address: "a", Changed: func(tx *node.Tx) { changes <- tx }}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { done <- events.Run(ctx) }()
	for turn := uint64(1); turn <= 2; turn++ {
		require.Nil(t, <-changes)
		require.Equal(t, turn, (<-changes).Height)
	}
	cancel()
	require.ErrorIs(t, <-done, ctx.Err())
}
