// Package limit is the budget of what clients may cost a server: a Listener bounds the connections of
// a port, a Memory the bodies and answers that it holds, and a Work the requests that are answered at a
// time. A Request is one client's part of all three, and moves through them together: while it waits
// for its client it makes room for others, and while it works it holds a slot.
//
// Invariant: what a client that has shown no password holds or waits for keeps no other client out.
package limit
