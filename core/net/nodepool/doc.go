// Package nodepool asks the nodes of one chain by JSON-RPC over HTTP: a Pool of them
// behaves like one node that is always there. Each node has to say first that it is on
// the chain; where one fails or is slow the next is asked, one that asks to be left alone
// is, one whose height the others contradict is asked last, and what is the same at the same time
// is asked once.
//
// It knows no chain: whoever knows one gives it a HealthCheck that tells a node's chain, and
// questions with what reads their answers. It knows no key but the identity that gateways
// want to see.
//
// Sources: JSON-RPC 2.0; RFC 9110 for statuses; Komodo DeFi Framework's nodes of coins,
// for the texts of errors.
//
// Invariant: no answer comes from a node that has not said, since it last failed, that
// it is on the chain, and no error shows a credential that is part of a URL.
package nodepool
