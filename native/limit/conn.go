package limit

import (
	"container/list"
	"net"
	"sync/atomic"
	"time"
)

// EndTime is the time that clients have to read the rest of their answers when the server ends.
const EndTime = time.Second

// Conn is a connection of a Listener. Its methods accept a nil Conn, for requests without a connection.
type Conn struct {
	net.Conn
	from   *Listener
	origin string // of its client, see NewListener

	place *list.Element // in from.waiting; nil: the connection cannot make room; with from.mu held

	working atomic.Bool // the client waits for the server
	proven  atomic.Bool // the client has shown a password; set with from.mu held
	gone    atomic.Bool // set with from.mu held
}

// Work marks that the client has sent its request and waits for the server. It
// returns false if the connection was closed to make room, so that the answer would be lost.
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
	if c.from.draining.Load() { // Drain may have seen the connection wait, and may be about to set its deadline
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
	_ = c.Conn.SetReadDeadline(time.Time{}) // a deadline would end the context of an answer that takes longer
	return true
}

// Wait marks that the server waits for the client to read, or to send its next request.
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

// Prove marks that the client has shown a password.
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

// leaveQueue removes the connection from those that can make room. The lock must be held.
func (c *Conn) leaveQueue() {
	if c.place != nil {
		c.from.waiting.Remove(c.place)
		c.place = nil
	}
}

// cut closes the connection to make room.
func (c *Conn) cut() {
	if c != nil {
		_ = c.Close()
		c.from.dropped()
	}
}

// Close closes the connection and releases its place.
func (c *Conn) Close() error {
	c.from.mu.Lock()
	c.leave()
	c.from.mu.Unlock()
	return c.Conn.Close()
}

// leave releases the place of the connection. It may be called more than once. The lock must be held.
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

// CloseWrite closes the server's side of the connection first, so that the client reads the answer
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

// limit sets a deadline; after Drain, at most the end of EndTime.
func (c *Conn) limit(t time.Time, set func(time.Time) error) error {
	if !c.from.draining.Load() {
		if err := set(t); err != nil || !c.from.draining.Load() { // Drain may have been called in between
			return err
		}
	}
	if soon := time.Now().Add(EndTime); t.IsZero() || t.After(soon) {
		t = soon
	}
	return set(t)
}
