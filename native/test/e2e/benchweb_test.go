package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/julienschmidt/httprouter"
	"github.com/stretchr/testify/require"

	"obverse/core/config"
	"obverse/core/daemon"
	"obverse/native/httpd"
	"obverse/native/logging"
)

// web is a node behind HTTP, as in the program, with a handler that measures the cost of HTTP
// alone.
type web struct {
	address  string
	node     string // address of the node API
	constant string // address of the handler that returns a constant
}

// standstill is a clock that does not advance, for valid credentials.
type standstill struct{}

func (standstill) Now() time.Time { return time.Now() }

func (standstill) Sleep(context.Context, time.Duration) error {
	return errors.New("a credential was wrong")
}

func (n *benchNode) serve(b testing.TB) *web {
	b.Helper()
	server := httpd.New(httpd.Config{
		Daemon: httpd.Daemon{Address: "127.0.0.1:0", Serve: n.core.Daemon,
			Credentials: daemon.NewAuthorizer(daemonUser, daemonPassword, standstill{})},
		Node:    httpd.Node{Address: "127.0.0.1:0", Serve: n.core.RPC, RetryAfter: n.core.RetryAfter},
		Metrics: n.metrics,
		Log:     defaultLog(b),
	})
	require.NoError(b, server.Listen(b.Context()))
	ctx, stop := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx) }()
	b.Cleanup(func() {
		stop()
		<-ended
	})
	return &web{address: server.DaemonAddress(), node: server.NodeAddress(), constant: serveConstant(b)}
}

// serveConstant checks the credential, reads the body and returns a text.
func serveConstant(b testing.TB) (address string) {
	b.Helper()
	router := httprouter.New()
	router.POST("/", func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
		user, password, _ := r.BasicAuth()
		if _, err := io.ReadAll(r.Body); err != nil || user != daemonUser || password != daemonPassword {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"result":{"result":"success","CCaddress":"","tokenid":"","balance":0},"error":null,"id":"e2e"}`+"\n")
	})
	return serveHandler(b, router)
}

// serveHandler runs a server until the end of the benchmark.
func serveHandler(b testing.TB, handler http.Handler) (address string) {
	b.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	server := &http.Server{Handler: handler}
	go func() { _ = server.Serve(listener) }() // returns after Close
	b.Cleanup(func() { _ = server.Close() })
	return listener.Addr().String()
}

// connection is a client with little overhead. It writes whole requests and skips responses.
type connection struct {
	net.Conn
	in         *bufio.Reader
	out        []byte
	credential string // "" sends no credential
}

func dial(b testing.TB, address string) *connection {
	b.Helper()
	conn, err := net.Dial("tcp", address)
	require.NoError(b, err)
	return &connection{Conn: conn, in: bufio.NewReader(conn), credential: credential}
}

var credential = encodedCredential(daemonUser + ":" + daemonPassword)

// encodedCredential returns a user and password in the format of a header, without the scheme.
func encodedCredential(userAndPassword string) string {
	return base64.StdEncoding.EncodeToString([]byte(userAndPassword))
}

// post sends a call, which must succeed.
func (c *connection) post(body []byte) error {
	c.out = fmt.Appendf(c.out[:0], "POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n", c.credential, len(body))
	c.out = append(c.out, body...)
	if _, err := c.Write(c.out); err != nil {
		return err
	}
	length := -1
	for first := true; ; first = false {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return err
		}
		if first && !bytes.HasPrefix(line, []byte("HTTP/1.1 200 ")) {
			return fmt.Errorf("answered %q", line)
		}
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return err
			}
		}
		if len(line) == len("\r\n") {
			break
		}
	}
	if length < 0 {
		return errors.New("answered without Content-Length")
	}
	_, err := c.in.Discard(length)
	return err
}

// rate sends bodies over multiple connections and returns the number of responses per second.
func (w *web) rate(b testing.TB, address string, bodies [][]byte, connections int) float64 {
	b.Helper()
	free := make(chan *connection, connections)
	for range connections {
		free <- dial(b, address)
	}
	perSecond := rate(len(bodies), connections, func(i int) {
		c := <-free
		if err := c.post(bodies[i]); err != nil {
			panic(err)
		}
		free <- c
	})
	for range connections {
		_ = (<-free).Close()
	}
	return perSecond
}

// served holds the results of the rounds of calls.
type served struct {
	rates []float64 // calls per second
	times []float64 // microseconds of processor time per call, including the client's
}

// turns sends the same bodies to two addresses in alternation.
func (w *web) turns(b testing.TB, bodies [][]byte, first, second string) (atFirst, atSecond served) {
	b.Helper()
	round := func(address string, s *served) {
		before := processorTime()
		s.rates = append(s.rates, w.rate(b, address, bodies, feeders))
		s.times = append(s.times, float64(processorTime()-before)/float64(len(bodies))/float64(time.Microsecond))
	}
	for range rounds {
		round(second, &atSecond)
		round(first, &atFirst)
	}
	return atFirst, atSecond
}

// processorTime returns the processor time that this process has used.
func processorTime() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used) // fails only with invalid arguments
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// defaultLog returns the log of a node with default settings: a file with a line for each request,
// in which secrets are replaced.
func defaultLog(b testing.TB) *slog.Logger {
	b.Helper()
	file := logging.NewFile(os.Stderr)
	require.NoError(b, file.Open(filepath.Join(b.TempDir(), "log")))
	b.Cleanup(func() { _ = file.Open("") })
	forms := formsOf(b, passphrase, false, rpcPassword, daemonUser, daemonPassword)
	return logging.New(logging.Redact(file, slices.Collect(maps.Values(forms))...), config.Default().LogLevel)
}
