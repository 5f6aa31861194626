package httpd

import (
	"bytes"
	"sync"
	"time"
)

// strangersBatches is how many batches are at work at a time of clients that have shown
// no password. A batch costs a hundred times what another request does.
const strangersBatches = 8

// turnstile has room for those who are at work at a time.
type turnstile chan struct{}

// pass waits for its turn, for a time, or until ended is closed. leave may be called more
// than once.
func (t turnstile) pass(wait time.Duration, ended <-chan struct{}) (leave func(), err error) {
	leave = sync.OnceFunc(func() { <-t })
	select {
	case t <- struct{}{}:
		return leave, nil
	default:
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case t <- struct{}{}:
		return leave, nil
	case <-ended:
		return nil, errClosing
	case <-timer.C:
		return nil, errBusy
	}
}

// enter waits for a request's turn to be at work, or says why there is none. A stranger's
// batch has few places; proven leaves them, leave all.
func (g *gate) enter(body []byte, stranger bool) (leave, proven func(), err error) {
	if g.closing.Load() {
		return nil, nil, errClosing
	}
	proven = func() {}
	if stranger && isBatch(body) {
		if proven, err = g.batches.pass(g.limits.Turn, g.ended); err != nil {
			return nil, nil, err
		}
	}
	out, err := g.slots.pass(g.limits.Turn, g.ended)
	if err != nil {
		proven()
		return nil, nil, err
	}
	return func() { proven(); out() }, proven, nil
}

func isBatch(body []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("[")) }
