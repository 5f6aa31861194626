package e2e

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// listener reads one event stream over a separate connection.
type listener struct {
	n      *node
	conn   net.Conn
	status int
	header http.Header
	lines  *bufio.Reader
	start  string // the block at the beginning of the stream
}

// listen requests the event stream with a query. headers have the form "Name: value".
func (n *node) listen(query string, headers ...string) *listener {
	n.t.Helper()
	address := strings.TrimPrefix(n.ready.Node, "http://")
	conn, err := net.Dial("tcp", address)
	require.NoError(n.t, err)
	n.t.Cleanup(func() { _ = conn.Close() })
	require.NoError(n.t, conn.SetDeadline(time.Now().Add(timeout)))
	request := "GET /event-stream" + query + " HTTP/1.1\r\nHost: " + address + "\r\n"
	for _, h := range headers {
		request += h + "\r\n"
	}
	_, err = io.WriteString(conn, request+"\r\n")
	require.NoError(n.t, err)
	response, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: http.MethodGet})
	require.NoError(n.t, err)
	l := &listener{n: n, conn: conn, status: response.StatusCode, header: response.Header, lines: bufio.NewReader(response.Body)}
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
		l.n.launch.seen.answer([]byte(line))
		if err != nil || line == "\n" {
			return text, err
		}
		text += line
	}
}

func (l *listener) requireBlock(want string) {
	l.n.t.Helper()
	got, err := l.block()
	require.NoError(l.n.t, err)
	require.Equal(l.n.t, want, got)
}

// requireBeats reads the heartbeats with consecutive ids.
func (l *listener) requireBeats(from, to int) {
	l.n.t.Helper()
	for id := from; id <= to; id++ {
		l.requireBlock(fmt.Sprintf("id: %d\ndata: {\"_type\":\"HEARTBEAT\",\"message\":{}}\n", id))
	}
}

// drop closes the connection of a client with heartbeats, and waits until the node has noticed it.
func (l *listener) drop(client int) {
	l.n.t.Helper()
	require.NoError(l.n.t, l.conn.Close())
	require.Eventually(l.n.t, func() bool {
		a := l.n.askNode("stream::heartbeat::enable", fmt.Sprintf(`{"client_id":%d}`, client))
		return string(a.Data) == `"UnknownClient"`
	}, timeout, time.Millisecond)
}

const enabled = `{"streamer_id":"HEARTBEAT"}`

// beat enables heartbeats of a client, ten per second.
func (n *node) beat(client int) {
	n.t.Helper()
	a := n.askNode("stream::heartbeat::enable", fmt.Sprintf(`{"client_id":%d,"config":{"stream_interval_seconds":0.1}}`, client))
	require.Equal(n.t, enabled, string(a.Result), a.Error)
}

// requireRefused requires a response with an error and its reason.
func (n *node) requireRefused(method, params, kind, reason string) {
	n.t.Helper()
	a := n.askNode(method, params)
	require.Equal(n.t, []any{http.StatusBadRequest, kind, `"` + reason + `"`, reason}, []any{a.Status, a.Type, string(a.Data), a.Error})
}

// TestHeartbeatStates tests the states of a client's heartbeat stream.
func TestHeartbeatStates(t *testing.T) {
	t.Parallel()
	const enable, disable = "stream::heartbeat::enable", "stream::disable"
	n := newLaunch(t).start(t)
	n.requireRefused(enable, `{"client_id":1}`, "EnableError", "UnknownClient")
	n.requireRefused(disable, `{"client_id":1,"streamer_id":"HEARTBEAT"}`, "DisableError", "UnknownClient")
	l := n.listen("?id=1")
	require.Equal(t, "text/event-stream", l.header.Get("Content-Type"))
	require.Equal(t, "no-cache", l.header.Get("Cache-Control"))
	require.Equal(t, "no", l.header.Get("X-Accel-Buffering"))
	require.Equal(t, "retry: 2000\nid: 0\n", l.start)
	n.requireRefused(disable, `{"client_id":1,"streamer_id":"HEARTBEAT"}`, "DisableError", "StreamerNotFound")
	n.beat(1)
	n.requireRefused(enable, `{"client_id":1}`, "EnableError", "ClientAlreadyListening")
	n.requireRefused(enable, `{}`, "EnableError", "UnknownClient")
	l.requireBeats(1, 3)
	require.JSONEq(t, `{"result":"Success"}`, string(n.askNode(disable, `{"client_id":1,"streamer_id":"HEARTBEAT"}`).Result))
	n.requireRefused(disable, `{"client_id":1,"streamer_id":"HEARTBEAT"}`, "DisableError", "StreamerNotFound")

	zero := n.listen("")
	require.Equal(t, enabled, string(n.askNode(enable, `{"config":{"stream_interval_seconds":0.1}}`).Result))
	zero.requireBeats(1, 2)
	for params, data := range map[string]string{
		`{"config":{"stream_interval_seconds":0.01}}`: "invalid value: floating point `0.01`, expected a number of seconds from 0.1 to 3600",
		`{"config":{"interval":1}}`:                   "unknown field `interval`, expected `stream_interval_seconds`",
	} {
		a := n.askNode(enable, params)
		require.Equal(t, []any{400, "InvalidRequest"}, []any{a.Status, a.Type})
		var got string
		require.NoError(t, json.Unmarshal(a.Data, &got))
		require.Equal(t, data, got)
	}
	a := n.askNode(disable, `{"streamer_id":"heartbeat"}`)
	require.Equal(t, []any{400, "InvalidRequest", `"Invalid StreamerId: heartbeat"`}, []any{a.Status, a.Type, string(a.Data)})
}

// TestStreamResumes drops a connection. The next one must deliver exactly the missed events.
func TestStreamResumes(t *testing.T) {
	t.Parallel()
	n := newLaunch(t).start(t)
	l := n.listen("?id=7")
	n.beat(7)
	l.requireBeats(1, 3)
	l.drop(7)
	n.requireRefused("stream::heartbeat::enable", `{"client_id":7}`, "EnableError", "UnknownClient")
	time.Sleep(300 * time.Millisecond)

	l = n.listen("?id=7", "Last-Event-ID: 3")
	require.Equal(t, "retry: 2000\nid: 3\n", l.start)
	l.requireBeats(4, 8)
	n.requireRefused("stream::heartbeat::enable", `{"client_id":7}`, "EnableError", "ClientAlreadyListening")
	l.drop(7)
	l = n.listen("?id=7&lastEventId=5")
	l.requireBeats(6, 9)

	// A restarted node does not know the client, and reports this.
	code, _ := n.stop()
	require.Zero(t, code)
	n = n.launch.start(t)
	l = n.listen("?id=7", "Last-Event-ID: 9")
	l.requireBlock("id: 10\ndata: {\"_type\":\"ERROR:FORGOTTEN\",\"message\":{}}\n")
	n.beat(7)
	l.requireBeats(11, 12)
}

// TestStreamTakeOver opens a second connection of a client, from another program on this machine
// and from the owner.
func TestStreamTakeOver(t *testing.T) {
	t.Parallel()
	n := newLaunch(t).start(t)
	first := n.listen("?id=7")
	n.beat(7)
	first.requireBeats(1, 2)
	unknown := n.listen("?id=7", "Last-Event-ID: 2")
	require.Equal(t, http.StatusConflict, unknown.status)
	refusal, _ := unknown.block()
	require.Contains(t, refusal, "only the RPC password")
	second := n.listen("?id=7", "Last-Event-ID: 2", basic(rpcPassword))
	second.requireBeats(3, 5)
	for ended := false; !ended; {
		text, err := first.block()
		require.NoError(t, err)
		ended = text == "retry: 30000\ndata: {\"_type\":\"ERROR:TAKEN_OVER\",\"message\":{}}\n"
	}
	_, err := first.block()
	require.ErrorIs(t, err, io.EOF)
	second.requireBeats(6, 7)
	second.resume(7)
}

// resume connects again right after a drop, perhaps before the node has noticed it.
func (l *listener) resume(last int) {
	l.n.t.Helper()
	require.NoError(l.n.t, l.conn.Close())
	l.n.listen(fmt.Sprintf("?id=7&lastEventId=%d", last)).requireBeats(last+1, last+2)
}

// basic returns the header with a password.
func basic(password string) string {
	return "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("user:"+password))
}

// TestWrongPasswordsCountTogether sends wrong RPC passwords in a header and in bodies.
func TestWrongPasswordsCountTogether(t *testing.T) {
	t.Parallel()
	n := newLaunch(t).start(t)
	for left := 9; left > 0; left -= 2 {
		response, answer := n.ask(http.MethodPost, "/", `{"mmrpc":"2.0","userpass":"wrong","method":"rpc.discover"}`, "X-Real-Ip: 203.0.113.5")
		require.Equal(t, http.StatusForbidden, response.StatusCode)
		require.Contains(t, answer, fmt.Sprintf("attempts left: %d", left))
		require.Equal(t, http.StatusUnauthorized, n.listen("?id=1", "X-Real-Ip: 203.0.113.5", basic("wrong")).status)
	}
}

// TestStreamCredentials requests events from another machine.
func TestStreamCredentials(t *testing.T) {
	t.Parallel()
	const elsewhere = "X-Forwarded-For: 203.0.113.5"
	n := newLaunch(t, "log_level=debug", "rpccors=https://wallet.example").start(t)
	for name, c := range map[string]struct {
		headers []string
		status  int
	}{
		"local":                       {nil, 200},
		"elsewhere":                   {[]string{elsewhere}, 401},
		"elsewhere, a wrong password": {[]string{elsewhere, basic("wrong")}, 401},
		"elsewhere, the password":     {[]string{elsewhere, basic(rpcPassword)}, 200},
		"elsewhere, the daemon's":     {[]string{elsewhere, basic(daemonPassword)}, 401},
		"a foreign page, local":       {[]string{"Origin: https://evil.example"}, 403},
		"the allowed page, local":     {[]string{"Origin: https://wallet.example"}, 200},
		"the allowed page, elsewhere": {[]string{"Origin: https://wallet.example", elsewhere}, 401},
	} {
		t.Run(name, func(t *testing.T) {
			l := n.listen("?id=1", c.headers...)
			defer l.conn.Close()
			require.Equal(t, c.status, l.status)
			switch l.status {
			case 200:
				require.Equal(t, "https://wallet.example", l.header.Get("Access-Control-Allow-Origin"))
			case 401:
				require.Equal(t, `Basic realm="jsonrpc"`, l.header.Get("WWW-Authenticate"))
			}
		})
	}

	ticket := func() string {
		var issued struct {
			Ticket  string `json:"ticket"`
			Expires int    `json:"expires_in"`
		}
		require.NoError(t, json.Unmarshal(n.askNode("stream::ticket", `{"client_id":2}`).Result, &issued))
		require.Equal(t, 30, issued.Expires)
		n.launch.seen.hideTicket(issued.Ticket)
		return issued.Ticket
	}
	good := ticket()
	l := n.listen("?id=2&ticket="+good, elsewhere)
	require.Equal(t, 200, l.status)
	n.beat(2)
	l.requireBeats(1, 2)
	require.Equal(t, 401, n.listen("?id=2&ticket="+good, elsewhere).status, "a ticket is good once")
	good = ticket()
	require.Equal(t, 401, n.listen("?id=3&ticket="+good, elsewhere).status, "and for its client")
	require.Equal(t, 401, n.listen("?id=2&ticket="+good, elsewhere).status)
	l.requireBeats(3, 4)
	require.Contains(t, n.stderr.text(), "path=/event-stream")
}

// TestStreamsEndWithTheNode stops a node with open streams.
func TestStreamsEndWithTheNode(t *testing.T) {
	n := newLaunch(t).start(t)
	l := n.listen("")
	n.beat(0)
	l.requireBeats(1, 1)
	code, took := n.stop()
	require.Zero(t, code, n.stderr.text())
	require.Less(t, took, 5*time.Second)
	for {
		if _, err := l.block(); err != nil {
			require.ErrorIs(t, err, io.EOF, "the answer ends whole")
			break
		}
	}
}
