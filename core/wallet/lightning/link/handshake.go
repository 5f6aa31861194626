package link

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"time"

	"obverse/core/guard"
	"obverse/core/key"
	"obverse/core/wallet/lightning"
	"obverse/core/wallet/lightning/noise"
)

// handshakeTimeout limits the handshake of an inbound connection.
const handshakeTimeout = 10 * time.Second

// dial connects to a node and does the handshake. It returns neither a link nor an error
// when another connection to the node is used instead, or the attempt was abandoned.
// serve writes the last act.
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

// initiate does the handshake up to the act that authenticates the node.
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
		return nil, closeReason(err, " before it has shown who it is: perhaps another one is at the address")
	}
	return i, i.Act2(two[:])
}

// closeReason is the error for a connection that the peer closed.
func closeReason(err error, when string) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the node hung up" + when)
	}
	return err
}

// receive does the handshake of an inbound connection and serves it. done is called when
// the handshake is over.
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

// respond does the handshake of an inbound connection.
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

// publicAddress returns the address if it may be sent to the peer as its own, and zero for
// private ones, which mean nothing elsewhere.
func publicAddress(a netip.AddrPort) netip.AddrPort {
	ip := a.Addr().Unmap()
	if !ip.IsGlobalUnicast() || ip.IsPrivate() {
		return netip.AddrPort{}
	}
	return netip.AddrPortFrom(ip, a.Port())
}
