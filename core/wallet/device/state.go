package device

import "context"

// State is what a request to a device waits for.
type State string

// States of requests.
const (
	WaitingForDevice         State = "WaitingForDevice"         // to be plugged in, unlocked, its app opened
	FollowDeviceInstructions State = "FollowDeviceInstructions" // its user has to confirm or reject
	Proceeding               State = "Proceeding"               // the request needs neither
)

// listenerKey finds the listener in a context.
type listenerKey struct{}

// Listen makes a context whose requests tell listener of each change of their state. It is
// called by the goroutine that makes the request, so it must not wait for it.
func Listen(ctx context.Context, listener func(State)) context.Context {
	return context.WithValue(ctx, listenerKey{}, listener)
}

// Report tells whoever listens in ctx of a state.
func Report(ctx context.Context, s State) {
	if listener, ok := ctx.Value(listenerKey{}).(func(State)); ok {
		listener(s)
	}
}
