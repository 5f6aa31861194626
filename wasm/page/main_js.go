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

import (
	"obverse/wasm/jsval"
	"obverse/wasm/parts"
)

// main offers the functions of the bridge and goes on until exit is called.
func main() {
	h := &host{jsval.Global().Get("obverse")}
	parts.Enable(h.loadPart)
	b := newBridge(h)
	h.ready(b.functions())
	<-b.exit
}
