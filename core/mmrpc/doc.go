// Package mmrpc is the node API: mmrpc 2.0 as Komodo DeFi Framework speaks it, from
// the bytes of a request body to the bytes of its answer: the server, its envelope and its
// dispatcher. A package below it holds the methods of one area: their parameters, their
// results, their functions and their lines of the method table. It knows no HTTP but the
// numbers of statuses.
//
// Sources: spec, The node API, Authentication, Events and Errors; Komodo DeFi
// Framework's mm2_rpc and dispatcher where the spec is silent.
//
// Invariant: every answer has the envelope's form, whatever a method does, and none
// holds a secret.
package mmrpc

import "obverse/core/rpc"

// Area is a group of methods over one part of the node.
type Area interface {
	// Methods lists them. It works on the zero value of the area too, for documents:
	// what the methods need is looked at when they are called.
	Methods() []rpc.Method
}
