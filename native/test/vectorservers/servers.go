// Package vectorservers runs the servers that the vectors of the node API name, for tests that play
// the vectors on a whole node: nodes of simulated chains, services for NFTs, a Lightning node, and
// addresses that refuse or ignore connections. Only tests use it.
//
// Sources: core/mmrpc/mmrpctest for the responses of the servers.
//
// Invariant: every server listens on a free port of this machine and ends with its test.
package vectorservers

import (
	"context"
	"crypto/rand"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/wallet/lightning/link"
	"obverse/native/lightning"
	"obverse/native/test/indexer"
)

// Recordings is the folder of the recorded responses of Cosmos chains, relative to a package two
// folders below the root of the repository. All packages that import this one are at this depth.
var Recordings = filepath.Join("..", "..", "..", "core", "wallet", "cosmos", "testdata")

// Servers holds the servers of one node.
type Servers struct {
	Iris, Eth string          // URLs of nodes of these chains
	Dead      string          // address that refuses connections
	Connected <-chan struct{} // closed when a client connects to the silent server

	values *strings.Replacer
}

// Start runs servers until the test ends. password is the password of the node API.
func Start(t testing.TB, password string) *Servers {
	t.Helper()
	hub, iris := mmrpctest.Chains(t, Recordings)
	eth, polygon := mmrpctest.Networks()
	silent, connected := ignore(t)
	peer, place := servePeer(t)
	s := &Servers{Iris: ServeChain(t, iris), Eth: ServeChain(t, eth), Dead: refuse(t), Connected: connected}
	s.values = strings.NewReplacer(mmrpctest.Password, password, mmrpctest.Dead, s.Dead, mmrpctest.Silent, silent,
		mmrpctest.HubNode, ServeChain(t, hub), mmrpctest.IrisNode, s.Iris, mmrpctest.DeadNode, "http://"+s.Dead,
		mmrpctest.Indexer, indexer.Serve(t, mmrpctest.NFTs()), mmrpctest.EthNode, s.Eth, mmrpctest.PolyNode, ServeChain(t, polygon),
		mmrpctest.Peer, peer, mmrpctest.Place, place)
	return s
}

// Fill inserts the addresses of the servers and the password into the text of a vector.
func (s *Servers) Fill(text string) string { return s.values.Replace(text) }

// ServeChain runs a simulated node on a port, without a websocket, for pages of any origin.
func ServeChain(t testing.TB, n interface{ Answer([]byte) []byte }) (url string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Allow-Headers", "Content-Type")
		body, err := io.ReadAll(r.Body)
		switch {
		case r.Method == http.MethodOptions:
			w.WriteHeader(http.StatusNoContent)
		case err != nil || r.Method != http.MethodPost || r.URL.Path != "/":
			w.WriteHeader(http.StatusNotFound)
		default:
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(n.Answer(body)) // the client may have disconnected
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// servePeer runs a Lightning node to which others can connect.
func servePeer(t testing.TB) (id, place string) {
	t.Helper()
	private, err := key.FromPassphrase("a Lightning node")
	require.NoError(t, err)
	listener, err := lightning.Listen(t.Context(), "127.0.0.1:0")
	require.NoError(t, err)
	peers := link.New(link.Config{Key: private, Listener: listener, Random: rand.Reader, Now: time.Now})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- peers.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
	})
	return peers.ID().String(), listener.Addr()
}

// refuse returns an address that refuses connections. An open connection from the port keeps it
// reserved, so that no server uses it meanwhile.
func refuse(t testing.TB) (address string) {
	t.Helper()
	conn, err := net.Dial("tcp", listen(t).Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn.LocalAddr().String()
}

// ignore returns an address that accepts connections and never sends anything.
func ignore(t testing.TB) (address string, connected <-chan struct{}) {
	t.Helper()
	listener, signal := listen(t), make(chan struct{})
	first := sync.OnceFunc(func() { close(signal) })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			defer conn.Close() // open until the test ends
			first()
		}
	}()
	return listener.Addr().String(), signal
}

func listen(t testing.TB) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	return listener
}
