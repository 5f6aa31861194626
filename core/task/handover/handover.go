// Package handover marks the point from which work cannot be undone. A transaction that was
// given to a server, or requested from an external wallet, may be executed even if the caller
// is cancelled. Work that can be cancelled passes a function in its context, and the code that
// hands over calls Begin first.
//
// Invariant: work whose cancellation succeeded has not passed Begin, and does not pass it.
package handover

import "context"

type key struct{}

// With returns a context in which Begin calls begin. If begin fails, the work was cancelled.
func With(ctx context.Context, begin func(what string) error) context.Context {
	return context.WithValue(ctx, key{}, begin)
}

// Begin must be called before something is handed over that cannot be undone. what is a clause
// that explains this to a user who tries to cancel. If Begin fails, nothing may be handed over.
func Begin(ctx context.Context, what string) error {
	if begin, is := ctx.Value(key{}).(func(string) error); is {
		return begin(what)
	}
	return ctx.Err()
}
