package httpd

import "context"

type workKey struct{}

// withWork makes the context from which those of all requests come.
func withWork(work context.Context) context.Context {
	return context.WithValue(work, workKey{}, work)
}

// workOf is the context of the server's work, which does not end when the client hangs up.
// Without a server it never ends.
func workOf(request context.Context) context.Context {
	if work, ok := request.Value(workKey{}).(context.Context); ok {
		return work
	}
	return context.WithoutCancel(request)
}

// callContext is the context of what a request calls: it ends with the server's work, and knows
// the request's calls.
type callContext struct {
	context.Context
	calls *calls
}

// Value implements context.Context.
func (c *callContext) Value(key any) any {
	if key == (callsKey{}) {
		return c.calls
	}
	return c.Context.Value(key)
}
