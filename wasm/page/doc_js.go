// Command page is the node as a page runs it: core on the ports of JavaScript, in whatever
// thread started it, which ought to be a dedicated worker. It answers request bodies of both
// interfaces, hands out events, and exports and imports the store. It does not elect a leader:
// the host must ensure that one program at a time has the store open, as web/src/cluster.js
// does.
//
// The host puts an object "obverse" into the global object of the program, with the members of
// host_js.go. It gets back the functions of bridge_js.go.
//
// Invariant: no secret of the config leaves the program, but in the bytes of an export.
package main
