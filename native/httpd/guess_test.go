package httpd

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/daemon"
	"obverse/core/event"
	"obverse/core/mmrpc"
	"obverse/core/net/route"
	"obverse/core/rpc"
	"obverse/core/rpc/auth"
)

// realClock is the clock of the machine.
type realClock struct{}

func (realClock) Now() time.Time { return time.Now() }

func (realClock) Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

const wrongBasic = "Authorization: Basic dTp3cm9uZw=="

// heldClock is a clock on which sleeps end when wake is called or the context ends.
type heldClock struct {
	sleeping chan context.Context
	wake     chan struct{}
}

func newHeldClock() *heldClock {
	return &heldClock{sleeping: make(chan context.Context, 64), wake: make(chan struct{})}
}

// Now advances, so that no delay remains.
func (c *heldClock) Now() time.Time { return time.Now().Add(time.Hour) }

func (c *heldClock) Sleep(ctx context.Context, d time.Duration) error {
	if d < 100*time.Millisecond { // a pause instead of a delay
		return realClock{}.Sleep(ctx, d)
	}
	c.sleeping <- ctx
	select {
	case <-c.wake:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// The right credential is accepted while wrong ones from the same address are delayed, on all paths
// that require one. Delays end only with their callers.
func TestRightPasswordSkipsWrongOnes(t *testing.T) {
	onA, onB := newHeldClock(), newHeldClock()
	h := newHub(t, event.Config{})
	s, _ := start(t, Config{
		Daemon: Daemon{Credentials: daemon.NewAuthorizer("u", "p", onA)},
		Node:   Node{Credentials: daemon.NewPasswordAuthorizer("p", auth.New(false, onB)), Events: Events{Hub: func() *event.Hub { return h }}},
	})
	var delays []context.Context
	var guesses []net.Conn
	for range 8 {
		guesses = append(guesses,
			dial(t, s.DaemonAddress(), "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n"+wrongBasic+"\r\n\r\n{}"),
			dial(t, s.NodeAddress(), "GET /metrics HTTP/1.1\r\nHost: localhost\r\nVia: 1.1 x\r\n"+wrongBasic+"\r\n\r\n"))
		delays = append(delays, <-onA.sleeping, <-onB.sleeping)
	}
	status, _ := post(t, s.DaemonAddress(), "{}")
	require.Equal(t, http.StatusOK, status)
	for _, path := range []string{"/metrics", route.Events.Path} {
		response, _ := ask(t, http.MethodHead, s.NodeAddress(), path, "", "Via: 1.1 x", "Authorization: "+right)
		require.Equal(t, http.StatusOK, response.StatusCode)
	}
	for i, conn := range guesses {
		require.NoError(t, delays[i].Err())
		require.NoError(t, conn.Close())
		<-delays[i].Done()
	}
	status, _ = post(t, s.DaemonAddress(), "{}")
	require.Equal(t, http.StatusOK, status)
}

// Many requests with wrong passwords from many addresses of the machine, on connections that are
// closed early, do not block the owner on either API.
func TestOwnerDuringFlood(t *testing.T) {
	node := mmrpc.New(mmrpc.Options{Password: mmrpc.NewPassword("p"), Now: time.Now}, mmrpc.Control{})
	s, _ := start(t, Config{
		Daemon: Daemon{Credentials: daemon.NewAuthorizer("u", "p", realClock{})}, Limits: Limits{Work: 4},
		Node: Node{Serve: node.Serve, RetryAfter: node.RetryAfter, Credentials: daemon.NewPasswordAuthorizer("p", auth.New(false, realClock{}))},
	})
	ctx, stop := context.WithCancel(t.Context())
	var flood sync.WaitGroup
	bodyB := `{"mmrpc":"2.0","userpass":"wrong","method":"help"}`
	for i := range 24 {
		address, request := s.DaemonAddress(), "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n"+wrongBasic+"\r\n\r\n{}"
		if i%2 == 1 {
			address, request = s.NodeAddress(), fmt.Sprintf("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(bodyB), bodyB)
		}
		flood.Go(func() { guessFrom(ctx, fmt.Sprintf("127.0.0.%d", i+1), address, request) })
	}
	for range 20 {
		status, _ := post(t, s.DaemonAddress(), "{}")
		require.Equal(t, http.StatusOK, status)
		response, text := ask(t, http.MethodPost, s.NodeAddress(), "/", `{"mmrpc":"2.0","userpass":"p","method":"rpc.discover"}`)
		require.Equal(t, http.StatusOK, response.StatusCode, text)
	}
	stop()
	flood.Wait()
}

// guessFrom sends wrong passwords over separate connections and closes them soon.
func guessFrom(ctx context.Context, from, to, request string) {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	for ctx.Err() == nil {
		conn, err := dialer.DialContext(ctx, "tcp", to)
		if err != nil {
			continue
		}
		_, _ = conn.Write([]byte(request))
		time.Sleep(10 * time.Millisecond)
		_ = conn.Close()
	}
}

// Requests that wait for a delay hold no slot.
func TestWaitingTakesNoSlot(t *testing.T) {
	waits := make(chan struct{})
	wake := make(chan struct{})
	serve := func(ctx context.Context, _ rpc.Caller, body []byte) (int, []byte) {
		if string(body) == "wait" {
			_ = rpc.TransportOf(ctx).Wait(ctx, func(context.Context) error {
				waits <- struct{}{}
				<-wake
				return nil
			})
		}
		return http.StatusOK, body
	}
	s, _ := start(t, Config{Limits: Limits{Work: 1}, Daemon: Daemon{Serve: serve}})
	var answers []<-chan answer
	for range 3 {
		answers = append(answers, background(t, s.DaemonAddress(), "wait"))
		<-waits
	}
	status, body := post(t, s.DaemonAddress(), "x")
	require.Equal(t, answer{200, "x"}, answer{status, body})
	close(wake)
	for _, a := range answers {
		require.Equal(t, answer{200, "wait"}, <-a)
	}
}

// If too many requests wait, clients receive Retry-After.
func TestBusyCredentials(t *testing.T) {
	s, _ := start(t, Config{Daemon: Daemon{Credentials: busy{}}, Node: Node{Credentials: busy{}}})
	for _, c := range [][3]string{{http.MethodPost, s.DaemonAddress(), "/"}, {http.MethodGet, s.NodeAddress(), "/metrics"}} {
		response, body := ask(t, c[0], c[1], c[2], "", "Via: 1.1 x", "Authorization: "+right)
		require.Equal(t, http.StatusTooManyRequests, response.StatusCode)
		require.Equal(t, "1", response.Header.Get("Retry-After"))
		require.Contains(t, body, "too many passwords")
	}
}

type busy struct{}

func (busy) Check(context.Context, string, []string) error { return auth.ErrBusy }
