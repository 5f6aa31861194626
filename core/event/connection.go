package event

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"time"
)

// Event is a message to a client: {"_type":…,"message":…} in one line of JSON.
type Event struct {
	ID   uint64
	Text string
}

// Types of the events with which the hub speaks for itself.
const (
	// TypeLagged: events were lost before this one, since the client took them too
	// slowly or was away too long. The message is {"dropped":N}; the id is that of
	// the last one lost.
	TypeLagged = "ERROR:LAGGED"
	// TypeForgotten: the client resumes after an event that the hub does not know, because it was
	// away too long or the node was restarted. Its earlier subscriptions are gone. The message is
	// {}.
	TypeForgotten = "ERROR:FORGOTTEN"
	// TypeTakenOver is for transports to send when Next gives ErrTakenOver. The
	// message is {}.
	TypeTakenOver = "ERROR:TAKEN_OVER"
)

// maxPosition bounds the position that a new client may claim, so that its ids
// never run over.
const maxPosition = math.MaxInt64

// Connection is one open connection of a client. Next is for one goroutine.
type Connection struct {
	hub     *Hub
	client  *client
	wake    chan struct{} // there may be something new; holds one
	start   uint64
	next    uint64 // id of the next event to give
	ended   error  // nil: open
	left    chan struct{}
	probed  time.Time // when it was asked last for a sign of life
	probing bool      // Next has to give ErrProbed
}

// probePause is between two signs of life: those who ask must not be able to flood the
// client with them.
const probePause = 50 * time.Millisecond

// newConnection finds the position of the client. The ids of a new client continue from the
// last one that it reports.
func newConnection(h *Hub, c *client, known bool, last *uint64) *Connection {
	conn := &Connection{hub: h, client: c, wake: make(chan struct{}, 1), left: make(chan struct{})}
	if !known && last != nil && *last <= maxPosition {
		c.history.end = *last
	}
	conn.start = c.history.end
	switch {
	case last == nil:
	case !known || *last > c.history.end:
		c.history.add(&message{fmt.Sprintf(`{"_type":%q,"message":{}}`, TypeForgotten)})
	default:
		conn.start = *last
	}
	conn.next = conn.start + 1
	return conn
}

// Start returns the id after which this connection's events come.
func (c *Connection) Start() uint64 { return c.start }

// Next waits for the next event. It gives ErrTakenOver, ErrClosed or ErrStopped when
// the connection has ended, ErrProbed after Hub.Probe, and ctx's error when ctx has.
func (c *Connection) Next(ctx context.Context) (Event, error) {
	for {
		if err := ctx.Err(); err != nil {
			return Event{}, err
		}
		e, ok, err := c.poll()
		if ok || err != nil {
			return e, err
		}
		select {
		case <-ctx.Done():
		case <-c.wake:
		}
	}
}

// poll returns the next event if there is one.
func (c *Connection) poll() (e Event, ok bool, err error) {
	c.hub.mu.Lock()
	defer c.hub.mu.Unlock()
	switch {
	case c.ended != nil:
		return Event{}, false, c.ended
	case c.probing:
		c.probing = false
		return Event{}, false, ErrProbed
	}
	e, ok = c.waiting()
	return e, ok, nil
}

// Waiting returns the next event that is there already, also after the hub has stopped, so that
// a transport that ends writes what came before.
func (c *Connection) Waiting() (e Event, ok bool) {
	c.hub.mu.Lock()
	defer c.hub.mu.Unlock()
	if c.ended != nil && c.ended != ErrStopped {
		return Event{}, false
	}
	return c.waiting()
}

func (c *Connection) waiting() (e Event, ok bool) {
	past := &c.client.history
	switch first := past.first(); {
	case c.next < first:
		lost := first - c.next
		c.next = first
		c.hub.dropped += lost
		return Event{first - 1, fmt.Sprintf(`{"_type":%q,"message":{"dropped":%d}}`, TypeLagged, lost)}, true
	case c.next <= past.end:
		e = Event{c.next, past.get(c.next).text}
		c.next++
		return e, true
	}
	return Event{}, false
}

// Close ends the connection. The client's subscriptions and last events are kept for
// Config.Keep.
func (c *Connection) Close() {
	c.hub.mu.Lock()
	defer c.hub.mu.Unlock()
	if c.client.connection == c {
		c.hub.leave(c.client)
	}
	c.end(ErrClosed)
}

// end makes Next return; the first reason counts.
func (c *Connection) end(reason error) {
	if c.ended == nil {
		c.ended = reason
		close(c.left)
		c.signal()
	}
}

func (c *Connection) probe(now time.Time) {
	if now.Sub(c.probed) >= probePause {
		c.probed, c.probing = now, true
		c.signal()
	}
}

func (c *Connection) signal() {
	select {
	case c.wake <- struct{}{}:
	default: // Next is about to look
	}
}

// TicketTime is how long a ticket is good.
const TicketTime = 30 * time.Second

const (
	ticketBytes = 16
	// maxTickets are valid at a time; a further one makes the oldest worthless.
	maxTickets = 4096
)

// digest identifies a ticket in memory. The time of a lookup reveals nothing about the ticket.
type digest [sha256.Size]byte

// ticket lets one connection of a client in.
type ticket struct {
	client  uint64
	expires time.Time
}

// Ticket makes a ticket for one connection of a client, known or not: 32 hexadecimal
// digits. It fails if the source of randomness does.
func (h *Hub) Ticket(client uint64) (text string, expires time.Duration, err error) {
	var random [ticketBytes]byte
	if _, err := io.ReadFull(h.config.Random, random[:]); err != nil {
		return "", 0, fmt.Errorf("make a ticket: %w", err)
	}
	text = hex.EncodeToString(random[:])
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.config.Now()
	if len(h.tickets) >= maxTickets {
		h.dropTickets(now)
	}
	h.tickets[sha256.Sum256([]byte(text))] = ticket{client, now.Add(TicketTime)}
	return text, TicketTime, nil
}

// dropTickets makes room: what has expired goes, and in any case the oldest.
func (h *Hub) dropTickets(now time.Time) {
	var oldest digest
	var first time.Time
	for d, t := range h.tickets {
		if !t.expires.After(now) {
			delete(h.tickets, d)
		}
		if first.IsZero() || t.expires.Before(first) {
			oldest, first = d, t.expires
		}
	}
	delete(h.tickets, oldest)
}

// Redeem uses a ticket up and reports whether it was good for this client.
func (h *Hub) Redeem(text string, client uint64) bool {
	key := digest(sha256.Sum256([]byte(text)))
	h.mu.Lock()
	defer h.mu.Unlock()
	t, issued := h.tickets[key]
	delete(h.tickets, key)
	return issued && t.client == client && h.config.Now().Before(t.expires)
}

// message is the text of one event, shared by all clients that get it.
type message struct{ text string }

// history is the last events of one client, at most limit of them. Their ids are
// consecutive and end with end.
type history struct {
	limit int
	end   uint64     // id of the last event; before any, where the ids begin
	ring  []*message // grows up to limit
	start int        // place of the oldest in the ring
}

// first returns the id of the oldest event in the history, or end+1 if it is empty.
func (h *history) first() uint64 { return h.end + 1 - uint64(len(h.ring)) }

// get returns the event with an id from first to end.
func (h *history) get(id uint64) *message {
	return h.ring[(h.start+int(id-h.first()))%len(h.ring)]
}

// add keeps an event, in the place of the oldest if it must.
func (h *history) add(m *message) {
	h.end++
	if len(h.ring) < h.limit {
		h.ring = append(h.ring, m)
		return
	}
	h.ring[h.start] = m
	h.start = (h.start + 1) % h.limit
}
