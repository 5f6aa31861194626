package walletconnect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"obverse/core/key"
	"obverse/core/wallet/signer/walletconnect/relay"
	"obverse/core/wallet/signer/walletconnect/wire"
)

// delivery describes how the relay handles a message.
type delivery struct {
	tag    int
	ttl    time.Duration
	prompt bool // whether to wake the receiver with a push notification
}

// Timeouts of requests.
const (
	requestTime = 5 * time.Minute // time for the wallet's user; the minimum of the official wallets
	pingTime    = 30 * time.Second
)

// deliveries holds the deliveries of requests, from the specification. A response has the tag
// of its request plus one.
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

// answerTo returns the delivery of the response to a request.
func answerTo(method string) delivery {
	d, known := deliveries[method]
	if !known {
		return delivery{0, pairingTime, false}
	}
	return delivery{d.tag + 1, d.ttl, false}
}

// waiter is a request that waits for its response.
type waiter struct {
	topic  string
	answer chan answer // buffered
}

// answer is the result or the error of a request.
type answer struct {
	result json.RawMessage
	err    error
}

// Request sends a request for a chain (CAIP-2) and returns the wallet's result, which the
// caller must verify. The wallet's user has five minutes to answer. It returns ErrNoSession,
// wire.ErrNotInSession, a *WalletError, ErrTimeout, ErrDeleted, ErrDisconnected, ErrExpired, an
// error of the relay, or the error of ctx.
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

// Ping checks that the wallet responds. The errors are the same as for Request.
func (m *Manager) Ping(ctx context.Context, topic string) error {
	s, err := m.session(topic)
	if err != nil {
		return err
	}
	_, err = m.ask(ctx, s, wire.SessionPing, struct{}{}, pingTime)
	return err
}

// ask sends a request and waits for the response.
func (m *Manager) ask(ctx context.Context, s *session, method string, params any, timeout time.Duration) (json.RawMessage, error) {
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
	bounded, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if err := m.relay.Publish(bounded, publication); err != nil {
		select {
		case a := <-w.answer: // the wallet has received the request
			return a.result, a.err
		default:
			return nil, timeoutOf(ctx, timeout, err)
		}
	}
	select {
	case <-bounded.Done():
		return nil, timeoutOf(ctx, timeout, bounded.Err())
	case a := <-w.answer:
		return a.result, a.err
	}
}

// timeoutOf returns ErrTimeout if the wallet did not answer in time, or the caller's own error
// if ctx is done.
func timeoutOf(ctx context.Context, timeout time.Duration, err error) error {
	if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %s", ErrTimeout, timeout)
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

// answered passes a response to its waiter. It drops unexpected responses, responses from
// another session, and duplicates.
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

// outgoing is a message to a wallet that waits to be sent.
type outgoing struct {
	key     wire.SymKey
	message wire.Message
	how     delivery
	tries   int // number of attempts that the relay did not confirm, of one minute each
}

// maxTries is the maximum number of attempts per message. A wallet is notified of the end of a
// session if the relay is available again before they are used up.
const maxTries = 30

// maxReplies limits the queued responses of one session or pairing, so that a wallet that sends
// too many requests does not displace the messages to others.
const maxReplies = 8

// post queues a message. If the queue is full, or has too many responses to the same wallet, the
// message is dropped.
func (m *Manager) post(o outgoing) {
	topic := o.key.Topic()
	m.mu.Lock()
	defer m.mu.Unlock()
	if o.message.Method == "" && m.queued[topic] >= maxReplies {
		return
	}
	select {
	case m.outbox <- o:
		m.queued[topic]++
	default:
	}
}

// posted removes a message of the queue from the count.
func (m *Manager) posted(o outgoing) {
	topic := o.key.Topic()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.queued[topic]--; m.queued[topic] == 0 {
		delete(m.queued, topic)
	}
}

// send sends queued messages.
func (m *Manager) send(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case o := <-m.outbox:
			m.posted(o)
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

// Asker is the part of a Manager that requests signatures from a wallet.
type Asker interface {
	Session(topic string) (Session, error)
	Request(ctx context.Context, topic, chain, method string, params any) (json.RawMessage, error)
}

var _ Asker = (*Manager)(nil)

// SessionOf returns the session that a policy names. Its errors are key.WalletErrors.
func SessionOf(a Asker, p key.Policy) (Session, error) {
	wallet, is := p.(key.SessionWallet)
	if !is {
		return Session{}, &key.NotAllowedError{Policy: p.Name(), Have: []key.PolicyName{key.NameSessionWallet}}
	}
	s, err := a.Session(wallet.Topic)
	return s, Fault(err)
}

// None is the Asker of a node that cannot have sessions. Its text is the reason. Its errors
// match key.ErrUnsupported.
type None string

// Session implements Asker.
func (n None) Session(string) (Session, error) { return Session{}, n }

// Request implements Asker.
func (n None) Request(context.Context, string, string, string, any) (json.RawMessage, error) {
	return nil, n
}

func (n None) Error() string {
	return string(key.NameSessionWallet) + " is not available on this node: " + string(n)
}

// Is implements errors.Is.
func (None) Is(target error) bool { return target == key.ErrUnsupported }
