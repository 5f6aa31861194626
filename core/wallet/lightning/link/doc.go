// Package link holds the connections of a Lightning node to its peers: it connects and
// lets connect, shakes hands, exchanges init, answers and sends pings, connects anew
// where the user wanted a connection and it broke, and bounds what strangers can use
// up. It opens no channel and makes no payment.
//
// Each connection has two goroutines: one reads, the other one owns the connection: it
// writes, keeps the time, and afterwards connects anew. Decisions about several
// connections are made under one mutex, see peer.go.
//
// Sources: BOLT 1, BOLT 7, BOLT 8; lnd's server.go for which of two connections that
// cross is kept, and its ping_manager.go for what it expects of peers.
//
// Invariant: there is at most one connection to a node on which both know each other,
// and when Run has returned there is none, and no goroutine.
package link
