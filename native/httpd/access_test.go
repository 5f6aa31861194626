package httpd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/julienschmidt/httprouter"
	"github.com/stretchr/testify/require"

	"obverse/core/daemon"
	"obverse/core/metrics"
	"obverse/core/rpc"
	"obverse/native/logging"
)

// lines returns the lines of requests in a log, without the parts that vary.
func (l *logBook) lines() (lines []string) {
	for line := range strings.Lines(l.String()) {
		if _, rest, ok := strings.Cut(strings.TrimSpace(line), "level="); ok && strings.Contains(rest, "msg=request ") {
			before, after, _ := strings.Cut(rest, " bytes=")
			_, after, _ = strings.Cut(after, " seconds=")
			_, after, _ = strings.Cut(after, " ")
			lines = append(lines, strings.Replace(before, " msg=request", "", 1)+" "+after)
		}
	}
	return lines
}

// Every request has one line with its method.
func TestLogLines(t *testing.T) {
	book := &logBook{}
	m := NewMetrics(Build{})
	calls := func(ctx context.Context, _ rpc.Caller, body []byte) (int, []byte) {
		var all sync.WaitGroup
		for _, call := range strings.Fields(string(body)) {
			method, outcome, _ := strings.Cut(call, ":")
			all.Go(func() { m.Begin(ctx, "node", method)(outcome) })
			if method != "at-once" {
				all.Wait()
			}
		}
		all.Wait()
		return http.StatusOK, nil
	}
	s, stop := start(t, Config{
		Metrics: m, Log: book.logger(), Daemon: Daemon{Serve: daemon.New(daemon.Options{Calls: m}, emptyChain()...).Serve},
		Node: Node{Serve: calls},
	})
	requests := []struct{ verb, address, path, body, header, line string }{
		{"POST", s.DaemonAddress(), "/", `{"method":"tokenlist"}`, right,
			"INFO interface=daemon verb=POST path=/ status=200 peer=127.0.0.1 method=tokenlist outcome=ok"},
		{"POST", s.DaemonAddress(), "/", `{"method":"s3cret"}`, right,
			"INFO interface=daemon verb=POST path=/ status=404 peer=127.0.0.1 method=unknown outcome=-32601"},
		{"POST", s.DaemonAddress(), "/", `[{"method":"tokenlist"},{"method":"evil"},{"method":"tokenlist"}]`, right,
			"INFO interface=daemon verb=POST path=/ status=200 peer=127.0.0.1 method=tokenlist,unknown outcome=-32601 calls=3 failed=1"},
		{"POST", s.DaemonAddress(), "/", `{`, right, "INFO interface=daemon verb=POST path=/ status=500 peer=127.0.0.1"},
		{"POST", s.DaemonAddress(), "/", `{}`, "Basic x", "INFO interface=daemon verb=POST path=/ status=401 peer=127.0.0.1"},
		{"GET", s.DaemonAddress(), "/livez", "", "", "INFO interface=daemon verb=GET path=/livez status=404 peer=127.0.0.1"},
		{"POST", s.NodeAddress(), "/livez", "a:ok b:ok c:ok d:ok", "",
			`INFO interface=node verb=POST path=/livez status=200 peer=127.0.0.1 method=a,b,c,… outcome=ok calls=4 failed=0`},
		{"POST", s.NodeAddress(), "/", "a:NoSuchCoin", "", "INFO interface=node verb=POST path=/ status=200 peer=127.0.0.1 method=a outcome=NoSuchCoin"},
		{"POST", s.NodeAddress(), "/", strings.Repeat("at-once:Internal ", 50), "",
			"INFO interface=node verb=POST path=/ status=200 peer=127.0.0.1 method=at-once outcome=Internal calls=50 failed=50"},
		{"GET", s.NodeAddress(), "/livez", "", "", "DEBUG interface=node verb=GET path=/livez status=200 peer=127.0.0.1"},
		{"GET", s.NodeAddress(), "/readyz", "", "", "DEBUG interface=node verb=GET path=/readyz status=200 peer=127.0.0.1"},
		{"HEAD", s.NodeAddress(), "/metrics", "", "", "DEBUG interface=node verb=HEAD path=/metrics status=200"},
		{"GET", s.NodeAddress(), "/page?ticket=s3cret", "", "", "INFO interface=node verb=GET path=/page status=404 peer=127.0.0.1"},
		{"OPTIONS", s.NodeAddress(), "/", "", "", "INFO interface=node verb=OPTIONS path=/ status=200 peer=127.0.0.1"},
		{strings.Repeat("X", 100), s.NodeAddress(), "/", "", "", "INFO interface=node verb=" + strings.Repeat("X", maxLoggedVerb) + " path=/ status=405"},
		{"GET", s.NodeAddress(), "/%0a%22x", "", "", `INFO interface=node verb=GET path="/\n\"x" status=404`},
	}
	for _, c := range requests {
		ask(t, c.verb, c.address, c.path, c.body, "Authorization: "+c.header)
	}
	require.NoError(t, stop())
	lines := book.lines()
	require.Len(t, lines, len(requests), book.String())
	for i, c := range requests {
		require.True(t, strings.HasPrefix(lines[i], c.line), "%s\n%s", lines[i], c.line)
	}
	require.NotContains(t, book.String(), "s3cret")
	require.NotContains(t, book.String(), "evil")
}

// The log contains the client's address as reported by a proxy on this machine. It is the last
// address in the header, since a client can send the others. Invalid addresses are omitted.
func TestLogLineOfAForwardedRequest(t *testing.T) {
	for header, want := range map[string]string{
		"203.0.113.9": "peer=127.0.0.1 forwarded=203.0.113.9", "198.51.100.1, 2001:db8::1": "peer=127.0.0.1 forwarded=2001:db8::1",
		"::ffff:203.0.113.9": "forwarded=203.0.113.9", "198.51.100.1, s3cret": "peer=127.0.0.1", "": "peer=127.0.0.1",
	} {
		book := &logBook{}
		s, stop := start(t, Config{Log: book.logger()})
		ask(t, "POST", s.DaemonAddress(), "/", `{}`, "Authorization: Basic x", "X-Forwarded-For: "+header)
		require.NoError(t, stop())
		require.Len(t, book.lines(), 1)
		require.Contains(t, book.lines()[0], want)
		require.Equal(t, strings.Contains(want, "forwarded"), strings.Contains(book.lines()[0], "forwarded"), header)
		require.NotContains(t, book.String(), "s3cret")
		require.NotContains(t, book.String(), "198.51.100.1")
	}
}

// A request for metrics with a wrong credential is logged, unlike a valid one.
func TestLogLineOfARefusedScrape(t *testing.T) {
	book := &logBook{}
	s, stop := start(t, Config{Log: book.logger()})
	ask(t, "GET", s.NodeAddress(), "/metrics", "", "X-Forwarded-For: 1.2.3.4")
	require.NoError(t, stop())
	require.Len(t, book.lines(), 1)
	require.Contains(t, book.lines()[0], "INFO interface=node verb=GET path=/metrics status=401")
}

// A stream has one line when it ends, and counts as in flight until then.
func TestStreamInTheLogAndTheFigures(t *testing.T) {
	book := &logBook{}
	s, stop := start(t, Config{Log: book.logger(), Node: Node{Mount: func(router *httprouter.Router) {
		router.GET("/stream", func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
			_, _ = io.WriteString(w, "event")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		})
	}}})
	conn := dial(t, s.NodeAddress(), "GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
	_, err := io.ReadFull(conn, make([]byte, 10))
	require.NoError(t, err)
	require.Empty(t, book.lines(), "it is not over")
	_, figures := ask(t, http.MethodGet, s.NodeAddress(), "/metrics", "")
	require.Contains(t, figures, `obverse_http_requests_in_flight{interface="node"} 2`, "the stream and the scrape")
	require.Contains(t, figures, `obverse_http_connections{interface="node"} 2`)
	require.Contains(t, figures, `obverse_http_connections{interface="daemon"} 0`)

	require.NoError(t, conn.Close())
	require.Eventually(t, func() bool {
		_, figures := ask(t, http.MethodGet, s.NodeAddress(), "/metrics", "")
		return strings.Contains(figures, `obverse_http_requests_in_flight{interface="node"} 1`)
	}, 10*time.Second, time.Millisecond)
	require.NoError(t, stop())
	var streams []string
	for _, line := range book.lines() {
		if strings.Contains(line, "path=/stream") {
			streams = append(streams, line)
		}
	}
	require.Len(t, streams, 1)
	require.Contains(t, streams[0], "INFO interface=node verb=GET path=/stream status=200")
}

// The value of a panic in a handler of the page is not disclosed, and the request is logged.
func TestPanicOutsideACall(t *testing.T) {
	book := &logBook{}
	s, stop := start(t, Config{Log: book.logger(), Node: Node{Mount: func(router *httprouter.Router) {
		router.GET("/", func(http.ResponseWriter, *http.Request, httprouter.Params) { panic(errors.New("s3cret")) })
		router.GET("/abort", func(http.ResponseWriter, *http.Request, httprouter.Params) { panic(http.ErrAbortHandler) })
		router.GET("/begun", func(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) {
			_, _ = io.WriteString(w, "half")
			_ = http.NewResponseController(w).Flush()
			panic(errors.New("s3cret"))
		})
	}}})
	response, body := ask(t, http.MethodGet, s.NodeAddress(), "/", "")
	require.Equal(t, http.StatusInternalServerError, response.StatusCode)
	require.Equal(t, `{"error":"internal error, see the node's log"}`+"\n", body)
	for _, path := range []string{"/begun", "/abort"} {
		conn := dial(t, s.NodeAddress(), "GET "+path+" HTTP/1.1\r\nHost: localhost\r\n\r\n")
		text, _ := io.ReadAll(conn)
		require.NotContains(t, string(text), "\r\n0\r\n", "the answer is not whole")
	}
	require.NoError(t, stop())
	require.Len(t, book.lines(), 3)
	require.Contains(t, book.lines()[0], "status=500")
	require.Equal(t, 2, strings.Count(book.String(), "recovered from a panic"))
	require.NotContains(t, book.String(), "s3cret")
}

func TestCallsOutsideARequest(t *testing.T) {
	NewMetrics(Build{}).Begin(context.Background(), "node", "version")(metrics.OK)
	require.Empty(t, new(calls).appendTo(nil))
}

func TestCounters(t *testing.T) {
	m := NewMetrics(Build{})
	m.Watch(metrics.Gauge{Name: "unknown_params_total", Help: "Parameters that no method knows.", Read: func() float64 { return 7 }, Grows: true})
	s, _ := start(t, Config{Metrics: m})
	_, figures := ask(t, http.MethodGet, s.NodeAddress(), "/metrics", "")
	require.Contains(t, figures, "# TYPE obverse_unknown_params_total counter\nobverse_unknown_params_total 7\n")
	require.Panics(t, func() { m.Watch(metrics.Gauge{Name: "unknown_params_total"}) })
}

// timeless is a ResponseWriter for measurements without a connection.
type timeless struct{ http.ResponseWriter }

func (timeless) SetWriteDeadline(time.Time) error { return nil }
func (timeless) SetReadDeadline(time.Time) error  { return nil }

// BenchmarkObserve measures the cost of counting and logging a request. At the level error, nothing
// is logged.
func BenchmarkObserve(b *testing.B) {
	for _, level := range []string{"info", "error"} {
		b.Run(level, func(b *testing.B) {
			m := NewMetrics(Build{})
			log := logging.New(logging.Redact(io.Discard, "one secret of a node", "another secret of it", "and a third one"), level)
			next := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				m.Begin(r.Context(), "node", "get_public_key")(metrics.OK)
			})
			handler := observe(next, nodeName, m, log)
			r := httptest.NewRequest(http.MethodPost, "/", nil)
			w := timeless{httptest.NewRecorder()}
			b.ReportAllocs()
			for b.Loop() {
				handler.ServeHTTP(w, r)
			}
		})
	}
}

// TestFiguresOfManyAtOnce checks that no request is lost while metrics are used for the first time.
func TestFiguresOfManyAtOnce(t *testing.T) {
	m := NewMetrics(Build{})
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for n := range 50 {
				m.Begin(context.Background(), "node", fmt.Sprintf("m%d", n))(metrics.OK)
				m.request("node", 200+n)
			}
		})
	}
	group.Wait()
	s, _ := start(t, Config{Metrics: m})
	_, figures := ask(t, http.MethodGet, s.NodeAddress(), "/metrics", "")
	for n := range 50 {
		require.Contains(t, figures, fmt.Sprintf("obverse_rpc_calls_total{interface=\"node\",method=\"m%d\",status=\"ok\"} 8\n", n))
		require.Contains(t, figures, fmt.Sprintf("obverse_http_requests_total{interface=\"node\",status=\"%d\"} 8\n", 200+n))
	}
}

// TestRefusalsAreFolded checks that a client without a credential causes only a few lines per
// second, and that the number of omitted lines is correct.
func TestRefusalsAreFolded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lines, more := 0, 0
		f := newFolded(nodeName, func(_ context.Context, r slog.Record) error {
			lines++
			r.Attrs(func(a slog.Attr) bool {
				if a.Key == "more" {
					more += int(a.Value.Int64())
				}
				return true
			})
			return nil
		})
		const seconds, each = 10, 4400
		for range seconds {
			for range each {
				if !f.leavesOut(outcome{401, ""}, true) {
					lines++
				}
				if !f.leavesOut(outcome{403, "UserpassIsInvalid"}, false) {
					lines++
				}
			}
			time.Sleep(foldTime + time.Millisecond)
		}
		require.Equal(t, 2*(maxEqual+1)*seconds, lines)
		require.Equal(t, 2*seconds*(each-maxEqual), more)
		for _, status := range []int{200, 500, 503} {
			for range 2 * maxEqual {
				require.False(t, f.leavesOut(outcome{status, ""}, true), "%d is written each time", status)
			}
		}
		time.Sleep(2 * foldTime)
		require.Empty(t, f.seen)
	})
}

// TestLinesWithoutCredential checks that a client without a credential causes only a few lines per
// second, whatever the responses are, and that all lines of a client with a credential are written.
func TestLinesWithoutCredential(t *testing.T) {
	statuses := map[string]int{"version": 200, "{": 500, "busy": 503}
	serve := func(ctx context.Context, _ rpc.Caller, body []byte) (int, []byte) {
		call, hasPassword := strings.CutPrefix(string(body), "password ")
		if hasPassword {
			rpc.TransportOf(ctx).MarkProven()
		}
		return statuses[call], nil
	}
	for call, status := range statuses {
		for prefix, all := range map[string]bool{"": false, "password ": true} {
			var log logBook
			s, stop := start(t, Config{Log: log.logger(), Node: Node{Serve: serve}})
			const sent = 4 * maxEqual
			for range sent {
				got, _ := post(t, s.NodeAddress(), prefix+call)
				require.Equal(t, status, got)
			}
			require.NoError(t, stop())
			lines := strings.Count(log.String(), "msg=request ")
			if all {
				require.Equal(t, sent, lines, call)
			} else {
				require.Less(t, lines, sent, call)
			}
		}
	}
}
