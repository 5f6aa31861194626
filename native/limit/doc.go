// Package limit limits the resources of a server that clients can use. A Listener limits the connections of
// a port, a Memory the bodies and answers of a port, and a Work the requests that run at a
// time. A Request combines the shares of one request in all three: while the request waits for its
// client, it makes room for others, and while it runs, it holds a slot.
//
// Invariant: the resources that a client without a password holds or waits for never exclude another client.
package limit
