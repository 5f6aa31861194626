package httpd

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"obverse/core/daemon"
	"obverse/core/event"
	"obverse/core/net/route"
	"obverse/core/rpc/auth"
	"obverse/native/onetime"
)

// Reasons for which a request gets no answer of its interface.
var (
	errHost     = errors.New("this Host is not in allowed_hosts of the node's config")
	errTooLarge = errors.New("request body too large")
	errSlow     = errors.New("request body not received in time")
	errCut      = errors.New("request body cut short")
	errBusy     = errors.New("Work queue depth exceeded") // komodod's text
	errClosing  = errors.New("the node is shutting down")
	errInternal = errors.New("internal error, see the node's log")
	errStarting = errors.New("the node is starting")
	errDropped  = errors.New("connection closed: too many connections")
	errStreams  = errors.New("too many event streams are open")
	errPage     = errors.New("pages of this web origin may not call the node, rpccors names the one whose pages may")

	errOtherPage = errors.New("web pages may not use this interface")
)

// statusOf gives a refusal its HTTP status.
func statusOf(err error) int {
	switch {
	case errors.Is(err, errHost), errors.Is(err, event.ErrOrigin), errors.Is(err, errPage), errors.Is(err, route.ErrLocal),
		errors.Is(err, onetime.ErrUsed), errors.Is(err, onetime.ErrExpired), errors.Is(err, onetime.ErrWrong):
		return http.StatusForbidden
	case errors.Is(err, errAlive):
		return http.StatusConflict
	case errors.Is(err, errTooLarge):
		return http.StatusRequestEntityTooLarge
	case errors.Is(err, auth.ErrBusy), errors.Is(err, onetime.ErrLimit):
		return http.StatusTooManyRequests
	case errors.Is(err, daemon.ErrWrongCredential), errors.Is(err, daemon.ErrNoCredential):
		return http.StatusUnauthorized
	case errors.Is(err, errSlow):
		return http.StatusRequestTimeout
	case errors.Is(err, errBusy), errors.Is(err, errClosing), errors.Is(err, errStarting), errors.Is(err, errDropped), errors.Is(err, errStreams):
		return http.StatusServiceUnavailable
	case errors.Is(err, errInternal):
		return http.StatusInternalServerError
	}
	return http.StatusBadRequest
}

// gate bounds the requests at work and the streams that are open, of both ports together.
type gate struct {
	inFlight
	limits  Limits
	slots   slots
	batches slots // of clients that have shown no password
	ended   chan struct{}
	// behindProxy: a proxy on this machine passes on what strangers ask, see Config.
	behindProxy bool

	closing atomic.Bool

	mu      sync.Mutex
	streams map[*stream]struct{}
}

func newGate(limits Limits) *gate {
	return &gate{limits: limits, slots: make(slots, limits.Work), batches: make(slots, min(maxAnonymousBatches, limits.Work)),
		ended: make(chan struct{}), streams: map[*stream]struct{}{}}
}

// admit lets a stream begin; dismiss is called when it is over. A stream takes no
// slot of a request.
func (g *gate) admit(s *stream) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closing.Load() {
		return errClosing
	}
	if len(g.streams) >= g.limits.Streams {
		return fmt.Errorf("%w: the limit is %d", errStreams, g.limits.Streams)
	}
	g.streams[s] = struct{}{}
	return nil
}

func (g *gate) dismiss(s *stream) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.streams, s)
}

// close takes no more work and ends the streams, which would not end by themselves.
func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closing.Swap(true) {
		close(g.ended)
	}
	for s := range g.streams {
		s.end()
	}
}

// smallRead is up to which length a body is read into memory that was made for all of it: no
// more than the connection has for its own buffer. In bytes.
const smallRead = 4 << 10

// body reads a request's body, whose memory is counted by in. A slow client holds memory only
// for what it has sent and no slot. The caller gives in back when it is done with the body.
func (g *gate) body(w http.ResponseWriter, r *http.Request, in *metered) (body []byte, err error) {
	switch length := r.ContentLength; {
	case length > g.limits.Body:
		return nil, g.overLimit()
	case length > 0 && length <= smallRead:
		in.from = r.Body
		body = make([]byte, length)
		_, err = io.ReadFull(in, body)
	default:
		in.from = http.MaxBytesReader(w, r.Body, g.limits.Body)
		body, err = io.ReadAll(in)
	}
	if err != nil {
		return nil, g.notReceived(err)
	}
	return body, nil
}

// notReceived says why a body could not be read.
func (g *gate) notReceived(err error) error {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.Is(err, errBusy):
		return errBusy
	case errors.As(err, &tooLarge):
		return g.overLimit()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errSlow
	}
	return errCut
}

func (g *gate) overLimit() error {
	return fmt.Errorf("%w: the limit is %d bytes", errTooLarge, g.limits.Body)
}

// received lifts the time limit of receiving, which would otherwise end the context
// of an answer that takes longer.
func received(w http.ResponseWriter) error {
	return http.NewResponseController(w).SetReadDeadline(time.Time{})
}
