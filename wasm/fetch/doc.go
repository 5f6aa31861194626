// Package fetch implements the port core/net/fetch with the fetch function and the
// WebSocket of a page. It stores nothing between two requests.
//
// Sources: the Fetch and WebSocket standards of WHATWG.
//
// Invariant: that of core/net/fetch. Since a browser may include the URL in an error, no text
// of JavaScript is passed on.
package fetch
