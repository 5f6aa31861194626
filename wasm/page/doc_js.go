// Command page is the node as a page runs it: core on the ports of JavaScript, in
// whatever thread started it, which ought to be a dedicated worker. It answers request
// bodies of both interfaces, hands out events, and exports and imports the store. It
// elects nobody: that one program at a time has the store open is its host's business,
// which web/src/cluster.js sees to.
//
// The host puts an object "obverse" into the global object of the program, and in it
// what host_js.go says. It gets back the functions of bridge_js.go.
//
// Invariant: no secret of the config leaves the program, but in the bytes of an export.
package main
