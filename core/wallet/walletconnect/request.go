package walletconnect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"obverse/core/wallet/walletconnect/relay"
	"obverse/core/wallet/walletconnect/wire"
)

// delivery is how a relay handles a message.
type delivery struct {
	tag    int
	ttl    time.Duration
	prompt bool // wake the receiver
}

// Times of requests.
const (
	requestTime = 5 * time.Minute // in which the wallet's user answers; the least that official wallets take
	pingTime    = 30 * time.Second
)

// deliveries are those of requests, from the specification. The tag of an answer is that
// of its request and one.
var deliveries = map[string]delivery{
	wire.PairingDelete:  {1000, 24 * time.Hour, false},
	wire.PairingPing:    {1002, pingTime, false},
	wire.SessionPropose: {1100, pairingTime, true},
	wire.SessionSettle:  {1102, pairingTime, false},
	wire.SessionUpdate:  {1104, 24 * time.Hour, false},
	wire.SessionExtend:  {1106, 24 * time.Hour, false},
	wire.SessionRequest: {1108, requestTime, true},
	wire.SessionEvent:   {1110, pairingTime, true},
	wire.SessionDelete:  {1112, 24 * time.Hour, false},
	wire.SessionPing:    {1114, pingTime, false},
}

// answerTo is how the answer to a request is handled.
func answerTo(method string) delivery {
	d, known := deliveries[method]
	if !known {
		return delivery{0, pairingTime, false}
	}
	return delivery{d.tag + 1, d.ttl, false}
}

// waiter waits for an answer.
type waiter struct {
	topic  string
	answer chan answer // with room for one
}

// answer is the result of a request, or its error.
type answer struct {
	result json.RawMessage
	err    error
}

// Request has the wallet do something on a chain (CAIP-2) and returns its result, which is
// the wallet's own words: whoever calls checks it. The wallet's user has five minutes. The
// errors are ErrNoSession, wire.ErrNotInSession, a *WalletError, ErrTimeout, those of a
// session that ends meanwhile, those of the relay, and that of ctx.
func (m *Manager) Request(ctx context.Context, topic, chain, method string, params any) (json.RawMessage, error) {
	s, err := m.session(topic)
	if err != nil {
		return nil, err
	}
	if err := s.Namespaces.Allows(chain, method); err != nil {
		return nil, err
	}
	raw, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	call := wire.RequestCall{Method: method, Params: raw, Expires: m.config.Now().Add(requestTime).Unix()}
	return m.ask(ctx, s, wire.SessionRequest, wire.Request{Request: call, Chain: chain}, requestTime)
}

// Ping asks whether the wallet is there. The errors are those of Request.
func (m *Manager) Ping(ctx context.Context, topic string) error {
	s, err := m.session(topic)
	if err != nil {
		return err
	}
	_, err = m.ask(ctx, s, wire.SessionPing, struct{}{}, pingTime)
	return err
}

// ask sends a request and waits for the answer.
func (m *Manager) ask(ctx context.Context, s *session, method string, params any, patience time.Duration) (json.RawMessage, error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	message := wire.Message{ID: m.nextID(), Method: method, Params: raw}
	publication, err := m.seal(outgoing{key: s.Key, message: message, how: deliveries[method]})
	if err != nil {
		return nil, err
	}
	w, err := m.waitFor(message.ID, s.Key.Topic())
	if err != nil {
		return nil, err
	}
	defer m.forget(message.ID)
	patient, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := m.relay.Publish(patient, publication); err != nil {
		select {
		case a := <-w.answer: // so that the wallet has the request
			return a.result, a.err
		default:
			return nil, timeoutOf(ctx, patience, err)
		}
	}
	select {
	case <-patient.Done():
		return nil, timeoutOf(ctx, patience, patient.Err())
	case a := <-w.answer:
		return a.result, a.err
	}
}

// timeoutOf tells a caller that gave up from a wallet that took too long.
func timeoutOf(ctx context.Context, patience time.Duration, err error) error {
	if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %s", ErrTimeout, patience)
	}
	return err
}

func (m *Manager) waitFor(id uint64, topic string) (*waiter, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.waiting) >= maxWaiting {
		return nil, fmt.Errorf("%w: %d requests to wallets are unanswered", ErrBusy, maxWaiting)
	}
	if m.sessions[topic] == nil {
		return nil, fmt.Errorf("%w: topic %.64q", ErrNoSession, topic)
	}
	w := &waiter{topic, make(chan answer, 1)}
	m.waiting[id] = w
	return w, nil
}

func (m *Manager) forget(id uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.waiting, id)
}

// answered passes an answer on to who waits for it. An answer to nothing, of another
// session, or a second one is dropped.
func (m *Manager) answered(topic string, message wire.Message) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w := m.waiting[message.ID]
	if w == nil || w.topic != topic {
		return
	}
	delete(m.waiting, message.ID)
	if message.Error != nil {
		w.answer <- answer{err: walletError(message.Error)}
		return
	}
	w.answer <- answer{result: message.Result}
}

// outgoing is a message on its way to a wallet.
type outgoing struct {
	key     wire.SymKey
	message wire.Message
	how     delivery
	tries   int // that the relay did not confirm, of a minute each
}

// maxTries bounds the tries of a message: a wallet is notified of a session's end when the
// relay is back soon.
const maxTries = 30

// post sends a message in the background. A wallet that makes more answers necessary than
// can be sent does not get them.
func (m *Manager) post(o outgoing) {
	select {
	case m.outbox <- o:
	default:
	}
}

// send sends what was posted.
func (m *Manager) send(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case o := <-m.outbox:
			publication, err := m.seal(o)
			if err == nil {
				err = m.relay.Publish(ctx, publication)
			}
			if o.tries++; errors.Is(err, relay.ErrUnanswered) && o.tries < maxTries {
				m.post(o)
				continue
			}
			if err != nil && ctx.Err() == nil {
				m.config.Log.Warn("could not answer a wallet", "error", err)
			}
		}
	}
}
