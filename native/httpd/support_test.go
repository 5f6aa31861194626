package httpd

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/daemon"
	"obverse/core/rpc"
)

// patientClock is a clock that never waits.
type patientClock struct{}

func (patientClock) Now() time.Time                             { return time.Unix(1_700_000_000, 0) }
func (patientClock) Sleep(context.Context, time.Duration) error { return nil }

// right is the credential of the daemon API in all tests: user u, password p.
const right = "Basic dTpw"

// echo returns every body.
func echo(_ context.Context, _ rpc.Caller, body []byte) (int, []byte) { return http.StatusOK, body }

// start serves config on free ports of 127.0.0.1. stop stops the server and returns the result of
// Run. The end of the test stops it too.
func start(t *testing.T, config Config) (s *Server, stop func() error) {
	t.Helper()
	return startAs(t, config, func(*Server) {})
}

// startAs is like start, with a change of the server before it serves.
func startAs(t *testing.T, config Config, change func(*Server)) (s *Server, stop func() error) {
	t.Helper()
	config.Daemon.Address, config.Node.Address = "127.0.0.1:0", "127.0.0.1:0"
	if config.Daemon.Serve == nil {
		config.Daemon.Serve = echo
	}
	if config.Daemon.Credentials == nil {
		config.Daemon.Credentials = daemon.NewAuthorizer("u", "p", patientClock{})
	}
	s = New(config)
	require.NoError(t, s.Listen(t.Context()))
	change(s)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() { _ = stop() })
	return s, stop
}

// ask sends a request over a new connection. headers have the form "Name: value".
func ask(t *testing.T, verb, address, path, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), verb, "http://"+address+path, strings.NewReader(body))
	require.NoError(t, err)
	request.Close = true
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		request.Header.Set(name, value)
		if name == "Host" {
			request.Host = value
		}
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response, string(text)
}

// post sends a body with the right credential.
func post(t *testing.T, address, body string) (int, string) {
	t.Helper()
	response, text := ask(t, http.MethodPost, address, "/", body, "Authorization: "+right)
	return response.StatusCode, text
}

// dial opens a connection and sends raw bytes.
func dial(t *testing.T, address, text string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	_, err = io.WriteString(conn, text)
	require.NoError(t, err)
	return conn
}

// receive reads a response from a connection.
func receive(t *testing.T, conn net.Conn, verb string) (*http.Response, string) {
	t.Helper()
	response, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: verb})
	require.NoError(t, err)
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response, string(text)
}

// logBook is a log for multiple goroutines.
type logBook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logBook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logBook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *logBook) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}
