package httpd

import (
	"bytes"
	"time"
)

// maxAnonymousBatches is how many batches are at work at a time of clients that have shown
// no password. A batch costs a hundred times what another request does.
const maxAnonymousBatches = 8

// slots has room for those who are at work at a time. Each pass needs one leave.
type slots chan struct{}

// acquire waits for its turn, for a time, or until ended is closed.
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

// wait waits for its turn until ended is closed, and reports whether the turn came.
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
