package route

// Header holds the headers of an answer; http.Header is one.
type Header interface{ Set(name, value string) }

// Origins are the web origins that may use the node API from a browser (WHATWG Fetch, CORS
// protocol; Komodo DeFi Framework for the headers of calls). An empty origin allows none, and no
// setting allows all.
type Origins struct {
	Calls  string // the origin whose pages may call
	Events string // the origin whose pages may read events
}

// AllowOrigin lets pages of the one configured origin read the answer; empty allows none.
func AllowOrigin(h Header, origin string) {
	if origin != "" {
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Expose-Headers", "Retry-After")
		h.Set("Vary", "Origin")
	}
}

// Preflight answers a browser that asks whether a page may call or, on the path of the
// event stream, read events with a credential. method is the one that it asks for.
func (o Origins) Preflight(h Header, onEvents bool, method string) {
	origin, methods, headers := o.Calls, "POST, OPTIONS", "Content-Type"
	if onEvents && method != "POST" {
		origin, methods, headers = o.Events, "GET, OPTIONS", "Authorization, Last-Event-ID"
	}
	AllowOrigin(h, origin)
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
