package workertest

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// listener reads one event stream over a connection of its own.
type listener struct {
	t      testing.TB
	conn   net.Conn
	status int
	lines  *bufio.Reader
	start  string // the block with which the stream begins
}

// listen asks for the event stream with a query, with the RPC password.
func (n *node) listen(query string, headers ...header) *listener {
	n.t.Helper()
	address := strings.TrimPrefix(n.url, "http://")
	conn, err := net.Dial("tcp", address)
	require.NoError(n.t, err)
	n.t.Cleanup(func() { _ = conn.Close() })
	require.NoError(n.t, conn.SetDeadline(time.Now().Add(patience)))
	request := "GET /n/" + n.name + "/event-stream" + query + " HTTP/1.1\r\nHost: " + address + "\r\n"
	for _, h := range append(headers, basic("any", rpcPassword)) {
		request += h[0] + ": " + h[1] + "\r\n"
	}
	_, err = io.WriteString(conn, request+"\r\n")
	require.NoError(n.t, err)
	response, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: http.MethodGet})
	require.NoError(n.t, err)
	l := &listener{t: n.t, conn: conn, status: response.StatusCode, lines: bufio.NewReader(response.Body)}
	if l.status == http.StatusOK {
		l.start, err = l.block()
		require.NoError(n.t, err)
	}
	return l
}

// block reads up to the next empty line.
func (l *listener) block() (text string, err error) {
	for {
		line, err := l.lines.ReadString('\n')
		if err != nil || line == "\n" {
			return text, err
		}
		text += line
	}
}

// Next gives the data of the next event.
func (l *listener) Next() string {
	l.t.Helper()
	for {
		text, err := l.block()
		require.NoError(l.t, err)
		for line := range strings.Lines(text) {
			if data, is := strings.CutPrefix(line, "data: "); is {
				return strings.TrimSuffix(data, "\n")
			}
		}
	}
}

// Close hangs up.
func (l *listener) Close() { _ = l.conn.Close() }
