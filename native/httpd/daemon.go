package httpd

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/julienschmidt/httprouter"

	"obverse/core/daemon"
	"obverse/native/limit"
)

// daemonPort serves the daemon API over HTTP. It checks in komodod's order: the verb, the
// path, the credential, the body.
type daemonPort struct {
	endpoint
	credentials Credentials
	pages       *pages
}

// newDaemonPort returns the handler. wallet returns the port of the wallet page, or "".
func newDaemonPort(c Config, g *gate, wallet func() string) http.Handler {
	p := &daemonPort{credentials: c.Daemon.Credentials}
	p.pages = &pages{origin: c.Node.Origin, guard: guardOf(c.Node.Origin), hosts: newHostList(c.Node.Address, c.Hosts), port: wallet}
	p.endpoint = endpoint{serve: c.Daemon.Serve, refuse: daemonRefusal, gate: g, memory: limit.NewMemory(c.Limits.Memory, c.Limits.Body), log: c.Log}
	router := newRouter()
	router.HandlerFunc(http.MethodPost, "/", p.exactly(p.post))
	for _, verb := range []string{http.MethodGet, http.MethodHead, http.MethodPut} {
		router.HandlerFunc(verb, "/", p.exactly(p.onlyPost))
	}
	router.NotFound = http.HandlerFunc(p.notFound)
	return checkHost(router, newHostList(c.Daemon.Address, c.Hosts), &p.endpoint)
}

// newRouter returns a router that neither redirects nor answers requests by itself.
func newRouter() *httprouter.Router {
	return &httprouter.Router{}
}

// exactly accepts only requests for "/" without a query, as komodod does.
func (p *daemonPort) exactly(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.RequestURI != "/" {
			p.notFound(w, r)
			return
		}
		next(w, r)
	}
}

func (p *daemonPort) onlyPost(w http.ResponseWriter, _ *http.Request) {
	write(w, p.gate.limits.Write, http.StatusMethodNotAllowed, htmlType, []byte("JSONRPC server handles only POST requests"))
}

// notFound answers other paths. Verbs that komodod's server does not know on any path are answered
// before the path is checked.
func (p *daemonPort) notFound(w http.ResponseWriter, r *http.Request) {
	status := http.StatusNotFound
	switch r.Method {
	case http.MethodOptions:
		if status = http.StatusMethodNotAllowed; p.pages.asksFirst(w, r) {
			status = http.StatusOK
		}
	case http.MethodGet, http.MethodHead, http.MethodPut, http.MethodPost:
	default:
		status = http.StatusMethodNotAllowed
	}
	write(w, p.gate.limits.Write, status, htmlType, nil)
}

// post handles a request. It first refuses pages of other sites, so that these cannot guess passwords,
// and callers on other machines without a credential. It checks a credential after it has
// read the body, because only then the server notices that a client has disconnected, which ends the
// client's place in the queue for the check. A local caller without a credential is passed on as
// unauthorized, since the API knows the methods that need no credential.
func (p *daemonPort) post(w http.ResponseWriter, r *http.Request) {
	p.pages.admit(w, r)
	if !p.pages.mayCall(r) {
		p.refuseFor(w, r, fmt.Errorf("%w: %.100q", errPage, r.Header.Get("Origin")))
		return
	}
	from, headers := p.gate.senderOn(observedOf(w, r).connection, r), r.Header.Values("Authorization")
	if len(headers) == 0 {
		if from.local {
			p.answer(w, r, from, nil)
		} else {
			p.reply(w, http.StatusUnauthorized, nil)
		}
		return
	}
	p.answer(w, r, from, func() error { return p.credentials.Check(r.Context(), from.origin, headers) })
}

// daemonRefusal returns a refusal in the form of the daemon API. komodod uses status 500 when it is
// busy.
func daemonRefusal(err error) (int, []byte) {
	status := statusOf(err)
	switch {
	case status == http.StatusUnauthorized:
		return status, nil
	case errors.Is(err, limit.ErrBusy):
		return http.StatusInternalServerError, daemon.Refusal(daemon.CodeBusy, err.Error())
	case status == http.StatusServiceUnavailable:
		return status, daemon.Refusal(daemon.CodeBusy, err.Error())
	case status == http.StatusInternalServerError:
		return status, daemon.Refusal(daemon.CodeInternal, err.Error())
	}
	return status, daemon.Refusal(daemon.CodeRequest, err.Error())
}
