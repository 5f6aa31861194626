package workertest

import (
	"context"
	"crypto/rand"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/lightning/link"
	"obverse/core/mmrpc/mmrpctest"
	"obverse/native/evm/indexer"
	"obverse/native/lightning"
)

// places are the values of a test for the places in vectors: nodes of made-up chains, and
// nobodies.
func places(t *testing.T) *strings.Replacer {
	t.Helper()
	hub, iris := mmrpctest.Chains(t, filepath.Join(root, "core", "tendermint", "testdata"))
	eth, polygon := mmrpctest.Networks()
	dead := nobody(t)
	id, place := servePeer(t)
	return strings.NewReplacer(mmrpctest.Password, rpcPassword, mmrpctest.Dead, dead, mmrpctest.Silent, silent(t),
		mmrpctest.HubNode, serveChain(t, hub), mmrpctest.IrisNode, serveChain(t, iris), mmrpctest.DeadNode, "http://"+dead,
		mmrpctest.Indexer, indexer.Serve(t, mmrpctest.NFTs()), mmrpctest.EthNode, serveChain(t, eth), mmrpctest.PolyNode, serveChain(t, polygon),
		mmrpctest.Peer, id, mmrpctest.Place, place)
}

// servePeer runs a Lightning node that others can connect to, until the test ends.
func servePeer(t *testing.T) (id, place string) {
	t.Helper()
	own, err := key.FromPassphrase("a Lightning node")
	require.NoError(t, err)
	listener, err := lightning.Listen(t.Context(), "127.0.0.1:0")
	require.NoError(t, err)
	peers := link.New(link.Config{Key: own, Listener: listener, Random: rand.Reader, Now: time.Now})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- peers.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
	})
	return peers.ID().String(), listener.Addr()
}

// serveChain puts a made-up node behind a port, without a websocket.
func serveChain(t *testing.T, n interface{ Answer([]byte) []byte }) (url string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPost || r.URL.Path != "/" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(n.Answer(body)) // whoever hangs up misses it
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// nobody is an address where nobody listens.
func nobody(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	return listener.Addr().String()
}

// silent is an address that takes connections and says nothing.
func silent(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	return listener.Addr().String() // connections wait to be accepted
}

// TestChains activates coins of a Cosmos chain and of an EVM network through fetch, and
// shows what they hold; they are there again after the object was evicted.
func TestChains(t *testing.T) {
	states := mmrpctest.ReadStates(t, filepath.Join(vectors, "states.json"))
	c := openEdge(t).callee(t, map[string]any{"passphrase": states.Passphrase})
	iris := c.succeeds("enable_tendermint_with_assets", c.Fill(`{"ticker":"IRIS","nodes":[{"url":"<IRIS>"}],"tokens_params":[{"ticker":"ATOM-IBC_IRIS"}]}`))
	require.Contains(t, iris, `"balance":{"spendable":"44.147264"`)
	require.Contains(t, iris, `"ATOM-IBC_IRIS":{"spendable":"0.028306"`)
	eth := c.succeeds("enable_eth_with_tokens", c.Fill(`{"ticker":"ETH","nodes":[{"url":"<ETH>"}],"erc20_tokens_requests":[],
		"swap_contract_address":"0x24ABE4c71FC658C91313b6552cd40cD808b3Ea80"}`))
	require.Contains(t, eth, `"spendable":"2.500000000000000001"`)
	require.Contains(t, c.succeeds("my_balance", `{"coin":"ETH"}`), `"2.500000000000000001"`)
	c.evict()
	for coin, balance := range map[string]string{"IRIS": "44.147264", "ATOM-IBC_IRIS": "0.028306", "ETH": "2.500000000000000001"} {
		require.Eventually(t, func() bool {
			status, reply := c.rpc("my_balance", `{"coin":"`+coin+`"}`)
			return status == http.StatusOK && strings.Contains(string(reply), `"`+balance+`"`)
		}, patience, 50*time.Millisecond, coin)
	}
}
