package walletconnect

import (
	"context"
	"crypto/rand"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/store"
	"obverse/core/store/bunt"
	"obverse/core/wallet/signer/walletconnect"
	"obverse/core/wallet/signer/walletconnect/wire"
	"obverse/native/fetch"
	"obverse/native/test/walletconnect/npmpeer"
)

const (
	hub     = "cosmos:cosmoshub-4"
	mainnet = "eip155:1"
)

// node is a running Manager with real websockets.
type node struct {
	*walletconnect.Manager
	peer   *npmpeer.Peer
	kv     store.KV
	events chan walletconnect.Event
	ahead  atomic.Int64 // difference between its clock and the real time, in nanoseconds
	stop   func()
}

func (n *node) now() time.Time { return time.Now().Add(time.Duration(n.ahead.Load())) }

func start(t *testing.T, peer *npmpeer.Peer) *node {
	t.Helper()
	kv, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, kv.Close()) })
	n := &node{peer: peer, kv: kv}
	n.begin(t)
	return n
}

// begin runs a Manager on the store. It may be called again.
func (n *node) begin(t *testing.T) {
	t.Helper()
	client := fetch.New("test")
	n.events = make(chan walletconnect.Event, 1024)
	events := n.events
	m, err := walletconnect.New(t.Context(), walletconnect.Config{RelayURL: n.peer.Relay, ProjectID: strings.Repeat("0", 32),
		Metadata: wire.Metadata{Name: "Obverse", Description: "node", URL: "https://node.example", Icons: []string{}},
		Secret:   [32]byte{1}, Store: n.kv, Dial: client, Now: n.now, Random: rand.Reader, Log: slog.New(slog.DiscardHandler),
		Notify: func(e walletconnect.Event) { events <- e }})
	require.NoError(t, err)
	n.Manager = m
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() { _ = m.Run(ctx) })
	n.stop = sync.OnceFunc(func() { cancel(); done.Wait(); client.Close() })
	t.Cleanup(n.stop)
}

// proposed returns the namespaces of both families, which tests propose.
func proposed() wire.Namespaces {
	return wire.Namespaces{
		"cosmos": {Chains: []string{hub}, Methods: []string{"cosmos_getAccounts", "cosmos_signDirect", "cosmos_signAmino"}, Events: []string{}},
		"eip155": {Chains: []string{mainnet}, Methods: []string{"eth_sendTransaction", "personal_sign"}, Events: []string{"accountsChanged", "chainChanged"}},
	}
}

type proposal struct {
	ID     uint64 `json:"id"`
	Params struct {
		Pairing  string `json:"pairingTopic"`
		Proposer struct {
			Metadata wire.Metadata `json:"metadata"`
		} `json:"proposer"`
	} `json:"params"`
}

// propose makes a proposal and waits until the peer's wallet has received it.
func (n *node) propose(t *testing.T) (walletconnect.Connection, proposal) {
	t.Helper()
	c, err := n.NewConnection(t.Context(), proposed(), nil)
	require.NoError(t, err)
	n.peer.Do(t, "pair", npmpeer.Parameters{"uri": c.URI}, nil)
	var p proposal
	n.peer.Event(t, "session_proposal", &p)
	require.Equal(t, c.Topic, p.Params.Pairing)
	return c, p
}

type accounts struct{ Cosmos, EVM string }

func (n *node) accounts(t *testing.T) (a accounts) {
	t.Helper()
	n.peer.Do(t, "account", nil, &a)
	return a
}

// namespaces returns the namespaces that the peer's wallet accepts.
func (a accounts) namespaces() npmpeer.Parameters {
	return npmpeer.Parameters{
		"cosmos": npmpeer.Parameters{"methods": proposed()["cosmos"].Methods, "events": []string{}, "accounts": []string{hub + ":" + a.Cosmos}},
		"eip155": npmpeer.Parameters{"chains": []string{mainnet}, "methods": proposed()["eip155"].Methods, "events": proposed()["eip155"].Events, "accounts": []string{mainnet + ":" + a.EVM}},
	}
}

// connect makes a session.
func (n *node) connect(t *testing.T) walletconnect.Session {
	t.Helper()
	c, p := n.propose(t)
	n.peer.Do(t, "approve", npmpeer.Parameters{"id": p.ID, "namespaces": n.accounts(t).namespaces()}, nil)
	s, err := n.Await(t.Context(), c.Topic)
	require.NoError(t, err)
	return s
}

// next waits for an event of a kind.
func (n *node) next(t *testing.T, kind walletconnect.Kind) walletconnect.Event {
	t.Helper()
	late := time.After(time.Minute)
	for {
		select {
		case e := <-n.events:
			if e.Kind == kind {
				return e
			}
		case <-late:
			require.Fail(t, "no event came", kind)
		}
	}
}
