package apitest

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core"
	"obverse/core/event"
	"obverse/core/key"
	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/net/fetch"
	"obverse/core/net/peerid"
	"obverse/core/rpc"
	"obverse/core/versionstat"
	"obverse/core/wallet/cosmos/nodetest"
	"obverse/core/wallet/lightning"
	"obverse/core/wallet/lightning/peertest"
)

func readStates(t *testing.T) *mmrpctest.States {
	return mmrpctest.ReadStates(t, filepath.Join("..", "testdata", "states.json"))
}

// statesNode is a complete node in this process, for the vectors of the node API.
type statesNode struct {
	t       *testing.T
	node    *core.Node
	probed  chan struct{} // closed when the silent peer is queried
	stopped chan struct{} // closed when a client has requested the end of the node
}

// Addresses of the peers that deaf knows, and URLs of the network in the vectors.
const (
	deadAddress   = "192.0.2.1:1"
	silentAddress = "192.0.2.2:2"
	hubURL        = "https://hub.example/"
	irisURL       = "https://iris.example/"
	ethURL        = "https://eth.example/"
	polygonURL    = "https://polygon.example/"
	indexerHost   = "https://indexer.example"
	nobodyURL     = "https://nobody.example/"
	peerID        = "028d7500dd4c12685d1f568b4c2b5048e8534b873319f3a8daa612b469132ec7f7"
	peerPlace     = "[2001:db8::1]:9735"
	statesUser    = "Vector-5ide_secret"
)

// deaf is a network whose peers do not answer.
type deaf struct{ asked func() }

func (d deaf) Version(ctx context.Context, peer peerid.ID, address string) (string, error) {
	kind := "Canceled"
	if address == silentAddress {
		d.asked()
		<-ctx.Done()
		kind = "Timeout"
	}
	return "", fmt.Errorf("Error on request the peer PeerId(%q): %q. Request next peer", peer, kind)
}

func newStatesNode(t *testing.T, s *mmrpctest.States, settings mmrpctest.Settings) *statesNode {
	t.Helper()
	n := &statesNode{t: t, probed: make(chan struct{}), stopped: make(chan struct{})}
	c := settingsOf(s.Passphrase)
	if settings.NoPassphrase {
		c = settingsOf("")
	}
	c.CoinList = settings.Coins
	c.StrictParams, c.RPCLocalOnly = settings.StrictParams, !settings.Open
	hub, iris := mmrpctest.Chains(t, filepath.Join("..", "..", "wallet", "cosmos", "testdata"))
	network := nodetest.NewNet()
	network.Set(hubURL, nodetest.Well(hub))
	network.Set(irisURL, nodetest.Well(iris))
	eth, polygon := mmrpctest.Networks()
	network.Set(ethURL, eth.Well)
	network.Set(polygonURL, polygon.Well)
	indexer := mmrpctest.NFTs()
	all := fetch.Func(func(ctx context.Context, r fetch.Request) (fetch.Response, error) {
		if strings.HasPrefix(r.URL, indexerHost) {
			return indexer.Fetch(ctx, r)
		}
		return network.Fetch(ctx, r)
	})
	p := core.Platform{Fetch: all, Dial: nodetest.Sockets{"wss://iris.example/websocket": iris},
		Stop: sync.OnceFunc(func() { close(n.stopped) })}
	if !settings.Page {
		peer, err := lightning.ParseNodeID(peerID)
		require.NoError(t, err)
		p.Lightning = (&peertest.Net{Peer: peer, Place: peerPlace, Silent: silentAddress, Now: time.Now}).Open
		p.Probe = func(*key.Identity) (versionstat.Probe, error) {
			return deaf{sync.OnceFunc(func() { close(n.probed) })}, nil
		}
	}
	n.node = newNode(t, c, p)
	run(t, n.node)
	return n
}

func (n *statesNode) Call(away bool, body []byte) mmrpctest.Answer {
	caller := rpc.Caller{Address: "127.0.0.1", Local: true}
	if away {
		caller = rpc.Caller{Address: "203.0.113.5"}
	}
	status, reply := n.node.RPC(n.t.Context(), caller, body)
	a := mmrpctest.Answer{Status: status, Body: reply}
	if status >= 400 { // like the HTTP port: with a refusal, not inside a batch
		a.RetryAfter = int(n.node.RetryAfter(caller) / time.Second)
	}
	return a
}

func (n *statesNode) Fill(text string) string {
	return strings.NewReplacer(mmrpctest.Password, statesUser, mmrpctest.Dead, deadAddress, mmrpctest.Silent, silentAddress,
		mmrpctest.HubNode, hubURL, mmrpctest.IrisNode, irisURL, mmrpctest.DeadNode, nobodyURL,
		mmrpctest.Indexer, indexerHost, mmrpctest.EthNode, ethURL, mmrpctest.PolyNode, polygonURL,
		mmrpctest.Peer, peerID, mmrpctest.Place, peerPlace).Replace(text)
}

func (n *statesNode) Probed() { n.wait(n.probed, "the silent peer is not asked") }

func (n *statesNode) Ended() { n.wait(n.stopped, "the node is not asked to end") }

func (n *statesNode) wait(done <-chan struct{}, otherwise string) {
	select {
	case <-done:
	case <-time.After(time.Minute):
		require.FailNow(n.t, otherwise)
	}
}

// statesStream is a client's connection to the event hub.
type statesStream struct {
	*event.Connection
	t *testing.T
}

func (n *statesNode) Open(client uint64) mmrpctest.Stream {
	connection, err := n.node.Events().TakeOver(client, nil)
	require.NoError(n.t, err)
	return statesStream{connection, n.t}
}

func (s statesStream) Next() string {
	e, err := s.Connection.Next(s.t.Context())
	require.NoError(s.t, err)
	return e.Text
}

// TestStates replays the vectors of the node API on complete nodes.
func TestStates(t *testing.T) {
	states, requests := readStates(t), 0
	for _, s := range states.Sequences {
		requests += s.Requests()
		t.Run(s.Name, func(t *testing.T) { s.Play(t, newStatesNode(t, states, s.Node)) })
	}
	t.Logf("%d requests in %d sequences", requests, len(states.Sequences))
}

// TestStatesAreWhole checks that the vectors cover every error kind and every row of the state
// table, except for unsupported areas.
func TestStatesAreWhole(t *testing.T) {
	states := readStates(t)
	var kinds, rows []string
	for _, s := range states.Sequences {
		for _, v := range s.Steps {
			rows = append(rows, v.Row)
			for _, e := range append(v.Items, v.Expect) {
				kinds = append(kinds, e.Type)
			}
		}
	}
	for _, row := range mmerr.Rows() {
		require.NotEqual(t, slices.Contains(states.KindsAhead, row.Name), slices.Contains(kinds, row.Name),
			"%s is shown, or it is ahead", row.Name)
	}
	for _, name := range kinds {
		known := slices.ContainsFunc(mmerr.Rows(), func(r mmerr.Row) bool { return r.Name == name })
		require.True(t, known || name == "", "there is no kind %s", name)
	}
	var named []string
	for _, state := range states.Table {
		named = append(named, state.Row)
		require.NotEqual(t, state.Ahead, slices.Contains(rows, state.Row), "%s is shown, or it is ahead", state.Row)
	}
	for _, row := range rows {
		require.True(t, row == "" || slices.Contains(named, row), "there is no row %s", row)
	}
}
