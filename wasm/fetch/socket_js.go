package fetch

import (
	"context"
	"fmt"
	"sync"
	"time"

	"obverse/core/net/fetch"
	"obverse/wasm/jsval"
)

// Limits for the queued messages of a socket. A browser cannot slow the sender
// down, so a server that sends faster than the messages are read is disconnected.
const (
	maxQueued   = 4096    // messages
	queueFactor = 16      // times the limit of one message
	maxSending  = 1 << 20 // bytes not yet sent, beyond which Write waits
	sendingPoll = 10 * time.Millisecond
	stateOpen   = 1 // WebSocket.OPEN
)

// Dial implements fetch.Dialer.
func (c *Client) Dial(ctx context.Context, r fetch.Request) (fetch.Socket, error) {
	if len(r.Header) > 0 {
		return nil, fmt.Errorf("%w: a page sends no headers to open a websocket", fetch.ErrRequest)
	}
	if err := check(fetch.Request{URL: r.URL}, "ws", "wss"); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, c.failure(ctx, err)
	}
	object, err := c.global.Get("WebSocket").New(r.URL)
	if err != nil {
		return nil, c.failure(ctx, err)
	}
	s := &socket{client: c, object: object, limit: r.Limit, opened: make(chan struct{}), over: make(chan struct{}), wake: make(chan struct{}, 1)}
	s.listen()
	timer := time.NewTimer(c.timeout)
	defer timer.Stop()
	select {
	case <-s.opened:
		return s, nil
	case <-s.over:
		err = s.reason()
	case <-ctx.Done():
		err = ctx.Err()
	case <-timer.C:
		err = fetch.ErrTimeout
	}
	s.end(err)
	return nil, c.failure(ctx, err)
}

// socket is an open WebSocket and its unread messages.
type socket struct {
	client    *Client
	object    jsval.Value
	limit     int64
	opened    chan struct{}
	over      chan struct{} // closed when no more messages can arrive
	wake      chan struct{} // holds a value when there is a message
	functions map[string]*jsval.Func

	mu     sync.Mutex
	queue  []string
	queued int64
	err    error // reason of the end
}

// listen registers for the socket's events. The functions run on the event loop.
func (s *socket) listen() {
	lost := func([]jsval.Value) any {
		s.end(fmt.Errorf("%w: websocket closed", fetch.ErrUnreachable))
		return nil
	}
	s.functions = map[string]*jsval.Func{
		"onopen":    jsval.NewFunc(func([]jsval.Value) any { close(s.opened); return nil }),
		"onmessage": jsval.NewFunc(func(args []jsval.Value) any { s.take(jsval.Arg(args, 0).Get("data")); return nil }),
		"onclose":   jsval.NewFunc(lost),
		"onerror":   jsval.NewFunc(lost),
	}
	_ = s.object.Set("binaryType", "arraybuffer")
	for name, function := range s.functions {
		_ = s.object.Set(name, function) // a WebSocket has these properties
	}
}

// take queues a message. It checks the length before it copies the message.
func (s *socket) take(data jsval.Value) {
	// A text has at least as many bytes as UTF-16 units, which length counts.
	if units, err := data.Get("length").Whole(); err == nil && units > s.limit {
		s.end(tooLarge(s.limit))
		return
	}
	text, err := data.Text()
	switch {
	case err != nil:
		s.end(fmt.Errorf("%w: received a binary message, want text", fetch.ErrUnreachable))
		return
	case int64(len(text)) > s.limit:
		s.end(tooLarge(s.limit))
		return
	}
	s.mu.Lock()
	s.queue = append(s.queue, text)
	s.queued += int64(len(text))
	full := len(s.queue) > maxQueued || s.queued > queueFactor*s.limit
	s.mu.Unlock()
	if full {
		s.end(fmt.Errorf("%w: receive queue overflowed", fetch.ErrUnreachable))
		return
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// end closes the socket; the first reason counts. Queued messages can still be read.
func (s *socket) end(reason error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return
	}
	s.err = reason
	for name, function := range s.functions {
		_ = s.object.Set(name, nil)
		function.Release()
	}
	_, _ = s.object.Call("close") // does nothing if the socket is closed
	close(s.over)
}

func (s *socket) reason() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

func (s *socket) next() (text string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		return "", false
	}
	text = s.queue[0]
	s.queue = s.queue[1:]
	s.queued -= int64(len(text))
	return text, true
}

// Read implements fetch.Socket.
func (s *socket) Read(ctx context.Context) ([]byte, error) {
	for {
		if err := ctx.Err(); err != nil {
			s.end(err)
			return nil, s.client.failure(ctx, err)
		}
		if text, ok := s.next(); ok {
			return []byte(text), nil
		}
		select {
		case <-ctx.Done():
		case <-s.wake:
		case <-s.over:
			if text, ok := s.next(); ok {
				return []byte(text), nil
			}
			return nil, s.reason()
		}
	}
}

// Write implements fetch.Socket.
func (s *socket) Write(ctx context.Context, text []byte) error {
	for {
		if err := ctx.Err(); err != nil {
			s.end(err)
			return s.client.failure(ctx, err)
		}
		if waiting, _ := s.object.Get("bufferedAmount").Whole(); waiting < maxSending {
			break
		}
		timer := time.NewTimer(sendingPoll)
		select {
		case <-ctx.Done():
		case <-s.over:
		case <-timer.C:
		}
		timer.Stop()
		if err := s.reason(); err != nil {
			return err
		}
	}
	if state, _ := s.object.Get("readyState").Whole(); state != stateOpen {
		s.end(fmt.Errorf("%w: websocket closed", fetch.ErrUnreachable))
		return s.reason()
	}
	if _, err := s.object.Call("send", string(text)); err != nil {
		s.end(s.client.failure(ctx, err))
		return s.reason()
	}
	return nil
}

// Close implements fetch.Socket.
func (s *socket) Close() error {
	s.end(fmt.Errorf("%w: closed", fetch.ErrUnreachable))
	return nil
}
