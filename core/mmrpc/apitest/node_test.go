package apitest

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core"
	"obverse/core/config"
	"obverse/core/key"
	"obverse/core/rpc"
	"obverse/core/store/bunt"
	"obverse/core/versionstat"
)

type testLog struct{ t *testing.T }

func (l testLog) Info(message string, pairs ...any) { l.Error(message, pairs...) }

func (l testLog) Warn(message string, pairs ...any) { l.Error(message, pairs...) }

func (l testLog) Error(message string, pairs ...any) { l.t.Log(append([]any{message}, pairs...)...) }

func memoryStore(t *testing.T) *bunt.DB {
	db, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// settingsOf returns a config with a password and, if it is not empty, a passphrase.
func settingsOf(passphrase string) *config.Config {
	c := config.Default()
	c.RPCPassword, c.Passphrase = config.NewSecret(statesUser), config.NewSecret(passphrase)
	return &c
}

// newNode returns a node with its own store, and fills in the settings that all of these tests
// share.
func newNode(t *testing.T, c *config.Config, p core.Platform) *core.Node {
	t.Helper()
	p.Store, p.Now, p.Random, p.Log, p.Version, p.ChainOnDemand = memoryStore(t), time.Now, rand.Reader, testLog{t}, "test", true
	n, err := core.New(t.Context(), *c, p)
	require.NoError(t, err)
	t.Cleanup(n.Close)
	return n
}

// run runs a node until the test ends, or stop is called.
func run(t *testing.T, n *core.Node) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- n.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
	})
	t.Cleanup(stop)
	return stop
}

// TestCloseWipes checks that closing a node wipes the secret of its identity.
func TestCloseWipes(t *testing.T) {
	var private ed25519.PrivateKey
	n := newNode(t, settingsOf(""), core.Platform{Probe: func(identity *key.Identity) (versionstat.Probe, error) {
		private = identity.Private()
		return deaf{}, nil
	}})
	require.NotEqual(t, make([]byte, 32), []byte(private.Seed()))
	n.Close()
	require.Equal(t, make([]byte, 32), []byte(private.Seed()), "what was given out is overwritten")
}

// TestGauges checks the names of the gauges, on which dashboards and alarms rely.
func TestGauges(t *testing.T) {
	n := newNode(t, settingsOf(""), core.Platform{})
	values, names := map[string]float64{}, []string{}
	for _, g := range n.Gauges() {
		require.NotEmpty(t, g.Help, g.Name)
		names = append(names, g.Name)
		values[g.Name] = g.Read()
	}
	require.Equal(t, strings.Fields(`event_streams_open event_clients_subscribed event_dropped_events_total
		coins_active version_stat_running rpc_unknown_params_total swaps_running`), names)
	require.Zero(t, values["version_stat_running"])
	require.Zero(t, values["rpc_unknown_params_total"])

	status, reply := n.RPC(t.Context(), rpc.Caller{Local: true}, []byte(`{"mmrpc":"2.0","method":"help","params":{"unused":1,"members":2}}`))
	require.Equal(t, 200, status, "%s", reply)
	for _, g := range n.Gauges() {
		if g.Grows {
			require.True(t, strings.HasSuffix(g.Name, "_total"), g.Name)
			values[g.Name] = g.Read()
		}
	}
	require.EqualValues(t, 2, values["rpc_unknown_params_total"])
}

func TestSetCoins(t *testing.T) {
	n := newNode(t, settingsOf(""), core.Platform{})
	known := func(ticker string) bool {
		_, reply := n.RPC(t.Context(), rpc.Caller{Local: true}, []byte(`{"mmrpc":"2.0","userpass":"`+statesUser+`","method":"enable_tendermint_with_assets","params":{"ticker":"`+ticker+`","tokens_params":[],"nodes":[]}}`))
		return !strings.Contains(string(reply), "PlatformConfigIsNotFound")
	}
	require.False(t, known("NEWCOIN"))
	require.NoError(t, n.SetCoins(json.RawMessage(`[{"coin":"NEWCOIN","mm2":1}]`)))
	require.True(t, known("NEWCOIN"))
	for _, bad := range []string{`{}`, `[`, `"x"`} {
		require.Error(t, n.SetCoins(json.RawMessage(bad)))
		require.True(t, known("NEWCOIN"), "what is wrong changes nothing")
	}
	require.NoError(t, n.SetCoins(nil))
	require.False(t, known("NEWCOIN"))
	require.True(t, known("ATOM"))
}
