package httpd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"obverse/core/daemon"
	"obverse/core/event"
	"obverse/core/net/route"
	"obverse/core/rpc/auth"
	"obverse/native/limit"
	"obverse/native/onetime"
)

// Reasons for refusing a request before it reaches its API.
var (
	errHost     = errors.New("this Host is not in allowed_hosts of the node's config")
	errTooLarge = errors.New("request body too large")
	errSlow     = errors.New("request body not received in time")
	errCut      = errors.New("request body truncated")
	errInternal = errors.New("internal error, see the node's log")
	errStarting = errors.New("the node is starting")
	errPage     = errors.New("pages of this web origin may not call the node, rpccors names the one whose pages may")

	errOtherPage = errors.New("web pages may not use this interface")
)

// statusOf returns the HTTP status of a refusal.
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
	case errors.Is(err, limit.ErrBusy), errors.Is(err, limit.ErrClosing), errors.Is(err, errStarting), errors.Is(err, limit.ErrDropped), errors.Is(err, limit.ErrStreams):
		return http.StatusServiceUnavailable
	case errors.Is(err, errInternal):
		return http.StatusInternalServerError
	}
	return http.StatusBadRequest
}

// gate holds the limits and the work that both ports share.
type gate struct {
	limits Limits
	work   *limit.Work
	// behindProxy reports that a proxy on this machine forwards requests of others, see Config.
	behindProxy bool
}

func newGate(limits Limits) *gate {
	return &gate{limits: limits, work: limit.NewWork(limits.Work, limits.Turn, limits.Streams)}
}

// smallRead is the length, in bytes, up to which a body is read into a buffer that is allocated at once. It is
// no larger than the connection's own buffer.
const smallRead = 4 << 10

// body reads a request's body, and counts its memory in held. A slow client holds memory only for
// the bytes that it has sent, and no slot.
func (g *gate) body(w http.ResponseWriter, r *http.Request, held *limit.Request) (body []byte, err error) {
	switch length := r.ContentLength; {
	case length > g.limits.Body:
		return nil, g.overLimit()
	case length > 0 && length <= smallRead:
		body = make([]byte, length)
		_, err = io.ReadFull(held.Body(r.Body), body)
	default:
		body, err = io.ReadAll(held.Body(http.MaxBytesReader(w, r.Body, g.limits.Body)))
	}
	if err != nil {
		return nil, g.notReceived(err)
	}
	return body, nil
}

// notReceived returns the reason why a body could not be read.
func (g *gate) notReceived(err error) error {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.Is(err, limit.ErrBusy):
		return limit.ErrBusy
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

// received removes the read deadline, which would otherwise end the context
// of an answer that takes longer.
func received(w http.ResponseWriter) error {
	return http.NewResponseController(w).SetReadDeadline(time.Time{})
}

func isBatch(body []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("[")) }
