// Package nodepool is a JSON-RPC client for several nodes of one chain: a Pool behaves like one
// node that is always available. A node must pass the health check before it is used. When a
// node fails or is slow, the pool asks the next one; Retry-After is respected; a node that the
// others contradict about the height is asked last; and equal concurrent requests are merged.
//
// It depends on no chain: its caller supplies the HealthCheck and the questions with the
// functions that read their answers. The only key that it uses is the identity for gateways.
//
// Sources: JSON-RPC 2.0; RFC 9110 for statuses; Komodo DeFi Framework's nodes of coins,
// for the texts of errors.
//
// Invariant: every answer comes from a node that passed the health check since its last
// failure, and no error shows a credential that is part of a URL.
package nodepool
