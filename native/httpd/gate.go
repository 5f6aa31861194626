package httpd

import (
	"bytes"
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
	// behindProxy: a proxy on this machine forwards requests of others, see Config.
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

// body reads a request's body, and counts its memory in in. A slow client holds memory only for
// what it has sent and no slot. The caller gives in back when it is done with the body.
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

// slot is the concurrency slot of a running request, which may release it while it waits.
type slot struct {
	gate *gate

	mu        sync.Mutex
	batch     bool // an anonymous client's batch, which needs a slot in gate.batches too
	inBatches bool
	inSlots   bool
}

// acquire waits for a slot. Batches of anonymous clients have few.
func (g *gate) acquire(s *slot, body []byte, anonymous bool) error {
	if g.closing.Load() {
		return errClosing
	}
	s.gate, s.batch = g, anonymous && isBatch(body)
	if s.batch {
		if err := g.batches.acquire(g.limits.Turn, g.ended); err != nil {
			return err
		}
		s.inBatches = true
	}
	if err := g.slots.acquire(g.limits.Turn, g.ended); err != nil {
		s.release()
		return err
	}
	s.inSlots = true
	return nil
}

// release frees the slot. Further calls do nothing.
func (s *slot) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.releaseBatch()
	if s.inSlots {
		s.inSlots = false
		s.gate.slots.release()
	}
}

// markAuthenticated records that the client showed a password.
func (s *slot) markAuthenticated() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.batch = false
	s.releaseBatch()
}

// releaseBatch is called with the lock held.
func (s *slot) releaseBatch() {
	if s.inBatches {
		s.inBatches = false
		s.gate.batches.release()
	}
}

// reacquire waits for a slot after release, or until the server ends and needs none.
func (s *slot) reacquire() {
	s.mu.Lock()
	batch := s.batch
	s.mu.Unlock()
	inBatches := batch && s.gate.batches.wait(s.gate.ended)
	inSlots := s.gate.slots.wait(s.gate.ended)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inBatches, s.inSlots = inBatches, inSlots
	if !s.batch {
		s.releaseBatch()
	}
}

// maxAnonymousBatches limits the running batches of clients that have shown no password. A
// batch costs a hundred times what another request does.
const maxAnonymousBatches = 8

// slots is a semaphore. Each successful acquire or wait needs one release.
type slots chan struct{}

// acquire waits for a slot, at most for wait, or until ended is closed.
func (t slots) acquire(wait time.Duration, ended <-chan struct{}) error {
	select {
	case t <- struct{}{}:
		return nil
	default:
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case t <- struct{}{}:
		return nil
	case <-ended:
		return errClosing
	case <-timer.C:
		return errBusy
	}
}

// wait waits for a slot until ended is closed, and reports whether it has one.
func (t slots) wait(ended <-chan struct{}) bool {
	select {
	case t <- struct{}{}:
		return true
	case <-ended:
		return false
	}
}

func (t slots) release() { <-t }

func isBatch(body []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("[")) }
