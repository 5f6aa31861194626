package walletconnect

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
	"obverse/core/store"
	"obverse/core/store/bunt"
	"obverse/core/wallet/signer/walletconnect/walletconnecttest"
	"obverse/core/wallet/signer/walletconnect/wire"
)

const (
	relayURL = "wss://relay.example"
	hub      = "cosmos:cosmoshub-4"
	ethereum = "eip155:1"
	settled  = `{"cosmos":{"chains":null,"methods":["cosmos_getAccounts","cosmos_signDirect","cosmos_signAmino"],"events":["accountsChanged"],` +
		`"accounts":["cosmos:cosmoshub-4:cosmos1hkg6p4lqnxardx2878clge6vjhfknf6s57ac92"]}}`
)

// required returns the proposal of most tests.
func required() wire.Namespaces {
	return wire.Namespaces{"cosmos": {Chains: []string{hub}, Methods: []string{"cosmos_getAccounts", "cosmos_signDirect"}, Events: []string{}}}
}

type logs struct {
	mu    sync.Mutex
	lines []string
}

func (l *logs) add(message string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, message)
}

func (l *logs) Info(message string, _ ...any) { l.add(message) }
func (l *logs) Warn(message string, _ ...any) { l.add(message) }

// events collects the events of a Manager.
type events struct {
	mu  sync.Mutex
	all []Event
}

func (e *events) add(event Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, event)
}

func (e *events) take() []Event {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := e.all
	e.all = nil
	return all
}

// world is a Manager with its peers, in a synctest bubble.
type world struct {
	*Manager
	relay  *walletconnecttest.Relay
	wallet *walletconnecttest.Wallet
	kv     store.KV
	secret [32]byte
	events *events
	logs   *logs
	stop   func()
}

// run calls test in a bubble, with a running Manager and a wallet.
func run(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	kv, err := bunt.Open(bunt.Memory) // opened outside the bubble because its goroutine ends some time after Close
	require.NoError(t, err)
	defer func() { require.NoError(t, kv.Close()) }()
	synctest.Test(t, func(t *testing.T) {
		w := &world{relay: &walletconnecttest.Relay{}, kv: kv, secret: [32]byte{1}, logs: &logs{}}
		w.wallet = walletconnecttest.NewWallet(t, w.relay, relayURL)
		w.start(t)
		defer func() { w.stop() }()
		test(t, w)
	})
}

// start runs a Manager over the store.
func (w *world) start(t *testing.T) {
	t.Helper()
	w.events = &events{}
	m, err := New(t.Context(), w.config(w.relay))
	require.NoError(t, err)
	w.Manager = m
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() { _ = m.Run(ctx) })
	w.stop = func() { cancel(); done.Wait() }
}

func (w *world) config(dial fetch.Dialer) Config {
	return Config{RelayURL: relayURL, ProjectID: strings.Repeat("0", 32), Metadata: wire.Metadata{Name: "Obverse", Icons: []string{}},
		Secret: w.secret, Store: w.kv, Dial: dial, Now: time.Now, Random: rand.Reader, Log: w.logs, Notify: w.events.add}
}

// propose makes a proposal and waits until the wallet has received it.
func (w *world) propose(t *testing.T) (Connection, walletconnecttest.Proposal) {
	t.Helper()
	c, err := w.NewConnection(t.Context(), required(), nil)
	require.NoError(t, err)
	w.wallet.Pair(t, c.URI)
	return c, w.wallet.NextProposal(t)
}

// connect makes a session.
func (w *world) connect(t *testing.T) (Session, wire.SymKey) {
	t.Helper()
	c, p := w.propose(t)
	k := w.wallet.Approve(t, p, settled, nil)
	s, err := w.Await(t.Context(), c.Topic)
	require.NoError(t, err)
	require.Equal(t, k.Topic(), s.Topic)
	synctest.Wait()
	w.events.take()
	return s, k
}

// request waits for a request at the wallet.
func (w *world) request(t *testing.T, method string) walletconnecttest.Message {
	t.Helper()
	return w.wallet.Next(t, func(m walletconnecttest.Message) bool { return m.Method == method })
}

// reply waits for the response to a message of the wallet.
func (w *world) reply(t *testing.T, id uint64) walletconnecttest.Message {
	t.Helper()
	return w.wallet.Next(t, func(m walletconnecttest.Message) bool { return !m.IsRequest() && m.ID == id })
}

func raw(text string) json.RawMessage { return json.RawMessage(text) }

// open counts pending requests and proposals.
func (w *world) open() (waiting, pairings int) {
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.waiting), len(w.pairings)
}
