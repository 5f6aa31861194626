package httpd

import (
	"errors"
	"net/http"
	"time"

	"github.com/julienschmidt/httprouter"
)

// operations are the answers for whoever runs the node: /livez while the process
// answers, /readyz while it takes and keeps work, /metrics for a collector.
type operations struct {
	gate        *gate
	ready       func() error
	credentials Credentials
	metrics     http.Handler
}

func newOperations(c Config, g *gate) *operations {
	return &operations{gate: g, ready: c.Ready, credentials: c.Node.Credentials, metrics: c.Metrics.handler()}
}

// Paths of the operations.
const (
	livePath    = "/livez"
	readyPath   = "/readyz"
	metricsPath = "/metrics"
)

func operationPaths() []string { return []string{livePath, readyPath, metricsPath} }

func (o *operations) mount(router *httprouter.Router) {
	for path, handler := range map[string]http.HandlerFunc{livePath: o.livez, readyPath: o.readyz, metricsPath: o.scrape} {
		router.HandlerFunc(http.MethodGet, path, handler)
		router.HandlerFunc(http.MethodHead, path, handler)
	}
}

func (o *operations) livez(w http.ResponseWriter, _ *http.Request) {
	o.state(w, http.StatusOK, map[string]string{"status": "alive"})
}

// readyz tells the reason to local callers only: it may name files.
func (o *operations) readyz(w http.ResponseWriter, r *http.Request) {
	err := o.ready()
	if o.gate.closing.Load() {
		err = errClosing
	}
	if err == nil {
		o.state(w, http.StatusOK, map[string]string{"status": "ready"})
		return
	}
	answer := map[string]string{"status": "unavailable"}
	if senderOf(r).local {
		answer["reason"] = err.Error()
	}
	o.state(w, http.StatusServiceUnavailable, answer)
}

func (o *operations) state(w http.ResponseWriter, status int, answer map[string]string) {
	w.Header().Set("Cache-Control", "no-store")
	write(w, o.gate.limits.Write, status, jsonType, object(answer))
}

// scrape is open to local callers; others need the credential.
func (o *operations) scrape(w http.ResponseWriter, r *http.Request) {
	var err error
	if from := senderOf(r); !from.local {
		err = o.credentials.Check(r.Context(), from.origin, r.Header.Values("Authorization"))
	}
	switch {
	case err == nil:
		if http.NewResponseController(w).SetWriteDeadline(time.Now().Add(o.gate.limits.Write)) == nil {
			o.metrics.ServeHTTP(w, r)
		}
	case errors.Is(err, errTurn):
		retryAfter(w, turnTime)
		write(w, o.gate.limits.Write, statusOf(err), jsonType, nodeError(err.Error()))
	default:
		needCredential(w, o.gate.limits.Write, "from another machine, metrics need the RPC password (Basic authentication, any user)")
	}
}
