package nodepool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"obverse/core/net/fetch"
)

// Limits of idle connections.
const (
	maxIdle  = 4
	idleTime = 20 * time.Second // shorter than the time after which servers close connections that do not answer a ping
)

// sockets are the connections to the websocket of a node. As in HTTP/1.1, each connection
// carries one request at a time, so that answers need not be matched and a large answer does
// not delay others.
type sockets struct {
	mu   sync.Mutex
	idle []*idleSocket
}

// idleSocket is an open connection without a pending request. It is not read, so it is kept for
// a short time only.
type idleSocket struct {
	fetch.Socket
	limit int64 // maximum size of messages that it reads
	timer *time.Timer
}

// post sends a request and returns the answer. A write uses a new connection, so that it is
// never sent twice.
func (s *sockets) post(ctx context.Context, dialer fetch.Dialer, writes bool, r fetch.Request) (fetch.Response, error) {
	for {
		open := s.take(r.Limit, writes)
		reused := open != nil
		if !reused {
			dialed, err := dialer.Dial(ctx, fetch.Request{URL: r.URL, Header: r.Header, Limit: r.Limit})
			if err != nil {
				return fetch.Response{}, err
			}
			open = dialed
		}
		text, err := converse(ctx, open, r.Body)
		if err == nil {
			s.keep(open, r.Limit)
			return fetch.Response{Status: 200, Body: text}, nil
		}
		_ = open.Close()
		if !reused || ctx.Err() != nil || !errors.Is(err, fetch.ErrUnreachable) {
			return fetch.Response{}, err
		}
		// the server has closed the connection since the last request
	}
}

// converse sends a message and reads the answer.
func converse(ctx context.Context, open fetch.Socket, message []byte) ([]byte, error) {
	const maxEvents = 100 // limit of unsolicited events
	if err := open.Write(ctx, message); err != nil {
		return nil, err
	}
	for range maxEvents {
		text, err := open.Read(ctx)
		if err != nil {
			return nil, err
		}
		var event struct{ Method string }
		if json.Unmarshal(text, &event) != nil || event.Method == "" {
			return text, nil
		}
	}
	return nil, fmt.Errorf("%w: events in place of a response", ErrAnswer)
}

// take returns an idle connection, or nil.
func (s *sockets) take(limit int64, writes bool) fetch.Socket {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, open := range s.idle {
		if open.limit == limit && !writes && open.timer.Stop() {
			s.idle = slices.Delete(s.idle, i, i+1)
			return open.Socket
		}
	}
	return nil
}

// keep stores a connection for the next request.
func (s *sockets) keep(open fetch.Socket, limit int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.idle) >= maxIdle {
		_ = open.Close()
		return
	}
	idle := &idleSocket{Socket: open, limit: limit}
	idle.timer = time.AfterFunc(idleTime, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.idle = slices.DeleteFunc(s.idle, func(other *idleSocket) bool { return other == idle })
		_ = idle.Close()
	})
	s.idle = append(s.idle, idle)
}
