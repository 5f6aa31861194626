package walletconnecttest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
	"obverse/core/wallet/signer/walletconnect/relay"
	"obverse/core/wallet/signer/walletconnect/wire"
)

// Wallet is the wallet's end of sessions.
type Wallet struct {
	Client *relay.Client
	// Proposals receives session proposals, Messages all other messages.
	Proposals chan Proposal
	Messages  chan Message
	// Answer handles requests, if it is set.
	Answer func(wire.Request) (result any, refusal *wire.Error)

	mu   sync.Mutex
	keys map[string]wire.SymKey
	id   atomic.Uint64
}

// Proposal is a session proposal that the wallet received.
type Proposal struct {
	wire.Proposal
	ID  uint64
	Key wire.SymKey
}

// Message is a message that the wallet received.
type Message struct {
	Topic string
	wire.Message
}

type silent struct{}

func (silent) Info(string, ...any) {}
func (silent) Warn(string, ...any) {}

// NewWallet returns a wallet that runs until the test ends.
func NewWallet(t testing.TB, dial fetch.Dialer, relayURL string) *Wallet {
	t.Helper()
	w := &Wallet{Proposals: make(chan Proposal, 64), Messages: make(chan Message, 4096), keys: map[string]wire.SymKey{}}
	w.id.Store(uint64(time.Now().UnixMilli()) * 1000)
	var seed [32]byte
	_, _ = rand.Read(seed[:]) // never fails
	client, err := relay.New(relay.Config{URL: relayURL, ProjectID: strings.Repeat("1", 32), Seed: seed, Dial: dial, Now: time.Now, Random: rand.Reader,
		Log: silent{}, Receive: w.receive})
	require.NoError(t, err)
	w.Client = client
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() { _ = client.Run(ctx) })
	t.Cleanup(func() { cancel(); done.Wait() })
	return w
}

// NextID returns an id that is larger than the previous ones.
func (w *Wallet) NextID() uint64 { return w.id.Add(1000) }

// Pair connects to a pairing URI.
func (w *Wallet) Pair(t testing.TB, uri string) {
	t.Helper()
	rest, ok := strings.CutPrefix(uri, "wc:")
	require.True(t, ok)
	path, query, _ := strings.Cut(rest, "?")
	values, err := url.ParseQuery(query)
	require.NoError(t, err)
	raw, err := hex.DecodeString(values.Get("symKey"))
	require.NoError(t, err)
	k := wire.SymKey(raw)
	require.Equal(t, k.Topic()+"@2", path)
	w.Use(k)
}

// Use subscribes to the topic of a key.
func (w *Wallet) Use(k wire.SymKey) {
	w.mu.Lock()
	w.keys[k.Topic()] = k
	w.mu.Unlock()
	w.Client.Watch(k.Topic())
}

func (w *Wallet) receive(ctx context.Context, d relay.Delivery) {
	w.mu.Lock()
	k := w.keys[d.Topic]
	w.mu.Unlock()
	plain, err := wire.Open(k, d.Text)
	if err != nil {
		panic("a message for the wallet is not under the topic's key")
	}
	m, err := wire.DecodeMessage(plain)
	if err != nil {
		panic(err)
	}
	switch {
	case m.Method == wire.SessionPropose:
		p := Proposal{ID: m.ID, Key: k}
		if err := json.Unmarshal(m.Params, &p.Proposal); err != nil {
			panic(err)
		}
		w.Proposals <- p
		return
	case m.Method == wire.SessionRequest && w.Answer != nil:
		go w.answer(ctx, k, m)
	}
	w.Messages <- Message{d.Topic, m}
}

func (w *Wallet) answer(ctx context.Context, k wire.SymKey, m wire.Message) {
	var q wire.Request
	if err := json.Unmarshal(m.Params, &q); err != nil {
		panic(err)
	}
	result, refusal := w.Answer(q)
	_ = w.send(ctx, k, wire.Message{ID: m.ID, Result: encoded(result, refusal), Error: refusal}) // ctx may have ended
}

func encoded(value any, refusal *wire.Error) json.RawMessage {
	if refusal != nil {
		return nil
	}
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return raw
}

func (w *Wallet) send(ctx context.Context, k wire.SymKey, m wire.Message) error {
	plain, err := m.Encode()
	if err != nil {
		return err
	}
	return w.SendPlain(ctx, k, plain)
}

// Send sends a message encrypted with a key.
func (w *Wallet) Send(t testing.TB, k wire.SymKey, m wire.Message) {
	t.Helper()
	require.NoError(t, w.send(t.Context(), k, m))
}

// SendPlain sends any text encrypted with a key.
func (w *Wallet) SendPlain(ctx context.Context, k wire.SymKey, plain []byte) error {
	text, err := wire.Seal(k, rand.Reader, plain)
	if err != nil {
		return err
	}
	return w.Client.Publish(ctx, relay.Publication{Delivery: relay.Delivery{Topic: k.Topic(), Text: text}, TTL: time.Minute, Tag: 1109})
}

// Reject rejects a proposal.
func (w *Wallet) Reject(t testing.TB, p Proposal, code int64, reason string) {
	t.Helper()
	w.Send(t, p.Key, wire.Message{ID: p.ID, Error: &wire.Error{Code: code, Message: reason}})
}

// Approve approves a proposal and returns the session key. It then sends the settlement,
// modified by change if that is not nil.
func (w *Wallet) Approve(t testing.TB, p Proposal, namespaces string, change func(*wire.Settlement)) wire.SymKey {
	t.Helper()
	private, err := wire.NewPrivateKey(rand.Reader)
	require.NoError(t, err)
	proposer, err := wire.ParsePublicKey(p.Proposer.PublicKey)
	require.NoError(t, err)
	k, err := private.Agree(proposer)
	require.NoError(t, err)
	w.Use(k)
	public := private.PublicKey().String()
	w.Send(t, p.Key, wire.Message{ID: p.ID, Result: encoded(wire.Approval{Relay: wire.Relay{Protocol: "irn"}, Responder: public}, nil)})
	s := wire.Settlement{Relay: wire.Relay{Protocol: "irn"}, Namespaces: json.RawMessage(namespaces), Expires: time.Now().Add(7 * 24 * time.Hour).Unix(),
		Controller: wire.Participant{PublicKey: public, Metadata: wire.Metadata{Name: "Test wallet", Description: "of the tests", URL: "https://wallet.example", Icons: []string{}}}}
	if change != nil {
		change(&s)
	}
	w.Send(t, k, wire.Message{ID: w.NextID(), Method: wire.SessionSettle, Params: encoded(s, nil)})
	return k
}

// Next returns the next message for which wanted returns true, and skips others.
func (w *Wallet) Next(t testing.TB, wanted func(Message) bool) Message {
	t.Helper()
	late := time.After(time.Minute)
	for {
		select {
		case m := <-w.Messages:
			if wanted(m) {
				return m
			}
		case <-late:
			require.Fail(t, "the wallet did not receive what was waited for")
		}
	}
}

// NextProposal returns the next proposal.
func (w *Wallet) NextProposal(t testing.TB) Proposal {
	t.Helper()
	select {
	case p := <-w.Proposals:
		return p
	case <-time.After(time.Minute):
		require.Fail(t, "the wallet received no proposal")
		return Proposal{}
	}
}
