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

// One address that sends large bodies and never ends them keeps no client out, not even itself:
// its small calls have the reserve.
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

// The ports have a memory each: what one has spent, the other still has.
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

// Bodies that do not come to their end take all of a port's memory, and make room for a call.
func TestStalledBodyMakesRoom(t *testing.T) {
	s, _ := start(t, Config{Limits: Limits{Memory: 100}, Node: Node{Serve: echo}})
	stalled := dial(t, s.NodeAddress(), "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 101\r\n\r\n"+strings.Repeat("x", 100))
	require.Eventually(t, func() bool {
		_, figures := ask(t, http.MethodGet, s.NodeAddress(), "/metrics", "")
		return strings.Contains(figures, `in_flight{interface="node"} 2`)
	}, 10*time.Second, time.Millisecond)
	for range 3 { // it may not have been read before the first
		status, body := post(t, s.NodeAddress(), strings.Repeat("y", 100))
		require.Equal(t, answer{http.StatusOK, strings.Repeat("y", 100)}, answer{status, body})
	}
	_, err := io.Copy(io.Discard, stalled)
	require.NotErrorIs(t, err, os.ErrDeadlineExceeded)
	_, figures := ask(t, http.MethodGet, s.NodeAddress(), "/metrics", "")
	require.Contains(t, figures, `obverse_http_connections_dropped_total{interface="node"} 1`)
}

// Four addresses with incomplete bodies keep no client out. The oldest body of an address makes
// room for another one of the same address, and for any when no memory is left.
func TestBodiesMakeRoom(t *testing.T) {
	m := newMemory(Limits{}.withDefaults())
	var cut []string
	stalled := func(address string, declared, n int64) {
		b := &metered{memory: m, address: address, declared: declared}
		m.receive(b, func() { cut = append(cut, address) })
		require.True(t, m.take(b, n))
	}
	for _, address := range []string{"a", "b", "c", "d"} {
		stalled(address, 8<<20, 7<<20)
		stalled(address, 8<<20, 7<<20)
	}
	for _, address := range []string{"a", "b", "c", "d"} {
		for range 32 {
			stalled(address, smallBody, smallBody)
		}
	}
	require.Equal(t, []int64{0, 0}, []int64{m.common, m.reserve})
	require.Empty(t, cut)
	owner := &metered{memory: m, address: "127.0.0.1", declared: 10}
	m.receive(owner, func() { t.Error("a body makes no room for itself") })
	require.True(t, m.take(owner, 10))
	m.received(owner)
	require.Equal(t, []string{"a"}, cut)
	stalled("b", 8<<20, 7<<20)
	require.Equal(t, []string{"a", "b"}, cut)
	m.giveBack(owner)
}

// The complete body of a caller that waits because of a wrong password makes room for another.
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

// What one client of a proxy has shown says nothing about the others, whose requests come over the
// same connection.
func TestProvenConnectionOfProxy(t *testing.T) {
	for name, c := range map[string]struct {
		behind bool
		header string
	}{"header": {header: "X-Forwarded-For: 1.2.3.4\r\n"}, "setting": {behind: true}} {
		t.Run(name, func(t *testing.T) {
			held := make(chan bool, 2)
			s, _ := start(t, Config{BehindProxy: c.behind, Node: Node{Serve: func(ctx context.Context, _ rpc.Caller, body []byte) (int, []byte) {
				x := rpc.TransportOf(ctx).(*exchange)
				held <- x.out.proven
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

// A refused client that goes on sending holds nothing meanwhile.
func TestRefusedBodiesHoldNothing(t *testing.T) {
	s, _ := start(t, Config{Limits: Limits{Memory: 100}, Node: Node{Serve: echo}})
	conn := dial(t, s.NodeAddress(), "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n"+strings.Repeat("x", 101))
	response, _ := receive(t, conn, http.MethodPost)
	require.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
	status, _ := post(t, s.NodeAddress(), strings.Repeat("x", 100))
	require.Equal(t, http.StatusOK, status)
}

// Default limits: 56 MiB are common, 16 MiB of them at most one address's; 8 MiB are
// for small bodies, 2 MiB of them at most one address's.
func TestMemory(t *testing.T) {
	m := newMemory(Limits{}.withDefaults())
	body := func(address string, declared int64) *metered {
		return &metered{memory: m, address: address, declared: declared}
	}
	const full = 8 << 20
	var taken []*metered
	take := func(want bool, b *metered, n int64) {
		t.Helper()
		require.Equal(t, want, m.take(b, n))
		taken = append(taken, b)
	}
	take(true, body("a", full), full)
	chunked := body("a", -1)
	take(true, chunked, full)
	take(false, chunked, 1)
	take(false, body("a", full), 1)
	for range 32 {
		take(true, body("a", smallBody), smallBody)
	}
	take(false, body("a", 1), 1)
	for _, address := range []string{"b", "c", "d"} {
		take(true, body(address, full), full)
		take(address != "d", body(address, full), full)
	}
	take(false, body("e", smallBody+1), 1)
	unknown := body("e", -1)
	take(true, unknown, smallBody)
	take(false, unknown, 1)
	take(true, body("e", 1), 1)

	for _, b := range taken {
		m.giveBack(b)
	}
	require.Equal(t, []int64{56 << 20, 8 << 20}, []int64{m.common, m.reserve})
	require.Empty(t, m.held)
}

// Answers make room: the oldest of the same address, or any when that is not enough, but
// none that is read by a client with a password.
func TestAnswersMakeRoom(t *testing.T) {
	m := newMemory(Limits{}.withDefaults())
	const mebibyte = 1 << 20
	var cut []string
	send := func(name, address string, size int64, proven bool) *metered {
		b := &metered{memory: m, address: address, declared: -1, proven: proven}
		m.send(b, size, func() { cut = append(cut, name) })
		return b
	}
	send("a1", "a", 8*mebibyte, false)
	send("a2", "a", 8*mebibyte, false)
	send("b1", "b", 8*mebibyte, false)
	require.Empty(t, cut)
	send("a3", "a", mebibyte, false)
	require.Equal(t, []string{"a1"}, cut)
	owner := send("owner", "a", 30*mebibyte, true)
	require.Equal(t, []string{"a1"}, cut)
	body := &metered{memory: m, address: "c", declared: mebibyte}
	require.True(t, m.take(body, 12*mebibyte))
	require.Equal(t, []string{"a1", "a2"}, cut)
	m.prove(body)
	require.True(t, m.take(body, 8*mebibyte), "no share of the address")
	require.Equal(t, []string{"a1", "a2", "b1"}, cut)
	require.False(t, m.take(&metered{memory: m, address: "d", declared: -1}, 10*mebibyte))
	small := &metered{memory: m, address: "d", declared: 1}
	require.True(t, m.take(small, 1))
	overdrawn := send("d1", "d", 10*mebibyte, false)
	require.Negative(t, m.common, "a complete answer is sent")
	for _, b := range []*metered{owner, body, small, overdrawn} {
		m.giveBack(b)
		m.giveBack(b)
	}
	require.Equal(t, []int64{56 << 20, 8 << 20}, []int64{m.common, m.reserve})
	require.Empty(t, m.held)
	require.Zero(t, m.waiting.Len())
}

// A body of the largest size that is allowed always fits into an idle port.
func TestLargestBodyFits(t *testing.T) {
	for _, size := range []int64{1 << 10, 8 << 20, 64 << 20, 1 << 30} {
		m := newMemory(Limits{Body: size}.withDefaults())
		require.True(t, m.take(&metered{memory: m, declared: size}, size), size)
	}
}

func TestMeteredCountsWhatItReads(t *testing.T) {
	m := newMemory(Limits{Body: 10, Memory: 10})
	in := &metered{from: strings.NewReader("0123456789x"), memory: m, declared: -1}
	_, err := io.ReadAll(in)
	require.ErrorIs(t, err, errBusy)
}
