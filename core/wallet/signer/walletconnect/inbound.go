package walletconnect

import (
	"context"
	"encoding/json"
	"time"

	"obverse/core/wallet/signer/walletconnect/relay"
	"obverse/core/wallet/signer/walletconnect/wire"
)

// receive handles a message from the relay. Messages that were not encrypted with the topic's
// key are dropped, since anyone can send them.
func (m *Manager) receive(ctx context.Context, d relay.Delivery) {
	m.mu.Lock()
	s, p := m.sessions[d.Topic], m.pairings[d.Topic]
	var settling *pairing
	for _, open := range m.pairings {
		if open.Approved && open.SessionKey.Topic() == d.Topic {
			settling = open
		}
	}
	m.mu.Unlock()
	switch {
	case s != nil:
		if message, ok := read(s.Key, d); ok {
			m.onSession(ctx, s, message)
		}
	case p != nil:
		if message, ok := read(p.Key, d); ok {
			m.onPairing(ctx, p, message)
		}
	case settling != nil:
		if message, ok := read(settling.SessionKey, d); ok && message.Method == wire.SessionSettle {
			m.settle(ctx, settling, message)
		}
	}
}

func read(k wire.SymKey, d relay.Delivery) (wire.Message, bool) {
	plain, err := wire.Open(k, d.Text)
	if err != nil {
		return wire.Message{}, false
	}
	message, err := wire.DecodeMessage(plain)
	return message, err == nil
}

// reply answers a request of a wallet with true, or with a refusal.
func (m *Manager) reply(k wire.SymKey, to wire.Message, refusal *wire.Error) {
	message := wire.Message{ID: to.ID, Result: json.RawMessage("true")}
	if refusal != nil {
		message = wire.Message{ID: to.ID, Error: refusal}
	}
	m.post(outgoing{key: k, message: message, how: answerTo(to.Method)})
}

// onPairing handles a message on a pairing's topic.
func (m *Manager) onPairing(ctx context.Context, p *pairing, message wire.Message) {
	topic := p.Key.Topic()
	switch {
	case message.Method == wire.SessionPropose: // sent by this node before a restart
	case message.Method == wire.PairingPing:
		m.reply(p.Key, message, nil)
	case message.Method == wire.PairingDelete && !p.Approved:
		m.abandon(ctx, topic, ErrDisconnected)
	case message.IsRequest():
		m.reply(p.Key, message, &wire.Error{Code: codeUnsupported, Message: "Unsupported wc_ method."})
	case message.ID != p.ID || p.Approved:
	case message.Error != nil:
		m.abandon(ctx, topic, walletError(message.Error))
	default:
		m.approved(ctx, p, message.Result)
	}
}

// abandon calls giveUp and logs its error.
func (m *Manager) abandon(ctx context.Context, pairing string, reason error) {
	if err := m.giveUp(ctx, pairing, reason); err != nil {
		m.config.Log.Warn("could not remove a proposal to a wallet", "error", err)
	}
}

// approved records an approval and derives the session key, which encrypts the settlement.
func (m *Manager) approved(ctx context.Context, p *pairing, result json.RawMessage) {
	approval, err := wire.Decode[wire.Approval](result, "approval")
	if err != nil || !m.config.Now().Before(p.Expires) {
		return
	}
	responder, err := wire.ParsePublicKey(approval.Responder)
	if err != nil {
		return
	}
	next := *p
	if next.SessionKey, err = p.PrivateKey.Agree(responder); err != nil {
		return
	}
	next.Approved, next.Responder = true, responder.String()
	if err := m.keep(ctx, p.Key.Topic(), &next); err != nil {
		m.config.Log.Warn("could not store a wallet's approval", "error", err)
		return
	}
	m.relay.Watch(next.SessionKey.Topic())
}

// settle starts the session if the settlement matches the proposal.
func (m *Manager) settle(ctx context.Context, p *pairing, message wire.Message) {
	s, refusal := m.settled(p, message)
	if refusal != nil {
		m.reply(p.SessionKey, message, refusal)
		m.abandon(ctx, p.Key.Topic(), &WalletError{Code: refusal.Code, Text: refusal.Message})
		return
	}
	topic := s.Key.Topic()
	m.storing.Lock()
	err := m.vault.put(ctx, kindSession, topic, s)
	if err == nil {
		m.mu.Lock()
		m.sessions[topic] = s
		m.outcomes.set(s.Pairing, outcome{session: topic})
		m.mu.Unlock()
	}
	m.storing.Unlock()
	if err != nil {
		m.config.Log.Warn("could not store a session with a wallet", "error", err)
		return
	}
	m.abandon(ctx, s.Pairing, nil)
	m.reply(s.Key, message, nil)
	m.hurry()
	m.notify(Event{Topic: topic, Kind: Settled})
}

// settled decodes and checks a settlement.
func (m *Manager) settled(p *pairing, message wire.Message) (*session, *wire.Error) {
	refuse := func(err error) (*session, *wire.Error) {
		return nil, &wire.Error{Code: codeInvalidSettle, Message: "Invalid session settle request: " + err.Error()}
	}
	settlement, err := wire.Decode[wire.Settlement](message.Params, "settlement")
	if err != nil {
		return refuse(err)
	}
	namespaces, err := wire.DecodeNamespaces(settlement.Namespaces)
	if err != nil {
		return refuse(err)
	}
	if err := namespaces.Covers(p.Required); err != nil {
		return refuse(err)
	}
	now := m.config.Now()
	expires := boundedTime(settlement.Expires, now)
	if settlement.Controller.PublicKey != p.Responder {
		return refuse(errOtherController)
	}
	if !now.Before(expires) {
		return refuse(ErrExpired)
	}
	return &session{Key: p.SessionKey, Pairing: p.Key.Topic(), Peer: settlement.Controller.Metadata.Bounded(),
		Namespaces: namespaces, Expires: expires, Since: now, Changed: message.ID}, nil
}

// boundedTime converts Unix seconds from a wallet to a time, at most maxSession from now.
func boundedTime(seconds int64, now time.Time) time.Time {
	longest := now.Add(maxSession)
	return time.Unix(min(max(seconds, 0), longest.Unix()), 0).UTC()
}

// onSession handles a message on a session's topic.
func (m *Manager) onSession(ctx context.Context, s *session, message wire.Message) {
	topic := s.Key.Topic()
	switch message.Method {
	case "":
		m.answered(topic, message)
	case wire.SessionPing, wire.SessionSettle: // the relay may deliver these twice
		m.reply(s.Key, message, nil)
	case wire.SessionDelete:
		if err := m.end(ctx, topic, ErrDisconnected); err != nil {
			m.config.Log.Warn("could not remove a session that the wallet ended", "error", err)
		}
	case wire.SessionUpdate, wire.SessionExtend:
		m.onChange(ctx, s, message)
	case wire.SessionEvent:
		m.event(s, message)
	case wire.SessionRequest:
		m.reply(s.Key, message, &wire.Error{Code: codeUnauthorized, Message: "Unauthorized method."})
	default:
		m.reply(s.Key, message, &wire.Error{Code: codeUnsupported, Message: "Unsupported wc_ method."})
	}
}

// onChange handles a message that changes a session.
func (m *Manager) onChange(ctx context.Context, s *session, message wire.Message) {
	switch refusal := int64(codeInvalidUpdate); {
	case !m.allow(noticeChange, s.Key.Topic()):
		if message.Method == wire.SessionExtend {
			refusal = codeInvalidExtend
		}
		m.reply(s.Key, message, &wire.Error{Code: refusal, Message: "Invalid request: too many changes of the session, try again in a minute."})
	case message.Method == wire.SessionUpdate:
		m.update(ctx, s, message)
	default:
		m.extend(ctx, s, message)
	}
}

// update replaces the namespaces of a session, for example after the wallet added accounts.
func (m *Manager) update(ctx context.Context, s *session, message wire.Message) {
	update, err := wire.Decode[wire.Update](message.Params, "update")
	var namespaces wire.Namespaces
	if err == nil {
		namespaces, err = wire.DecodeNamespaces(update.Namespaces)
	}
	if err != nil {
		m.reply(s.Key, message, &wire.Error{Code: codeInvalidUpdate, Message: "Invalid update request: " + err.Error()})
		return
	}
	m.apply(ctx, s, message, codeInvalidUpdate, Updated, func(next *session) { next.Namespaces = namespaces })
}

// extend extends a session by a week, or to the wallet's time.
func (m *Manager) extend(ctx context.Context, s *session, message wire.Message) {
	var params struct {
		Expires int64 `json:"expiry"`
	}
	now := m.config.Now()
	until := now.Add(sessionTime).UTC()
	if json.Unmarshal(message.Params, &params) == nil && params.Expires != 0 {
		until = boundedTime(params.Expires, now)
	}
	m.apply(ctx, s, message, codeInvalidExtend, Extended, func(next *session) {
		if until.After(next.Expires) {
			next.Expires = until
		}
	})
}

// apply makes a change that the wallet requested and answers, unless a later change was made
// before.
func (m *Manager) apply(ctx context.Context, s *session, message wire.Message, refusal int64, kind Kind, do func(*session)) {
	topic := s.Key.Topic()
	done, err := m.change(ctx, topic, func(next *session) bool {
		if message.ID/1000 < next.Changed/1000 || message.ID == next.Changed {
			return false // ids within one millisecond are in random order
		}
		next.Changed = message.ID
		do(next)
		return true
	})
	switch {
	case err != nil:
		m.config.Log.Warn("could not store a change of a session with a wallet", "error", err)
	case !done:
		m.reply(s.Key, message, &wire.Error{Code: refusal, Message: "Invalid request: a newer one was received."})
	default:
		m.reply(s.Key, message, nil)
		m.notify(Event{Topic: topic, Kind: kind})
	}
}

// maxEventData limits the data of a wallet's event, in bytes.
const maxEventData = 16 << 10

// event reports an event of the wallet. Events do not change the session; a wallet changes its
// accounts with an update.
func (m *Manager) event(s *session, message wire.Message) {
	e, err := wire.Decode[wire.Event](message.Params, "event")
	if err != nil || len(e.Event.Data) > maxEventData || !s.Namespaces.AllowsEvent(e.Chain, e.Event.Name) {
		m.reply(s.Key, message, &wire.Error{Code: codeBadEvent, Message: "Unauthorized event."})
		return
	}
	if !m.allow(noticeEvent, s.Key.Topic()) {
		m.reply(s.Key, message, &wire.Error{Code: codeBadEvent, Message: "Too many events, try again in a minute."})
		return
	}
	m.reply(s.Key, message, nil)
	m.notify(Event{Topic: s.Key.Topic(), Kind: Emitted, Chain: e.Chain, Name: e.Event.Name, Data: e.Event.Data})
}

// Kind is the type of a session event.
type Kind string

// Kinds of events.
const (
	Settled  Kind = "settled"  // the wallet approved the session
	Updated  Kind = "updated"  // the wallet changed its accounts, chains or methods
	Extended Kind = "extended" // the expiry was extended
	Ended    Kind = "ended"    // the session was deleted by the user or by the wallet, or has expired
	Emitted  Kind = "emitted"  // the wallet sent an event, such as accountsChanged or chainChanged
)

// Event is an event of a session.
type Event struct {
	Topic  string
	Kind   Kind
	Reason error // set for Ended

	// Set for Emitted: the chain, the name of the event, and the wallet's JSON data.
	Chain, Name string
	Data        json.RawMessage
}

func (m *Manager) notify(e Event) {
	if m.config.Notify == nil {
		return
	}
	m.notifying.Lock()
	defer m.notifying.Unlock()
	m.config.Notify(e)
}
