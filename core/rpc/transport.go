package rpc

import (
	"context"
	"sync"
)

// Carrier carries a request, for those who answer it.
type Carrier interface {
	// WhenUnread calls do when the client stops reading the answer, unless stop is called first.
	WhenUnread(do func()) (stop func() bool)
	// HasLeft reports whether the client has hung up, after which do may be called at any time.
	HasLeft() bool
	// TakeRoom counts bytes of an answer that were made and are still to be sent, and reports
	// whether more may be made.
	TakeRoom(bytes int) bool
	// MarkProven records that the request has shown the right password in its body.
	MarkProven()
	// Wait calls wait with a context that ends when the caller hangs up, and gives its
	// error; meanwhile the request takes no place from those that have work. It is for
	// one goroutine of the request at a time.
	Wait(ctx context.Context, wait func(ctx context.Context) error) error
}

// Transport is a Carrier of functions. Zero fields are for calls inside the process.
type Transport struct {
	Unread func(do func()) (stop func() bool)               // nil: the answer is read to the end
	Room   func(bytes int) bool                             // nil: always
	Proven func()                                           // may be nil
	Waiter func(wait func(ctx context.Context) error) error // nil: waits go by the context of the request
}

// WhenUnread implements Carrier.
func (t Transport) WhenUnread(do func()) (stop func() bool) {
	if t.Unread == nil {
		return func() bool { return true }
	}
	return t.Unread(do)
}

// HasLeft implements Carrier.
func (t Transport) HasLeft() bool { return t.Unread != nil }

// TakeRoom implements Carrier.
func (t Transport) TakeRoom(bytes int) bool { return t.Room == nil || t.Room(bytes) }

// MarkProven implements Carrier.
func (t Transport) MarkProven() {
	if t.Proven != nil {
		t.Proven()
	}
}

// Wait implements Carrier.
func (t Transport) Wait(ctx context.Context, wait func(ctx context.Context) error) error {
	if t.Waiter == nil {
		return wait(ctx)
	}
	return t.Waiter(wait)
}

type transportKey struct{}

// TransportKey is under which a context has its Carrier.
var TransportKey any = transportKey{}

// WithTransport gives a request's context what carries it.
func WithTransport(ctx context.Context, c Carrier) context.Context {
	return context.WithValue(ctx, TransportKey, c)
}

// TransportOf returns the transport that WithTransport set, or one that does nothing.
func TransportOf(ctx context.Context) Carrier {
	if c, is := ctx.Value(TransportKey).(Carrier); is {
		return c
	}
	return Transport{}
}

// whileRead returns a context that also ends when the client disconnects.
func whileRead(ctx context.Context) (context.Context, context.CancelFunc) {
	r := &reading{Context: ctx, carrier: TransportOf(ctx)}
	return r, r.finish
}

// reading is a context that ends when the client is gone. Most calls are over
// before anything waits for that: the context that can be waited for is made when it is asked for.
type reading struct {
	context.Context
	carrier Carrier

	mu     sync.Mutex
	inner  context.Context // nil: not asked for yet
	cancel context.CancelFunc
	stop   func() bool
	ended  bool
}

// waitable makes the inner context. It is called with the lock held.
func (r *reading) waitable() context.Context {
	if r.inner != nil {
		return r.inner
	}
	r.inner, r.cancel = context.WithCancel(r.Context)
	if r.ended {
		r.cancel()
	} else {
		r.stop = r.carrier.WhenUnread(r.cancel)
	}
	return r.inner
}

// Done implements context.Context.
func (r *reading) Done() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.waitable().Done()
}

// Err implements context.Context.
func (r *reading) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.inner == nil && !r.ended && !r.carrier.HasLeft() {
		return r.Context.Err()
	}
	return r.waitable().Err()
}

// Value implements context.Context. The inner context shows itself to those that are made of it.
func (r *reading) Value(key any) any {
	r.mu.Lock()
	inner := r.inner
	r.mu.Unlock()
	if inner == nil {
		inner = r.Context
	}
	return inner.Value(key)
}

// finish ends the context with its call.
func (r *reading) finish() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	if r.stop != nil {
		r.stop()
	}
	if r.cancel != nil {
		r.cancel()
	}
}
