// Command page is the node of a page: core with the ports of JavaScript, in the
// thread that started it, which should be a dedicated worker. It answers request bodies of both
// APIs, passes on events, and exports and imports the store. It does not elect a leader:
// the host must ensure that only one program at a time has the store open, as web/src/cluster.js
// does.
//
// The host provides a property "obverse" of the program's global object, with the members in
// host_js.go, and receives the functions in bridge_js.go.
//
// Invariant: no secret of the config leaves the program, except in the bytes of an export.
package main

import (
	"obverse/wasm/jsval"
	"obverse/wasm/parts"
)

// main provides the functions of the bridge, and returns after exit was called.
func main() {
	h := &host{jsval.Global().Get("obverse")}
	parts.Enable(h.loadPart)
	b := newBridge(h)
	h.ready(b.functions())
	<-b.exit
}
