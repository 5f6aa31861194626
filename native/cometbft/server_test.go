package cometbft

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	abci "github.com/cometbft/cometbft/abci/types"
	cfg "github.com/cometbft/cometbft/config"
	"github.com/cometbft/cometbft/crypto/ed25519"
	"github.com/cometbft/cometbft/libs/log"
	"github.com/cometbft/cometbft/node"
	"github.com/cometbft/cometbft/p2p"
	"github.com/cometbft/cometbft/privval"
	"github.com/cometbft/cometbft/proxy"
	"github.com/stretchr/testify/require"

	"obverse/core/chain/engine"
	"obverse/core/chain/statetree"
	"obverse/core/daemon"
)

// TestRPCFromWebPages checks that foreign web pages cannot use CometBFT's RPC: by DNS rebinding, by
// a cross-site request, or by a websocket, which browsers open across sites.
func TestRPCFromWebPages(t *testing.T) {
	w := newNetwork(t, testOptions(t), 1)
	w.nodes[0].inMemory(t)
	w.settings[0].serve(freeAddress(t))
	w.begin(t)
	at := w.settings[0].RPC
	for name, c := range map[string]struct {
		verb, path, header string
		status             int
	}{
		"a tool":                    {"GET", "/status", "", 200},
		"a tool that calls":         {"POST", "/", "", 200},
		"by name":                   {"GET", "/status", "Host: localhost:26657", 200},
		"a rebound name":            {"GET", "/status", "Host: evil.example", 403},
		"a rebound name that calls": {"POST", "/", "Host: evil.example", 403},
		"another origin":            {"POST", "/", "Origin: https://evil.example", 403},
		"another site":              {"POST", "/", "Sec-Fetch-Site: cross-site", 403},
		"another site's image":      {"GET", "/broadcast_tx_async?tx=0x00", "Sec-Fetch-Site: cross-site", 403},
		"another site's websocket":  {"GET", "/websocket", "Origin: https://evil.example", 403},
		"a websocket":               {"GET", "/websocket", "Origin: http://" + at, 101},
	} {
		request, err := http.NewRequestWithContext(t.Context(), c.verb, "http://"+at+c.path, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"status","params":{}}`))
		require.NoError(t, err)
		if c.verb == "GET" {
			request.Body, request.ContentLength = http.NoBody, 0
		}
		request.Header.Set("Content-Type", "text/plain")
		if c.path == "/websocket" {
			request.Header.Set("Connection", "Upgrade")
			request.Header.Set("Upgrade", "websocket")
			request.Header.Set("Sec-WebSocket-Version", "13")
			request.Header.Set("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
		}
		if field, value, has := strings.Cut(c.header, ": "); has {
			request.Header.Set(field, value)
			if field == "Host" {
				request.Host = value
			}
		}
		response, err := http.DefaultTransport.RoundTrip(request)
		require.NoError(t, err, name)
		require.Equal(t, c.status, response.StatusCode, name)
		if c.status != http.StatusSwitchingProtocols {
			text, err := io.ReadAll(response.Body)
			require.NoError(t, err)
			require.Equal(t, c.status == 200, strings.Contains(string(text), "node_info"), name)
		}
		require.NoError(t, response.Body.Close())
	}
}

// TestOutsideCometBFT runs the application as a server for a CometBFT outside the node.
// Transactions of the node's clients are sent to its RPC.
func TestOutsideCometBFT(t *testing.T) {
	w := newNetwork(t, testOptions(t), 1)
	v := w.nodes[0]
	v.inMemory(t)
	v.open(t, w)
	require.NoError(t, w.genesis.Save(v.home))
	address, rpc := freeAddress(t), freeAddress(t)
	announcer := NewAnnouncer()
	v.Announce = announcer.Announce
	v.shared = engine.NewShared(v.Manager, v.Pool, v.kv, &engine.Role{Terms: w.genesis.Terms, Hash: statetree.AppHash})
	announcer.Waiting(func() [][]byte { return v.shared.Waiting(t.Context()) })
	s := NewServer(slog.New(slog.NewTextHandler(logWriter{t}, nil)), announcer, address, rpc)
	require.NoError(t, s.Open(t.Context(), Settings{}, v.shared))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()

	outside := exec.Command(os.Args[0], "-test.run", "^TestOutside$")
	outside.Env = append(os.Environ(), outsideEnv+"="+strings.Join([]string{v.home, w.settings[0].Listen, rpc, address}, ","))
	outside.Stderr = os.Stderr
	require.NoError(t, outside.Start())
	t.Cleanup(func() { _ = outside.Process.Kill(); _ = outside.Wait() })
	require.Eventually(t, func() bool { return v.tip(t).Height == 1 }, soon, 5*time.Millisecond)
	require.NoError(t, v.send(v.payment(t, v.premine(t), 10_000).Encode()))
	require.Eventually(t, func() bool { return v.tip(t).Height == 2 }, soon, 5*time.Millisecond)
	n, err := s.Network(t.Context())
	require.NoError(t, err)
	require.Equal(t, daemon.Network{Port: portOf(w.settings[0].Listen)}, n)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)

	outsiders := NewApp(slog.Default(), "obverse-other-1", v.shared, func(error) {})
	_, err = outsiders.InitChain(t.Context(), &abci.RequestInitChain{ChainId: w.genesis.ChainID})
	require.ErrorIs(t, err, ErrGenesis)
	require.EqualError(t, err, `begin the chain: invalid genesis: CometBFT's is of chain "`+w.genesis.ChainID+`", the node's of "obverse-other-1"`)

	require.ErrorContains(t, NewServer(slog.Default(), announcer, address, "").Open(t.Context(), Settings{}, v.shared), "validator.rpc is missing")
}

// outsideEnv makes the test program run CometBFT. It contains its folder, its address, the address
// of its RPC, and the address of the application.
const outsideEnv = "OBVERSE_TEST_COMETBFT"

// TestOutside runs CometBFT without a node, if the environment is set.
func TestOutside(t *testing.T) {
	args := strings.Split(os.Getenv(outsideEnv), ",")
	if len(args) < 4 {
		return
	}
	settings := Settings{Home: args[0], Listen: args[1], RPC: args[2]}
	config := settings.config()
	config.RPC.ListenAddress = "tcp://" + settings.RPC
	signer, err := loadSigner(config.RootDir)
	require.NoError(t, err)
	key, err := p2p.LoadNodeKey(config.NodeKeyFile())
	require.NoError(t, err)
	n, err := node.NewNode(config, signer, key, proxy.NewRemoteClientCreator("tcp://"+args[3], "socket", true),
		node.DefaultGenesisDocProviderFunc(config), cfg.DefaultDBProvider, node.DefaultMetricsProvider(config.Instrumentation), log.NewNopLogger())
	require.NoError(t, err)
	require.NoError(t, n.Start())
	n.Wait()
}

// TestRemoteSigner checks that the node can run without the validator's key. CometBFT's signer has
// the key and connects to the node.
func TestRemoteSigner(t *testing.T) {
	w := newNetwork(t, testOptions(t), 1)
	v := w.nodes[0]
	v.inMemory(t)
	apart := filepath.Join(t.TempDir(), "signer")
	pv := privval.NewFilePV(ed25519.GenPrivKey(), apart+"-key.json", apart+"-state.json")
	w.genesis.Validators[0].PubKey, w.genesis.Validators[0].Address = pv.Key.PubKey, pv.Key.Address
	w.settings[0].Signer = "tcp://" + freeAddress(t)
	dial := privval.DialTCPFn(w.settings[0].Signer, 3*time.Second, ed25519.GenPrivKey())
	endpoint := privval.NewSignerDialerEndpoint(log.NewNopLogger(), dial, privval.SignerDialerEndpointConnRetries(1000),
		privval.SignerDialerEndpointRetryWaitInterval(10*time.Millisecond))
	signer := privval.NewSignerServer(endpoint, w.genesis.ChainID, pv)
	require.NoError(t, signer.Start())
	w.begin(t)
	require.NoError(t, v.send(v.payment(t, v.premine(t), 10_000).Encode()))
	w.agree(t, 2)
	v.end(t) // ended first, since an unsigned vote would delay it
	require.NoError(t, signer.Stop())
}

// TestSettings checks the settings of CometBFT that matter according to measurements.
func TestSettings(t *testing.T) {
	s := Settings{Home: t.TempDir(), Listen: "10.0.0.1:26656", Peers: []string{"a@b:1", "c@d:2"}}
	c := s.config()
	require.NoError(t, c.ValidateBasic())
	require.Equal(t, 5*time.Millisecond, c.P2P.FlushThrottleTimeout)
	require.Equal(t, 5*time.Millisecond, c.Consensus.PeerGossipSleepDuration)
	require.Less(t, c.Consensus.TimeoutPropose+c.Consensus.TimeoutPrecommit, 2*time.Second, "what a missing proposer costs")
	require.False(t, c.Consensus.CreateEmptyBlocks)
	require.Equal(t, "a@b:1,c@d:2", c.P2P.PersistentPeers)
	require.Equal(t, "a,c", c.P2P.UnconditionalPeerIDs, "40 other peers must not take a validator's place")
	require.Equal(t, "obverse", c.Moniker, "the machine's name stays private")
	require.False(t, c.P2P.AllowDuplicateIP, "one connection per address for unknown peers on a network")
	require.Empty(t, c.RPC.ListenAddress)
	require.Less(t, PoolSize, c.Mempool.Size)
	require.Equal(t, "null", c.TxIndex.Indexer)
	require.NotEqual(t, cfg.DefaultConfig().P2P.FlushThrottleTimeout, c.P2P.FlushThrottleTimeout)
}
