package httpd

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/event"
	"obverse/core/net/route"
)

func TestEventStream(t *testing.T) {
	h := newHub(t, event.Config{})
	s, _ := startStreaming(t, h, Config{})
	r := open(t, s, "?id=7")
	require.Equal(t, "text/event-stream", r.response.Header.Get("Content-Type"))
	require.Equal(t, "no-cache", r.response.Header.Get("Cache-Control"))
	require.Equal(t, "no", r.response.Header.Get("X-Accel-Buffering"))
	require.Empty(t, r.response.Header.Values("Access-Control-Allow-Origin"))
	r.requireStart(0)
	enable(t, h, 7)
	say(t, h, 1, 2)
	r.requireEvent(1, x(1))
	r.requireEvent(2, x(2))
	require.NoError(t, h.Publish("X", "<\n>"))
	r.requireEvent(3, `{"_type":"X","message":"\u003c\n\u003e"}`)

	_, err := h.Enable(7, event.Heartbeat{Every: 10 * time.Millisecond})
	require.NoError(t, err)
	r.requireEvent(4, `{"_type":"HEARTBEAT","message":{}}`)
	r.requireEvent(5, `{"_type":"HEARTBEAT","message":{}}`)
}

func TestEventStreamHead(t *testing.T) {
	h := newHub(t, event.Config{})
	s, _ := startStreaming(t, h, Config{})
	response, body := ask(t, http.MethodHead, s.NodeAddress(), route.Events.Path, "")
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Equal(t, "text/event-stream", response.Header.Get("Content-Type"))
	require.Empty(t, body)
	_, err := h.Enable(0, named("X"))
	require.ErrorIs(t, err, event.ErrUnknownClient, "a look makes no client")
	response, _ = ask(t, http.MethodHead, s.NodeAddress(), route.Events.Path, "", "X-Forwarded-For: 1.2.3.4")
	require.Equal(t, http.StatusUnauthorized, response.StatusCode)
}

// An empty id means client 0. An id that is not a number is rejected.
func TestEventStreamClients(t *testing.T) {
	h := newHub(t, event.Config{})
	s, _ := startStreaming(t, h, Config{})
	for query, client := range map[string]uint64{
		"": 0, "?id=": 0, "?ID=3": 0, "?id=%zz": 0,
		"?id=3": 3, "?x=1&id=4&id=5": 4, "?id=18446744073709551615": 18446744073709551615,
	} {
		t.Run(query, func(t *testing.T) {
			r := open(t, s, query)
			require.Equal(t, http.StatusOK, r.response.StatusCode)
			_, err := r.block()
			require.NoError(t, err)
			enable(t, h, client)
			require.NoError(t, h.Disable(client, "X"))
			require.NoError(t, r.conn.Close())
			eventually(t, h, "event_streams_open", 0)
		})
	}
}

func TestEventStreamOfNoClient(t *testing.T) {
	s, _ := startStreaming(t, newHub(t, event.Config{}), Config{})
	for _, id := range []string{"x", "-1", "1.5", "18446744073709551616", "0x1", "client_id", strings.Repeat("9", 500)} {
		response, body := ask(t, http.MethodGet, s.NodeAddress(), route.Events.Path+"?id="+id, "")
		require.Equal(t, http.StatusBadRequest, response.StatusCode, id)
		require.Contains(t, string(body), `{"error":"`)
		require.Contains(t, string(body), "parameter id must be a whole number from 0 to 18446744073709551615")
		require.Less(t, len(body), 400)
	}
}

// A new connection after a lost one delivers exactly the missed events.
func TestEventStreamResumes(t *testing.T) {
	h := newHub(t, event.Config{})
	s, _ := startStreaming(t, h, Config{})
	r := open(t, s, "?id=7")
	r.requireStart(0)
	enable(t, h, 7)
	say(t, h, 1, 2, 3)
	r.requireEvent(1, x(1))
	require.NoError(t, r.conn.Close())
	eventually(t, h, "event_streams_open", 0)
	_, err := h.Enable(7, named("Y"))
	require.ErrorIs(t, err, event.ErrUnknownClient)
	say(t, h, 4)

	r = open(t, s, "?id=7", "Last-Event-ID: 1")
	r.requireStart(1)
	for n := 2; n <= 4; n++ {
		r.requireEvent(uint64(n), x(n))
	}
	again := func(query string, headers ...string) *reader {
		require.NoError(t, r.conn.Close())
		return open(t, s, query, headers...)
	}
	r = again("?id=7&lastEventId=3")
	r.requireStart(3)
	r.requireEvent(4, x(4))
	r = again("?id=7&lastEventId=1", "Last-Event-ID: 2")
	r.requireStart(2)
	r.requireEvent(3, x(3))
	r = again("?id=7")
	r.requireStart(4)
	r = again("?id=7", "Last-Event-ID: rubbish")
	r.requireStart(4)
	r.requireEvent(5, `{"_type":"ERROR:FORGOTTEN","message":{}}`)
	say(t, h, 6)
	r.requireEvent(6, x(6))
}

const remote = "X-Forwarded-For: 203.0.113.5"

func TestEventStreamCredentials(t *testing.T) {
	h := newHub(t, event.Config{})
	s, _ := startStreaming(t, h, Config{})
	for name, c := range map[string]struct {
		headers []string
		status  int
	}{
		"local":                        {nil, 200},
		"local with a wrong one":       {[]string{"Authorization: Basic eDp5"}, 200},
		"elsewhere without":            {[]string{remote}, 401},
		"elsewhere with the password":  {[]string{remote, "Authorization: " + right}, 200},
		"elsewhere with a wrong one":   {[]string{remote, "Authorization: Basic dTp3cm9uZw=="}, 401},
		"elsewhere with a bearer":      {[]string{remote, "Authorization: Bearer p"}, 401},
		"through a proxy (Forwarded)":  {[]string{"Forwarded: for=203.0.113.5"}, 401},
		"through a proxy (Via)":        {[]string{"Via: 1.1 proxy"}, 401},
		"through a proxy (its host)":   {[]string{"X-Forwarded-Host: node.example"}, 401},
		"through a proxy (X-Real-Ip)":  {[]string{"X-Real-Ip: 203.0.113.5"}, 401},
		"another spelling":             {[]string{"X-Forward-For: 203.0.113.5"}, 401},
		"with underscores":             {[]string{"x_forwarded_for: 203.0.113.5"}, 401},
		"a proxy with an empty header": {[]string{"X-Forwarded-For: "}, 401},
	} {
		t.Run(name, func(t *testing.T) {
			r := open(t, s, "", c.headers...)
			require.Equal(t, c.status, r.response.StatusCode)
			if c.status == 200 {
				r.requireStart(0)
			} else {
				require.Equal(t, `Basic realm="jsonrpc"`, r.response.Header.Get("WWW-Authenticate"))
				require.Equal(t, "application/json", r.response.Header.Get("Content-Type"))
				var body struct{ Error string }
				require.NoError(t, json.NewDecoder(r.lines).Decode(&body))
				require.Contains(t, body.Error, "the RPC password")
				require.Contains(t, body.Error, "stream::ticket")
			}
		})
	}
	s, _ = start(t, Config{Node: Node{Events: Events{Hub: func() *event.Hub { return h }}}})
	require.Equal(t, 401, open(t, s, "", remote, "Authorization: "+right).response.StatusCode, "nothing to compare with")
}

// A ticket opens one stream of one client, and is not logged.
func TestEventStreamTickets(t *testing.T) {
	h := newHub(t, event.Config{})
	book := &logBook{}
	s, stop := startStreaming(t, h, Config{Log: book.logger()})
	var issued []string
	ticket := func(client uint64) string {
		text, _, err := h.Ticket(client)
		require.NoError(t, err)
		issued = append(issued, text)
		return "&ticket=" + text
	}
	good := ticket(7)
	r := open(t, s, "?id=7"+good, remote)
	r.requireStart(0)
	require.Equal(t, 401, open(t, s, "?id=7"+good, remote).response.StatusCode, "used")
	enable(t, h, 7)
	say(t, h, 1)
	r.requireEvent(1, x(1))

	head := func(query string) int {
		response, _ := ask(t, http.MethodHead, s.NodeAddress(), route.Events.Path+query, "", remote)
		return response.StatusCode
	}
	good = ticket(7)
	require.Equal(t, 401, head("?id=7"))
	require.Equal(t, 200, head("?id=7"+good))
	require.Equal(t, 401, head("?id=7"+good), "used")

	good = ticket(8)
	require.Equal(t, 401, open(t, s, "?id=7"+good, remote).response.StatusCode, "another client's")
	require.Equal(t, 401, open(t, s, "?id=8"+good, remote).response.StatusCode, "tried")
	require.Equal(t, 401, open(t, s, "?id=8&ticket=", remote).response.StatusCode)
	require.Equal(t, 401, open(t, s, "?id=8&ticket=p", remote).response.StatusCode)
	require.Equal(t, 401, open(t, s, "?id=8&ticket=no", remote, "Authorization: "+right).response.StatusCode, "a ticket takes precedence")
	open(t, s, "?id=7"+ticket(7)+"&lastEventId=0", remote).requireStart(0)

	require.NoError(t, stop())
	require.Contains(t, book.String(), "path=/event-stream status=401")
	for _, text := range append(issued, "ticket", "lastEventId") {
		require.NotContains(t, book.String(), text)
	}
}

// A page of another site cannot end a stream of its user's node.
func TestEventStreamOrigins(t *testing.T) {
	h := newHub(t, event.Config{})
	s, _ := startStreaming(t, h, Config{Node: Node{Events: Events{Origin: "https://wallet.example"}}})
	mine := open(t, s, "")
	mine.requireStart(0)
	enable(t, h, 0)
	for name, headers := range map[string][]string{
		"another site":          {"Origin: https://evil.example", "Sec-Fetch-Site: cross-site"},
		"an old browser":        {"Origin: https://evil.example"},
		"an image":              {"Sec-Fetch-Site: cross-site"},
		"another port":          {"Origin: http://localhost:1", "Sec-Fetch-Site: same-site"},
		"a page without origin": {"Origin: null", "Sec-Fetch-Site: cross-site"},
	} {
		t.Run(name, func(t *testing.T) {
			r := open(t, s, "", headers...)
			require.Equal(t, http.StatusForbidden, r.response.StatusCode)
			text, err := r.block()
			require.Error(t, err)
			require.Equal(t, `{"error":"pages of this web origin may not read events"}`+"\n", text)
		})
	}
	say(t, h, 1)
	mine.requireEvent(1, x(1))
	for name, headers := range map[string][]string{
		"no browser":         nil,
		"the address bar":    {"Sec-Fetch-Site: none"},
		"a page of this":     {"Origin: http://localhost", "Sec-Fetch-Site: same-origin"},
		"the one allowed":    {"Origin: https://wallet.example", "Sec-Fetch-Site: cross-site"},
		"allowed, elsewhere": {"Origin: https://wallet.example", remote, "Authorization: " + right},
	} {
		t.Run(name, func(t *testing.T) {
			r := open(t, s, "?id=9", headers...)
			_, err := r.block()
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, r.response.StatusCode)
			require.Equal(t, "https://wallet.example", r.response.Header.Get("Access-Control-Allow-Origin"))
		})
	}
}

func TestEventStreamRefusals(t *testing.T) {
	h := newHub(t, event.Config{Clients: 1})
	s, _ := startStreaming(t, h, Config{Limits: Limits{Streams: 2}})
	requireRefused := func(r *reader, status int, reason string) {
		t.Helper()
		require.Equal(t, status, r.response.StatusCode)
		require.Equal(t, jsonType, r.response.Header.Get("Content-Type"))
		require.Equal(t, status == 503, r.response.Header.Get("Retry-After") == "2")
		text, _ := r.block()
		require.Equal(t, `{"error":"`+reason+`"}`+"\n", text)
	}
	requireRefused(open(t, s, "", "Content-Length: 2"), 400, "a request for events has no body")
	requireRefused(open(t, s, "", "Transfer-Encoding: chunked"), 400, "a request for events has no body")
	one := open(t, s, "?id=1")
	one.requireStart(0)
	requireRefused(open(t, s, "?id=2"), 503, "too many event streams are open: too many clients are connected")
	again := open(t, s, "?id=1", "Authorization: "+right)
	again.requireStart(0)
	eventually(t, h, "event_streams_open", 1)

	s, _ = startStreaming(t, newHub(t, event.Config{}), Config{Limits: Limits{Streams: 1}})
	one = open(t, s, "?id=1")
	one.requireStart(0)
	requireRefused(open(t, s, "?id=2"), 503, "too many event streams are open: the limit is 1")
	require.NoError(t, one.conn.Close())
	require.Eventually(t, func() bool { return open(t, s, "?id=2").response.StatusCode == 200 }, 20*time.Second, time.Millisecond)

	stopped := event.New(event.Config{Now: time.Now})
	ctx, stop := context.WithCancel(t.Context())
	stop()
	require.ErrorIs(t, stopped.Run(ctx), context.Canceled)
	s, _ = startStreaming(t, stopped, Config{})
	requireRefused(open(t, s, ""), 503, "the node is shutting down")

	s, _ = start(t, Config{Node: Node{Events: Events{Hub: func() *event.Hub { return nil }}}})
	requireRefused(open(t, s, ""), 503, "the node is starting")
	require.Equal(t, 401, open(t, s, "", remote).response.StatusCode)
	requireRefused(open(t, s, "?ticket=x", remote), 503, "the node is starting")
}

func TestEventStreamsTakeNoSlots(t *testing.T) {
	h := newHub(t, event.Config{})
	s, _ := startStreaming(t, h, Config{Limits: Limits{Work: 1}, Node: Node{Serve: echo}})
	for id := range 5 {
		open(t, s, fmt.Sprintf("?id=%d", id)).requireStart(0)
	}
	status, body := post(t, s.NodeAddress(), "{}")
	require.Equal(t, answer{200, "{}"}, answer{status, body})
	response, body := ask(t, http.MethodPost, s.NodeAddress(), route.Events.Path, "{}")
	require.Equal(t, answer{200, "{}"}, answer{response.StatusCode, body}, "POST is a call on any path")
}

// The time limits of ordinary requests do not end a stream, and comments keep it alive.
func TestEventStreamOutlivesTheLimits(t *testing.T) {
	h := newHub(t, event.Config{})
	short := 30 * time.Millisecond
	s, _ := startStreaming(t, h, Config{Limits: Limits{Read: short, Write: short, Idle: short, KeepAlive: 2 * short}})
	r := open(t, s, "")
	r.requireStart(0)
	for range 3 {
		r.requireBlock(": keep-alive\n")
	}
	enable(t, h, 0)
	say(t, h, 1)
	for {
		text, err := r.block()
		require.NoError(t, err)
		if text != ": keep-alive\n" {
			require.Equal(t, "id: 1\ndata: "+x(1)+"\n", text)
			break
		}
	}
}

// flood publishes more data than the buffers of sockets hold, in messages of 64 KiB.
func flood(t *testing.T, h *event.Hub, messages int) {
	t.Helper()
	filler := strings.Repeat("x", 1<<16)
	for n := range messages {
		require.NoError(t, h.Publish("X", fmt.Sprintf("%d:%s", n+1, filler)))
	}
}

// A client that reads slowly loses the oldest events, receives an event about this, and does not
// delay other clients.
func TestEventStreamSlowClient(t *testing.T) {
	const messages = 500 // 32 MB
	h := newHub(t, event.Config{Buffer: 8})
	s, _ := startStreaming(t, h, Config{})
	slow := open(t, s, "?id=1")
	slow.requireStart(0)
	quick := open(t, s, "?id=2")
	quick.requireStart(0)
	enable(t, h, 1)
	_, err := h.Enable(2, named("QUICK"))
	require.NoError(t, err)
	for n := range messages {
		flood(t, h, 1)
		require.NoError(t, h.Publish("QUICK", n))
		quick.requireEvent(uint64(n+1), fmt.Sprintf(`{"_type":"QUICK","message":%d}`, n))
	}
	dropped, got := uint64(0), uint64(0)
	for last := uint64(0); last < messages; {
		id, data := slow.event()
		if strings.Contains(data, "LAGGED") {
			lost := id - last
			require.Equal(t, fmt.Sprintf(`{"_type":"ERROR:LAGGED","message":{"dropped":%d}}`, lost), data)
			dropped += lost
		} else {
			require.Equal(t, last+1, id)
			got++
		}
		last = id
	}
	require.NotZero(t, dropped)
	require.Equal(t, uint64(messages), dropped+got)
	eventually(t, h, "event_dropped_events_total", float64(dropped))
}

// A client that reads nothing is disconnected.
func TestEventStreamStuckClient(t *testing.T) {
	h := newHub(t, event.Config{})
	s, _ := startStreaming(t, h, Config{Limits: Limits{Write: 50 * time.Millisecond}})
	r := open(t, s, "?id=1")
	r.requireStart(0)
	enable(t, h, 1)
	flood(t, h, 500)
	eventually(t, h, "event_streams_open", 0)
}

// When the server stops, streams end with a complete response and do not delay it.
func TestShutdownEndsEventStreams(t *testing.T) {
	h := newHub(t, event.Config{})
	s, stop := startStreaming(t, h, Config{})
	var readers []*reader
	for id := range 10 {
		r := open(t, s, fmt.Sprintf("?id=%d", id))
		r.requireStart(0)
		readers = append(readers, r)
	}
	require.NoError(t, stop())
	for _, r := range readers {
		r.requireEnd()
	}
	_, err := net.Dial("tcp", s.NodeAddress())
	require.Error(t, err)
}

func TestShutdownDoesNotWaitForStuckStreams(t *testing.T) {
	h := newHub(t, event.Config{})
	s, stop := startStreaming(t, h, Config{Limits: Limits{Drain: time.Minute, Write: time.Hour}})
	r := open(t, s, "?id=1")
	r.requireStart(0)
	enable(t, h, 1)
	flood(t, h, 500)
	ended := make(chan error, 1)
	go func() { ended <- stop() }()
	select {
	case err := <-ended:
		require.NoError(t, err)
	case <-time.After(30 * time.Second):
		require.Fail(t, "the server waits for a client that does not read")
	}
}

const takenOver = "retry: 30000\ndata: {\"_type\":\"ERROR:TAKEN_OVER\",\"message\":{}}\n"

// skipComments reads the next block that is not a comment.
func (r *reader) skipComments() string {
	r.t.Helper()
	for {
		text, err := r.block()
		require.NoError(r.t, err)
		if text != ": keep-alive\n" {
			return text
		}
	}
}

// A program on this machine without a credential cannot read the stream of a client that is
// connected.
func TestEventStreamStaysWithItsReader(t *testing.T) {
	h := newHub(t, event.Config{})
	s, _ := startStreaming(t, h, Config{})
	mine := open(t, s, "?id=7")
	mine.requireStart(0)
	enable(t, h, 7)
	for name, request := range map[string][]string{
		"nothing":          {"?id=7"},
		"a position":       {"?id=7&lastEventId=0"},
		"a wrong password": {"?id=7", wrongBasic},
		"a wrong ticket":   {"?id=7&ticket=0123456789abcdef0123456789abcdef"},
	} {
		t.Run(name, func(t *testing.T) {
			r := open(t, s, request[0], request[1:]...)
			require.Equal(t, http.StatusConflict, r.response.StatusCode)
			require.Equal(t, jsonType, r.response.Header.Get("Content-Type"))
			text, _ := r.block()
			require.Equal(t, `{"error":"`+errAlive.Error()+`: id 7"}`+"\n", text)
		})
	}
	other, _, err := h.Ticket(8)
	require.NoError(t, err)
	require.Equal(t, http.StatusConflict, open(t, s, "?id=7&ticket="+other).response.StatusCode, "another client's ticket")
	say(t, h, 1)
	require.Equal(t, "id: 1\ndata: "+x(1)+"\n", mine.skipComments())
}

// The owner can take a stream over, from this machine and from others.
func TestEventStreamTakeOver(t *testing.T) {
	h := newHub(t, event.Config{})
	s, _ := startStreaming(t, h, Config{})
	reads := open(t, s, "")
	reads.requireStart(0)
	enable(t, h, 0)
	for n, request := range [][]string{
		{"", "Authorization: " + right},
		{"", "Authorization: " + right, remote},
		{"?ticket="},
		{"?ticket=", remote},
	} {
		query := request[0]
		if query != "" {
			ticket, _, err := h.Ticket(0)
			require.NoError(t, err)
			query += ticket
		}
		next := open(t, s, query, request[1:]...)
		next.requireStart(uint64(n))
		require.Equal(t, takenOver, reads.skipComments())
		reads.requireEnd()
		say(t, h, n)
		next.requireEvent(uint64(n+1), x(n))

		_, err := fmt.Fprint(reads.conn, "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, read(t, reads.conn).response.StatusCode, "the connection is good for more")
		reads = next
	}
}

// A client can resume after a lost connection even if the node has not noticed the loss. It does
// not notice it while it has unread data of the client.
func TestEventStreamComesBackBeforeTheDropIsSeen(t *testing.T) {
	h := newHub(t, event.Config{})
	s, _ := startStreaming(t, h, Config{})
	last, position := 0, ""
	for range 5 {
		conn := dial(t, s.NodeAddress(), "GET "+route.Events.Path+"?id=7"+position+" HTTP/1.1\r\nHost: localhost\r\n\r\nGET ")
		r := read(t, conn)
		require.Equal(t, http.StatusOK, r.response.StatusCode)
		_, err := r.block()
		require.NoError(t, err)
		if last == 0 {
			enable(t, h, 7)
		}
		last++
		position = fmt.Sprintf("&lastEventId=%d", last)
		say(t, h, last)
		r.requireEvent(uint64(last), x(last))
		require.NoError(t, conn.Close())
	}
}

// If multiple connections request the stream of a client at the same time, one of them gets it.
func TestEventStreamRace(t *testing.T) {
	h := newHub(t, event.Config{})
	s, _ := startStreaming(t, h, Config{})
	ticket, _, err := h.Ticket(8)
	require.NoError(t, err)
	for query, refusal := range map[string]int{"?id=7": http.StatusConflict, "?id=8&ticket=" + ticket: http.StatusUnauthorized} {
		var headers []string
		if refusal == http.StatusUnauthorized {
			headers = []string{remote}
		}
		var conns [8]net.Conn
		var statuses sync.Map
		var all sync.WaitGroup
		for i := range conns {
			all.Go(func() {
				r := open(t, s, query, headers...)
				conns[i] = r.conn
				statuses.Store(i, r.response.StatusCode)
			})
		}
		all.Wait()
		count := map[any]int{}
		statuses.Range(func(_, status any) bool { count[status]++; return true })
		require.Equal(t, map[any]int{http.StatusOK: 1, refusal: len(conns) - 1}, count)
	}
}
