package httpd

import "context"

type workKey struct{}

// withWork makes the context from which those of all requests come.
func withWork(work context.Context) context.Context {
	return context.WithValue(work, workKey{}, work)
}

// serverContext knows the calls of a request and ends with the server's work, not when
// the client hangs up. Without a server it never ends.
func serverContext(request context.Context) context.Context {
	work, ok := request.Value(workKey{}).(context.Context)
	if !ok {
		work = context.WithoutCancel(request)
	}
	return context.WithValue(work, callsKey{}, callsOf(request))
}
