// Package worker has the tests of the node at the edge: it runs the built Worker in workerd,
// the runtime of Cloudflare Workers, and plays on its Durable Objects the vectors and
// recordings for any node, and tests that only concern an edge node. It holds no code of the
// node, and only tests are in it; web/dist/edge has to be built (make worker).
//
// Sources: the vectors are in core/mmrpc/testdata, the recordings in core/daemon/testdata;
// workerd comes with the npm package miniflare (make peer).
//
// Invariant: every node of a test is a separate object, and no workerd outlives the test that
// started it.
package worker
