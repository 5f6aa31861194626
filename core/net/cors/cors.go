// Package cors decides which web origins may read the answers of a node from a browser,
// for every HTTP server that the node runs behind. It sets headers and knows no server.
//
// Sources: WHATWG Fetch, CORS protocol; Komodo DeFi Framework for the headers of calls.
//
// Invariant: no origin but a configured one is allowed, and never "*".
package cors

// Header holds the headers of an answer; http.Header is one.
type Header interface{ Set(name, value string) }

// Node is the policy of the node API. An empty origin allows none.
type Node struct {
	Calls  string // the origin whose pages may call
	Events string // the origin whose pages may read events
}

// Allow lets pages of the one configured origin read the answer; empty allows none.
func Allow(h Header, origin string) {
	if origin != "" {
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Expose-Headers", "Retry-After")
		h.Set("Vary", "Origin")
	}
}

// Preflight answers a browser that asks whether a page may call or, on the path of the
// event stream, read events with a credential. method is the one that it asks for.
func (n Node) Preflight(h Header, onEvents bool, method string) {
	origin, methods, headers := n.Calls, "POST, OPTIONS", "Content-Type"
	if onEvents && method != "POST" {
		origin, methods, headers = n.Events, "GET, OPTIONS", "Authorization, Last-Event-ID"
	}
	Allow(h, origin)
	if origin != "" {
		permit(h, methods, headers)
	}
}

// PermitDaemon answers a browser that asks whether a page may call the daemon API, after the
// caller has checked the page's origin.
func PermitDaemon(h Header) { permit(h, "POST", "Authorization, Content-Type") }

func permit(h Header, methods, headers string) {
	h.Set("Access-Control-Allow-Methods", methods)
	h.Set("Access-Control-Allow-Headers", headers)
	h.Set("Access-Control-Max-Age", "3600")
}
