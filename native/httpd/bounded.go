package httpd

import (
	"container/list"
	"errors"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// shares is how many addresses that are not this machine's it takes to fill a port.
const shares = 8

// bounded is a listener with a limited number of open connections, of which an address that is
// not this machine's has a share. When a new client would exceed the limit, the connection that
// has waited longest for its own client is closed: one that said nothing, sends slowly or does
// not read. Connections with a call at work, and those that have sent a password, stay.
type bounded struct {
	net.Listener
	max     int
	share   int
	dropped func() // called for each connection that is closed to make room

	mu       sync.Mutex
	open     map[*connection]struct{}
	waiting  list.List      // of *connection: those that can make room, the longest first
	counts   map[string]int // by address
	room     chan struct{}  // has something when there may be room
	closed   chan struct{}
	draining atomic.Bool
	close    func() error
}

func newBounded(l net.Listener, limit int, dropped func()) *bounded {
	b := &bounded{
		Listener: l, max: limit, share: max(limit/shares, 1), dropped: dropped,
		open: map[*connection]struct{}{}, counts: map[string]int{}, room: make(chan struct{}, 1), closed: make(chan struct{}),
	}
	b.close = sync.OnceValue(func() error {
		close(b.closed)
		return l.Close()
	})
	return b
}

// Accept returns the next client that there is room for.
func (b *bounded) Accept() (net.Conn, error) {
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
func (b *bounded) Close() error { return b.close() }

// isExhausted reports whether the process or the machine has no descriptors left.
func isExhausted(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// admit makes room for a client and takes it in. It gives nil when all connections of
// the client's address are at work, and when the listener is closed.
func (b *bounded) admit(conn net.Conn) *connection {
	remote := addressOf(conn.RemoteAddr().String())
	address := sharing(remote)
	for {
		b.mu.Lock()
		full := b.counts[address] >= b.share && address != ""
		if !full && len(b.open) < b.max {
			c := &connection{Conn: conn, from: b, address: address, sender: senderAt(remote)}
			b.open[c] = struct{}{}
			b.counts[address]++
			c.place = b.waiting.PushBack(c)
			b.mu.Unlock()
			return c
		}
		b.mu.Unlock()
		if full && b.drop(address) || !full && b.drop("") {
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

// sharing returns the address in whose share a connection counts; empty: no share, since an
// address does not distinguish the programs of this machine.
func sharing(remote netip.Addr) string {
	if !remote.IsValid() || remote.IsLoopback() {
		return ""
	}
	return originOf(remote)
}

// drop closes the connection that has waited longest, of an address if one is given, and
// reports whether there was one. The connection counts as gone at once, so that it starts
// no work whose answer would be lost.
func (b *bounded) drop(address string) bool {
	b.mu.Lock()
	var victim *connection
	for e := b.waiting.Front(); e != nil && victim == nil; e = e.Next() {
		if c := e.Value.(*connection); address == "" || c.address == address {
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

// drain lets no client wait, or be waited for, longer than endTime from now on. Calls
// that are at work go on.
func (b *bounded) drain() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.draining.Store(true)
	soon := time.Now().Add(endTime)
	for c := range b.open {
		if !c.working.Load() {
			_ = c.Conn.SetDeadline(soon)
		}
	}
}

// vacate lets a client in that waits for room. Call it with the lock held.
func (b *bounded) vacate() {
	select {
	case b.room <- struct{}{}:
	default: // it is going to look
	}
}
