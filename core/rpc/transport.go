package rpc

import "context"

// Transport is what carries a request, for those who answer it. Zero fields are for
// calls inside the process.
type Transport struct {
	// Unread calls do when the client stops reading the answer, unless stop is called first;
	// nil: somebody reads it to the end.
	Unread func(do func()) (stop func() bool)
	// Room counts bytes of an answer that were made and are still to be sent, and tells
	// whether more may be made; nil: always.
	Room func(bytes int) bool
	// Proven is told that the request has shown the right password in its body; may be nil.
	Proven func()
	// Aside calls wait with a context that ends when the caller hangs up, and gives its
	// error; meanwhile the request takes no place from those that have work. It is for
	// one goroutine of the request at a time. nil: waits go by the context of the request.
	Aside func(wait func(ctx context.Context) error) error
}

type transportKey struct{}

// WithTransport gives a request's context what carries it.
func WithTransport(ctx context.Context, t Transport) context.Context {
	return context.WithValue(ctx, transportKey{}, t)
}

// TransportOf is what WithTransport gave, or one that does nothing.
func TransportOf(ctx context.Context) Transport {
	t, _ := ctx.Value(transportKey{}).(Transport)
	if t.Room == nil {
		t.Room = func(int) bool { return true }
	}
	if t.Proven == nil {
		t.Proven = func() {}
	}
	return t
}

// whileRead ends ctx also when nobody reads the answer any more.
func whileRead(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	t, _ := ctx.Value(transportKey{}).(Transport)
	if t.Unread == nil {
		return ctx, cancel
	}
	stop := t.Unread(cancel)
	return ctx, func() { stop(); cancel() }
}
