package mmrpc_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/event"
	"obverse/core/mmrpc"
	"obverse/core/mmrpc/activate"
	"obverse/core/mmrpc/devices"
	"obverse/core/mmrpc/events"
	"obverse/core/mmrpc/history"
	"obverse/core/mmrpc/keys"
	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/nft"
	"obverse/core/mmrpc/peers"
	"obverse/core/mmrpc/send"
	"obverse/core/mmrpc/servertest"
	"obverse/core/mmrpc/trading"
	"obverse/core/net/peerid"
	"obverse/core/store/bunt"
	"obverse/core/swap"
	"obverse/core/task"
	"obverse/core/versionstat"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/lightning"
	"obverse/core/wallet/lightning/node"
	"obverse/core/wallet/lightning/peertest"
)

// station is a server of the node API without a network, with access to its parts.
type station struct {
	t      testing.TB
	server *mmrpc.Server
	hub    *event.Hub
	active *coin.Active
	ledger *swap.Ledger
	peers  *node.Activator
}

// noProbe is a prober that cannot reach any node.
type noProbe struct{}

var errNoNetwork = errors.New("there is no network")

func (noProbe) Version(context.Context, peerid.ID, string) (string, error) { return "", errNoNetwork }

func newStation(t *testing.T) mmrpctest.Node {
	t.Helper()
	kv, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, kv.Close()) })
	st := &station{t: t, hub: event.New(event.Config{Now: time.Now})}
	st.active, err = coin.Open(t.Context(), coin.Config{Store: kv})
	require.NoError(t, err)
	st.ledger, err = swap.Open(t.Context(), kv, time.Now)
	require.NoError(t, err)
	bob := servertest.BobsKeys(t)
	net := &peertest.Net{Anyone: true, Now: time.Now}
	st.peers = &node.Activator{Active: st.active, Registry: coin.NewRegistry(nil), Ring: bob.Ring, Open: net.Open}
	tasks := task.New()
	go func() { _ = tasks.Run(t.Context()) }() // runs until the test ends
	gallery := servertest.NewGallery(kv, st.active, bob.Identity, mmrpctest.NFTs())
	b := mmrpc.Backend{
		Enabling: activate.EnableLightning{Activator: st.peers, Tasks: tasks}, Lightning: peers.Lightning{Active: st.active, Trusted: lightning.NewTrusted(kv), Supported: true},
		Trezor: devices.Trezor{Tasks: tasks}, Control: mmrpc.Control{Version: "1.2.3", Stop: func() {}}, Keys: bob, Streams: events.Streams{Hub: st.hub},
		Coins: activate.Coins{Active: st.active, Swaps: st.ledger}, Swaps: trading.Swaps{Active: st.active, Ledger: st.ledger},
		Cosmos: activate.Cosmos{Activator: servertest.NewCosmosActivator(t, kv, st.active, servertest.Everywhere(t, "../wallet/cosmos/testdata"))},
		Eth:    activate.Eth{Activator: servertest.NewEthActivator(t, st.active, servertest.Everywhere(t, "../wallet/cosmos/testdata"))},
		NFTs:   nft.NFTs{Gallery: gallery}, EnableNFT: activate.EnableNFT{Gallery: gallery},
		Volumes: trading.Volumes{Active: st.active, Ledger: st.ledger},
		Sending: send.Sending{Active: st.active}, Messages: keys.Messages{Active: st.active}, History: history.History{Active: st.active},
		VersionStats: peers.VersionStats{Collector: versionstat.New(versionstat.Config{Store: kv, Now: time.Now, Probe: noProbe{}})},
	}
	st.server = mmrpc.New(mmrpc.Options{Password: mmrpc.NewPassword(mmrpctest.Userpass), LocalOnly: true, Now: time.Now}, b)
	return st
}

func (st *station) Call(away bool, body []byte) mmrpctest.Answer {
	caller := mmrpctest.Here
	if away {
		caller = mmrpctest.There
	}
	status, reply := st.server.Serve(st.t.Context(), caller, body)
	return mmrpctest.Answer{Status: status, Body: reply}
}

func (*station) Fill(text string) string {
	return strings.NewReplacer(mmrpctest.Password, mmrpctest.Userpass, mmrpctest.IrisNode, servertest.IrisURL, mmrpctest.EthNode, servertest.EthURL, mmrpctest.PolyNode, servertest.PolygonURL,
		mmrpctest.Indexer, servertest.NFTIndexer).Replace(text)
}

func (*station) Probed() {}

func (*station) Ended() {}

// listening is an event stream that is never read.
type listening struct{ *event.Connection }

func (listening) Next() string { return "" }

func (st *station) Open(client uint64) mmrpctest.Stream {
	connection, err := st.hub.Connect(client, nil)
	require.NoError(st.t, err)
	st.t.Cleanup(connection.Close)
	return listening{connection}
}

// Activate activates coins with a balance and a send fee.
func (st *station) Activate(tickers ...string) {
	for _, ticker := range tickers {
		x, err := st.active.Begin(st.t.Context(), ticker)
		require.NoError(st.t, err)
		require.NoError(st.t, x.Commit(st.t.Context(), coin.Item{Coin: &servertest.PricedCoin{RichCoin: servertest.RichCoin{BareCoin: servertest.BareCoin{Symbol: ticker}, Held: "5.49110027", Fails: nil}}}))
	}
}

func (st *station) Lock(id, ticker, amount, fee string) {
	servertest.BeginSwap(st.t, st.ledger, id, ticker, amount, fee)
}

func (st *station) Lightning(ticker string) {
	_, err := st.peers.Activate(st.t.Context(), ticker, node.Params{Name: "mine"})
	require.NoError(st.t, err)
}

// published is a streamer with only a name.
type published string

func (p published) ID() string { return string(p) }

func (st *station) Publish(client uint64, streamer string) {
	_, err := st.hub.Enable(client, published(streamer))
	require.NoError(st.t, err)
}

// TestNodeExamples compares answers with documented ones, including those in additional files.
func TestNodeExamples(t *testing.T) {
	require.NotZero(t, mmrpctest.ReadExamples(t, "testdata").Compare(t, newStation))
}

// TestNodeExamplesAreHeldTo checks that the comparison accepts and refuses the right answers.
func TestNodeExamplesAreHeldTo(t *testing.T) {
	const file = `[{"method":"x","request":{"userpass":"a","mmrpc":"2.0","method":"x"},"response":{"mmrpc":"2.0","error":"","error_path":"","error_trace":"","error_type":"NoSuchMethod","id":null},"http_status_if_known":400},
		{"method":"stop","request":{"userpass":"a","mmrpc":"2.0","method":"stop"},"response":{"mmrpc":"2.0","error":"","error_path":"","error_trace":"","error_type":"Banned","id":null},"http_status_if_known":403},
		{"method":"help","request":{"userpass":"a","method":"stop"},"response":{"error":"rpc:195] RPC call failed: rate_limiter:50] Userpass is invalid! - Rate Limit attempts left: 7"},"http_status_if_known":500},
		{"method":"stop","request":{"userpass":"a","mmrpc":"2.0","method":"stop"},"response":{"mmrpc":"2.0","error":"","error_path":"","error_trace":"","error_type":"LocalHostOnly","id":null},"http_status_if_known":403},
		{"method":"batch","request":[{"userpass":"a","mmrpc":"2.0","method":"stop"},{"userpass":"a","method":"stop"}],"response":[{"mmrpc":"2.0","error":"","error_path":"","error_trace":"","error_type":"UserpassIsInvalid","error_data":{"error_type":"NbAttemptsLeft","error_data":4},"id":null},{"result":"success"}]}]`
	examples := mmrpctest.ParseExamples(t, []byte(file))
	require.Len(t, examples, 6)
	for _, e := range examples {
		require.Empty(t, e.Compare(t, newStation(t)))
	}
}

// TestForeignCoinIsRefused checks that an additional example for an unknown coin is skipped and
// not counted.
func TestForeignCoinIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "brought.json")
	file := `[{"method":"max_maker_vol","request":{"userpass":"a","mmrpc":"2.0","method":"max_maker_vol","params":{"coin":"NOWHERE"}},` +
		`"response":{"mmrpc":"2.0","result":{"coin":"NOWHERE","volume":{}},"id":null}}]`
	require.NoError(t, os.WriteFile(path, []byte(file), 0o600))
	t.Setenv("OBVERSE_NODE_EXAMPLES", path)
	all := mmrpctest.ReadExamples(t, "testdata")
	require.Zero(t, all[len(all)-1:].Compare(t, newStation))
}
