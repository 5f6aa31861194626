package httpd

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// connection is one that a bounded listener counts. Methods take nil, for requests that
// came over none.
type connection struct {
	net.Conn
	from    *bounded
	address string // see sharing
	sender  sender // of its requests, as far as the address says it

	place *list.Element // among those that can make room; nil: it cannot; with from.mu held

	working atomic.Bool // it waits for us
	proven  atomic.Bool // it has shown a password; set with from.mu held
	gone    atomic.Bool // set with from.mu held
}

type connectionKey struct{}

// withConnection lets the requests of a connection find it.
func withConnection(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, c)
}

func connectionOf(ctx context.Context) *connection {
	c, _ := ctx.Value(connectionKey{}).(*connection)
	return c
}

// senderOf returns the sender of a request over the connection.
func (c *connection) senderOf(r *http.Request) sender {
	if c == nil {
		return senderAt(peer(r))
	}
	return c.sender
}

// work says that the client has sent what it wants to send, and waits for us. It
// reports false if the connection was closed to make room, since its answer would be lost.
func (c *connection) work() bool {
	if c == nil {
		return true
	}
	if !c.proven.Load() {
		c.from.mu.Lock()
		defer c.from.mu.Unlock()
		c.leaveQueue()
		return c.begin()
	}
	begun := c.begin()
	if c.from.draining.Load() { // hurry may have seen it wait, and be about to set its deadline
		c.from.mu.Lock()
		defer c.from.mu.Unlock()
		return c.begin()
	}
	return begun
}

func (c *connection) begin() bool {
	if c.gone.Load() {
		return false
	}
	c.working.Store(true)
	_ = c.Conn.SetReadDeadline(time.Time{}) // which would end the context of an answer that takes longer
	return true
}

// wait says that we wait for the client: to read, or to send its next request.
func (c *connection) wait() {
	if c == nil {
		return
	}
	c.working.Store(false)
	if c.proven.Load() {
		return
	}
	c.from.mu.Lock()
	defer c.from.mu.Unlock()
	c.leaveQueue()
	if !c.proven.Load() && !c.gone.Load() {
		c.place = c.from.waiting.PushBack(c)
		c.from.vacate()
	}
}

// prove says that the client has shown a password.
func (c *connection) prove() {
	if c == nil || c.proven.Load() {
		return
	}
	c.from.mu.Lock()
	defer c.from.mu.Unlock()
	c.proven.Store(true)
	c.leaveQueue()
}

func (c *connection) isProven() bool { return c != nil && c.proven.Load() }

// leaveQueue is called with the lock held.
func (c *connection) leaveQueue() {
	if c.place != nil {
		c.from.waiting.Remove(c.place)
		c.place = nil
	}
}

// cut ends the connection, whatever goes over it, to make room.
func (c *connection) cut() {
	if c != nil {
		_ = c.Close()
		c.from.dropped()
	}
}

// Close releases the connection's place.
func (c *connection) Close() error {
	c.from.mu.Lock()
	c.leave()
	c.from.mu.Unlock()
	return c.Conn.Close()
}

// leave is called with the lock held, once or more.
func (c *connection) leave() {
	if c.gone.Load() {
		return
	}
	b := c.from
	c.gone.Store(true)
	c.leaveQueue()
	delete(b.open, c)
	if b.counts[c.address]--; b.counts[c.address] == 0 {
		delete(b.counts, c.address)
	}
	b.vacate()
}

// CloseWrite lets the server end its half first, so that the client reads the answer
// before the connection breaks.
func (c *connection) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// SetDeadline implements net.Conn.
func (c *connection) SetDeadline(t time.Time) error { return c.limit(t, c.Conn.SetDeadline) }

// SetReadDeadline implements net.Conn.
func (c *connection) SetReadDeadline(t time.Time) error { return c.limit(t, c.Conn.SetReadDeadline) }

// SetWriteDeadline implements net.Conn.
func (c *connection) SetWriteDeadline(t time.Time) error { return c.limit(t, c.Conn.SetWriteDeadline) }

// limit sets a deadline, or the near one that all clients have when the server ends.
func (c *connection) limit(t time.Time, set func(time.Time) error) error {
	if !c.from.draining.Load() {
		if err := set(t); err != nil || !c.from.draining.Load() { // hurry may have come in between
			return err
		}
	}
	if soon := time.Now().Add(endTime); t.IsZero() || t.After(soon) {
		t = soon
	}
	return set(t)
}

// inFlight counts the running handlers, so that a caller can wait for their end.
type inFlight struct {
	mu    sync.Mutex
	count int
	none  chan struct{} // closed when count falls to zero; nil: no caller waits
}

// counting counts the requests of a handler.
func (f *inFlight) counting(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.add(1)
		defer f.add(-1)
		next.ServeHTTP(w, r)
	})
}

func (f *inFlight) add(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count += n
	f.notify()
}

// empty returns a channel that is closed once no handler runs.
func (f *inFlight) empty() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.none == nil {
		f.none = make(chan struct{})
	}
	none := f.none
	f.notify()
	return none
}

// notify is called with the lock held.
func (f *inFlight) notify() {
	if f.count == 0 && f.none != nil {
		close(f.none)
		f.none = nil
	}
}
