package httpd

import (
	"bytes"
	"errors"
	"net/http"

	"obverse/core/net/route"
	"obverse/core/rpc/auth"
	"obverse/native/limit"
)

// operations are the answers for operators: /livez while the process answers, /readyz while it
// accepts and keeps work, /metrics for a collector.
type operations struct {
	gate        *gate
	ready       func() error
	credentials Credentials
	metrics     http.Handler
	scraping    chan struct{} // has room for those who may read the figures at a time
}

// scrapes is how many read the figures at a time; others wait. Each takes milliseconds.
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

// readyz gives the reason to local callers only: it may name files.
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

// figures reads the figures before it sends them, so that a slow reader delays no other client.
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

// draft is an answer that is not sent yet.
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

// scrape is open to local callers; others need the credential.
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
