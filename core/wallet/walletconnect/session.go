package walletconnect

import (
	"context"
	"slices"
	"time"

	"obverse/core/wallet/walletconnect/wire"
)

// session is a Session as it is kept. It is not changed but replaced.
type session struct {
	Key        wire.SymKey     `json:"key"`
	Pairing    string          `json:"pairing"`
	Peer       wire.Metadata   `json:"peer"`
	Namespaces wire.Namespaces `json:"namespaces"`
	Expires    time.Time       `json:"expires"`
	Since      time.Time       `json:"since"`
	Changed    uint64          `json:"changed"` // the id of the wallet's last change, so that no older one comes after it
}

func (s *session) live(now time.Time) bool { return now.Before(s.Expires) }

func (s *session) view() Session {
	own := make(wire.Namespaces, len(s.Namespaces))
	for name, n := range s.Namespaces {
		own[name] = wire.Namespace{Chains: slices.Clone(n.Chains), Methods: slices.Clone(n.Methods), Events: slices.Clone(n.Events), Accounts: slices.Clone(n.Accounts)}
	}
	return Session{Topic: s.Key.Topic(), Pairing: s.Pairing, Peer: s.Peer, Namespaces: own, Expires: s.Expires}
}

// Times of sessions.
const (
	sessionTime = 7 * 24 * time.Hour  // that a wallet extends a session by
	maxSession  = 30 * 24 * time.Hour // longer ones are kept for so long
)

// change replaces a session by what do makes of a copy, in the store first. It does
// nothing, and reports so, if the session has ended or do refuses.
func (m *Manager) change(ctx context.Context, topic string, do func(*session) bool) (bool, error) {
	m.storing.Lock()
	defer m.storing.Unlock()
	old, err := m.session(topic)
	if err != nil {
		return false, nil
	}
	next := *old
	if !do(&next) {
		return false, nil
	}
	if err := m.kept.put(ctx, kindSession, topic, &next); err != nil {
		return false, err
	}
	m.mu.Lock()
	m.sessions[topic] = &next
	m.mu.Unlock()
	m.hurry()
	return true, nil
}

// end forgets a session, for a reason that those who wait for its wallet are told.
func (m *Manager) end(ctx context.Context, topic string, reason error) error {
	m.storing.Lock()
	defer m.storing.Unlock()
	m.mu.Lock()
	_, known := m.sessions[topic]
	m.mu.Unlock()
	if !known {
		return nil
	}
	if err := m.kept.remove(ctx, kindSession, topic); err != nil {
		return err
	}
	m.relay.Unwatch(topic)
	m.mu.Lock()
	delete(m.sessions, topic)
	for id, w := range m.waiting {
		if w.topic == topic {
			w.answer <- answer{err: reason}
			delete(m.waiting, id)
		}
	}
	m.mu.Unlock()
	m.notify(Event{Topic: topic, Kind: Ended, Reason: reason})
	return nil
}

// hurry has the earliest expiry looked for again.
func (m *Manager) hurry() {
	select {
	case m.nudge <- struct{}{}:
	default:
	}
}

// Limits of the time until expiries are looked at again: a clock may be set.
const (
	minCheck = time.Second
	maxCheck = time.Minute
)

// expire ends sessions and pairings when their time is over.
func (m *Manager) expire(ctx context.Context) error {
	for {
		next := m.expired(ctx)
		timer := time.NewTimer(min(max(next, minCheck), maxCheck))
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-m.nudge:
		}
		timer.Stop()
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// expired ends what is over, and returns in what time the next one is.
func (m *Manager) expired(ctx context.Context) time.Duration {
	now := m.config.Now()
	next := maxCheck
	var sessions, pairings []string
	m.mu.Lock()
	for topic, s := range m.sessions {
		if !s.live(now) {
			sessions = append(sessions, topic)
		} else {
			next = min(next, s.Expires.Sub(now))
		}
	}
	for topic, p := range m.pairings {
		if !now.Before(p.Expires) {
			pairings = append(pairings, topic)
		} else {
			next = min(next, p.Expires.Sub(now))
		}
	}
	m.mu.Unlock()
	for _, topic := range sessions {
		if err := m.end(ctx, topic, ErrExpired); err != nil && ctx.Err() == nil {
			m.config.Log.Warn("could not remove an expired session with a wallet", "error", err)
		}
	}
	for _, topic := range pairings {
		if err := m.giveUp(ctx, topic, ErrTimeout); err != nil && ctx.Err() == nil {
			m.config.Log.Warn("could not remove an expired pairing with a wallet", "error", err)
		}
	}
	return next
}
