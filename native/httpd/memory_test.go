package httpd

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/daemon"
	"obverse/core/rpc"
)

// An address that sends large incomplete bodies does not block other clients, nor its own small
// calls, which use the reserve.
func TestStuckUploads(t *testing.T) {
	s, _ := start(t, Config{Limits: Limits{Body: 1 << 20, Memory: 8 << 20}, Node: Node{Serve: echo}})
	for _, address := range []string{s.NodeAddress(), s.DaemonAddress()} {
		for range 9 {
			conn := dial(t, address, fmt.Sprintf("POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: %s\r\nContent-Length: %d\r\n\r\n", right, 1<<20))
			_, err := conn.Write(make([]byte, 1<<20-1))
			require.NoError(t, err)
		}
		call := strings.Repeat("x", 1000)
		for _, other := range []string{s.NodeAddress(), s.DaemonAddress()} {
			status, body := post(t, other, call)
			require.Equal(t, answer{http.StatusOK, call}, answer{status, body})
		}
	}
}

// Each port has separate memory, which the other port cannot exhaust.
func TestMemoryOfEachPort(t *testing.T) {
	working, end := make(chan struct{}), make(chan struct{})
	s, _ := start(t, Config{Limits: Limits{Memory: 100}, Node: Node{Serve: func(ctx context.Context, c rpc.Caller, body []byte) (int, []byte) {
		if len(body) == 100 {
			close(working)
			<-end
			return http.StatusOK, nil
		}
		return echo(ctx, c, body)
	}}})
	dial(t, s.NodeAddress(), "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n"+strings.Repeat("x", 100))
	<-working
	status, _ := post(t, s.NodeAddress(), "1")
	require.Equal(t, http.StatusServiceUnavailable, status)
	status, _ = post(t, s.DaemonAddress(), strings.Repeat("x", 100))
	require.Equal(t, http.StatusOK, status)
	close(end)
	require.Eventually(t, func() bool {
		status, _ := post(t, s.NodeAddress(), "1")
		return status == http.StatusOK
	}, 10*time.Second, time.Millisecond)
}

// Incomplete bodies can use all memory of a port, but are dropped when a call needs memory.
func TestStalledBodyMakesRoom(t *testing.T) {
	s, _ := start(t, Config{Limits: Limits{Memory: 100}, Node: Node{Serve: echo}})
	stalled := dial(t, s.NodeAddress(), "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 101\r\n\r\n"+strings.Repeat("x", 100))
	require.Eventually(t, func() bool {
		_, figures := ask(t, http.MethodGet, s.NodeAddress(), "/metrics", "")
		return strings.Contains(figures, `in_flight{interface="node"} 2`)
	}, 10*time.Second, time.Millisecond)
	for range 3 { // it may not have been read before the first one
		status, body := post(t, s.NodeAddress(), strings.Repeat("y", 100))
		require.Equal(t, answer{http.StatusOK, strings.Repeat("y", 100)}, answer{status, body})
	}
	_, err := io.Copy(io.Discard, stalled)
	require.NotErrorIs(t, err, os.ErrDeadlineExceeded)
	_, figures := ask(t, http.MethodGet, s.NodeAddress(), "/metrics", "")
	require.Contains(t, figures, `obverse_http_connections_dropped_total{interface="node"} 1`)
}

// The complete body of a caller that waits because of a wrong password is dropped when another
// caller needs memory.
func TestWaitingCallersMakeRoom(t *testing.T) {
	clock := newHeldClock()
	limits := Limits{Memory: 1000, Body: 900}
	waits := make(chan struct{})
	s, _ := start(t, Config{
		Limits: limits, Daemon: Daemon{Credentials: daemon.NewAuthorizer("u", "p", clock)},
		Node: Node{Serve: func(ctx context.Context, _ rpc.Caller, body []byte) (int, []byte) {
			if body[0] == 'w' {
				err := rpc.TransportOf(ctx).Wait(ctx, func(ctx context.Context) error {
					waits <- struct{}{}
					<-ctx.Done()
					return ctx.Err()
				})
				require.Error(t, err)
			}
			return http.StatusOK, nil
		}},
	})
	wait := "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n" + wrongBasic + "\r\n\r\n" + strings.Repeat("w", 900)
	for range 3 {
		dial(t, s.DaemonAddress(), wait)
		guess := <-clock.sleeping
		status, text := post(t, s.DaemonAddress(), strings.Repeat("x", 900))
		require.Equal(t, http.StatusOK, status, text)
		<-guess.Done()

		dial(t, s.NodeAddress(), wait)
		<-waits
		status, text = post(t, s.NodeAddress(), strings.Repeat("x", 900))
		require.Equal(t, http.StatusOK, status, text)
	}
}

// A password that one client of a proxy has sent does not apply to other clients, whose requests
// use the same connection.
func TestProvenConnectionOfProxy(t *testing.T) {
	for name, c := range map[string]struct {
		behind bool
		header string
	}{"header": {header: "X-Forwarded-For: 1.2.3.4\r\n"}, "setting": {behind: true}} {
		t.Run(name, func(t *testing.T) {
			held := make(chan bool, 2)
			s, _ := start(t, Config{BehindProxy: c.behind, Node: Node{Serve: func(ctx context.Context, _ rpc.Caller, body []byte) (int, []byte) {
				x := rpc.TransportOf(ctx).(*exchange)
				held <- x.held.Proven()
				if string(body) == "password" {
					rpc.TransportOf(ctx).MarkProven()
				}
				return http.StatusOK, nil
			}}})
			conn := dial(t, s.NodeAddress(), "")
			from := bufio.NewReader(conn)
			for _, body := range []string{"password", "[]"} {
				_, err := fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: localhost\r\n%sContent-Length: %d\r\n\r\n%s", c.header, len(body), body)
				require.NoError(t, err)
				response, err := http.ReadResponse(from, nil)
				require.NoError(t, err)
				require.Equal(t, http.StatusOK, response.StatusCode)
				require.False(t, <-held, body)
			}
		})
	}
}

// A rejected client that continues to send uses no memory.
func TestRefusedBodiesHoldNothing(t *testing.T) {
	s, _ := start(t, Config{Limits: Limits{Memory: 100}, Node: Node{Serve: echo}})
	conn := dial(t, s.NodeAddress(), "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n"+strings.Repeat("x", 101))
	response, _ := receive(t, conn, http.MethodPost)
	require.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
	status, _ := post(t, s.NodeAddress(), strings.Repeat("x", 100))
	require.Equal(t, http.StatusOK, status)
}
