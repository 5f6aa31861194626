package link

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"sync"
	"time"

	"obverse/core/clock"
	"obverse/core/guard"
	"obverse/core/key"
	"obverse/core/wallet/lightning"
	"obverse/core/wallet/lightning/noise"
)

// handshakeTimeout limits the handshake of an inbound connection.
const handshakeTimeout = 10 * time.Second

// dial connects to a node and performs the handshake, except for the last act, which serve
// writes. It returns neither a link nor an error if another connection to the node is used
// instead, or the attempt was abandoned.
func (p *Peers) dial(ctx context.Context, n *peer, t *attempt) (l *link, err error) {
	conn, err := p.config.Dialer.Dial(ctx, t.address.Host, t.address.Port)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", lightning.ErrUnreachable, err)
	}
	hangUp := context.AfterFunc(ctx, func() { conn.Close() })
	defer hangUp()
	defer func() {
		if l == nil {
			conn.Close()
		}
	}()
	p.setStage(t, "the node does not answer the handshake")
	i, err := p.initiate(ctx, conn, n.id)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", lightning.ErrHandshake, err)
	}
	made := newLink(conn, t.address.Place())
	var act [noise.Act3Size]byte
	if act, made.session, err = i.Act3(); err != nil {
		return nil, fmt.Errorf("%w: %w", lightning.ErrHandshake, err)
	}
	made.act3 = act[:]
	if !p.claim(n, t, made) {
		return nil, nil
	}
	return made, nil
}

// initiate performs the handshake up to the act that authenticates the node.
func (p *Peers) initiate(ctx context.Context, conn Conn, id lightning.NodeID) (_ *noise.Initiator, err error) {
	defer guard.Catch(ctx, "the handshake with a Lightning node", &err)
	ephemeral, err := key.Generate(p.config.Random)
	if err != nil {
		return nil, err
	}
	defer ephemeral.Wipe()
	i := noise.NewInitiator(p.config.Key, ephemeral, id)
	one, err := i.Act1()
	if err != nil {
		return nil, err
	}
	if _, err := conn.Write(one[:]); err != nil {
		return nil, err
	}
	var two [noise.Act2Size]byte
	if _, err := io.ReadFull(conn, two[:]); err != nil {
		return nil, closeReason(err, " before it authenticated; another node may have this address")
	}
	return i, i.Act2(two[:])
}

// closeReason returns the error for a connection that the peer closed.
func closeReason(err error, when string) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the node hung up" + when)
	}
	return err
}

// receive performs the handshake of an inbound connection and serves it. It calls done when the
// handshake is over.
func (p *Peers) receive(ctx context.Context, conn Conn, done func()) {
	limited, cancel := context.WithTimeout(ctx, handshakeTimeout)
	hangUp := context.AfterFunc(limited, func() { conn.Close() })
	var n *peer
	var l *link
	err := guard.Do(ctx, "the handshake of a Lightning node", func() (err error) {
		n, l, err = p.respond(conn)
		return err
	})
	hangUp()
	cancel()
	done()
	if err != nil {
		conn.Close()
		return
	}
	p.reconnect(ctx, n, p.serve(ctx, n, l))
}

// respond performs the handshake of an inbound connection.
func (p *Peers) respond(conn Conn) (*peer, *link, error) {
	var one [noise.Act1Size]byte
	if _, err := io.ReadFull(conn, one[:]); err != nil {
		return nil, nil, err
	}
	ephemeral, err := key.Generate(p.config.Random)
	if err != nil {
		return nil, nil, err
	}
	defer ephemeral.Wipe()
	r := noise.NewResponder(p.config.Key, ephemeral)
	if err := r.Act1(one[:]); err != nil {
		return nil, nil, err
	}
	two, err := r.Act2()
	if err != nil {
		return nil, nil, err
	}
	if _, err := conn.Write(two[:]); err != nil {
		return nil, nil, err
	}
	var three [noise.Act3Size]byte
	if _, err := io.ReadFull(conn, three[:]); err != nil {
		return nil, nil, err
	}
	id, session, err := r.Act3(three[:])
	if err != nil {
		return nil, nil, err
	}
	remote := conn.Remote()
	l := newLink(conn, "")
	l.inbound, l.session = true, session
	if remote.IsValid() {
		l.address = remote.String()
	}
	n, err := p.admit(id, l)
	return n, l, err
}

// publicAddress returns the address if it may be sent to the peer as the peer's own. It returns
// zero for private addresses, which are meaningless elsewhere.
func publicAddress(a netip.AddrPort) netip.AddrPort {
	ip := a.Addr().Unmap()
	if !ip.IsGlobalUnicast() || ip.IsPrivate() {
		return netip.AddrPort{}
	}
	return netip.AddrPortFrom(ip, a.Port())
}

// acceptRetryDelay is the pause after a failed Accept.
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

// guarded limits the effect of a panic that a peer's bytes cause to that peer's connection.
func guarded(ctx context.Context, do func()) {
	_ = guard.Do(ctx, "a connection of a Lightning node", func() error { do(); return nil }) // guard reports the panic
}

// origin identifies a peer before the handshake reveals its key. It is an IPv4 address, or the
// IPv6 network of one customer. The zero value is the origin of unknown addresses.
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

// handshakes holds the inbound connections during the handshake. A new connection is always
// accepted. It replaces the oldest one of the same origin if that origin is at its limit, and
// the oldest one of the largest origin if all places are in use. Idle connections therefore
// cannot block others.
type handshakes struct {
	mu     sync.Mutex
	active []*handshake // the oldest first
}

type handshake struct {
	from origin
	end  func()
}

// add counts a handshake until leave is called. It calls end if another handshake replaces it.
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

// largest returns the origin with the most handshakes, or of several the one with the oldest
// handshake.
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
