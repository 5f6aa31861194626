package httpd

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/rpc"
)

// slowEnd is a listener that delays the close of its first connection.
type slowEnd struct {
	net.Listener
	once  sync.Once
	begun chan struct{} // closed when the close has begun
	end   chan struct{} // closed to let it finish
}

func (l *slowEnd) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	l.once.Do(func() {
		if err == nil {
			conn = &slowConn{Conn: conn, from: l}
		}
	})
	return conn, err
}

type slowConn struct {
	net.Conn
	from *slowEnd
	once sync.Once
}

func (c *slowConn) Close() error {
	c.once.Do(func() { close(c.from.begun) })
	<-c.from.end
	return c.Conn.Close()
}

// A call on a connection that has just been chosen to be closed is rejected. It would be executed,
// but its client would not receive the response.
func TestDroppedConnectionBeginsNoCall(t *testing.T) {
	calls := make(chan string, 2)
	serve := func(_ context.Context, _ rpc.Caller, body []byte) (int, []byte) {
		calls <- string(body)
		return http.StatusOK, body
	}
	config := Config{Limits: Limits{Connections: 1}, Node: Node{Address: "127.0.0.1:0", Serve: serve}, Daemon: Daemon{Address: "127.0.0.1:0"}}
	s := New(config)
	require.NoError(t, s.Listen(t.Context()))
	slow := &slowEnd{Listener: s.node.listener.Listener, begun: make(chan struct{}), end: make(chan struct{})}
	s.node.listener.Listener = slow
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()

	first := dial(t, s.NodeAddress(), "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nfi")
	second := dial(t, s.NodeAddress(), "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 6\r\n\r\nsecond")
	<-slow.begun
	_, err := io.WriteString(first, "rst")
	require.NoError(t, err)
	response, text := receive(t, first, http.MethodPost)
	require.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
	require.JSONEq(t, `{"error":"connection closed: too many connections"}`, text)
	require.Empty(t, calls)

	close(slow.end)
	_, text = receive(t, second, http.MethodPost)
	require.Equal(t, "second", text)
	require.Equal(t, "second", <-calls)
	cancel()
	require.NoError(t, <-ended)
}
