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

// These keep a client from filling the log with one request; in bytes.
const (
	maxLoggedPath = 100
	maxLoggedVerb = 20
)

// checkHost refuses requests that were meant for another name, before all else.
func checkHost(next http.Handler, hosts hostList, e *endpoint) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !hosts.allows(r) {
			e.refuseFor(w, r, fmt.Errorf("%w: %.100q", errHost, r.Host))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// observe counts and logs what a port answers: one line a request, written when it is
// over. The log has neither bodies nor headers nor queries, where secrets are.
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

// laterOf is how a log takes a line of which there are many, if it has a way for such.
func laterOf(log *slog.Logger) func(context.Context, slog.Record) error {
	handler := log.Handler()
	if h, is := handler.(interface {
		HandleLater(ctx context.Context, r slog.Record) error
	}); is {
		return h.HandleLater
	}
	return handler.Handle
}

// levelOf keeps what a machine asks every few seconds out of an ordinary log, unless
// it was asked with a wrong credential.
func levelOf(port string, r *http.Request, status int) slog.Level {
	fetch := r.Method == http.MethodGet || r.Method == http.MethodHead
	if port == nodeName && fetch && status != http.StatusUnauthorized && slices.Contains(operationPaths(), r.URL.Path) {
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// untimed lifts the remaining limits of the connection's last request and, for a request
// without a body, the limit of receiving it: it has been received. A call needs neither: its
// reply has a separate limit, and its context is not the connection's. But the answer to Expect
// comes before the reply.
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

// observed remembers what was answered.
type observed struct {
	http.ResponseWriter
	connection *connection
	calls      calls
	proven     atomic.Bool // its client has shown a credential
	status     int
	bytes      int64
	started    bool
}

// observedOf returns the observed of a request, or a new one without an observer.
func observedOf(w http.ResponseWriter, r *http.Request) *observed {
	if o, is := w.(*observed); is {
		return o
	}
	return &observed{ResponseWriter: w, connection: connectionOf(r.Context())}
}

// statusCut is in the log and the figures for a request whose connection ended before
// its answer began, as when the server has no more time for it; nginx's number.
const statusCut = 499

// settle gives the status of what got no answer, once the handler is done.
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

// Unwrap lets http.ResponseController reach flushing and deadlines.
func (o *observed) Unwrap() http.ResponseWriter { return o.ResponseWriter }

// record returns the log line of a request. It does not name its place in the program, which a
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

// recover ends a request whose handler panicked: with an answer, or, when one has
// begun, by breaking the connection. The value of a panic may be a secret.
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

// Limits of the log lines of equal answers.
const (
	foldTime = time.Second
	maxEqual = 20 // in each foldTime
)

// folded limits the log lines of equal answers to clients without a credential, and of equal
// refusals, and writes how many it left out. Otherwise anyone could fill the disk.
type folded struct {
	port  string
	write func(context.Context, slog.Record) error

	mu   sync.Mutex
	seen map[outcome]int // how many there were in the current foldTime
}

// outcome holds the values by which lines are equal: few, whatever clients send.
type outcome struct {
	status int
	call   string // the outcome of the first call that failed, if one was made
}

func newFolded(port string, write func(context.Context, slog.Record) error) *folded {
	return &folded{port: port, write: write, seen: map[outcome]int{}}
}

// leavesOut reports whether the line of an answer is left out. proven says that the client has
// shown a credential.
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

// report writes how many lines were left out.
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
