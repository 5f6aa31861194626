package walletconnect

import (
	"context"
	"slices"
	"time"

	"obverse/core/wallet/signer/walletconnect/wire"
)

// session is the stored form of a Session. It is immutable; changes replace it.
type session struct {
	Key        wire.SymKey     `json:"key"`
	Pairing    string          `json:"pairing"`
	Peer       wire.Metadata   `json:"peer"`
	Namespaces wire.Namespaces `json:"namespaces"`
	Expires    time.Time       `json:"expires"`
	Since      time.Time       `json:"since"`
	Changed    uint64          `json:"changed"` // id of the wallet's last change, to ignore older ones
}

func (s *session) live(now time.Time) bool { return now.Before(s.Expires) }

func (s *session) view() Session {
	copied := make(wire.Namespaces, len(s.Namespaces))
	for name, n := range s.Namespaces {
		copied[name] = wire.Namespace{Chains: slices.Clone(n.Chains), Methods: slices.Clone(n.Methods), Events: slices.Clone(n.Events), Accounts: slices.Clone(n.Accounts)}
	}
	return Session{Topic: s.Key.Topic(), Pairing: s.Pairing, Peer: s.Peer, Namespaces: copied, Expires: s.Expires}
}

// Times of sessions.
const (
	sessionTime = 7 * 24 * time.Hour  // extension of a session by its wallet
	maxSession  = 30 * 24 * time.Hour // upper limit of a session's expiry
)

// change applies do to a copy of a session, stores it, and then replaces the session. If the
// session has ended or do returns false, it changes nothing and returns false.
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
	if err := m.vault.put(ctx, kindSession, topic, &next); err != nil {
		return false, err
	}
	m.mu.Lock()
	m.sessions[topic] = &next
	m.mu.Unlock()
	m.hurry()
	return true, nil
}

// Limits of the changes and events of one wallet, which are written to the store and to the
// log. maxNotices may come at once, and one more in each noticeTime.
const (
	maxNotices = 10
	noticeTime = time.Minute
)

// Kinds of notices that are limited for a session.
const (
	noticeChange = "change "
	noticeEvent  = "event "
)

// allow reports whether the wallet of a session may send a change or an event now, and counts it.
func (m *Manager) allow(notice, topic string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.config.Now()
	used := m.notices[notice+topic]
	if ahead := used.Sub(now); ahead < 0 || ahead > maxNotices*noticeTime { // or the clock was changed
		used = now
	}
	if used.Sub(now) > (maxNotices-1)*noticeTime {
		return false
	}
	m.notices[notice+topic] = used.Add(noticeTime)
	return true
}

// end removes a session and passes reason to the callers that wait for its wallet.
func (m *Manager) end(ctx context.Context, topic string, reason error) error {
	m.storing.Lock()
	defer m.storing.Unlock()
	m.mu.Lock()
	_, known := m.sessions[topic]
	m.mu.Unlock()
	if !known {
		return nil
	}
	if err := m.vault.remove(ctx, kindSession, topic); err != nil {
		return err
	}
	m.relay.Unwatch(topic)
	m.mu.Lock()
	delete(m.sessions, topic)
	delete(m.notices, noticeChange+topic)
	delete(m.notices, noticeEvent+topic)
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

// hurry makes expire check the earliest expiry again.
func (m *Manager) hurry() {
	select {
	case m.nudge <- struct{}{}:
	default:
	}
}

// Limits of the interval between checks for expiry, since the clock may be changed.
const (
	minCheck = time.Second
	maxCheck = time.Minute
)

// expire ends sessions and pairings when they expire.
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

// expired ends expired sessions and pairings, and returns the time until the next expiry.
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
