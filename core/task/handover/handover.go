// Package handover marks the point from which work cannot be undone: a transaction that was
// given to a server, or that a wallet elsewhere was asked for, may be executed, whatever happens to the
// caller. Work that can be cancelled
// passes a function in its context, and the code that hands over calls Begin first.
//
// Invariant: work whose cancellation succeeded has not passed Begin, and does not pass it.
package handover

import "context"

type key struct{}

// With returns a context in which Begin calls begin. An error of begin says that the work was
// cancelled.
func With(ctx context.Context, begin func(what string) error) context.Context {
	return context.WithValue(ctx, key{}, begin)
}

// Begin is called before something is handed over that cannot be taken back, with a clause that
// says so to the user who tries to cancel. If it fails, nothing may be handed over.
func Begin(ctx context.Context, what string) error {
	if begin, is := ctx.Value(key{}).(func(string) error); is {
		return begin(what)
	}
	return ctx.Err()
}
