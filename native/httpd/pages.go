package httpd

import (
	"net/http"
	"net/url"

	"obverse/core/net/cors"
)

// pages are the web pages that may call the daemon API from a browser: those of the
// configured origin and the wallet page of this very node, which is on the other port
// and so of another origin. komodod lets none.
type pages struct {
	origin string        // configured, empty: none
	hosts  hostList      // names under which this machine serves the wallet page
	port   func() string // of the wallet page; empty: it is not served
	guard  *http.CrossOriginProtection
}

// mayCall reports whether a request comes from such a page or from no page at all.
func (p *pages) mayCall(r *http.Request) bool { return p.guard.Check(r) == nil || p.allows(r) }

// allows reports whether the request comes from such a page.
func (p *pages) allows(r *http.Request) bool {
	from := r.Header.Get("Origin")
	if from == "" {
		return false
	}
	if from == p.origin {
		return true
	}
	page, err := url.Parse(from)
	return err == nil && page.Scheme == "http" && page.Port() != "" && page.Port() == p.port() && p.hosts.names(page.Host, r)
}

// admit lets such a page read the answer, errors too.
func (p *pages) admit(w http.ResponseWriter, r *http.Request) {
	w.Header().Add("Vary", "Origin")
	if p.allows(r) {
		w.Header().Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
	}
}

// asksFirst reports whether a browser asks if such a page may call, and answers it.
func (p *pages) asksFirst(w http.ResponseWriter, r *http.Request) bool {
	if r.Header.Get("Access-Control-Request-Method") != http.MethodPost || !p.allows(r) {
		return false
	}
	p.admit(w, r)
	cors.PermitDaemon(w.Header())
	return true
}
