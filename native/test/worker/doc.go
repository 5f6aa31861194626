// Package worker contains the tests of a node at the edge. They run the built Worker in workerd,
// the runtime of Cloudflare Workers. They play the vectors and recordings for any node on its
// Durable Objects, and test what only an edge node does. The package contains only tests;
// web/dist/edge must be built (make worker).
//
// Sources: the vectors are in core/mmrpc/testdata, the recordings in core/daemon/testdata. workerd
// is part of the npm package miniflare (make peer).
//
// Invariant: every node of a test is a separate object, and no workerd outlives the test that
// started it.
package worker
