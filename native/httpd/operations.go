package httpd

import (
	"bytes"
	"errors"
	"net/http"

	"obverse/core/net/route"
	"obverse/core/rpc/auth"
	"obverse/native/limit"
)

// operations serves operators: /livez answers while the process runs, /readyz while the node accepts
// and stores changes, and /metrics returns the metrics.
type operations struct {
	gate        *gate
	ready       func() error
	credentials Credentials
	metrics     http.Handler
	scraping    chan struct{} // limits the concurrent readers of the metrics
}

// scrapes limits the concurrent readers of the metrics; further ones wait. A reader takes milliseconds.
const scrapes = 2

func newOperations(c Config, g *gate) *operations {
	return &operations{gate: g, ready: c.Ready, credentials: c.Node.Credentials, metrics: c.Metrics.handler(), scraping: make(chan struct{}, scrapes)}
}

func operationPaths() []string {
	return []string{route.Live.Path, route.Ready.Path, route.Metrics.Path}
}

func (o *operations) mount(get register) {
	get(route.Live, o.livez)
	get(route.Ready, o.readyz)
	get(route.Metrics, o.scrape)
}

func (o *operations) livez(w http.ResponseWriter, _ *http.Request) {
	o.state(w, http.StatusOK, map[string]string{"status": "alive"})
}

// readyz answers whether the node is ready. Only local callers get the reason, which may contain file names.
func (o *operations) readyz(w http.ResponseWriter, r *http.Request) {
	err := o.ready()
	if o.gate.work.Closing() {
		err = limit.ErrClosing
	}
	if err == nil {
		o.state(w, http.StatusOK, map[string]string{"status": "ready"})
		return
	}
	answer := map[string]string{"status": "unavailable"}
	if o.gate.senderOf(r).local {
		answer["reason"] = err.Error()
	}
	o.state(w, http.StatusServiceUnavailable, answer)
}

func (o *operations) state(w http.ResponseWriter, status int, answer map[string]string) {
	w.Header().Set("Cache-Control", "no-store")
	write(w, o.gate.limits.Write, status, jsonType, object(answer))
}

// figures collects the metrics before it sends them, so that a slow reader delays no other client.
func (o *operations) figures(w http.ResponseWriter, r *http.Request) {
	text := &draft{header: w.Header(), status: http.StatusOK}
	o.scraping <- struct{}{}
	func() {
		defer func() { <-o.scraping }()
		if r.Context().Err() == nil {
			o.metrics.ServeHTTP(text, r)
		}
	}()
	write(w, o.gate.limits.Write, text.status, w.Header().Get("Content-Type"), text.body.Bytes())
}

// draft buffers an answer.
type draft struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (d *draft) Header() http.Header { return d.header }

// WriteHeader implements http.ResponseWriter.
func (d *draft) WriteHeader(status int) { d.status = status }

// Write implements http.ResponseWriter.
func (d *draft) Write(p []byte) (int, error) { return d.body.Write(p) }

// scrape answers local callers; others need the credential.
func (o *operations) scrape(w http.ResponseWriter, r *http.Request) {
	var err error
	if from := o.gate.senderOf(r); !from.local {
		err = o.credentials.Check(r.Context(), from.origin, r.Header.Values("Authorization"))
	}
	switch {
	case err == nil:
		o.figures(w, r)
	case errors.Is(err, auth.ErrBusy):
		retryAfter(w, turnTime)
		write(w, o.gate.limits.Write, statusOf(err), jsonType, nodeError(err.Error()))
	default:
		needCredential(w, o.gate.limits.Write, "from another machine, metrics need the RPC password (Basic authentication, any user)")
	}
}
