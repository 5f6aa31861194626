// Package page has the tests of the node in a page that apply to any node: the vectors of the
// node API and the recorded sessions of komodod, played on a node in Chromium through the
// functions of the JS package, and NFTs of a real EVM network. It holds no code of the node,
// and only tests are in it; web/dist has to be built.
//
// Sources: the vectors are in core/mmrpc/testdata, the recordings in
// core/daemon/testdata.
//
// Invariant: the tests compare what core's own tests compare; all that a page cannot do is
// named here, with its reason.
package page
