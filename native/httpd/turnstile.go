package httpd

import (
	"bytes"
	"time"
)

// strangersBatches is how many batches are at work at a time of clients that have shown
// no password. A batch costs a hundred times what another request does.
const strangersBatches = 8

// turnstile has room for those who are at work at a time. Each pass needs one leave.
type turnstile chan struct{}

// pass waits for its turn, for a time, or until ended is closed.
func (t turnstile) pass(wait time.Duration, ended <-chan struct{}) error {
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

// take waits for its turn until ended is closed, and reports whether the turn came.
func (t turnstile) take(ended <-chan struct{}) bool {
	select {
	case t <- struct{}{}:
		return true
	case <-ended:
		return false
	}
}

func (t turnstile) leave() { <-t }

func isBatch(body []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("[")) }
