package httpd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/daemon"
	"obverse/core/metrics"
	"obverse/core/rpc"
	"obverse/native/limit"
)

// held is a handler that reports each call and responds on command.
type held struct {
	arrived chan context.Context
	release chan struct{}
}

func newHeld() *held {
	return &held{arrived: make(chan context.Context, 16), release: make(chan struct{})}
}

func (h *held) serve(ctx context.Context, _ rpc.Caller, body []byte) (int, []byte) {
	h.arrived <- ctx
	<-h.release
	return http.StatusOK, body
}

type answer struct {
	status int
	body   string
}

// background posts a body and delivers the response later.
func background(t *testing.T, address, body string) <-chan answer {
	conn := dial(t, address, fmt.Sprintf("POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: %s\r\nContent-Length: %d\r\n\r\n%s", right, len(body), body))
	answers := make(chan answer, 1)
	go func() {
		response, text := receive(t, conn, http.MethodPost)
		answers <- answer{response.StatusCode, text}
	}()
	return answers
}

func TestDefaultLimits(t *testing.T) {
	usual := Limits{
		Body: 8 << 20, Memory: 64 << 20, Work: 256, Turn: time.Second, Connections: 4096, Streams: 3072, Header: 16 << 10,
		Begin: 5 * time.Second, Read: 30 * time.Second, Write: 30 * time.Second, KeepAlive: 15 * time.Second, Idle: time.Minute,
		Gone: 5 * time.Second, Drain: 3 * time.Second, Cut: 700 * time.Millisecond,
	}
	require.Equal(t, usual, Limits{}.withDefaults())
	large := usual
	large.Body, large.Memory = 1<<30, 2<<30
	require.Equal(t, large, Limits{Body: 1 << 30}.withDefaults())
	custom := Limits{Body: 1, Memory: 2, Work: 3, Turn: 15, Connections: 4, Streams: 5, Header: 6, Begin: 7, Read: 8, Write: 9, KeepAlive: 10, Idle: 11, Gone: 12, Drain: 13, Cut: 14}
	require.Equal(t, custom, custom.withDefaults())
}

func TestBodyLimit(t *testing.T) {
	s, _ := start(t, Config{Limits: Limits{Body: 10}, Node: Node{Serve: echo}})
	const tooLarge = "request body too large: the limit is 10 bytes"
	for name, c := range map[string]struct{ address, refusal string }{
		"daemon": {s.DaemonAddress(), string(daemon.Refusal(daemon.CodeRequest, tooLarge))},
		"node":   {s.NodeAddress(), `{"error":"` + tooLarge + `"}` + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			status, body := post(t, c.address, "0123456789")
			require.Equal(t, answer{http.StatusOK, "0123456789"}, answer{status, body})

			status, body = post(t, c.address, "0123456789x")
			require.Equal(t, answer{http.StatusRequestEntityTooLarge, c.refusal}, answer{status, body})

			conn := dial(t, c.address, "POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: "+right+"\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n0123456789x\r\n0\r\n\r\n")
			response, text := receive(t, conn, http.MethodPost)
			require.Equal(t, answer{http.StatusRequestEntityTooLarge, c.refusal}, answer{response.StatusCode, text})
			require.True(t, response.Close)
		})
	}
}

// Clients that send their whole body before they read the response receive the error too.
func TestBodyLimitWhenClientsSendFirst(t *testing.T) {
	s, _ := start(t, Config{Limits: Limits{Body: 10}, Node: Node{Serve: echo}, Hosts: []string{"here"}})
	const size = 32 << 20 // larger than the buffers of both ends
	for name, c := range map[string]struct {
		address, host string
		status        int
	}{
		"daemon":        {s.DaemonAddress(), "here", http.StatusRequestEntityTooLarge},
		"node":          {s.NodeAddress(), "here", http.StatusRequestEntityTooLarge},
		"meant another": {s.DaemonAddress(), "elsewhere", http.StatusForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			conn := dial(t, c.address, fmt.Sprintf("POST / HTTP/1.1\r\nHost: %s\r\nAuthorization: %s\r\nContent-Length: %d\r\n\r\n", c.host, right, size))
			_, err := conn.Write(make([]byte, size))
			require.NoError(t, err)
			response, _ := receive(t, conn, http.MethodPost)
			require.Equal(t, c.status, response.StatusCode)
		})
	}
}

func TestTooManyRequests(t *testing.T) {
	h := newHeld()
	s, _ := start(t, Config{Limits: Limits{Work: 1, Turn: time.Millisecond}, Daemon: Daemon{Serve: h.serve}, Node: Node{Serve: echo}})
	first := background(t, s.DaemonAddress(), "first")
	<-h.arrived

	status, body := post(t, s.DaemonAddress(), "second")
	require.Equal(t, http.StatusInternalServerError, status)
	require.Equal(t, string(daemon.Refusal(daemon.CodeBusy, "Work queue depth exceeded")), body)
	status, body = post(t, s.NodeAddress(), "second")
	require.Equal(t, answer{http.StatusServiceUnavailable, `{"error":"Work queue depth exceeded"}` + "\n"}, answer{status, body})
	response, _ := ask(t, http.MethodGet, s.NodeAddress(), "/livez", "")
	require.Equal(t, http.StatusOK, response.StatusCode, "who looks after the node still gets in")

	close(h.release)
	require.Equal(t, answer{http.StatusOK, "first"}, <-first)
	status, _ = post(t, s.DaemonAddress(), "third")
	require.Equal(t, http.StatusOK, status, "the slot was given back")
}

// The requests of a burst are executed one after another.
func TestRequestsWaitForTheirTurn(t *testing.T) {
	h := newHeld()
	s, _ := start(t, Config{Limits: Limits{Work: 1, Turn: time.Hour}, Daemon: Daemon{Serve: h.serve}})
	var answers []<-chan answer
	for range 5 {
		answers = append(answers, background(t, s.DaemonAddress(), "call"))
	}
	for range answers {
		<-h.arrived
		require.Empty(t, h.arrived)
		h.release <- struct{}{}
	}
	for _, a := range answers {
		require.Equal(t, answer{http.StatusOK, "call"}, <-a)
	}
}

// Batches of clients without a password do not block other clients, and wait for each other until
// they have sent a password.
func TestAnonymousBatches(t *testing.T) {
	h := newHeld()
	prove := make(chan struct{})
	serve := func(ctx context.Context, caller rpc.Caller, body []byte) (int, []byte) {
		if string(body) == "[1]" {
			h.arrived <- ctx
			<-prove
			rpc.TransportOf(ctx).MarkProven()
		}
		return h.serve(ctx, caller, body)
	}
	s, _ := start(t, Config{Limits: Limits{Turn: time.Hour}, Node: Node{Serve: serve}})
	var first []<-chan answer
	for range limit.MaxAnonymousBatches {
		first = append(first, background(t, s.NodeAddress(), "[1]"))
		<-h.arrived
	}
	late := background(t, s.NodeAddress(), " \n[2]")
	single := background(t, s.NodeAddress(), "{}")
	<-h.arrived
	require.Empty(t, h.arrived, "the last batch waits")
	prove <- struct{}{}
	<-h.arrived // the batch that has sent the password
	<-h.arrived // the last batch
	close(prove)
	close(h.release)
	for _, batch := range first {
		require.Equal(t, answer{http.StatusOK, "[1]"}, <-batch)
	}
	require.Equal(t, answer{http.StatusOK, "{}"}, <-single)
	require.Equal(t, answer{http.StatusOK, " \n[2]"}, <-late)
}

// The response to a batch without a password ends early.
func TestAnonymousBatchAnswerLimit(t *testing.T) {
	var room []bool
	serve := func(ctx context.Context, _ rpc.Caller, _ []byte) (int, []byte) {
		tr := rpc.TransportOf(ctx)
		room = append(room, tr.TakeRoom(limit.MaxUnprovenAnswer-1), tr.TakeRoom(1))
		tr.MarkProven()
		room = append(room, tr.TakeRoom(1<<20))
		return http.StatusOK, nil
	}
	s, _ := start(t, Config{Node: Node{Serve: serve}})
	status, _ := post(t, s.NodeAddress(), "[]")
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, []bool{true, false, true}, room)
}

func TestMemoryLimit(t *testing.T) {
	s, _ := start(t, Config{Limits: Limits{Memory: 10}})
	for range 3 {
		status, _ := post(t, s.DaemonAddress(), "0123456789x")
		require.Equal(t, http.StatusInternalServerError, status)
		status, _ = post(t, s.DaemonAddress(), "0123456789")
		require.Equal(t, http.StatusOK, status, "what a refused body took was given back")
	}
}

// A client that sends too slowly receives an error if it has sent its headers.
func TestSlowClient(t *testing.T) {
	s, _ := start(t, Config{Limits: Limits{Read: 20 * time.Millisecond, Work: 1}, Node: Node{Serve: echo}})
	const headers = "POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: " + right + "\r\nContent-Length: 10\r\n\r\n"
	conn := dial(t, s.DaemonAddress(), headers+"01234")
	response, body := receive(t, conn, http.MethodPost)
	require.Equal(t, http.StatusRequestTimeout, response.StatusCode)
	require.Equal(t, string(daemon.Refusal(daemon.CodeRequest, "request body not received in time")), body)
	require.True(t, response.Close)

	conn = dial(t, s.NodeAddress(), headers)
	response, body = receive(t, conn, http.MethodPost)
	require.Equal(t, http.StatusRequestTimeout, response.StatusCode)
	require.Equal(t, `{"error":"request body not received in time"}`+"\n", body)

	conn = dial(t, s.DaemonAddress(), "POST / HT")
	_, err := io.Copy(io.Discard, conn)
	require.NoError(t, err, "the server hangs up")
}

// The time limit for receiving a request does not apply to its response.
func TestSlowMethodKeepsItsContext(t *testing.T) {
	h := newHeld()
	s, _ := start(t, Config{Limits: Limits{Read: 20 * time.Millisecond}, Daemon: Daemon{Serve: h.serve}})
	slow := background(t, s.DaemonAddress(), "slow")
	ctx := <-h.arrived
	conn := dial(t, s.DaemonAddress(), "POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: "+right+"\r\nContent-Length: 10\r\n\r\n")
	response, _ := receive(t, conn, http.MethodPost)
	require.Equal(t, http.StatusRequestTimeout, response.StatusCode, "the limit has passed since")
	require.NoError(t, ctx.Err())
	close(h.release)
	require.Equal(t, answer{http.StatusOK, "slow"}, <-slow)
}

// If a client disconnects, its request is still executed.
func TestCallsOutliveTheirClients(t *testing.T) {
	h := newHeld()
	book := &logBook{}
	m := NewMetrics(Build{})
	serve := func(ctx context.Context, caller rpc.Caller, body []byte) (int, []byte) {
		defer m.Begin(ctx, "x", "called")(metrics.OK)
		return h.serve(ctx, caller, body)
	}
	s, stop := start(t, Config{Daemon: Daemon{Serve: serve}, Node: Node{Serve: serve}, Metrics: m, Log: book.logger()})
	for _, address := range []string{s.DaemonAddress(), s.NodeAddress()} {
		conn := dial(t, address, "POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: "+right+"\r\nContent-Length: 2\r\n\r\n{}")
		ctx := <-h.arrived
		require.NoError(t, conn.Close())
		select {
		case <-ctx.Done():
			require.Fail(t, "the call ended with its client")
		case <-time.After(50 * time.Millisecond):
		}
		h.release <- struct{}{}
	}
	require.NoError(t, stop())
	require.Equal(t, 2, strings.Count(book.String(), "method=called outcome=ok"), "they are in the log: %s", book)
}

func TestHeaderLimit(t *testing.T) {
	s, _ := start(t, Config{})
	response, _ := ask(t, http.MethodPost, s.DaemonAddress(), "/", "", "X-Long: "+strings.Repeat("x", 32<<10))
	require.Equal(t, http.StatusRequestHeaderFieldsTooLarge, response.StatusCode)
	require.Contains(t, response.Header.Get("Content-Type"), "text/plain")
	response, _ = ask(t, http.MethodPost, s.DaemonAddress(), "/", "", "X-Long: "+strings.Repeat("x", 15<<10), "Authorization: "+right)
	require.Equal(t, http.StatusOK, response.StatusCode)
}

// Multiple requests can use one connection, although each has time limits.
func TestKeepAlive(t *testing.T) {
	s, _ := start(t, Config{Node: Node{Serve: echo}})
	request := "POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: " + right + "\r\nContent-Length: 2\r\n\r\n[]"
	conn := dial(t, s.DaemonAddress(), request)
	for range 3 {
		response, body := receive(t, conn, http.MethodPost)
		require.Equal(t, answer{http.StatusOK, "[]"}, answer{response.StatusCode, body})
		_, err := io.WriteString(conn, request)
		require.NoError(t, err)
	}
}

// Callers that wait because of a wrong credential do not use slots of callers with the right one.
func TestWrongCredentialTakesNoSlot(t *testing.T) {
	clock := newHeldClock()
	s, _ := start(t, Config{Limits: Limits{Work: 1}, Daemon: Daemon{Credentials: daemon.NewAuthorizer("u", "p", clock)}})
	dial(t, s.DaemonAddress(), "POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic x\r\nContent-Length: 0\r\n\r\n")
	<-clock.sleeping
	status, _ := post(t, s.DaemonAddress(), "{}")
	require.Equal(t, http.StatusOK, status)
}

func TestCutBody(t *testing.T) {
	g, m := newGate(Limits{Body: 10, Memory: 10, Work: 1}), limit.NewMemory(10, 10)
	for _, length := range []int64{-1, 9} {
		r := httptest.NewRequest(http.MethodPost, "/", io.MultiReader(strings.NewReader("123"), &broken{}))
		r.ContentLength = length
		var held limit.Request
		held.Begin(m, nil, "1.2.3.4", length, false)
		_, err := g.body(httptest.NewRecorder(), r, &held)
		require.ErrorIs(t, err, errCut)
		require.EqualValues(t, 7, m.Left())
		for range 2 {
			held.Done()
			require.EqualValues(t, 10, m.Left())
		}
	}
}

type broken struct{}

func (*broken) Read([]byte) (int, error) { return 0, errors.New("reset") }
