// Package lightning gives the Lightning node its TCP connections. All else about peers
// is core/wallet/lightning/link's.
//
// Invariant: nothing is opened but by Dial and Listen, and whoever gets a connection
// closes it.
package lightning

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"time"

	"obverse/core/wallet/lightning/link"
)

// connectWithin is how long the addresses of a host are tried, each for its share. It is
// less than most callers wait, who get an answer from the last of them too.
const connectWithin = 8 * time.Second

// Dialer connects over TCP. It looks names up, each time anew.
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

// conn reports where its other side is.
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

// Listener takes TCP connections. It implements link.Listener.
type Listener struct{ tcp net.Listener }

// Listen opens a port, such as 127.0.0.1:9735 or, for any free one, 127.0.0.1:0.
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
