package httpd

import (
	"fmt"
	"net/http"
)

// Guard returns a handler that passes on requests that no web page of another site sends, for a
// server that looks at neither Host nor Origin: they name this machine as the node's own ports
// demand it, by the address to listen on or one of hosts, and no other origin. It looks at GET
// requests too, which have effects there, or open websockets.
func Guard(next http.Handler, address string, hosts []string) http.Handler {
	list, origins := newHostList(address, hosts), guardOf("")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var err error
		switch {
		case !list.allows(r):
			err = fmt.Errorf("%w: %.100q", errHost, r.Host)
		case isForeign(origins, r):
			err = fmt.Errorf("%w: %.100q", errOtherPage, r.Header.Get("Origin"))
		default:
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", jsonType)
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write(nodeError(err.Error()))
	})
}
