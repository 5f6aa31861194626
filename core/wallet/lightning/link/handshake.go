package link

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"time"

	"obverse/core/key"
	"obverse/core/task/guard"
	"obverse/core/wallet/lightning"
	"obverse/core/wallet/lightning/noise"
)

// handshakeWithin is the time that a node has that connects to this one.
const handshakeWithin = 10 * time.Second

// reach connects to a node and finds out whether it is there. There is no link and no
// error when another connection to it is to be used, or the try is not wanted any more.
// The last act is left to serve.
func (p *Peers) reach(ctx context.Context, n *peer, t *try) (l *link, err error) {
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
	p.at(t, "the node does not answer the handshake")
	i, err := p.call(ctx, conn, n.id)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", lightning.ErrHandshake, err)
	}
	made := newLink(conn, t.address.Place())
	var act [noise.Act3Size]byte
	if act, made.session, err = i.Act3(); err != nil {
		return nil, fmt.Errorf("%w: %w", lightning.ErrHandshake, err)
	}
	made.first = act[:]
	if !p.claim(n, t, made) {
		return nil, nil
	}
	return made, nil
}

// call shakes hands as far as the node proves who it is.
func (p *Peers) call(ctx context.Context, conn Conn, id lightning.NodeID) (_ *noise.Initiator, err error) {
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
		return nil, hungUp(err, " before it has shown who it is: perhaps another one is at the address")
	}
	return i, i.Act2(two[:])
}

// hungUp says it in words when the other side has ended a connection.
func hungUp(err error, when string) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the node hung up" + when)
	}
	return err
}

// receive shakes hands with a node that has connected, and holds the connection. done
// is called when the handshake is over.
func (p *Peers) receive(ctx context.Context, conn Conn, done func()) {
	limited, cancel := context.WithTimeout(ctx, handshakeWithin)
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
	p.keepUp(ctx, n, p.serve(ctx, n, l))
}

// respond is the other side of reach.
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

// tellable is an address that a peer may be told as its own: those that mean something
// nearby only are not for others.
func tellable(a netip.AddrPort) netip.AddrPort {
	ip := a.Addr().Unmap()
	if !ip.IsGlobalUnicast() || ip.IsPrivate() {
		return netip.AddrPort{}
	}
	return netip.AddrPortFrom(ip, a.Port())
}
