package httpd

import (
	"context"
	"net"
	"net/http"

	"obverse/native/limit"
)

// connection is a client connection of a port, with the sender according to its address.
type connection struct {
	conn   *limit.Conn
	sender sender
}

type connectionKey struct{}

// withConnection stores the connection in the context of its requests.
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

// limited returns the connection of the port's limit.Listener; nil for a request without a connection.
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

// sharing returns the origin with which a connection shares its limits. It is empty for an address of
// this machine, because the address does not distinguish the programs of the machine.
func sharing(remote net.Addr) string {
	address := addressOf(remote.String())
	if !address.IsValid() || address.IsLoopback() {
		return ""
	}
	return originOf(address)
}
