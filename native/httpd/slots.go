package httpd

import (
	"bytes"
	"time"
)

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
