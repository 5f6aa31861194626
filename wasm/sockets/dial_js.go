package sockets

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strconv"
	"time"

	"github.com/syumai/workers/cloudflare/sockets"

	"obverse/core/lightning"
	"obverse/core/lightning/link"
	"obverse/core/lightning/node"
)

// Dialer connects over TCP. Workers look names up, and refuse addresses of their own network.
type Dialer struct{}

var _ link.Dialer = Dialer{}

// Dial implements link.Dialer. A connection that is refused fails at its first Read.
func (Dialer) Dial(ctx context.Context, host string, port uint16) (link.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	address := net.JoinHostPort(host, strconv.Itoa(int(port)))
	// The library ends a connection with the context that opened it.
	c, err := sockets.Connect(context.WithoutCancel(ctx), address, &sockets.SocketOptions{SecureTransport: sockets.SecureTransportOff})
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", address, err)
	}
	return conn{c}, nil
}

// conn has no address: Workers do not say where a name leads.
type conn struct{ net.Conn }

// Remote implements link.Conn.
func (conn) Remote() netip.AddrPort { return netip.AddrPort{} }

// Opener makes the peers of Lightning nodes.
type Opener struct {
	Random io.Reader
	Now    func() time.Time
	// Changed is told of connections, see link.Config; may be nil.
	Changed func(lightning.Peer)
}

// Open implements node.Open. The node does not listen.
func (o Opener) Open(_ context.Context, s node.Setup) (peers node.Peers, listening string, err error) {
	return link.New(link.Config{
		Key: s.Key, Dialer: Dialer{}, Random: o.Random, Now: o.Now, Networks: [][32]byte{s.Chain}, Changed: o.Changed,
	}), "", nil
}
