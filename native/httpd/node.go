package httpd

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/julienschmidt/httprouter"

	"obverse/core/net/cors"
	"obverse/core/rpc"
)

// nodePort is the HTTP side of interface B: POST on any path is a call, GET and HEAD
// fetch what the operator and the browser need.
type nodePort struct {
	endpoint
	origins cors.Node
	guard   *http.CrossOriginProtection
	link    Link        // nil: off
	daemon  *daemonPort // interface A
}

func newNodePort(c Config, g *gate) http.Handler {
	p := &nodePort{origins: cors.Node{Calls: c.Node.Origin, Events: c.Node.Events.Origin}, guard: guardOf(c.Node.Origin)}
	p.endpoint = endpoint{serve: c.Node.Serve, refuse: nodeRefusal, retry: c.Node.RetryAfter, gate: g, memory: newMemory(c.Limits), log: c.Log}
	if p.serve == nil {
		p.serve = withoutMethods
	}
	p.link, p.daemon = c.Node.Link, newMountedDaemon(c, g, p.memory)
	router := newRouter()
	router.POST("/*path", p.post)
	newOperations(c, g).mount(router)
	if c.Node.Events.Hub != nil {
		newEvents(c, g).mount(router)
	}
	if c.Node.Mount != nil {
		c.Node.Mount(router)
	}
	router.NotFound = http.HandlerFunc(p.notFound)
	return checkHost(router, newHostList(c.Node.Address, c.Hosts), &p.endpoint)
}

// post takes no calls that a web page makes a browser send, unless it is a page of this
// port or of the origin. Another could not read the answer, but its wrong passwords
// would get the browser's own machine banned.
func (p *nodePort) post(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
	if p.guard.Check(r) != nil {
		p.refuseFor(w, r, fmt.Errorf("%w: %.100q", errPage, r.Header.Get("Origin")))
		return
	}
	if p.beside(w, r) {
		return
	}
	cors.Allow(w.Header(), p.origins.Calls)
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

// preflight answers a browser that asks before a page's request.
func (p *nodePort) preflight(w http.ResponseWriter, r *http.Request) {
	p.origins.Preflight(w.Header(), r.URL.Path == eventPath, r.Header.Get("Access-Control-Request-Method"))
	p.reply(w, http.StatusOK, nil)
}

// withoutMethods is interface B of a program that was built with interface A alone.
func withoutMethods(context.Context, rpc.Caller, []byte) (int, []byte) {
	return http.StatusNotImplemented, nodeError("this build has no node methods; the token methods are on the daemon port")
}

// nodeRefusal words a refusal in the form of interface B.
func nodeRefusal(err error) (int, []byte) { return statusOf(err), nodeError(err.Error()) }

// nodeError is Komodo DeFi Framework's form for errors outside a method.
func nodeError(reason string) []byte { return object(map[string]string{"error": reason}) }

// object prints strings, which cannot fail.
func object(members map[string]string) []byte {
	text, err := json.Marshal(members)
	if err != nil {
		return []byte("{}")
	}
	return append(text, '\n')
}
