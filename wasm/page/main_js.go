package main

import (
	"obverse/wasm/jsval"
)

// main offers the functions of the bridge and goes on until exit is called.
func main() {
	h := &host{jsval.Global().Get("obverse")}
	b := newBridge(h)
	h.ready(b.functions())
	<-b.exit
}
