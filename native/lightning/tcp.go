// Package lightning opens the TCP connections of the Lightning node. Everything else about peers is in
// core/wallet/lightning/link.
//
// Invariant: only Dial and Listen open connections, and the caller that receives one closes it.
package lightning

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strconv"
	"time"

	core "obverse/core/wallet/lightning"
	"obverse/core/wallet/lightning/link"
	maker "obverse/core/wallet/lightning/node"
)

// Opener makes the peers of Lightning nodes.
type Opener struct {
	IP     string // to listen on; "": does not listen
	Random io.Reader
	Now    func() time.Time
	// Changed is called when a peer connects or disconnects, see link.Config; may be nil.
	Changed func(core.Peer)
}

// Open implements maker.Open.
func (o Opener) Open(ctx context.Context, s maker.Setup) (peers maker.Peers, listening string, err error) {
	c := link.Config{Key: s.Key, Dialer: Dialer{}, Random: o.Random, Now: o.Now, Networks: [][32]byte{s.Chain}, Changed: o.Changed}
	if o.IP != "" {
		listener, err := Listen(ctx, net.JoinHostPort(o.IP, strconv.Itoa(int(s.Port))))
		if err != nil {
			return nil, "", fmt.Errorf("%w: %w (listening_port sets the port)", maker.ErrListen, err)
		}
		c.Listener, listening = listener, listener.Addr()
	}
	return link.New(c), listening, nil
}

// connectWithin limits the time for all addresses of a host together. It is
// less than most callers wait, so that they get an answer from the last address too.
const connectWithin = 8 * time.Second

// Dialer connects over TCP. It resolves names for each connection.
type Dialer struct{ tcp net.Dialer }

// Dial implements link.Dialer.
func (d Dialer) Dial(ctx context.Context, host string, port uint16) (link.Conn, error) {
	d.tcp.Timeout = connectWithin
	c, err := d.tcp.DialContext(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(int(port))))
	if err != nil {
		return nil, err
	}
	return conn{c}, nil
}

// conn implements link.Conn.
type conn struct{ net.Conn }

// Remote implements link.Conn.
func (c conn) Remote() netip.AddrPort {
	tcp, ok := c.RemoteAddr().(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	a := tcp.AddrPort()
	return netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
}

// Listener accepts TCP connections. It implements link.Listener.
type Listener struct{ tcp net.Listener }

// Listen listens at an address such as 127.0.0.1:9735, or 127.0.0.1:0 for any free port.
func Listen(ctx context.Context, address string) (*Listener, error) {
	var config net.ListenConfig
	tcp, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen for Lightning nodes: %w", err)
	}
	return &Listener{tcp}, nil
}

// Addr returns the address that the listener listens on.
func (l *Listener) Addr() string { return l.tcp.Addr().String() }

// Accept implements link.Listener.
func (l *Listener) Accept() (link.Conn, error) {
	c, err := l.tcp.Accept()
	if err != nil {
		return nil, err
	}
	return conn{c}, nil
}

// Close implements link.Listener.
func (l *Listener) Close() error { return l.tcp.Close() }
