package httpd

import (
	"context"
	"net"
	"net/http"

	"obverse/native/limit"
)

// connection is one of a port, and who sends over it as far as its address says it.
type connection struct {
	conn   *limit.Conn
	sender sender
}

type connectionKey struct{}

// withConnection lets the requests of a connection find it.
func withConnection(ctx context.Context, c net.Conn) context.Context {
	conn, counted := c.(*limit.Conn)
	if !counted {
		return ctx
	}
	return context.WithValue(ctx, connectionKey{}, &connection{conn, senderAt(addressOf(c.RemoteAddr().String()))})
}

func connectionOf(ctx context.Context) *connection {
	c, _ := ctx.Value(connectionKey{}).(*connection)
	return c
}

// limited returns the connection as its port counts it; nil for a request that came over none.
func (c *connection) limited() *limit.Conn {
	if c == nil {
		return nil
	}
	return c.conn
}

// senderOf returns the sender of a request over the connection.
func (c *connection) senderOf(r *http.Request) sender {
	if c == nil {
		return senderAt(peer(r))
	}
	return c.sender
}

// sharing returns the origin in whose share a connection counts; empty: no share, since an
// address does not distinguish the programs of this machine.
func sharing(remote net.Addr) string {
	address := addressOf(remote.String())
	if !address.IsValid() || address.IsLoopback() {
		return ""
	}
	return originOf(address)
}
