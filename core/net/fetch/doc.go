// Package fetch has the ports for outgoing requests: one function type for HTTP and one for
// websockets, which native implements with net/http and a page with the browser's APIs. Its
// Cache merges equal concurrent requests. It is independent of servers and protocols.
//
// Sources: RFC 9110 (Retry-After); the Fetch and WebSocket standards of WHATWG for what
// a page can do.
//
// Invariant: error texts contain no URL, header or body of the request, since these may
// hold credentials.
package fetch
