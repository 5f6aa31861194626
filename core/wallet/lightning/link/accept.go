package link

import (
	"context"
	"net/netip"
	"slices"
	"sync"
	"time"

	"obverse/core/task/clock"
	"obverse/core/task/guard"
)

// acceptAgain is the wait after a connection could not be taken.
const acceptAgain = time.Second

// accept takes connections until ctx ends.
func (p *Peers) accept(ctx context.Context, work *sync.WaitGroup) {
	var places places
	for ctx.Err() == nil {
		conn, err := p.config.Listener.Accept()
		if err != nil {
			_ = clock.Sleep(ctx, acceptAgain) // the loop looks at ctx
			continue
		}
		leave := places.enter(originOf(conn.Remote()), func() { conn.Close() })
		work.Go(func() { guarded(ctx, func() { p.receive(ctx, conn, leave) }) })
	}
}

// guarded keeps a panic of what goes by a peer's bytes with that peer.
func guarded(ctx context.Context, do func()) {
	_ = guard.Do(ctx, "a connection of a Lightning node", func() error { do(); return nil }) // whoever watches is told
}

// origin is who a stranger is taken for before there is a key: an IPv4 address, or the
// IPv6 network that one customer has. The zero value is of those whose address is not
// known.
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

// places are those of strangers at the handshake. There is always room for one more:
// the one who has been longest at it goes, of the same origin if that has its share, of
// the origin with the most if all are taken. So nobody is shut out by waiting.
type places struct {
	mu    sync.Mutex
	taken []*place // the longest first
}

type place struct {
	from origin
	end  func()
}

// enter takes a place until leave. end is called if another one needs it.
func (p *places) enter(from origin, end func()) (leave func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	shares := map[origin]int{}
	for _, other := range p.taken {
		shares[other.from]++
	}
	switch {
	case shares[from] >= maxHandshakesEach:
		p.makeRoom(from)
	case len(p.taken) >= maxHandshakes:
		p.makeRoom(largest(shares, p.taken))
	}
	own := &place{from, end}
	p.taken = append(p.taken, own)
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.remove(own)
	}
}

// largest is the origin with the most places, of several the one that has waited longest.
func largest(shares map[origin]int, taken []*place) (most origin) {
	for _, other := range taken {
		if shares[other.from] > shares[most] {
			most = other.from
		}
	}
	return most
}

// makeRoom ends the longest of an origin.
func (p *places) makeRoom(from origin) {
	for _, other := range p.taken {
		if other.from == from {
			p.remove(other)
			other.end()
			return
		}
	}
}

func (p *places) remove(own *place) {
	p.taken = slices.DeleteFunc(p.taken, func(other *place) bool { return other == own })
}
