package httpd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"obverse/core/guard"
	"obverse/core/text"
)

// These limits, in bytes, keep a client from filling the log with one request.
const (
	maxLoggedPath = 100
	maxLoggedVerb = 20
)

// checkHost refuses requests for a host name that is not in hosts, before anything else is checked.
func checkHost(next http.Handler, hosts hostList, e *endpoint) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !hosts.allows(r) {
			e.refuseFor(w, r, fmt.Errorf("%w: %.100q", errHost, r.Host))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// observe counts and logs the answers of a port, with one line for each request, written when the request
// has ended. The log contains neither bodies nor headers nor queries, because these may contain secrets.
func observe(next http.Handler, port string, m *Metrics, log *slog.Logger) http.Handler {
	inFlight, write := m.inFlight.WithLabelValues(port), laterOf(log)
	folded := newFolded(port, write)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start, ctx := time.Now(), r.Context()
		inFlight.Inc()
		defer inFlight.Dec()
		seen := &observed{ResponseWriter: w, connection: connectionOf(ctx), status: http.StatusOK}
		defer func() {
			seen.settle(ctx)
			m.request(port, seen.status)
			if level := levelOf(port, r, seen.status); log.Enabled(ctx, level) && !folded.leavesOut(outcome{seen.status, seen.calls.outcome}, seen.proven.Load()) {
				_ = write(ctx, seen.record(level, port, r, start)) // a failing log has no other place to report to
			}
		}()
		defer seen.recover(ctx)
		if err := untimed(w, r); err != nil {
			log.Error("connection without deadlines", "error", err.Error())
		}
		next.ServeHTTP(seen, r)
	})
}

// laterOf returns the function of the log for frequent lines, or a function that logs them as usual.
func laterOf(log *slog.Logger) func(context.Context, slog.Record) error {
	handler := log.Handler()
	if h, is := handler.(interface {
		HandleLater(ctx context.Context, r slog.Record) error
	}); is {
		return h.HandleLater
	}
	return handler.Handle
}

// levelOf returns the log level of a request. Requests of monitoring are logged at debug, unless they had
// a wrong credential.
func levelOf(port string, r *http.Request, status int) slog.Level {
	fetch := r.Method == http.MethodGet || r.Method == http.MethodHead
	if port == nodeName && fetch && status != http.StatusUnauthorized && slices.Contains(operationPaths(), r.URL.Path) {
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// untimed removes the deadlines that the connection's previous request has left and, for a request
// without a body, the read deadline, since the request is complete. A call does not need this: its
// reply has a separate deadline, and its context is not that of the connection. But the server answers
// Expect before the reply.
func untimed(w http.ResponseWriter, r *http.Request) error {
	if r.Method == http.MethodPost && r.Header.Get("Expect") == "" {
		return nil
	}
	if err := http.NewResponseController(w).SetWriteDeadline(time.Time{}); err != nil {
		return fmt.Errorf("write deadline: %w", err)
	}
	if r.ContentLength != 0 {
		return nil
	}
	return received(w)
}

// observed records the answer to a request.
type observed struct {
	http.ResponseWriter
	connection *connection
	calls      calls
	proven     atomic.Bool // its client has shown a credential
	status     int
	bytes      int64
	started    bool
}

// observedOf returns the observed of a request, or a new one if the request has no observer.
func observedOf(w http.ResponseWriter, r *http.Request) *observed {
	if o, is := w.(*observed); is {
		return o
	}
	return &observed{ResponseWriter: w, connection: connectionOf(r.Context())}
}

// statusCut is the status, in the log and the metrics, of a request whose connection ended before its
// answer began, for example because the server ended. nginx uses the same number.
const statusCut = 499

// settle sets the status of a request without an answer, after its handler has returned.
func (o *observed) settle(ctx context.Context) {
	if !o.started && (ctx.Err() != nil || workOf(ctx).Err() != nil) { // the server's ends first
		o.status = statusCut
	}
}

func (o *observed) WriteHeader(status int) {
	if !o.started {
		o.status, o.started = status, true
	}
	o.ResponseWriter.WriteHeader(status)
}

func (o *observed) Write(p []byte) (int, error) {
	o.started = true
	n, err := o.ResponseWriter.Write(p)
	o.bytes += int64(n)
	return n, err
}

// Unwrap gives http.ResponseController access to flushing and deadlines.
func (o *observed) Unwrap() http.ResponseWriter { return o.ResponseWriter }

// record returns the log line of a request. It sets no source position, which a
// slog.Logger would look up for each line.
func (o *observed) record(level slog.Level, port string, r *http.Request, start time.Time) slog.Record {
	now := time.Now()
	line := slog.NewRecord(now, level, "request", 0)
	from := o.connection.senderOf(r)
	attrs := [8 + maxCallAttrs]slog.Attr{
		slog.String("interface", port), slog.String("verb", text.Truncate(r.Method, maxLoggedVerb)),
		slog.String("path", text.Truncate(r.URL.Path, maxLoggedPath)), slog.Int("status", o.status), slog.Int64("bytes", o.bytes),
		slog.String("seconds", strconv.FormatFloat(now.Sub(start).Seconds(), 'f', 6, 64)), slog.String("peer", from.address),
	}
	known := 7
	if client := forwardedFor(r); from.local && client != "" {
		attrs[known] = slog.String("forwarded", client)
		known++
	}
	line.AddAttrs(o.calls.appendTo(attrs[:known])...)
	return line
}

// recover ends a request after a panic of its handler. It answers the request or, if the answer has
// begun, closes the connection. It does not log the value of the panic, which may be a secret.
func (o *observed) recover(ctx context.Context) {
	v := recover()
	if v == nil {
		return
	}
	if err, ok := v.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(v)
	}
	_ = guard.Tell(ctx, "a handler", v)
	if o.started {
		panic(http.ErrAbortHandler)
	}
	o.Header().Set("Content-Type", jsonType)
	o.WriteHeader(http.StatusInternalServerError)
	_, _ = o.Write(nodeError(errInternal.Error()))
}

// Limits for log lines of equal answers.
const (
	foldTime = time.Second
	maxEqual = 20 // in each foldTime
)

// folded limits the log lines of equal refusals, and of equal answers to clients without a credential,
// and logs how many lines it left out. Without it, any client could fill the disk.
type folded struct {
	port  string
	write func(context.Context, slog.Record) error

	mu   sync.Mutex
	seen map[outcome]int // number of lines in the current foldTime
}

// outcome is the key by which lines are equal. It has few values, whatever clients send.
type outcome struct {
	status int
	call   string // outcome of the first failed call; empty if no call failed
}

func newFolded(port string, write func(context.Context, slog.Record) error) *folded {
	return &folded{port: port, write: write, seen: map[outcome]int{}}
}

// leavesOut reports whether the line of an answer is left out. proven reports whether the client has
// sent a valid credential.
func (f *folded) leavesOut(kind outcome, proven bool) bool {
	refused := kind.status >= http.StatusBadRequest && kind.status < http.StatusInternalServerError
	if proven && !refused {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.seen[kind] == 0 {
		time.AfterFunc(foldTime, func() { f.report(kind) })
	}
	f.seen[kind]++
	return f.seen[kind] > maxEqual
}

// report logs how many lines of a kind were left out.
func (f *folded) report(kind outcome) {
	f.mu.Lock()
	count := f.seen[kind] - maxEqual
	delete(f.seen, kind)
	f.mu.Unlock()
	if count <= 0 {
		return
	}
	line := slog.NewRecord(time.Now(), slog.LevelInfo, "requests", 0)
	line.AddAttrs(slog.String("interface", f.port), slog.Int("status", kind.status), slog.Int("more", count))
	if kind.call != "" {
		line.AddAttrs(slog.String("outcome", kind.call))
	}
	_ = f.write(context.Background(), line) // a failing log has no other place to report to
}
