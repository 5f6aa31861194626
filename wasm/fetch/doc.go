// Package fetch fills the port core/net/fetch with what a page has: its fetch function and
// its WebSocket. It knows no server, and keeps nothing between two requests.
//
// Sources: the Fetch and WebSocket standards of WHATWG.
//
// Invariant: that of core/net/fetch. Since a browser may name the URL in an error, no text
// of JavaScript is passed on.
package fetch
