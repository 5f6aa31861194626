package link

import (
	"context"
	"net/netip"
	"slices"
	"sync"
	"time"

	"obverse/core/clock"
	"obverse/core/guard"
)

// acceptRetryDelay is the wait after a failed Accept.
const acceptRetryDelay = time.Second

// accept accepts connections until ctx ends.
func (p *Peers) accept(ctx context.Context, work *sync.WaitGroup) {
	var places handshakes
	for ctx.Err() == nil {
		conn, err := p.config.Listener.Accept()
		if err != nil {
			_ = clock.Sleep(ctx, acceptRetryDelay) // the loop checks ctx
			continue
		}
		leave := places.add(originOf(conn.Remote()), func() { conn.Close() })
		work.Go(func() { guarded(ctx, func() { p.receive(ctx, conn, leave) }) })
	}
}

// guarded limits a panic caused by a peer's bytes to that peer's connection.
func guarded(ctx context.Context, do func()) {
	_ = guard.Do(ctx, "a connection of a Lightning node", func() error { do(); return nil }) // guard reports it
}

// origin identifies a peer before the handshake shows its key: an IPv4 address, or the
// IPv6 network of one customer. The zero value stands for unknown addresses.
type origin netip.Prefix

func originOf(remote netip.AddrPort) origin {
	const customer = 64 // bits of an IPv6 network
	ip := remote.Addr().Unmap()
	bits := ip.BitLen()
	if ip.Is6() {
		bits = customer
	}
	network, err := ip.Prefix(bits)
	if err != nil { // there is no address
		return origin{}
	}
	return origin(network)
}

// handshakes are the inbound connections in the handshake. A new one is always accepted. It
// replaces the oldest of the same origin if that origin is at its limit, and the oldest of the
// largest origin if all places are in use. Idle connections therefore cannot block others.
type handshakes struct {
	mu     sync.Mutex
	active []*handshake // the oldest first
}

type handshake struct {
	from origin
	end  func()
}

// add counts a handshake until leave. end is called if another handshake replaces it.
func (p *handshakes) add(from origin, end func()) (leave func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	shares := map[origin]int{}
	for _, other := range p.active {
		shares[other.from]++
	}
	switch {
	case shares[from] >= maxHandshakesEach:
		p.evictOldest(from)
	case len(p.active) >= maxHandshakes:
		p.evictOldest(largest(shares, p.active))
	}
	added := &handshake{from, end}
	p.active = append(p.active, added)
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.remove(added)
	}
}

// largest is the origin with the most handshakes; of several, the one with the oldest.
func largest(shares map[origin]int, taken []*handshake) (from origin) {
	for _, other := range taken {
		if shares[other.from] > shares[from] {
			from = other.from
		}
	}
	return from
}

// evictOldest ends the oldest handshake of an origin.
func (p *handshakes) evictOldest(from origin) {
	for _, other := range p.active {
		if other.from == from {
			p.remove(other)
			other.end()
			return
		}
	}
}

func (p *handshakes) remove(added *handshake) {
	p.active = slices.DeleteFunc(p.active, func(other *handshake) bool { return other == added })
}
