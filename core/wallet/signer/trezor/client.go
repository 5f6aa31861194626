package trezor

import (
	"context"
	"sync"
	"time"

	"obverse/core/wallet/signer/device"
)

// Client speaks to the devices of a port. It may be used by many goroutines, whose
// conversations with one device follow each other.
type Client struct {
	Port     Port
	Patience time.Duration // how long a device is waited for that is absent or busy; 0: not at all

	queue    device.Queue
	mu       sync.Mutex
	sessions map[string][]byte // by device: in which it keeps a passphrase
}

// How long a device may take for what needs no person, and a person for what does.
const (
	answerWithin  = 30 * time.Second
	confirmWithin = 5 * time.Minute
	leaveWithin   = time.Second // to cancel what a device waits for
)

// talk opens the device with an ID, or the only one, and uses it exclusively.
func (c *Client) talk(ctx context.Context, id string, patience time.Duration, use func(*session) error) error {
	var s *session
	err := device.Wait(ctx, patience, func(ctx context.Context) (err error) {
		s, err = c.connect(ctx, id)
		return err
	})
	if err != nil {
		return err
	}
	defer s.close(ctx)
	return use(s)
}

// connect opens a device that is ready.
func (c *Client) connect(ctx context.Context, id string) (*session, error) {
	link, chosen, done, err := device.Open(ctx, &c.queue, c.Port, id)
	if err != nil {
		return nil, err
	}
	s := &session{link: link, done: done}
	if err := c.begin(ctx, s, chosen); err != nil {
		s.close(ctx)
		return nil, err
	}
	return s, nil
}

// begin goes on with the session that the device had last, or begins another one.
func (c *Client) begin(ctx context.Context, s *session, id string) error {
	const what = "connecting"
	var initialize body
	if last := c.session(id); last != nil {
		initialize = initialize.bytes(1, last)
	}
	all, err := s.call(ctx, what, Message{KindInitialize, initialize}, KindFeatures)
	if err != nil {
		return err
	}
	if s.features, err = readFeatures(all); err != nil {
		return err
	}
	c.keep(id, s.features.session)
	return s.features.check()
}

func (c *Client) session(id string) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sessions[id]
}

// maxSessions bounds the devices whose sessions are known.
const maxSessions = 64

func (c *Client) keep(id string, session []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sessions == nil || len(c.sessions) >= maxSessions {
		c.sessions = map[string][]byte{}
	}
	if c.sessions[id] = session; session == nil {
		delete(c.sessions, id)
	}
}

// End has a device forget the passphrase of its session, and the client the session.
func (c *Client) End(ctx context.Context, id string) error {
	return c.talk(ctx, id, 0, func(s *session) error {
		_, err := s.call(ctx, "ending the session", Message{Kind: KindEndSession}, KindSuccess)
		return err
	})
}
