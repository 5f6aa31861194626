package httpd

import (
	"context"
	"encoding/json"
	"net/http"

	"obverse/core/rpc"
)

// nodePort is the HTTP side of interface B: POST on any path is a call, GET and HEAD
// fetch what the operator and the browser need.
type nodePort struct {
	endpoint
	origin string
	pages  http.Handler
}

func newNodePort(c Config, g *gate) http.Handler {
	p := &nodePort{origin: c.Node.Origin, pages: c.Node.Pages}
	p.endpoint = endpoint{serve: c.Node.Serve, refuse: nodeRefusal, gate: g, log: c.Log}
	if p.serve == nil {
		p.serve = withoutMethods
	}
	router := newRouter()
	router.HandlerFunc(http.MethodPost, "/*path", p.post)
	newOperations(c, g).mount(router)
	if c.Node.Events.Hub != nil {
		newEvents(c, g).mount(router)
	}
	if c.Node.Mount != nil {
		c.Node.Mount(router)
	}
	router.NotFound = http.HandlerFunc(p.elsewhere)
	return checkHost(router, newHostList(c.Node.Address, c.Hosts), &p.endpoint)
}

func (p *nodePort) post(w http.ResponseWriter, r *http.Request) {
	allowOrigin(w, p.origin)
	p.answer(w, r, rpc.Caller{Address: peer(r).String(), Local: isLocal(r)})
}

// elsewhere answers what no route is for.
func (p *nodePort) elsewhere(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		if p.pages != nil {
			p.pages.ServeHTTP(w, r)
			return
		}
		p.reply(w, http.StatusNotFound, nodeError("there is nothing at this path"))
	case http.MethodOptions:
		p.preflight(w)
	default:
		w.Header().Set("Allow", "GET, HEAD, POST, OPTIONS")
		p.reply(w, http.StatusMethodNotAllowed, nodeError("only POST requests are calls"))
	}
}

// allowOrigin lets the one configured web origin read the answer.
func allowOrigin(w http.ResponseWriter, origin string) {
	if origin != "" {
		w.Header().Set("Access-Control-Allow-Origin", origin)
		w.Header().Set("Vary", "Origin")
	}
}

// preflight answers a browser that asks whether it may call; the headers are those
// of Komodo DeFi Framework.
func (p *nodePort) preflight(w http.ResponseWriter) {
	allowOrigin(w, p.origin)
	if p.origin != "" {
		w.Header().Set("Access-Control-Allow-Methods", "POST, OPTIONS")
		w.Header().Set("Access-Control-Allow-Headers", "Content-Type")
		w.Header().Set("Access-Control-Max-Age", "3600")
	}
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
