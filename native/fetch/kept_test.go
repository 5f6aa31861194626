package fetch

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
)

// TestKeptConnection checks that a request is sent again if the server closes an idle connection
// while the request is in flight, and that a request on a new connection is not.
func TestReusedConnection(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	headers := make(chan http.Header, 10)
	// serve responds to a number of requests on the next connection, and resets it at a further
	// request.
	serve := func(answers int) {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		in := bufio.NewReader(conn)
		for n := 0; ; n++ {
			r, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			_, _ = io.Copy(io.Discard, r.Body)
			headers <- r.Header
			if n == answers {
				_ = conn.(*net.TCPConn).SetLinger(0)
				_ = conn.Close()
				return
			}
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
		}
	}
	c := New("test")
	defer c.Close()
	ask := func() error {
		_, err := c.Fetch(t.Context(), fetch.Request{Method: "POST", URL: "http://" + listener.Addr().String(), Body: []byte("{}"), Limit: 10})
		return err
	}
	go func() {
		serve(1)
		serve(1)
		serve(0)
	}()
	require.NoError(t, ask())
	require.NoError(t, ask(), "the second request's connection was reset, and it is sent on a new one")
	c.Close()
	require.Error(t, ask(), "a new connection that is reset")
	require.Len(t, headers, 4)
	require.NotContains(t, <-headers, "X-Idempotency-Key", "it is not sent")
}
