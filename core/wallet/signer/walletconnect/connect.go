package walletconnect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"obverse/core/wallet/signer/walletconnect/relay"
	"obverse/core/wallet/signer/walletconnect/wire"
)

// pairing is a stored proposal that no wallet has settled yet. It is immutable; changes replace
// it.
type pairing struct {
	Key        wire.SymKey     `json:"key"`
	PrivateKey wire.PrivateKey `json:"own"`
	ID         uint64          `json:"id"` // id of the proposal
	Expires    time.Time       `json:"expires"`
	Required   wire.Namespaces `json:"required"`
	Approved   bool            `json:"approved"` // whether the wallet approved; the fields below are set then
	Responder  string          `json:"responder"`
	SessionKey wire.SymKey     `json:"session_key"`
}

// pairingTime is how long a proposal is valid.
const pairingTime = 5 * time.Minute

// Connection is a pending proposal.
type Connection struct {
	// URI is passed to the wallet, usually as a QR code. It contains a key: the first wallet
	// that reads it can take the session.
	URI string
	// Topic is the topic of the pairing. Await takes it.
	Topic string
}

// NewConnection proposes a session. It returns once the relay has confirmed the proposal; a
// wallet can approve it for five minutes. A session without the required namespaces is
// rejected.
func (m *Manager) NewConnection(ctx context.Context, required, optional wire.Namespaces) (Connection, error) {
	if err := errors.Join(checkProposed("required", required), checkProposed("optional", optional)); err != nil {
		return Connection{}, err
	}
	if len(required)+len(optional) == 0 {
		return Connection{}, fmt.Errorf("%w: there are neither required nor optional ones", wire.ErrNamespaces)
	}
	p, err := m.newPairing(required)
	if err != nil {
		return Connection{}, err
	}
	topic := p.Key.Topic()
	if err := m.keep(ctx, topic, p); err != nil {
		return Connection{}, err
	}
	m.relay.Watch(topic)
	if err := m.propose(ctx, p, optional); err != nil {
		return Connection{}, errors.Join(err, m.giveUp(context.WithoutCancel(ctx), topic, err))
	}
	return Connection{wire.Pairing{Key: p.Key, Expires: p.Expires}.URI(), topic}, nil
}

// checkProposed rejects namespaces that no wallet could approve.
func checkProposed(which string, n wire.Namespaces) error {
	if err := n.Check(); err != nil {
		return fmt.Errorf("%s: %w", which, err)
	}
	for name, namespace := range n {
		if len(namespace.Chains) == 0 && !wire.IsChain(name) {
			return fmt.Errorf("%s: %w: %s has no chains", which, wire.ErrNamespaces, name)
		}
		if len(namespace.Accounts) > 0 {
			return fmt.Errorf("%s: %w: %s has accounts, which the wallet names", which, wire.ErrNamespaces, name)
		}
	}
	return nil
}

func (m *Manager) newPairing(required wire.Namespaces) (*pairing, error) {
	key, err := wire.NewSymKey(m.config.Random)
	if err != nil {
		return nil, err
	}
	private, err := wire.NewPrivateKey(m.config.Random)
	if err != nil {
		return nil, err
	}
	return &pairing{Key: key, PrivateKey: private, ID: m.nextID(), Expires: m.config.Now().Add(pairingTime).Truncate(time.Second), Required: required}, nil
}

// keep stores a pairing and adds it to the list.
func (m *Manager) keep(ctx context.Context, topic string, p *pairing) error {
	m.storing.Lock()
	defer m.storing.Unlock()
	m.mu.Lock()
	_, known := m.pairings[topic]
	full := !known && (len(m.pairings) >= maxPairings || len(m.sessions) >= maxSessions)
	m.mu.Unlock()
	if p.Approved && !known {
		return nil // the pairing was removed in the meantime
	}
	if full {
		return fmt.Errorf("%w: %d proposals to wallets or %d sessions: wait for proposals to expire, or delete sessions", ErrBusy, maxPairings, maxSessions)
	}
	if err := m.vault.put(ctx, kindPairing, topic, p); err != nil {
		return fmt.Errorf("keep a proposal to a wallet: %w", err)
	}
	m.mu.Lock()
	m.pairings[topic] = p
	m.mu.Unlock()
	m.hurry()
	return nil
}

func (m *Manager) propose(ctx context.Context, p *pairing, optional wire.Namespaces) error {
	params, err := json.Marshal(wire.Proposal{
		Required: orEmpty(p.Required), Optional: orEmpty(optional), Relays: []wire.Relay{{Protocol: wire.RelayProtocol}}, Pairing: p.Key.Topic(),
		Proposer: wire.Participant{PublicKey: p.PrivateKey.PublicKey().String(), Metadata: m.config.Metadata}, Expires: p.Expires.Unix(),
	})
	if err != nil {
		return err
	}
	message := wire.Message{ID: p.ID, Method: wire.SessionPropose, Params: params}
	publication, err := m.seal(outgoing{key: p.Key, message: message, how: deliveries[wire.SessionPropose]})
	if err != nil {
		return err
	}
	if err := m.relay.Propose(ctx, publication); err != nil {
		return fmt.Errorf("propose a session: %w", err)
	}
	return nil
}

// orEmpty replaces nil by an empty object, since wallets cannot read null.
func orEmpty(n wire.Namespaces) wire.Namespaces {
	if n == nil {
		return wire.Namespaces{}
	}
	return n
}

// giveUp removes a pairing and passes reason to the callers that wait for it. reason is nil if
// the pairing led to a session.
func (m *Manager) giveUp(ctx context.Context, topic string, reason error) error {
	m.storing.Lock()
	defer m.storing.Unlock()
	if err := m.vault.remove(ctx, kindPairing, topic); err != nil {
		return err
	}
	m.relay.Unwatch(topic)
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.pairings[topic]
	if p == nil {
		return nil
	}
	delete(m.pairings, topic)
	if reason != nil {
		if p.Approved && m.sessions[p.SessionKey.Topic()] == nil {
			m.relay.Unwatch(p.SessionKey.Topic())
		}
		m.outcomes.set(topic, outcome{err: reason})
	}
	return nil
}

// Await waits until a wallet approves or rejects the proposal of a pairing, or until the
// proposal expires. It returns a *WalletError, ErrTimeout, ErrNoSession for an unknown topic,
// the reason why the session is invalid, or the error of ctx.
func (m *Manager) Await(ctx context.Context, topic string) (Session, error) {
	m.mu.Lock()
	came, known := m.outcomes.wait(topic, m.pairings[topic] != nil)
	m.mu.Unlock()
	if !known {
		return Session{}, fmt.Errorf("%w: no proposal of topic %.64q", ErrNoSession, topic)
	}
	select {
	case <-ctx.Done():
		return Session{}, ctx.Err()
	case <-came.done:
		if came.err != nil {
			return Session{}, came.err
		}
		return m.Session(came.session)
	}
}

// seal encrypts a message.
func (m *Manager) seal(o outgoing) (relay.Publication, error) {
	plain, err := o.message.Encode()
	if err != nil {
		return relay.Publication{}, err
	}
	text, err := wire.Seal(o.key, m.config.Random, plain)
	return relay.Publication{Delivery: relay.Delivery{Topic: o.key.Topic(), Text: text},
		TTL: o.how.ttl, Tag: o.how.tag, Prompt: o.how.prompt, Correlation: o.message.ID}, err
}
