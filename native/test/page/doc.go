// Package page contains the tests of a node in a page that apply to any node: the vectors of the
// node API, the recorded sessions of komodod, and NFTs of a real EVM network. The node runs in
// Chromium, and the tests call the functions of the JS package. The package contains only tests;
// web/dist must be built.
//
// Sources: the vectors are in core/mmrpc/testdata, the recordings in core/daemon/testdata.
//
// Invariant: the tests make the same comparisons as core's tests. What a page cannot do is listed
// here, with the reason.
package page
