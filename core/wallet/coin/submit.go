package coin

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"obverse/core/guard"
	"obverse/core/task/handover"
)

// UnclearError is the result of a transaction that a server may have.
type UnclearError struct {
	Hash string
	Err  error
}

func (e *UnclearError) Error() string {
	return "transaction " + e.Hash + " may have been sent: " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *UnclearError) Unwrap() error { return e.Err }

// Is makes it an ErrTransport.
func (e *UnclearError) Is(target error) bool { return target == ErrTransport }

// Submit hands a transaction to servers with send, whose error is a *RefusedError if all that
// answered refused it. From then on the end of ctx does not end it: it is recorded, and a
// task that it belongs to cannot be cancelled any more. A caller whose ctx ends waits a few
// seconds. Errors are a *RefusedError, an *UnclearError for all others of send, and before
// anything was handed over a *FullError, that of the store, and of ctx.
func (t Turn) Submit(ctx context.Context, number uint64, hash string, raw []byte, send func(context.Context) error) error {
	if err := handover.Begin(ctx, "transaction "+hash+" was given to a server"); err != nil {
		return err
	}
	if err := t.of.hand(ctx, t.account, number, hash, raw); err != nil {
		return err
	}
	submitted, result := make(chan struct{}), make(chan error, 1)
	var reported atomic.Bool // the outcome is decided
	t.of.mu.Lock()
	t.submitting = submitted
	t.of.mu.Unlock()
	go func() {
		defer close(submitted)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), submitTimeout)
		defer cancel()
		err := guard.Do(ctx, "sending a transaction", func() error { return send(ctx) })
		if _, refused := errors.AsType[*RefusedError](err); err != nil && !refused {
			err = &UnclearError{hash, err}
		}
		if !reported.Swap(true) {
			t.of.settle(ctx, t.account, number, hash, raw, err)
		}
		result <- err
	}()
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
	}
	timer := time.NewTimer(submitGrace)
	defer timer.Stop()
	select {
	case err := <-result:
		return err
	case <-timer.C:
	}
	if reported.Swap(true) {
		return <-result
	}
	return &UnclearError{hash, context.Cause(ctx)} // and so it stays: the caller may send again
}

// hand records that a server may have a transaction.
func (t *SendQueue) hand(ctx context.Context, account string, number uint64, hash string, raw []byte) error {
	if err := t.load(ctx, account); err != nil {
		return err
	}
	t.mu.Lock()
	s := t.account(account)
	o, known := s.orders[number]
	var dropped []order
	if !known && len(s.orders) >= maxOrders {
		oldest, found := s.oldestForeign()
		if !found {
			t.mu.Unlock()
			return &FullError{account}
		}
		delete(s.orders, oldest.Number)
		dropped = append(dropped, oldest)
	}
	o = o.with(account, number, hash)
	if o.Outcome != Accepted { // one that replaces an accepted one changes nothing until it is accepted
		o.Outcome, o.At, o.Raw = Unclear, t.now(), kept(raw)
	}
	s.orders[number] = o
	t.mu.Unlock()
	if err := t.remove(ctx, dropped); err != nil {
		return err
	}
	return t.keep(ctx, o)
}

// oldestForeign returns the order with the lowest number among those whose number another program
// chose. For such an account Next may never be called, which removes the spent ones. Call it
// with the lock held.
func (s *sending) oldestForeign() (oldest order, found bool) {
	for _, o := range s.orders {
		if !o.Chosen && (!found || o.Number < oldest.Number) {
			oldest, found = o, true
		}
	}
	return oldest, found
}

// kept is what is kept of a transaction.
func kept(raw []byte) []byte {
	if len(raw) > maxKeptRaw {
		return nil
	}
	return slices.Clone(raw)
}

// settle records the result of Submit.
func (t *SendQueue) settle(ctx context.Context, account string, number uint64, hash string, raw []byte, err error) {
	t.mu.Lock()
	o, there := t.account(account).orders[number]
	switch _, refused := errors.AsType[*RefusedError](err); {
	case err == nil:
		o.Outcome, o.At, o.Raw = Accepted, t.now(), kept(raw)
		o.Hashes = append(slices.DeleteFunc(o.Hashes, func(h string) bool { return h == hash }), hash)
	case refused && o.Outcome == Unclear && len(o.Hashes) == 1:
		o.Outcome, o.At = Refused, t.now()
	default:
		there = false // what is recorded is still so
	}
	if there {
		t.accounts[account].orders[number] = o
	}
	t.mu.Unlock()
	if there {
		_ = t.keep(ctx, o) // in the store it is unclear, which is treated no less carefully
	}
}
