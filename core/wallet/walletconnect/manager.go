package walletconnect

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"obverse/core/net/fetch"
	"obverse/core/store"
	"obverse/core/task/guard"
	"obverse/core/wallet/walletconnect/relay"
	"obverse/core/wallet/walletconnect/wire"
)

// Config is what a Manager needs.
type Config struct {
	RelayURL  string        // of ws or wss
	ProjectID string        // which the relay's operator gives out
	Metadata  wire.Metadata // how wallets show this node to their user
	// Secret is what the keys follow from by which sessions are kept and the relay knows
	// this client; see the package's text. It is not kept.
	Secret [32]byte
	Store  store.KV
	Dial   fetch.Dialer
	Now    func() time.Time
	Random io.Reader
	Log    relay.Logger
	// Notify gets session events, one at a time; nil drops them. It
	// must not wait, and not call the Manager.
	Notify func(Event)
}

// Manager holds sessions. Its methods may be called by many goroutines.
type Manager struct {
	config Config
	relay  *relay.Client
	kept   vault
	outbox chan outgoing
	nudge  chan struct{} // something expires earlier than was known

	telling sync.Mutex // one event at a time

	// storing makes changes of the store and of what follows one step. It is taken
	// before mu.
	storing sync.Mutex

	mu       sync.Mutex
	sessions map[string]*session // by topic, as the rest
	pairings map[string]*pairing
	outcomes outcomes
	waiting  map[uint64]*waiter
	lastID   uint64
}

// Limits of a Manager.
const (
	maxSessions = 100
	maxPairings = 32
	maxWaiting  = 64 // well below the calls that a node serves at a time: each may wait for minutes
	maxOutbox   = 64
)

// New reads the sessions from the store. Run uses them.
func New(ctx context.Context, c Config) (*Manager, error) {
	m := &Manager{config: c, outbox: make(chan outgoing, maxOutbox), nudge: make(chan struct{}, 1),
		sessions: map[string]*session{}, pairings: map[string]*pairing{}, waiting: map[uint64]*waiter{}}
	seed := derive(c.Secret, "relay client")
	var err error
	if m.kept, err = newVault(c); err != nil {
		return nil, err
	}
	m.relay, err = relay.New(relay.Config{URL: c.RelayURL, ProjectID: c.ProjectID, Seed: seed, Dial: c.Dial, Now: c.Now,
		Random: c.Random, Log: c.Log, Receive: m.receive})
	if err != nil {
		return nil, err
	}
	m.config.Secret = [32]byte{}
	if err := m.load(ctx); err != nil {
		return nil, fmt.Errorf("read the sessions with wallets: %w", err)
	}
	return m, nil
}

// derive makes a key for a purpose.
func derive(secret [32]byte, purpose string) [32]byte {
	return wire.Derive(secret, "obverse walletconnect "+purpose)
}

func (m *Manager) load(ctx context.Context) error {
	damaged := 0
	err := m.kept.each(ctx, kindSession, func(topic string, open func(any) error) {
		s := &session{}
		if open(s) != nil || s.Key.Topic() != topic {
			damaged++
			return
		}
		m.sessions[topic] = s
		m.relay.Watch(topic)
	})
	if err != nil {
		return err
	}
	err = m.kept.each(ctx, kindPairing, func(topic string, open func(any) error) {
		p := &pairing{}
		if open(p) != nil || p.Key.Topic() != topic {
			damaged++
			return
		}
		m.pairings[topic] = p
		m.relay.Watch(topic)
		if p.Approved {
			m.relay.Watch(p.SessionKey.Topic())
		}
	})
	if damaged > 0 {
		m.config.Log.Warn("skipped damaged sessions with wallets", "count", damaged)
	}
	return err
}

// Run keeps the sessions alive until ctx ends.
func (m *Manager) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(guard.Func(ctx, "the client of a relay", func() error { return m.relay.Run(ctx) }))
	group.Go(guard.Func(ctx, "sending to wallets", func() error { return m.send(ctx) }))
	group.Go(guard.Func(ctx, "ending sessions with wallets", func() error { return m.expire(ctx) }))
	return group.Wait()
}

// Session is what a wallet agreed to.
type Session struct {
	Topic      string
	Pairing    string // the topic of the pairing that it came from
	Peer       wire.Metadata
	Namespaces wire.Namespaces
	Expires    time.Time
}

// Sessions lists the sessions, the oldest first.
func (m *Manager) Sessions() []Session {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.config.Now()
	byAge := map[string]*session{} // texts, since a page sorts those anyway
	for topic, s := range m.sessions {
		if s.live(now) {
			byAge[s.Since.UTC().Format("20060102150405.000000000")+topic] = s
		}
	}
	all := make([]Session, 0, len(byAge))
	for _, age := range slices.Sorted(maps.Keys(byAge)) {
		all = append(all, byAge[age].view())
	}
	return all
}

// Session returns the session of a topic; the error is ErrNoSession.
func (m *Manager) Session(topic string) (Session, error) {
	s, err := m.session(topic)
	if err != nil {
		return Session{}, err
	}
	return s.view(), nil
}

func (m *Manager) session(topic string) (*session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sessions[topic]
	if s == nil || !s.live(m.config.Now()) {
		return nil, fmt.Errorf("%w: topic %.64q", ErrNoSession, topic)
	}
	return s, nil
}

// Delete ends a session here, and tells the wallet when the relay can be reached. The error
// is ErrNoSession, or the store's.
func (m *Manager) Delete(ctx context.Context, topic string) error {
	s, err := m.session(topic)
	if err != nil {
		return err
	}
	if err := m.end(ctx, topic, ErrDeleted); err != nil {
		return err
	}
	reason, err := json.Marshal(wire.Error{Code: codeDisconnected, Message: "User disconnected."})
	if err != nil {
		return err
	}
	m.post(outgoing{key: s.Key, message: wire.Message{ID: m.nextID(), Method: wire.SessionDelete, Params: reason}, how: deliveries[wire.SessionDelete]})
	return nil
}

// nextID makes the id of a message: milliseconds and a counter, as the official clients
// do, so that the newer of two requests can be told.
func (m *Manager) nextID() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lastID = max(m.lastID+1, uint64(m.config.Now().UnixMilli())*1000)
	return m.lastID
}
