package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc/mmrpctest"
	"obverse/native/test/vectorservers"
)

// vectors is the folder of the node API's vectors.
var vectors = filepath.Join("..", "..", "..", "core", "mmrpc", "testdata")

// callee is the node API of a running program, for the vectors.
type callee struct {
	*node
	*vectorservers.Servers
}

func (l launch) callee(t *testing.T) *callee {
	t.Helper()
	return &callee{l.start(t), vectorservers.Start(t, rpcPassword)}
}

func (c *callee) Call(away bool, body []byte) mmrpctest.Answer {
	c.t.Helper()
	request, err := http.NewRequest(http.MethodPost, c.ready.Node+"/", bytes.NewReader(body))
	require.NoError(c.t, err)
	if away {
		request.Header.Set("X-Forwarded-For", "203.0.113.5") // like a proxy on this machine
	}
	response, err := c.client.http.Do(request)
	require.NoError(c.t, err)
	defer response.Body.Close()
	var reply bytes.Buffer
	_, err = reply.ReadFrom(response.Body)
	require.NoError(c.t, err)
	require.Equal(c.t, "application/json", response.Header.Get("Content-Type"))
	a := mmrpctest.Answer{Status: response.StatusCode, Body: reply.Bytes()}
	if after := response.Header.Get("Retry-After"); after != "" {
		a.RetryAfter, err = strconv.Atoi(after)
		require.NoError(c.t, err)
	}
	return a
}

func (c *callee) Probed() { c.wait(c.Connected, "the silent peer is not asked") }

func (c *callee) Ended() {
	c.wait(c.ended, "the node does not end")
	require.Zero(c.t, c.cmd.ProcessState.ExitCode())
}

func (c *callee) wait(done <-chan struct{}, otherwise string) {
	select {
	case <-done:
	case <-time.After(timeout):
		require.FailNow(c.t, otherwise)
	}
}

// eventStream is a client's open event stream.
type eventStream struct {
	t        testing.TB
	response *http.Response
	lines    *bufio.Scanner
}

func (c *callee) Open(client uint64) mmrpctest.Stream {
	c.t.Helper()
	response, err := c.client.http.Get(fmt.Sprintf("%s/event-stream?id=%d", c.ready.Node, client))
	require.NoError(c.t, err)
	require.Equal(c.t, http.StatusOK, response.StatusCode)
	require.Equal(c.t, "text/event-stream", response.Header.Get("Content-Type"))
	s := &eventStream{t: c.t, response: response, lines: bufio.NewScanner(response.Body)}
	c.t.Cleanup(s.Close)
	s.field("id: ") // the first one is the id at which the client starts
	return s
}

func (s *eventStream) Next() string { return s.field("data: ") }

func (s *eventStream) Close() { _ = s.response.Body.Close() }

// field reads lines until a field with a name.
func (s *eventStream) field(name string) string {
	s.t.Helper()
	for s.lines.Scan() {
		if value, is := strings.CutPrefix(s.lines.Text(), name); is {
			return value
		}
	}
	require.FailNow(s.t, "the stream ended", "%v", s.lines.Err())
	return ""
}

// TestStates plays the vectors of the node API on the program, with a new program for each
// sequence. It skips vectors for pages.
func TestStates(t *testing.T) {
	t.Parallel()
	states, requests := mmrpctest.ReadStates(t, filepath.Join(vectors, "states.json")), 0
	for _, s := range states.Sequences {
		if s.Node.Page {
			continue
		}
		requests += s.Requests()
		t.Run(s.Name, func(t *testing.T) {
			l := newLaunch(t)
			l.env[0] = "OBVERSE_PASSPHRASE=" + states.Passphrase
			l.seen.hide(formsOf(t, states.Passphrase, false, rpcPassword, daemonUser, daemonPassword))
			if s.Node.NoPassphrase {
				l.env = l.env[1:]
				require.NoError(t, os.WriteFile(filepath.Join(l.dir, "obverse.json"), []byte("{}"), 0o600))
			}
			if s.Node.Coins != nil {
				path := filepath.Join(l.dir, "coins")
				require.NoError(t, os.WriteFile(path, s.Node.Coins, 0o600))
				l.args = append(l.args, "coins="+path)
			}
			l.args = append(l.args, fmt.Sprintf("strict_params=%t", s.Node.StrictParams), fmt.Sprintf("rpc_local_only=%t", !s.Node.Open))
			s.Play(t, l.callee(t))
		})
	}
	t.Logf("%d requests", requests)
}

// TestNodeExamples compares the program's responses with documented ones, including those in the
// documentation of KDF.
func TestNodeExamples(t *testing.T) {
	t.Parallel()
	compared := mmrpctest.ReadExamples(t, vectors).Compare(t, func(t *testing.T) mmrpctest.Node { return newLaunch(t).callee(t) })
	require.NotZero(t, compared)
}
