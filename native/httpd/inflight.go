package httpd

import (
	"net/http"
	"sync"
)

// inFlight counts the handlers that run, for whoever waits until none does.
type inFlight struct {
	mu    sync.Mutex
	count int
	none  chan struct{} // closed when count falls to zero; nil: nobody waits
}

// counting counts the requests of a handler.
func (f *inFlight) counting(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.add(1)
		defer f.add(-1)
		next.ServeHTTP(w, r)
	})
}

func (f *inFlight) add(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count += n
	f.tell()
}

// empty is closed once no handler runs.
func (f *inFlight) empty() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.none == nil {
		f.none = make(chan struct{})
	}
	none := f.none
	f.tell()
	return none
}

// tell is called with the lock held.
func (f *inFlight) tell() {
	if f.count == 0 && f.none != nil {
		close(f.none)
		f.none = nil
	}
}
