package worker

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// listener reads one event stream over a separate connection.
type listener struct {
	t      testing.TB
	conn   net.Conn
	status int
	lines  *bufio.Reader
	start  string // the block at the beginning of the stream
}

// listen requests the event stream with a query, with the RPC password.
func (n *node) listen(query string, headers ...header) *listener {
	n.t.Helper()
	address := strings.TrimPrefix(n.url, "http://")
	conn, err := net.Dial("tcp", address)
	require.NoError(n.t, err)
	n.t.Cleanup(func() { _ = conn.Close() })
	require.NoError(n.t, conn.SetDeadline(time.Now().Add(timeout)))
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

// block reads lines until the next empty line.
func (l *listener) block() (text string, err error) {
	for {
		line, err := l.lines.ReadString('\n')
		if err != nil || line == "\n" {
			return text, err
		}
		text += line
	}
}

// Next returns the data of the next event.
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

// Close closes the connection.
func (l *listener) Close() { _ = l.conn.Close() }

// requireBeats reads the heartbeats with consecutive ids.
func (l *listener) requireBeats(from, to int) {
	l.t.Helper()
	for id := from; id <= to; id++ {
		got, err := l.block()
		require.NoError(l.t, err)
		require.Equal(l.t, fmt.Sprintf("id: %d\ndata: {\"_type\":\"HEARTBEAT\",\"message\":{}}\n", id), got)
	}
}

// beat enables heartbeats of a client, ten per second.
func (n *node) beat(client int) {
	n.t.Helper()
	require.JSONEq(n.t, `{"streamer_id":"HEARTBEAT"}`,
		n.succeeds("stream::heartbeat::enable", fmt.Sprintf(`{"client_id":%d,"config":{"stream_interval_seconds":0.1}}`, client)))
}

// gauge returns a metric of the node.
func (n *node) gauge(name string) (figure int) {
	n.t.Helper()
	response, text := n.ask(http.MethodGet, "/metrics", nil, basic("any", rpcPassword))
	require.Equal(n.t, http.StatusOK, response.StatusCode, string(text))
	for line := range strings.Lines(string(text)) {
		if value, is := strings.CutPrefix(line, name+" "); is {
			figure, err := strconv.Atoi(strings.TrimSpace(value))
			require.NoError(n.t, err)
			return figure
		}
	}
	require.FailNow(n.t, "no figure "+name, string(text))
	return 0
}

func (n *node) eventually(name string, figure int) {
	n.t.Helper()
	last := 0
	for deadline := time.Now().Add(timeout); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if last = n.gauge(name); last == figure {
			return
		}
	}
	require.Equal(n.t, figure, last, name)
}

const (
	listeners = 20
	hangUps   = 8 // clients that disconnect while events are sent
)

// TestHeartbeats opens many streams. Some clients disconnect: the others must miss no events, those
// that connect again must receive the missed events, and the node must keep no data of the others.
func TestHeartbeats(t *testing.T) {
	t.Parallel()
	const open = "obverse_event_streams_open"
	n := openEdge(t).node(t, nil)
	n.eventually(open, 0)
	before := n.gauge("go_goroutines")
	all := make([]*listener, listeners)
	for i := range all {
		all[i] = n.listen(fmt.Sprintf("?id=%d", i))
		require.Equal(t, "retry: 2000\nid: 0\n", all[i].start)
		n.beat(i)
	}
	n.eventually(open, listeners)
	for _, l := range all {
		l.requireBeats(1, 3)
	}
	for _, l := range all[:hangUps] {
		l.Close()
	}
	n.eventually(open, listeners-hangUps)
	for _, l := range all[hangUps:] {
		l.requireBeats(4, 12)
	}
	for i := range hangUps {
		all[i] = n.listen(fmt.Sprintf("?id=%d", i), header{"Last-Event-ID", "3"})
		require.Equal(t, "retry: 2000\nid: 3\n", all[i].start)
		all[i].requireBeats(4, 8)
	}
	n.eventually(open, listeners)
	require.JSONEq(t, `{"result":"Success"}`, n.succeeds("stream::disable", `{"client_id":0,"streamer_id":"HEARTBEAT"}`))
	for _, l := range all {
		l.Close()
	}
	n.eventually(open, 0) // includes client 0 after its next comment, since workerd reports a closed connection at a write
	n.eventually("go_goroutines", before)
}
