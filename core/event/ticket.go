package event

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"time"
)

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
