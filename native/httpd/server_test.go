package httpd

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/daemon"
	"obverse/core/rpc"
)

func TestShutdownLetsRequestsFinish(t *testing.T) {
	h := newHeld()
	s, stop := start(t, Config{Limits: Limits{Drain: time.Minute}, Daemon: Daemon{Serve: h.serve}, Node: Node{Serve: echo}})
	last := background(t, s.DaemonAddress(), "last")
	<-h.arrived

	ended := make(chan error, 1)
	go func() { ended <- stop() }()
	require.Eventually(t, func() bool {
		response, body := ask(t, http.MethodGet, s.NodeAddress(), "/readyz", "")
		return response.StatusCode == http.StatusServiceUnavailable && strings.Contains(body, "the node is shutting down")
	}, 10*time.Second, time.Millisecond)
	status, body := post(t, s.NodeAddress(), "{}")
	require.Equal(t, answer{http.StatusServiceUnavailable, `{"error":"the node is shutting down"}` + "\n"}, answer{status, body})

	close(h.release)
	require.Equal(t, answer{http.StatusOK, "last"}, <-last)
	require.NoError(t, <-ended)
	_, err := net.Dial("tcp", s.DaemonAddress())
	require.Error(t, err)
}

func TestShutdownCutsShort(t *testing.T) {
	book, m := &logBook{}, NewMetrics(Build{})
	arrived, ended := make(chan struct{}), make(chan error, 1)
	s, stop := start(t, Config{Log: book.logger(), Metrics: m, Limits: Limits{Drain: time.Millisecond}, Daemon: Daemon{Serve: func(ctx context.Context, _ rpc.Caller, _ []byte) (int, []byte) {
		close(arrived)
		<-ctx.Done()
		ended <- ctx.Err()
		return http.StatusOK, nil
	}}})
	dial(t, s.DaemonAddress(), "POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: "+right+"\r\nContent-Length: 0\r\n\r\n")
	<-arrived
	require.ErrorIs(t, stop(), ErrCutShort)
	require.ErrorIs(t, <-ended, context.Canceled, "the method's context was canceled")
	require.Eventually(t, func() bool { return strings.Contains(book.String(), "path=/ status=499 bytes=0") }, 10*time.Second, time.Millisecond)
	figures := httptest.NewRecorder()
	m.handler().ServeHTTP(figures, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	require.Contains(t, figures.Body.String(), `obverse_http_requests_total{interface="daemon",status="499"} 1`)
	require.NotContains(t, figures.Body.String(), `interface="daemon",status="200"`)
}

func TestShutdownOfAnIdleServer(t *testing.T) {
	_, stop := start(t, Config{})
	require.NoError(t, stop())
}

func TestRunEndsWhenAPortFails(t *testing.T) {
	s := New(Config{Daemon: Daemon{Address: "127.0.0.1:0"}, Node: Node{Address: "127.0.0.1:0"}})
	require.NoError(t, s.Listen(t.Context()))
	require.NoError(t, s.node.listener.Close())
	require.ErrorIs(t, s.Run(t.Context()), net.ErrClosed)
}

func TestListenTakesBothPortsOrNone(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = taken.Close() })

	s := New(Config{Daemon: Daemon{Address: "127.0.0.1:0"}, Node: Node{Address: taken.Addr().String()}})
	require.ErrorContains(t, s.Listen(t.Context()), "node port")
	_, err = net.Dial("tcp", s.DaemonAddress())
	require.Error(t, err, "the first port was given back")

	s = New(Config{Daemon: Daemon{Address: taken.Addr().String()}, Node: Node{Address: "127.0.0.1:0"}})
	require.ErrorContains(t, s.Listen(t.Context()), "daemon port")
}

// A panic fails one request, and its value is not disclosed.
func TestPanickingHandler(t *testing.T) {
	book := &logBook{}
	panics := func(context.Context, rpc.Caller, []byte) (int, []byte) { panic(errors.New("secret words")) }
	s, _ := start(t, Config{Log: book.logger(), Daemon: Daemon{Serve: panics}, Node: Node{Serve: panics}})
	for range 2 {
		status, body := post(t, s.DaemonAddress(), "{}")
		require.Equal(t, answer{500, string(daemon.Refusal(daemon.CodeInternal, "internal error, see the node's log"))}, answer{status, body})
		status, body = post(t, s.NodeAddress(), "{}")
		require.Equal(t, answer{500, `{"error":"internal error, see the node's log"}` + "\n"}, answer{status, body})
	}
	require.Equal(t, 4, strings.Count(book.String(), "recovered from a panic"))
	_, figures := ask(t, http.MethodGet, s.NodeAddress(), "/metrics", "")
	require.Contains(t, figures, "obverse_panics_total 4\n")
	require.NotContains(t, book.String(), "secret")
}

func TestCaller(t *testing.T) {
	var got rpc.Caller
	keep := func(_ context.Context, caller rpc.Caller, _ []byte) (int, []byte) {
		got = caller
		return http.StatusOK, nil
	}
	s, _ := start(t, Config{Daemon: Daemon{Serve: keep}, Node: Node{Serve: keep}})
	for name, c := range map[string]struct {
		address string
		headers []string
		want    rpc.Caller
		status  int
	}{
		"with a credential":    {s.DaemonAddress(), []string{"Authorization: " + right}, rpc.Caller{Address: "127.0.0.1", Local: true, Authorized: true}, 200},
		"without":              {s.DaemonAddress(), nil, rpc.Caller{Address: "127.0.0.1", Local: true}, 200},
		"forwarded, with":      {s.DaemonAddress(), []string{"Authorization: " + right, "X-Forwarded-For: 1.2.3.4"}, rpc.Caller{Address: "forwarded", Authorized: true}, 200},
		"forwarded, without":   {s.DaemonAddress(), []string{"Forwarded: for=1.2.3.4"}, rpc.Caller{}, 401},
		"a wrong one":          {s.DaemonAddress(), []string{"Authorization: Basic x"}, rpc.Caller{}, 401},
		"node":                 {s.NodeAddress(), []string{"Authorization: " + right}, rpc.Caller{Address: "127.0.0.1", Local: true}, 200},
		"node, behind a proxy": {s.NodeAddress(), []string{"Via: 1.1 x"}, rpc.Caller{Address: "forwarded"}, 200},
		"node, another proxy":  {s.NodeAddress(), []string{"X-Forwarded-Host: x"}, rpc.Caller{Address: "forwarded"}, 200},
	} {
		t.Run(name, func(t *testing.T) {
			got = rpc.Caller{}
			response, _ := ask(t, http.MethodPost, c.address, "/", "{}", c.headers...)
			require.Equal(t, c.status, response.StatusCode)
			require.Equal(t, c.want, got)
		})
	}
}

// rpc.discover is available to programs on this machine, but not to callers through a proxy.
func TestDiscoverWithoutCredential(t *testing.T) {
	s, _ := start(t, Config{Daemon: Daemon{Serve: daemon.New(daemon.Options{}, emptyChain()...).Serve}})
	for name, c := range map[string]struct {
		body    string
		headers []string
		status  int
	}{
		"local":          {`{"method":"rpc.discover"}`, nil, 200},
		"forwarded":      {`{"method":"rpc.discover"}`, []string{"X-Real-Ip: 1.2.3.4"}, 401},
		"another method": {`{"method":"tokenlist"}`, nil, 401},
	} {
		t.Run(name, func(t *testing.T) {
			response, body := ask(t, http.MethodPost, s.DaemonAddress(), "/", c.body, c.headers...)
			require.Equal(t, c.status, response.StatusCode)
			if c.status == 401 {
				require.Equal(t, `Basic realm="jsonrpc"`, response.Header.Get("WWW-Authenticate"))
				require.Empty(t, body)
			} else {
				require.Contains(t, body, `"openrpc":"1.3.2"`)
			}
		})
	}
}

// The log contains caller, method and outcome of each request, and no secrets.
func TestAccessLog(t *testing.T) {
	book := &logBook{}
	s, stop := start(t, Config{Log: book.logger(), Node: Node{Serve: echo}})
	post(t, s.DaemonAddress(), "secret-body")
	ask(t, http.MethodPost, s.NodeAddress(), "/"+strings.Repeat("y", 500)+"?ticket=secret-query", "secret-body", "Authorization: secret-header")
	require.NoError(t, stop())
	log := book.String()
	require.Contains(t, log, "interface=daemon verb=POST path=/ status=200 bytes=11")
	require.Contains(t, log, "path=/"+strings.Repeat("y", maxLoggedPath-1)+" status=200")
	require.Contains(t, log, "peer=127.0.0.1")
	require.NotContains(t, log, "secret")
	require.NotContains(t, log, right)
}
