package walletconnect

import (
	"context"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/chacha20poly1305"
	"golang.org/x/sync/errgroup"

	"obverse/core/guard"
	"obverse/core/net/fetch"
	"obverse/core/store"
	"obverse/core/wallet/signer/walletconnect/relay"
	"obverse/core/wallet/signer/walletconnect/wire"
)

// Config configures a Manager.
type Config struct {
	RelayURL  string        // a ws or wss URL
	ProjectID string        // issued by the relay's operator
	Metadata  wire.Metadata // shown by wallets to their user
	// Secret is the source of the keys that encrypt stored sessions and identify this client to
	// the relay; see the package documentation. It is not stored.
	Secret [32]byte
	Store  store.KV
	Dial   fetch.Dialer
	Now    func() time.Time
	Random io.Reader
	Log    relay.Logger
	// Notify is called with session events, one at a time. It must return without delay and
	// must not call the Manager. It may be nil.
	Notify func(Event)
}

// Manager holds sessions. It is safe for concurrent use.
type Manager struct {
	config Config
	relay  *relay.Client
	vault  vault
	outbox chan outgoing
	nudge  chan struct{} // signals that an expiry became earlier

	notifying sync.Mutex // serializes calls of Notify

	// storing serializes changes of the store together with the changes in memory that follow.
	// Lock it before mu.
	storing sync.Mutex

	mu       sync.Mutex
	sessions map[string]*session // by topic, like the maps below
	pairings map[string]*pairing
	outcomes outcomes
	waiting  map[uint64]*waiter
	queued   map[string]int       // messages in outbox
	notices  map[string]time.Time // time until which the notices of a session are used up, see allow
	lastID   uint64
}

// Limits of a Manager.
const (
	maxSessions = 100
	maxPairings = 32
	maxWaiting  = 64 // well below the server's limit of concurrent calls, since each may wait for minutes
	maxOutbox   = 64
)

// New loads the sessions from the store. Call Run to use them.
func New(ctx context.Context, c Config) (*Manager, error) {
	m := &Manager{config: c, outbox: make(chan outgoing, maxOutbox), nudge: make(chan struct{}, 1),
		sessions: map[string]*session{}, pairings: map[string]*pairing{}, waiting: map[uint64]*waiter{}, queued: map[string]int{}, notices: map[string]time.Time{}}
	seed := derive(c.Secret, "relay client")
	var err error
	if m.vault, err = newVault(c); err != nil {
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

// derive derives a key for a purpose.
func derive(secret [32]byte, purpose string) [32]byte {
	return wire.Derive(secret, "obverse walletconnect "+purpose)
}

func (m *Manager) load(ctx context.Context) error {
	damaged := 0
	err := m.vault.each(ctx, kindSession, func(topic string, open func(any) error) {
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
	err = m.vault.each(ctx, kindPairing, func(topic string, open func(any) error) {
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

// Run connects the sessions until ctx is done.
func (m *Manager) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(guard.Func(ctx, "the client of a relay", func() error { return m.relay.Run(ctx) }))
	group.Go(guard.Func(ctx, "sending to wallets", func() error { return m.send(ctx) }))
	group.Go(guard.Func(ctx, "ending sessions with wallets", func() error { return m.expire(ctx) }))
	return group.Wait()
}

// Session is an active session with a wallet.
type Session struct {
	Topic      string
	Pairing    string // topic of the pairing that led to the session
	Peer       wire.Metadata
	Namespaces wire.Namespaces
	Expires    time.Time
}

// Sessions returns the sessions, oldest first.
func (m *Manager) Sessions() []Session {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.config.Now()
	byAge := map[string]*session{} // by text, since a page's module contains the code for sorting strings anyway
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

// Session returns the session with a topic. It fails with ErrNoSession.
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

// Delete ends a session and notifies the wallet once the relay is reachable. It returns
// ErrNoSession or an error of the store.
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

// nextID returns the id of a message. Like in the official clients, it consists of milliseconds
// and a counter, so that ids are in the order of creation.
func (m *Manager) nextID() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lastID = max(m.lastID+1, uint64(m.config.Now().UnixMilli())*1000)
	return m.lastID
}

// Kinds of rows in the store.
const (
	kindSession = "session/"
	kindPairing = "pairing/"
)

// prefix is the common prefix of all rows. It is followed by the owner, which is the hash of
// the encryption key, so that each passphrase has its own rows.
const prefix = "N/walletconnect/"

// version is the first byte of every row.
const version = 1

var errDamaged = errors.New("stored record is damaged")

// vault stores rows encrypted. Each row's key in the store is authenticated.
type vault struct {
	kv     store.KV
	random io.Reader
	box    cipher.AEAD
	owner  string
}

func newVault(c Config) (v vault, err error) {
	k := derive(c.Secret, "sessions at rest")
	box, err := chacha20poly1305.NewX(k[:])
	if err != nil {
		return v, err
	}
	sum := sha256.Sum256(k[:])
	return vault{c.Store, c.Random, box, prefix + hex.EncodeToString(sum[:8]) + "/"}, nil
}

func (v vault) put(ctx context.Context, kind, topic string, row any) error {
	plain, err := json.Marshal(row)
	if err != nil {
		return err
	}
	defer clear(plain)
	sealed := make([]byte, 1+v.box.NonceSize(), 1+v.box.NonceSize()+len(plain)+v.box.Overhead())
	sealed[0] = version
	if _, err := io.ReadFull(v.random, sealed[1:]); err != nil {
		return fmt.Errorf("keep a session with a wallet: source of randomness: %w", err)
	}
	at := v.owner + kind + topic
	var b store.Batch
	b.Put(at, string(v.box.Seal(sealed, sealed[1:], plain, []byte(at))))
	return store.Apply(ctx, v.kv, b)
}

func (v vault) remove(ctx context.Context, kind, topic string) error {
	var b store.Batch
	b.Delete(v.owner + kind + topic)
	return store.Apply(ctx, v.kv, b)
}

// maxRows limits how many rows of a kind are read.
const maxRows = 1000

// each calls do with the topic of each row of a kind and a function that decrypts the row.
func (v vault) each(ctx context.Context, kind string, do func(topic string, open func(row any) error)) error {
	rows, err := v.kv.Scan(ctx, v.owner+kind, "", maxRows)
	if err != nil {
		return err
	}
	for _, row := range rows {
		do(strings.TrimPrefix(row.Key, v.owner+kind), func(into any) error { return v.open(row, into) })
	}
	return nil
}

func (v vault) open(row store.Entry, into any) error {
	data := []byte(row.Data)
	head := 1 + v.box.NonceSize()
	if len(data) < head || data[0] != version {
		return errDamaged
	}
	plain, err := v.box.Open(nil, data[1:head], data[head:], []byte(row.Key))
	if err != nil {
		return errDamaged
	}
	defer clear(plain)
	if err := json.Unmarshal(plain, into); err != nil {
		return errDamaged
	}
	return nil
}
