package link

import (
	"context"
	"io"
	"net/netip"
)

// Dialer opens connections: natively over TCP.
type Dialer interface {
	// Dial connects to a port of a host, which is an IP address without brackets or a
	// domain name, and gives up when ctx ends. Many may call at a time. The text of its
	// error is shown to users.
	Dial(ctx context.Context, host string, port uint16) (Conn, error)
}

// Listener takes connections.
type Listener interface {
	// Accept waits for the next connection. After an error it is called again, later.
	Accept() (Conn, error)
	// Close ends an Accept that waits. It is called once.
	Close() error
}

// Conn is an open connection. One goroutine reads, another one writes.
type Conn interface {
	// Close ends a Read and a Write that wait. It may be called more than once, and by
	// anybody.
	io.ReadWriteCloser
	// Remote is where the other side is; the zero value if that is not known.
	Remote() netip.AddrPort
}
