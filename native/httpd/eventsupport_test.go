package httpd

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/daemon"
	"obverse/core/event"
	"obverse/core/net/route"
	"obverse/core/rpc/auth"
)

// named is a streamer for events of the test.
type named string

func (n named) ID() string { return string(n) }

// newHub runs a hub until the end of the test.
func newHub(t *testing.T, config event.Config) *event.Hub {
	t.Helper()
	config.Now, config.Random = time.Now, rand.Reader
	h := event.New(config)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = h.Run(ctx)
	}()
	t.Cleanup(func() {
		stop()
		<-ended
	})
	return h
}

// startStreaming serves a hub. The password of the node API is "p".
func startStreaming(t *testing.T, h *event.Hub, config Config) (s *Server, stop func() error) {
	t.Helper()
	config.Node.Events.Hub = func() *event.Hub { return h }
	config.Node.Credentials = daemon.NewPasswordAuthorizer("p", auth.New(false, patientClock{}))
	return start(t, config)
}

// reader reads an event stream.
type reader struct {
	t        *testing.T
	conn     net.Conn
	response *http.Response
	lines    *bufio.Reader
}

// open opens an event stream over a new connection.
func open(t *testing.T, s *Server, query string, headers ...string) *reader {
	t.Helper()
	request := "GET " + route.Events.Path + query + " HTTP/1.1\r\nHost: localhost\r\n"
	for _, h := range headers {
		request += h + "\r\n"
	}
	return read(t, dial(t, s.NodeAddress(), request+"\r\n"))
}

// read reads the beginning of a response.
func read(t *testing.T, conn net.Conn) *reader {
	t.Helper()
	response, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: http.MethodGet})
	require.NoError(t, err)
	return &reader{t, conn, response, bufio.NewReader(response.Body)}
}

// block reads up to the next empty line.
func (r *reader) block() (text string, err error) {
	for {
		line, err := r.lines.ReadString('\n')
		if err != nil || line == "\n" {
			return text, err
		}
		text += line
	}
}

func (r *reader) requireBlock(want string) {
	r.t.Helper()
	got, err := r.block()
	require.NoError(r.t, err)
	require.Equal(r.t, want, got)
}

// requireStart reads the block at the beginning of every stream.
func (r *reader) requireStart(id uint64) {
	r.t.Helper()
	require.Equal(r.t, http.StatusOK, r.response.StatusCode)
	r.requireBlock(fmt.Sprintf("retry: 2000\nid: %d\n", id))
}

func (r *reader) requireEvent(id uint64, text string) {
	r.t.Helper()
	r.requireBlock(fmt.Sprintf("id: %d\ndata: %s\n", id, text))
}

// requireEnd reads the end of a complete response.
func (r *reader) requireEnd() {
	r.t.Helper()
	text, err := r.block()
	require.ErrorIs(r.t, err, io.EOF)
	require.Empty(r.t, text)
}

// event reads the next block as an event.
func (r *reader) event() (id uint64, data string) {
	r.t.Helper()
	text, err := r.block()
	require.NoError(r.t, err)
	number, data, ok := strings.Cut(strings.TrimPrefix(text, "id: "), "\ndata: ")
	require.True(r.t, ok, text)
	id, err = strconv.ParseUint(number, 10, 64)
	require.NoError(r.t, err)
	return id, strings.TrimSuffix(data, "\n")
}

// enable enables the events X for a client.
func enable(t *testing.T, h *event.Hub, client uint64) {
	t.Helper()
	_, err := h.Enable(client, named("X"))
	require.NoError(t, err)
}

// say publishes numbers as events X.
func say(t *testing.T, h *event.Hub, numbers ...int) {
	t.Helper()
	for _, n := range numbers {
		require.NoError(t, h.Publish("X", n))
	}
}

func x(n int) string { return fmt.Sprintf(`{"_type":"X","message":%d}`, n) }

// eventually waits until a gauge of the hub has a value.
func eventually(t *testing.T, h *event.Hub, gauge string, want float64) {
	t.Helper()
	for _, g := range h.Gauges() {
		if g.Name == gauge {
			require.Eventually(t, func() bool { return g.Read() == want }, 20*time.Second, time.Millisecond, "%s is %v", gauge, g.Read())
			return
		}
	}
	require.Fail(t, "no gauge "+gauge)
}
