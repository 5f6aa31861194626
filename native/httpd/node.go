package httpd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/julienschmidt/httprouter"

	"obverse/core/net/route"
	"obverse/core/rpc"
	"obverse/native/limit"
	"obverse/native/onetime"
)

// nodePort serves the node API over HTTP. POST on any path is a call; GET and HEAD
// are for operators and browsers.
type nodePort struct {
	endpoint
	origins route.Origins
	guard   *http.CrossOriginProtection
	link    Link // nil: off

	router    *httprouter.Router
	posts     map[string]http.HandlerFunc // of paths with POST requests that are not calls
	localOnly bool                        // rpc_local_only
}

// register adds a route for GET and HEAD.
type register func(at route.Route, do http.HandlerFunc)

func newNodePort(c Config, g *gate) http.Handler {
	p := &nodePort{origins: route.Origins{Calls: c.Node.Origin, Events: c.Node.Events.Origin}, guard: guardOf(c.Node.Origin)}
	p.endpoint = endpoint{serve: c.Node.Serve, refuse: nodeRefusal, retry: c.Node.RetryAfter, gate: g, memory: limit.NewMemory(c.Limits.Memory, c.Limits.Body), log: c.Log}
	if p.serve == nil {
		p.serve = withoutMethods
	}
	p.link, p.localOnly = c.Node.Link, c.Node.LocalOnly
	p.router, p.posts = newRouter(), map[string]http.HandlerFunc{}
	p.router.POST("/*path", p.post)
	mounted := newMountedDaemon(c, g, p.memory)
	p.posts[route.Daemon.Path] = p.admitting(route.Daemon, &mounted.endpoint, mounted.post)
	if p.link != nil {
		p.posts[route.Link.Path] = p.admitting(route.Link, &p.endpoint, p.redeem)
	}
	newOperations(c, g).mount(p.fetched)
	if c.Node.Events.Hub != nil {
		newEvents(c, g).mount(p.fetched)
	}
	if c.Node.Mount != nil {
		c.Node.Mount(p.router)
	}
	p.router.NotFound = http.HandlerFunc(p.notFound)
	return checkHost(p.router, newHostList(c.Node.Address, c.Hosts), &p.endpoint)
}

// fetched implements register.
func (p *nodePort) fetched(at route.Route, do http.HandlerFunc) {
	do = p.admitting(at, &p.endpoint, do)
	p.router.HandlerFunc(http.MethodGet, at.Path, do)
	p.router.HandlerFunc(http.MethodHead, at.Path, do)
}

// admitting refuses callers that may not use the route, in the form of an endpoint.
func (p *nodePort) admitting(at route.Route, e *endpoint, do http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := at.Check(p.gate.senderOf(r).local, p.localOnly); err != nil {
			w.Header().Set("Cache-Control", "no-store")
			e.refuseFor(w, r, err)
			return
		}
		do(w, r)
	}
}

// post handles a call. It refuses calls that a web page has sent, unless it is a page of this
// port or of the configured origin. Another page could not read the answer, but its wrong passwords
// would lock out the machine of the browser.
func (p *nodePort) post(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
	if p.guard.Check(r) != nil {
		p.refuseFor(w, r, fmt.Errorf("%w: %.100q", errPage, r.Header.Get("Origin")))
		return
	}
	if do := p.posts[r.RequestURI]; do != nil {
		do(w, r)
		return
	}
	route.AllowOrigin(w.Header(), p.origins.Calls)
	p.answer(w, r, p.gate.senderOn(observedOf(w, r).connection, r), nil)
}

// notFound answers requests without a route.
func (p *nodePort) notFound(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		p.reply(w, http.StatusNotFound, nodeError("there is nothing at this path"))
	case http.MethodOptions:
		p.preflight(w, r)
	default:
		w.Header().Set("Allow", "GET, HEAD, POST, OPTIONS")
		p.reply(w, http.StatusMethodNotAllowed, nodeError("only POST requests are calls"))
	}
}

// preflight answers the preflight request of a browser.
func (p *nodePort) preflight(w http.ResponseWriter, r *http.Request) {
	p.origins.Preflight(w.Header(), r.URL.Path == route.Events.Path, r.Header.Get("Access-Control-Request-Method"))
	p.reply(w, http.StatusOK, nil)
}

// withoutMethods is the node API of a program that was built with the daemon API alone.
func withoutMethods(context.Context, rpc.Caller, []byte) (int, []byte) {
	return http.StatusNotImplemented, nodeError("this build has no node methods; the token methods are on the daemon port")
}

// nodeRefusal returns a refusal in the form of the node API.
func nodeRefusal(err error) (int, []byte) { return statusOf(err), nodeError(err.Error()) }

// nodeError returns Komodo DeFi Framework's form for errors outside a method.
func nodeError(reason string) []byte { return object(map[string]string{"error": reason}) }

// object returns the JSON of an object of strings, which cannot fail.
func object(members map[string]string) []byte {
	text, err := json.Marshal(members)
	if err != nil {
		return []byte("{}")
	}
	return append(text, '\n')
}

const maxLinkBytes = 1024 // of a request

var errLinkForm = errors.New(`the body must be {"token": "…"}`)

// Link exchanges a token for the password, once. *onetime.Link implements it.
type Link interface {
	Redeem(token string) (userpass string, err error)
}

// redeem exchanges a token for the password. The answer is not cached, and the log contains neither of them.
func (p *nodePort) redeem(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	var request struct {
		Token string `json:"token"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxLinkBytes)).Decode(&request); err != nil || request.Token == "" {
		p.refuseFor(w, r, errLinkForm)
		return
	}
	userpass, err := p.link.Redeem(request.Token)
	if err != nil {
		if errors.Is(err, onetime.ErrLimit) {
			retryAfter(w, onetime.Pause)
		}
		p.refuseFor(w, r, err)
		return
	}
	p.log.Info("connected a page by the one-time link")
	p.reply(w, http.StatusOK, object(map[string]string{"userpass": userpass}))
}

// newMountedDaemon returns the daemon API at the node API's port, with the credential of that
// port: any user, and rpc_password. Pages of other origins are refused, as for calls.
func newMountedDaemon(c Config, g *gate, m *limit.Memory) *daemonPort {
	p := &daemonPort{credentials: c.Node.Credentials}
	p.pages = &pages{origin: c.Node.Origin, guard: guardOf(c.Node.Origin), hosts: newHostList(c.Node.Address, c.Hosts), port: func() string { return "" }}
	p.endpoint = endpoint{serve: c.Daemon.Serve, refuse: daemonRefusal, gate: g, memory: m, log: c.Log}
	return p
}
