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
