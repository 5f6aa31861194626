// Package event is the hub between what happens in the node and the clients that
// want to be told. A client has a number of its own choice and at most one
// connection; it subscribes to streamers, and their events are numbered for it and
// kept for a while, so that a client that was cut off resumes where it was. The hub
// knows no HTTP and no method: native/httpd and wasm/worker send events as the server-sent
// events of sse.go, core/mmrpc lets clients subscribe, and a page reads them in place.
//
// Sources: spec, Events; Komodo DeFi Framework's mm2_event_stream for names and for
// the form of an event; WHATWG HTML, server-sent events, for resuming by the last id.
//
// Invariant: the events of a client have consecutive ids, and a connection gets each
// of them once and in order, or is told how many it has lost. No client waits for
// another one.
package event
