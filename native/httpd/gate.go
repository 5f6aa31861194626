package httpd

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync/atomic"
	"time"
)

// Reasons for which a request gets no answer of its interface.
var (
	errHost     = errors.New("this Host is not on the allow-list of the node")
	errTooLarge = errors.New("request body too large")
	errSlow     = errors.New("request body not received in time")
	errCut      = errors.New("request body cut short")
	errBusy     = errors.New("Work queue depth exceeded") // komodod's text
	errClosing  = errors.New("the node is shutting down")
	errInternal = errors.New("internal error, see the node's log")
)

// statusOf gives a refusal its HTTP status.
func statusOf(err error) int {
	switch {
	case errors.Is(err, errHost):
		return http.StatusForbidden
	case errors.Is(err, errTooLarge):
		return http.StatusRequestEntityTooLarge
	case errors.Is(err, errSlow):
		return http.StatusRequestTimeout
	case errors.Is(err, errBusy), errors.Is(err, errClosing):
		return http.StatusServiceUnavailable
	case errors.Is(err, errInternal):
		return http.StatusInternalServerError
	}
	return http.StatusBadRequest
}

// gate bounds the bodies in memory and the requests at work.
type gate struct {
	limits  Limits
	slots   chan struct{}
	memory  atomic.Int64 // bytes that may still be held
	closing atomic.Bool
}

func newGate(limits Limits) *gate {
	g := &gate{limits: limits, slots: make(chan struct{}, limits.Work)}
	g.memory.Store(limits.Memory)
	return g
}

// enter takes a slot for a request, or says why there is none; leave gives it back.
func (g *gate) enter() error {
	if g.closing.Load() {
		return errClosing
	}
	select {
	case g.slots <- struct{}{}:
		return nil
	default:
		return errBusy
	}
}

func (g *gate) leave() { <-g.slots }

// body reads a request's body. A slow client holds memory only for what it has sent
// and no slot. The caller calls release when it is done with the body.
func (g *gate) body(w http.ResponseWriter, r *http.Request) (body []byte, release func(), err error) {
	in := &metered{from: http.MaxBytesReader(w, r.Body, g.limits.Body), left: &g.memory}
	release = func() { g.memory.Add(in.held) }
	overLimit := fmt.Errorf("%w: the limit is %d bytes", errTooLarge, g.limits.Body)
	if r.ContentLength > g.limits.Body {
		return nil, release, overLimit
	}
	body, err = io.ReadAll(in)
	var tooLarge *http.MaxBytesError
	switch {
	case err == nil:
		return body, release, received(w)
	case errors.Is(err, errBusy):
		return nil, release, errBusy
	case errors.As(err, &tooLarge):
		return nil, release, overLimit
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, release, errSlow
	}
	return nil, release, errCut
}

// received lifts the time limit of receiving, which would otherwise end the context
// of a method that takes longer.
func received(w http.ResponseWriter) error {
	return http.NewResponseController(w).SetReadDeadline(time.Time{})
}

// metered counts what it reads against the memory that is left for all.
type metered struct {
	from io.Reader
	left *atomic.Int64
	held int64
}

func (m *metered) Read(p []byte) (int, error) {
	n, err := m.from.Read(p)
	m.held += int64(n)
	if m.left.Add(-int64(n)) < 0 {
		return n, errBusy
	}
	return n, err
}
