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

// Types of events that the hub itself creates.
const (
	// TypeLagged reports that events before this one were lost, since the client read them too
	// slowly or was away too long. The message is {"dropped":N}. The event's id is that of the
	// last lost event.
	TypeLagged = "ERROR:LAGGED"
	// TypeForgotten: reports that the client resumes after an event that the hub does not know,
	// because the client was away too long or the node was restarted. The client's earlier
	// subscriptions no longer exist. The message is {}.
	TypeForgotten = "ERROR:FORGOTTEN"
	// TypeTakenOver is the type of the event that transports send when Next returns
	// ErrTakenOver. The message is {}.
	TypeTakenOver = "ERROR:TAKEN_OVER"
)

// maxPosition limits the position that a new client may report, so that its ids never overflow.
const maxPosition = math.MaxInt64

// Connection is an open connection of a client. Next must not be called concurrently.
type Connection struct {
	hub     *Hub
	client  *client
	wake    chan struct{} // signals that there may be a new event; has a buffer of one
	start   uint64
	next    uint64 // id of the next event to return
	ended   error  // nil while the connection is open
	left    chan struct{}
	probed  time.Time // time of the last probe
	probing bool      // whether Next must return ErrProbed
}

// probePause is the minimum time between two probes, so that a client cannot be flooded with
// them.
const probePause = 50 * time.Millisecond

// newConnection determines the position of the client. The ids of a new client continue from
// the last id that it reports.
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

// Start returns the id of the event before the first event of this connection.
func (c *Connection) Start() uint64 { return c.start }

// Next waits for the next event. It returns ErrTakenOver, ErrClosed or ErrStopped if the
// connection has ended, ErrProbed after Hub.Probe, and ctx's error if ctx has ended.
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

// poll returns the next event, if there is one.
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

// Waiting returns the next event without waiting. It also works after the hub has stopped, so
// that a transport that ends can write the remaining events.
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

// end makes Next return with a reason. Only the first reason counts.
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
	default: // a signal is already pending
	}
}

// TicketTime is the validity period of a ticket.
const TicketTime = 30 * time.Second

const (
	ticketBytes = 16
	// maxTickets limits the number of valid tickets. A further ticket replaces the oldest.
	maxTickets = 4096
)

// digest identifies a ticket in memory, so that the time of a lookup reveals nothing about the
// ticket.
type digest [sha256.Size]byte

// ticket permits one connection of a client.
type ticket struct {
	client  uint64
	expires time.Time
}

// Ticket returns a ticket, which consists of 32 hexadecimal digits, for one connection of a
// client. The client need not be known. Ticket fails if the source of randomness does.
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

// dropTickets removes the expired tickets and, if there are still too many, the oldest one.
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

// Redeem removes a ticket and reports whether it was valid for this client.
func (h *Hub) Redeem(text string, client uint64) bool {
	key := digest(sha256.Sum256([]byte(text)))
	h.mu.Lock()
	defer h.mu.Unlock()
	t, issued := h.tickets[key]
	delete(h.tickets, key)
	return issued && t.client == client && h.config.Now().Before(t.expires)
}

// message is the text of an event. All clients that receive the event share it.
type message struct{ text string }

// history holds the last events of a client, at most limit of them. Their ids are consecutive,
// and the last id is end.
type history struct {
	limit int
	end   uint64     // id of the last event; before the first event, the id that precedes it
	ring  []*message // grows up to limit
	start int        // index of the oldest event in the ring
}

// first returns the id of the oldest event in the history, or end+1 if it is empty.
func (h *history) first() uint64 { return h.end + 1 - uint64(len(h.ring)) }

// get returns the event with an id, which must be in the range from first to end.
func (h *history) get(id uint64) *message {
	return h.ring[(h.start+int(id-h.first()))%len(h.ring)]
}

// add adds an event. If the history is full, the event replaces the oldest.
func (h *history) add(m *message) {
	h.end++
	if len(h.ring) < h.limit {
		h.ring = append(h.ring, m)
		return
	}
	h.ring[h.start] = m
	h.start = (h.start + 1) % h.limit
}
