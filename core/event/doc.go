// Package event delivers events to clients. A client chooses its id and has at most one
// connection. It subscribes to streamers. Their events get consecutive ids for each client and
// are kept for a while, so that a client can resume after a disconnect. The package contains no
// HTTP and no methods: native/httpd and wasm/worker send the server-sent events of sse.go,
// core/mmrpc manages subscriptions, and a page reads events directly.
//
// Sources: Komodo DeFi Framework's mm2_event_stream for names and for the format of an event;
// WHATWG HTML, server-sent events, for resuming by the last id.
//
// Invariant: the events of a client have consecutive ids, and a connection receives each of
// them once and in order, or the number of lost events. No client has to wait for another.
package event
