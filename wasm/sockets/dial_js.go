// Package sockets provides TCP connections for the Lightning node at the edge, with the connect
// function of Workers. A node at the edge accepts no connections.
//
// Source: developers.cloudflare.com/workers/runtime-apis/tcp-sockets, by the package
// github.com/syumai/workers/cloudflare/sockets.
//
// Invariant: Close unblocks a waiting Read or Write.
package sockets

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strconv"
	"time"

	"github.com/syumai/workers/cloudflare/sockets"

	"obverse/core/wallet/lightning"
	"obverse/core/wallet/lightning/link"
	"obverse/core/wallet/lightning/node"
)

// Dialer connects over TCP. Workers resolve names, and refuse addresses of their own network.
type Dialer struct{}

var _ link.Dialer = Dialer{}

// Dial implements link.Dialer.
func (Dialer) Dial(ctx context.Context, host string, port uint16) (link.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	address := net.JoinHostPort(host, strconv.Itoa(int(port)))
	// The library closes a connection when the context that opened it ends.
	c, err := sockets.Connect(context.WithoutCancel(ctx), address, &sockets.SocketOptions{SecureTransport: sockets.SecureTransportOff})
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", address, err)
	}
	if err := opened(ctx, c); err != nil {
		return nil, errors.Join(fmt.Errorf("connect to %s: %w", address, err), c.Close())
	}
	return conn{c}, nil
}

// opened waits until the connection is open. An empty write waits in the shell for this.
func opened(ctx context.Context, c net.Conn) error {
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	defer stop()
	_, err := c.Write(nil)
	return errors.Join(ctx.Err(), err)
}

// conn has no address, since Workers do not report the resolved address.
type conn struct{ net.Conn }

// Remote implements link.Conn.
func (conn) Remote() netip.AddrPort { return netip.AddrPort{} }

// Opener opens the peers of Lightning nodes.
type Opener struct {
	Random io.Reader
	Now    func() time.Time
	// Changed is called when a peer's connection changes; see link.Config. It may be nil.
	Changed func(lightning.Peer)
}

// Open implements node.Open. The node does not listen for connections.
func (o Opener) Open(_ context.Context, s node.Setup) (peers node.Peers, listening string, err error) {
	return link.New(link.Config{
		Key: s.Key, Dialer: Dialer{}, Random: o.Random, Now: o.Now, Networks: [][32]byte{s.Chain}, Changed: o.Changed,
	}), "", nil
}
