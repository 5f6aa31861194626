package limit

import (
	"container/list"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// shares is the number of remote addresses that can fill a port together.
const shares = 8

// Listener limits the open connections of a port, and the share of each remote address. When a new
// client would exceed a limit, the Listener closes the connection that has waited longest for its
// client, because the client sends nothing, sends slowly or does not read. It does not close
// connections with a running call, nor those of clients that have sent a password.
type Listener struct {
	net.Listener
	max     int
	share   int
	origin  func(net.Addr) string
	dropped func()

	mu       sync.Mutex
	open     map[*Conn]struct{}
	waiting  list.List      // of *Conn: connections that can make room, the longest waiting first
	counts   map[string]int // by origin
	room     chan struct{}  // holds a value when there may be room
	closed   chan struct{}
	draining atomic.Bool
	close    func() error
}

// NewListener limits the connections of l. origin returns the name under which clients share places, or ""
// for a client without a share. dropped is called for each connection that is closed to make room.
func NewListener(l net.Listener, limit int, origin func(net.Addr) string, dropped func()) *Listener {
	b := &Listener{
		Listener: l, max: limit, share: max(limit/shares, 1), origin: origin, dropped: dropped,
		open: map[*Conn]struct{}{}, counts: map[string]int{}, room: make(chan struct{}, 1), closed: make(chan struct{}),
	}
	b.close = sync.OnceValue(func() error {
		close(b.closed)
		return l.Close()
	})
	return b
}

// Accept returns the next client, once there is room for one.
func (b *Listener) Accept() (net.Conn, error) {
	for {
		conn, err := b.Listener.Accept()
		if err != nil {
			if isExhausted(err) && b.drop("") {
				continue
			}
			return nil, err
		}
		if c := b.admit(conn); c != nil {
			return c, nil
		}
		_ = conn.Close()
	}
}

// Close closes the listener and ends an Accept that waits for room.
func (b *Listener) Close() error { return b.close() }

// isExhausted reports whether the process or the machine has no descriptors left.
func isExhausted(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// admit makes room for a client and returns its connection. It returns nil if all connections of
// the client's address have running calls, or if the listener is closed.
func (b *Listener) admit(conn net.Conn) *Conn {
	origin := b.origin(conn.RemoteAddr())
	for {
		b.mu.Lock()
		full := b.counts[origin] >= b.share && origin != ""
		if !full && len(b.open) < b.max {
			c := &Conn{Conn: conn, from: b, origin: origin}
			b.open[c] = struct{}{}
			b.counts[origin]++
			c.place = b.waiting.PushBack(c)
			b.mu.Unlock()
			return c
		}
		b.mu.Unlock()
		if full && b.drop(origin) || !full && b.drop("") {
			continue
		}
		if full {
			return nil
		}
		select {
		case <-b.room:
		case <-b.closed:
			return nil
		}
	}
}

// drop closes the connection that has waited longest, among those of an origin if it is set, and
// reports whether there was one. The connection counts as closed immediately, so that no work
// starts on it that would get no response.
func (b *Listener) drop(origin string) bool {
	b.mu.Lock()
	var victim *Conn
	for e := b.waiting.Front(); e != nil && victim == nil; e = e.Next() {
		if c := e.Value.(*Conn); origin == "" || c.origin == origin {
			victim = c
		}
	}
	if victim != nil {
		victim.leave()
	}
	b.mu.Unlock()
	if victim == nil {
		return false
	}
	_ = victim.Conn.Close()
	b.dropped()
	return true
}

// Drain limits every wait for a client, and of a client, to EndTime from now on. Running calls
// continue.
func (b *Listener) Drain() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.draining.Store(true)
	soon := time.Now().Add(EndTime)
	for c := range b.open {
		if !c.working.Load() {
			_ = c.Conn.SetDeadline(soon)
		}
	}
}

// vacate wakes an Accept that waits for room. The lock must be held.
func (b *Listener) vacate() {
	select {
	case b.room <- struct{}{}:
	default: // Accept has not yet seen the previous value
	}
}
