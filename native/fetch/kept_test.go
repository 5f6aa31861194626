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

// TestKeptConnection: a server closes connections that it kept at any moment, also when a request
// is on its way. That request is sent again; one on a new connection is not.
func TestReusedConnection(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	headers := make(chan http.Header, 10)
	// serve answers a number of requests of the next connection, and resets it when one more came.
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
