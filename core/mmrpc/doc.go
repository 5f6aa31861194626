// Package mmrpc implements the node API: Komodo DeFi Framework's mmrpc 2.0, from the bytes of a
// request body to the bytes of the answer. It contains the server, the envelope and the
// dispatcher. The packages below it contain the methods of one area each: their parameters,
// results, functions and entries in the method table. It does not depend on HTTP, except for
// the numbers of statuses.
//
// Source: Komodo DeFi Framework's mm2_rpc and dispatcher.
//
// Invariant: every answer has the form of the envelope, whatever a method does, and no answer
// contains a secret.
package mmrpc

import "obverse/core/rpc"

// Area is a group of methods that concern one part of the node.
type Area interface {
	// Methods returns the methods. It must also work on the zero value of the area, which is
	// used to generate documents: the dependencies of the methods are not used until the
	// methods are called.
	Methods() []rpc.Method
}
