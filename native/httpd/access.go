package httpd

import (
	"fmt"
	"log/slog"
	"net/http"
	"time"
)

// maxLoggedPath keeps a client from filling the log with one request.
const maxLoggedPath = 100

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

// observe counts and logs what a port answers. The log has neither bodies nor
// headers nor queries, where secrets are; ordinary answers are at level Debug.
func observe(next http.Handler, port string, m *Metrics, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		seen := &observed{ResponseWriter: w, status: http.StatusOK}
		if err := untimed(w, r); err != nil {
			log.Error("connection without deadlines", "error", err.Error())
		}
		next.ServeHTTP(seen, r)
		m.request(port, seen.status)
		level := slog.LevelDebug
		if seen.status >= http.StatusBadRequest {
			level = slog.LevelInfo
		}
		log.Log(r.Context(), level, "request", "interface", port, "verb", r.Method, "path", fmt.Sprintf("%.*s", maxLoggedPath, r.URL.Path),
			"status", seen.status, "bytes", seen.bytes, "seconds", time.Since(start).Seconds(), "peer", peer(r).String())
	})
}

// untimed lifts what is left of the limits of the connection's last request, and for
// a request without a body the limit of receiving it: it has been received.
func untimed(w http.ResponseWriter, r *http.Request) error {
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
	status  int
	bytes   int64
	started bool
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
