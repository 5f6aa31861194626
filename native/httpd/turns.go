package httpd

import (
	"context"
	"errors"
	"sync"
	"time"

	"obverse/core/daemon"
)

// errTurn: another credential from the same address is still looked at.
var errTurn = errors.New("another credential from this address is being checked, try again in a second")

// turnTime is what a client is asked to wait for its turn.
const turnTime = time.Second

// turns checks the credentials of one address one after another. The delay of a wrong
// one would bound no guesses of a caller that tries many at a time, or that hangs up
// when the right answer, which comes at once, does not.
type turns struct {
	inner Credentials

	mu   sync.Mutex
	busy map[string]struct{} // addresses
}

// newTurns takes nil for inner: then nothing passes.
func newTurns(inner Credentials) *turns {
	return &turns{inner: inner, busy: map[string]struct{}{}}
}

// Check implements Credentials. A credential whose turn it is not is refused unseen,
// with errTurn.
func (t *turns) Check(ctx context.Context, address string, headers []string) error {
	if t.inner == nil || len(headers) == 0 {
		return daemon.ErrNoCredential
	}
	if !t.begin(address) {
		return errTurn
	}
	defer t.end(address)
	err := t.inner.Check(serverContext(ctx), address, headers)
	if err == nil {
		connectionOf(ctx).prove()
	}
	return err
}

func (t *turns) begin(address string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, busy := t.busy[address]; busy {
		return false
	}
	t.busy[address] = struct{}{}
	return true
}

func (t *turns) end(address string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.busy, address)
}
