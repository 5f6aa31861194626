package limit

import (
	"container/list"
	"net"
	"sync/atomic"
	"time"
)

// EndTime is the time for a client to read the end of its answer when the server ends.
const EndTime = time.Second

// Conn is a connection of a Listener. Methods take nil, for requests that came over none.
type Conn struct {
	net.Conn
	from   *Listener
	origin string // of its client, see NewListener

	place *list.Element // among those that can make room; nil: it cannot; with from.mu held

	working atomic.Bool // it waits for us
	proven  atomic.Bool // it has shown a password; set with from.mu held
	gone    atomic.Bool // set with from.mu held
}

// Work says that the client has sent what it wants to send, and waits for us. It
// reports false if the connection was closed to make room, since its answer would be lost.
func (c *Conn) Work() bool {
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
	if c.from.draining.Load() { // Drain may have seen it wait, and be about to set its deadline
		c.from.mu.Lock()
		defer c.from.mu.Unlock()
		return c.begin()
	}
	return begun
}

func (c *Conn) begin() bool {
	if c.gone.Load() {
		return false
	}
	c.working.Store(true)
	_ = c.Conn.SetReadDeadline(time.Time{}) // which would end the context of an answer that takes longer
	return true
}

// Wait says that we wait for the client: to read, or to send its next request.
func (c *Conn) Wait() {
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

// Prove says that the client has shown a password.
func (c *Conn) Prove() {
	if c == nil || c.proven.Load() {
		return
	}
	c.from.mu.Lock()
	defer c.from.mu.Unlock()
	c.proven.Store(true)
	c.leaveQueue()
}

// IsProven reports whether the client has shown a password.
func (c *Conn) IsProven() bool { return c != nil && c.proven.Load() }

// leaveQueue is called with the lock held.
func (c *Conn) leaveQueue() {
	if c.place != nil {
		c.from.waiting.Remove(c.place)
		c.place = nil
	}
}

// cut ends the connection, whatever goes over it, to make room.
func (c *Conn) cut() {
	if c != nil {
		_ = c.Close()
		c.from.dropped()
	}
}

// Close releases the connection's place.
func (c *Conn) Close() error {
	c.from.mu.Lock()
	c.leave()
	c.from.mu.Unlock()
	return c.Conn.Close()
}

// leave is called with the lock held, once or more.
func (c *Conn) leave() {
	if c.gone.Load() {
		return
	}
	b := c.from
	c.gone.Store(true)
	c.leaveQueue()
	delete(b.open, c)
	if b.counts[c.origin]--; b.counts[c.origin] == 0 {
		delete(b.counts, c.origin)
	}
	b.vacate()
}

// CloseWrite lets the server end its half first, so that the client reads the answer
// before the connection breaks.
func (c *Conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// SetDeadline implements net.Conn.
func (c *Conn) SetDeadline(t time.Time) error { return c.limit(t, c.Conn.SetDeadline) }

// SetReadDeadline implements net.Conn.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.limit(t, c.Conn.SetReadDeadline) }

// SetWriteDeadline implements net.Conn.
func (c *Conn) SetWriteDeadline(t time.Time) error { return c.limit(t, c.Conn.SetWriteDeadline) }

// limit sets a deadline, or the near one that all clients have when the server ends.
func (c *Conn) limit(t time.Time, set func(time.Time) error) error {
	if !c.from.draining.Load() {
		if err := set(t); err != nil || !c.from.draining.Load() { // Drain may have come in between
			return err
		}
	}
	if soon := time.Now().Add(EndTime); t.IsZero() || t.After(soon) {
		t = soon
	}
	return set(t)
}
