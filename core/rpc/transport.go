package rpc

import (
	"context"
	"sync"
)

// Carrier is the transport of a request, as used by the code that answers the request.
type Carrier interface {
	// WhenUnread calls do when the client stops reading the answer, unless stop is called
	// before.
	WhenUnread(do func()) (stop func() bool)
	// HasLeft reports whether the client may already have disconnected, in which case do may be
	// called at any time.
	HasLeft() bool
	// TakeRoom counts bytes of an answer that have to be sent, and reports whether more bytes
	// are allowed.
	TakeRoom(bytes int) bool
	// MarkProven records that the request contained the correct password in its body.
	MarkProven()
	// Wait calls wait with a context that ends when the client disconnects, and returns its
	// error. Meanwhile, the request does not occupy a slot of the server. Wait must not be
	// called concurrently for one request.
	Wait(ctx context.Context, wait func(ctx context.Context) error) error
}

// Transport is a Carrier that consists of functions. Zero fields are suitable for calls in the
// same process.
type Transport struct {
	Unread func(do func()) (stop func() bool)               // nil if the answer is always read completely
	Room   func(bytes int) bool                             // nil if there is no limit
	Proven func()                                           // may be nil
	Waiter func(wait func(ctx context.Context) error) error // nil if waiting uses the context of the request
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

// TransportKey is the key of the Carrier in a context.
var TransportKey any = transportKey{}

// WithTransport returns a context with the Carrier of a request.
func WithTransport(ctx context.Context, c Carrier) context.Context {
	return context.WithValue(ctx, TransportKey, c)
}

// TransportOf returns the Carrier set by WithTransport, or a Transport without functions.
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

// reading is a context that ends when the client disconnects. Most calls end before anything
// waits for this, so the inner context, on which one can wait, is created on demand.
type reading struct {
	context.Context
	carrier Carrier

	mu     sync.Mutex
	inner  context.Context // nil until it is needed
	cancel context.CancelFunc
	stop   func() bool
	ended  bool
}

// waitable returns the inner context, creating it if necessary. The lock must be held.
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

// Value implements context.Context. It forwards to the inner context, so that contexts derived
// from this one find it.
func (r *reading) Value(key any) any {
	r.mu.Lock()
	inner := r.inner
	r.mu.Unlock()
	if inner == nil {
		inner = r.Context
	}
	return inner.Value(key)
}

// finish ends the context at the end of its call.
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
