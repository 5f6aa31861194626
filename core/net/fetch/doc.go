// Package fetch is the port for talking to servers elsewhere: one function for HTTP and
// one for websockets, of plain types, which native fills with net/http and a page with
// what its browser has. It brings a Cache, so that a question that many ask at once is
// asked once. It knows no server, and nothing of what is asked.
//
// Sources: RFC 9110 (Retry-After); the Fetch and WebSocket standards of WHATWG for what
// a page can do.
//
// Invariant: no text of an error has the URL, a header or a body of the request in it,
// since they may hold credentials.
package fetch
