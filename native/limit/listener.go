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

// shares is how many addresses that are not this machine's it takes to fill a port.
const shares = 8

// Listener limits the open connections of a port, of which an address that is not this machine's
// has a share. When a new client would exceed the limit, the connection that has waited longest for
// its own client is closed: one that said nothing, sends slowly or does not read. Connections with a
// call at work, and those that have sent a password, stay.
type Listener struct {
	net.Listener
	max     int
	share   int
	origin  func(net.Addr) string
	dropped func()

	mu       sync.Mutex
	open     map[*Conn]struct{}
	waiting  list.List      // of *Conn: those that can make room, the longest first
	counts   map[string]int // by origin
	room     chan struct{}  // has something when there may be room
	closed   chan struct{}
	draining atomic.Bool
	close    func() error
}

// NewListener limits the connections of l. origin names the clients that share places; empty:
// no share. dropped is called for each connection that is closed to make room.
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

// Accept returns the next client that there is room for.
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

// Close also ends an Accept that waits for room.
func (b *Listener) Close() error { return b.close() }

// isExhausted reports whether the process or the machine has no descriptors left.
func isExhausted(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// admit makes room for a client and takes it in. It gives nil when all connections of
// the client's address are at work, and when the listener is closed.
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

// drop closes the connection that has waited longest, of an origin if one is given, and
// reports whether there was one. The connection counts as gone at once, so that it starts
// no work whose answer would be lost.
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

// Drain lets no client wait, or be waited for, longer than EndTime from now on. Calls
// that are at work go on.
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

// vacate lets a client in that waits for room. Call it with the lock held.
func (b *Listener) vacate() {
	select {
	case b.room <- struct{}{}:
	default: // it is going to look
	}
}
