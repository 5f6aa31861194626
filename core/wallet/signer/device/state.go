package device

import "context"

// State is the user action that a request to a device waits for.
type State string

// States of requests.
const (
	WaitingForDevice         State = "WaitingForDevice"         // to be plugged in, unlocked, its app opened
	FollowDeviceInstructions State = "FollowDeviceInstructions" // its user has to confirm or reject
	Proceeding               State = "Proceeding"               // the request needs neither
)

// listenerKey finds the listener in a context.
type listenerKey struct{}

// Listen returns a context whose requests report each change of their state to listener. The
// goroutine of the request calls it, so it must not wait for the request.
func Listen(ctx context.Context, listener func(State)) context.Context {
	return context.WithValue(ctx, listenerKey{}, listener)
}

// Report sends a state to the listener of ctx.
func Report(ctx context.Context, s State) {
	if listener, ok := ctx.Value(listenerKey{}).(func(State)); ok {
		listener(s)
	}
}
