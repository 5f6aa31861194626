package route

// Header holds the headers of a response. http.Header implements it.
type Header interface{ Set(name, value string) }

// Origins are the web origins that may use the node API from a browser (WHATWG Fetch, CORS
// protocol; Komodo DeFi Framework for the headers of calls). An empty origin allows no origin,
// and no setting allows all.
type Origins struct {
	Calls  string // origin of pages that may call methods
	Events string // origin of pages that may read events
}

// AllowOrigin lets pages of the given origin read the response. An empty origin allows no page.
func AllowOrigin(h Header, origin string) {
	if origin != "" {
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Expose-Headers", "Retry-After")
		h.Set("Vary", "Origin")
	}
}

// Preflight responds to a browser that asks whether a page may call methods or, if onEvents is
// set, read events with a credential. The argument method is the method of the intended
// request.
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

// PermitDaemon responds to a browser that asks whether a page may call the daemon API. The
// caller must have checked the page's origin.
func PermitDaemon(h Header) { permit(h, "POST", "Authorization, Content-Type") }

func permit(h Header, methods, headers string) {
	h.Set("Access-Control-Allow-Methods", methods)
	h.Set("Access-Control-Allow-Headers", headers)
	h.Set("Access-Control-Max-Age", "3600")
}
