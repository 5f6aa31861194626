// Package link manages the connections of a Lightning node to its peers: it dials and
// accepts, does the handshake, exchanges init messages, sends and answers pings, reconnects
// to peers that the user wants, and limits the resources of inbound connections. It opens
// no channel and makes no payment.
//
// Each connection has two goroutines: one reads; the other writes, handles timeouts, and
// reconnects afterwards. Decisions about several connections are made under one mutex, see
// peer.go.
//
// Sources: BOLT 1, BOLT 7, BOLT 8; lnd's server.go for which of two connections that
// cross is kept, and its ping_manager.go for what it expects of peers.
//
// Invariant: each node has at most one authenticated connection, and after Run returns
// no connection and no goroutine is left.
package link
