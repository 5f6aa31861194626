package httpd

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/event"
	"obverse/core/rpc"
)

// usage holds the resources that the process uses.
type usage struct{ goroutines, descriptors int }

func used(t *testing.T) usage {
	t.Helper()
	open, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	return usage{runtime.NumGoroutine(), len(open)}
}

// nothingLeft waits until the process uses no more resources than before.
func nothingLeft(t *testing.T, before usage) {
	t.Helper()
	http.DefaultClient.CloseIdleConnections()
	require.Eventually(t, func() bool {
		now := used(t)
		return now.goroutines <= before.goroutines+2 && now.descriptors <= before.descriptors+2
	}, 10*time.Second, 10*time.Millisecond, "before %+v, now %+v", before, used(t))
}

// talk sends requests over one connection.
type talk struct {
	net.Conn
	from *bufio.Reader
}

func talkTo(t *testing.T, address string) *talk {
	conn := dial(t, address, "")
	return &talk{conn, bufio.NewReader(conn)}
}

func (c *talk) ask(t *testing.T, body string) string {
	t.Helper()
	_, err := fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: %s\r\nContent-Length: %d\r\n\r\n%s", right, len(body), body)
	require.NoError(t, err)
	response, err := http.ReadResponse(c.from, nil)
	require.NoError(t, err)
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return string(text)
}

// proving returns a handler of the node API that accepts the password in each body.
func proving(ctx context.Context, _ rpc.Caller, body []byte) (int, []byte) {
	rpc.TransportOf(ctx).MarkProven()
	return http.StatusOK, body
}

// Thousands of connections that send nothing or incomplete requests do not block other clients. New
// clients are accepted, and connections that have sent a password stay open.
func TestSilentConnections(t *testing.T) {
	const limit, silent = 400, 2500
	for name, begun := range map[string]string{
		"silent": "", "half a header": "POST / HTTP/1.1\r\nHo", "half a body": "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n12345",
	} {
		t.Run(name, func(t *testing.T) {
			before := used(t)
			m := NewMetrics(Build{})
			s, stop := start(t, Config{Limits: Limits{Connections: limit, Begin: time.Hour, Read: time.Hour}, Metrics: m, Node: Node{Serve: proving}})
			var all []net.Conn
			for _, address := range []string{s.DaemonAddress(), s.NodeAddress()} {
				owner := talkTo(t, address)
				require.Equal(t, "{}", owner.ask(t, "{}"))
				all = append(all, owner)
				for range silent {
					all = append(all, dial(t, address, begun))
				}
				require.Equal(t, "old", owner.ask(t, "old"))
				status, body := post(t, address, "new")
				require.Equal(t, answer{http.StatusOK, "new"}, answer{status, body})
			}
			_, figures := ask(t, http.MethodGet, s.NodeAddress(), "/metrics", "")
			require.Contains(t, figures, fmt.Sprintf(`obverse_http_connections{interface="daemon"} %d`, limit-1), "no more are dropped than have to be")
			for _, conn := range all {
				require.NoError(t, conn.Close())
			}
			require.NoError(t, stop())
			nothingLeft(t, before)
		})
	}
}

// If all connections are busy, a new one waits and is served later.
func TestConnectionLimit(t *testing.T) {
	h := newHeld()
	s, stop := start(t, Config{Limits: Limits{Connections: 2}, Daemon: Daemon{Serve: h.serve}, Node: Node{Serve: echo}})
	first, second := background(t, s.DaemonAddress(), "first"), background(t, s.DaemonAddress(), "second")
	<-h.arrived
	<-h.arrived
	third := dial(t, s.DaemonAddress(), "POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: "+right+"\r\nContent-Length: 5\r\n\r\nthird")
	response, _ := ask(t, http.MethodGet, s.NodeAddress(), "/livez", "")
	require.Equal(t, http.StatusOK, response.StatusCode, "each port counts its own")
	h.release <- struct{}{}
	h.release <- struct{}{}
	<-first
	<-second
	require.Empty(t, h.arrived, "those that have shown the password keep their places")
	require.NoError(t, stop(), "the wait for room ends too")
	_, err := third.Read(make([]byte, 1))
	require.Error(t, err)
	require.Empty(t, h.arrived)
}

// A waiting connection is served when another one ends.
func TestHandshakeIsReleased(t *testing.T) {
	h := newHeld()
	s, _ := start(t, Config{Limits: Limits{Connections: 1}, Daemon: Daemon{Serve: h.serve}})
	first := dial(t, s.DaemonAddress(), "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: "+right+"\r\nContent-Length: 5\r\n\r\nfirst")
	<-h.arrived
	second := background(t, s.DaemonAddress(), "second")
	h.release <- struct{}{}
	_, body := receive(t, first, http.MethodPost)
	require.Equal(t, "first", body)
	<-h.arrived
	h.release <- struct{}{}
	require.Equal(t, answer{http.StatusOK, "second"}, <-second)
}

// An idle connection after a call is closed when another client needs a connection, unless it has
// sent a password.
func TestIdleConnectionMakesRoom(t *testing.T) {
	s, _ := start(t, Config{Limits: Limits{Connections: 1}, Node: Node{Serve: echo}})
	first := talkTo(t, s.NodeAddress())
	require.Equal(t, "1", first.ask(t, "1"))
	require.Equal(t, "2", first.ask(t, "2"))
	require.Equal(t, "3", talkTo(t, s.NodeAddress()).ask(t, "3"))
	_, err := first.from.ReadByte()
	require.Error(t, err)
}

// large responds to every body with a mebibyte.
func large(context.Context, rpc.Caller, []byte) (int, []byte) {
	return http.StatusOK, make([]byte, 1<<20)
}

// slowReader returns a connection that requests much and reads little.
func slowReader(t *testing.T, address, headers string) net.Conn {
	t.Helper()
	dialer := net.Dialer{}
	conn, err := dialer.Dial("tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.(*net.TCPConn).SetReadBuffer(4096))
	_, err = io.WriteString(conn, "POST / HTTP/1.1\r\nHost: localhost\r\n"+headers+"Content-Length: 2\r\n\r\n{}")
	require.NoError(t, err)
	return conn
}

// When the server stops, clients that are idle or read nothing do not delay it.
func TestShutdownWithStuckClients(t *testing.T) {
	before := used(t)
	hub := event.New(event.Config{Now: time.Now})
	serve := func(context.Context, rpc.Caller, []byte) (int, []byte) { return http.StatusOK, make([]byte, 8<<20) }
	s, stop := start(t, Config{
		Limits: Limits{Drain: time.Hour, Body: 16 << 20, Memory: 1 << 30}, Daemon: Daemon{Serve: serve},
		Node: Node{Serve: serve, Events: Events{Hub: func() *event.Hub { return hub }}},
	})
	for _, address := range []string{s.DaemonAddress(), s.NodeAddress()} {
		for range 20 {
			slowReader(t, address, "Authorization: "+right+"\r\n")
			dial(t, address, "")
			dial(t, address, "POST / HTTP/1.1\r\nHost")
			dial(t, address, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n1")
			dial(t, address, "POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n")
			dial(t, address, "POST / HTTP/1.0\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n1")
			dial(t, address, "GET /event-stream?id="+fmt.Sprint(time.Now().UnixNano())+" HTTP/1.1\r\nHost: localhost\r\n\r\n")
		}
	}
	require.Eventually(t, func() bool {
		_, figures := ask(t, http.MethodGet, s.NodeAddress(), "/metrics", "")
		return strings.Contains(figures, `obverse_http_requests_in_flight{interface="node"} 101`) // all except those without headers, including this one
	}, 10*time.Second, 10*time.Millisecond)
	require.NoError(t, stop(), "no call was canceled")
	http.DefaultClient.CloseIdleConnections()
	require.Eventually(t, func() bool { return used(t).goroutines <= before.goroutines+2 }, 10*time.Second, 10*time.Millisecond)
}

// Responses that are not read use no slot of a call, and are dropped when another one needs memory.
func TestUnreadAnswers(t *testing.T) {
	before := used(t)
	s, stop := start(t, Config{Limits: Limits{Work: 2, Memory: 16 << 20, Body: 1 << 10}, Daemon: Daemon{Serve: large}, Node: Node{Serve: large}})
	for _, address := range []string{s.DaemonAddress(), s.NodeAddress()} {
		for range 100 {
			conn := slowReader(t, address, "Authorization: "+right+"\r\n")
			_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
			_, err := conn.Read(make([]byte, 1)) // the response has begun
			require.NoError(t, err)
		}
		status, body := post(t, address, "{}")
		require.Equal(t, http.StatusOK, status)
		require.Len(t, body, 1<<20)
	}
	require.NoError(t, stop())
	http.DefaultClient.CloseIdleConnections()
	require.Eventually(t, func() bool { return used(t).goroutines <= before.goroutines+2 }, 10*time.Second, 10*time.Millisecond)
}

// A call that only reads is canceled some time after its client has disconnected, but not if the
// client has only closed its sending side.
func TestReaderDisconnects(t *testing.T) {
	type call struct{ ctx, reader context.Context }
	arrived := make(chan call, 1)
	release := make(chan struct{})
	serve := func(ctx context.Context, _ rpc.Caller, body []byte) (int, []byte) {
		reader, gone := context.WithCancel(context.Background())
		defer rpc.TransportOf(ctx).WhenUnread(gone)()
		arrived <- call{ctx, reader}
		select {
		case <-release:
		case <-reader.Done():
		}
		return http.StatusOK, body
	}
	const request = "POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: " + right + "\r\nContent-Length: 2\r\n\r\n{}"
	s, _ := start(t, Config{Daemon: Daemon{Serve: serve}, Limits: Limits{Gone: time.Millisecond, Read: 50 * time.Millisecond}})
	conn := dial(t, s.DaemonAddress(), request)
	first := <-arrived
	select {
	case <-first.reader.Done():
		require.Fail(t, "the limit of receiving does not limit answering")
	case <-time.After(100 * time.Millisecond):
	}
	require.NoError(t, conn.Close())
	<-first.reader.Done()
	require.NoError(t, first.ctx.Err(), "what changes something goes on")

	patient, _ := start(t, Config{Daemon: Daemon{Serve: serve}, Limits: Limits{Gone: time.Hour}})
	conn = dial(t, patient.DaemonAddress(), request)
	<-arrived
	require.NoError(t, conn.(*net.TCPConn).CloseWrite())
	close(release)
	response, body := receive(t, conn, http.MethodPost)
	require.Equal(t, answer{http.StatusOK, "{}"}, answer{response.StatusCode, body})
}

// The server waits for canceled handlers, and reports one that does not end.
func TestShutdownWaitsForHandlers(t *testing.T) {
	for _, ends := range []bool{true, false} {
		t.Run(fmt.Sprint(ends), func(t *testing.T) {
			arrived, release, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
			serve := func(ctx context.Context, _ rpc.Caller, _ []byte) (int, []byte) {
				defer close(ended)
				close(arrived)
				<-ctx.Done()
				if !ends {
					<-release
				}
				runtime.Gosched()
				return http.StatusOK, nil
			}
			limits := Limits{Drain: time.Millisecond, Cut: time.Hour}
			if !ends {
				limits.Cut = time.Millisecond
			}
			s, stop := start(t, Config{Limits: limits, Daemon: Daemon{Serve: serve}})
			var client sync.WaitGroup
			client.Go(func() {
				conn := dial(t, s.DaemonAddress(), "POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: "+right+"\r\nContent-Length: 2\r\n\r\n{}")
				_, _ = io.ReadAll(conn)
			})
			<-arrived
			err := stop()
			require.ErrorIs(t, err, ErrCutShort)
			if ends {
				require.NotErrorIs(t, err, ErrAtWork)
				select {
				case <-ended:
				default:
					require.Fail(t, "the handler still runs")
				}
			} else {
				require.ErrorIs(t, err, ErrAtWork)
				close(release)
				<-ended
			}
			client.Wait()
		})
	}
}

// The time limit applies to all calls of a request together.
func TestReaderDisconnectsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		request, hangUp := context.WithCancel(t.Context())
		r := &readership{request: request, stays: time.Minute}
		hangUp()
		for range 3 {
			done := make(chan struct{})
			r.gone(func() { close(done) })
			start := time.Now()
			<-done
			if r.until.Sub(start) < time.Minute {
				require.Zero(t, time.Since(start))
			}
		}
		require.Equal(t, r.until, time.Now())
	})
}
