package main

import (
	"obverse/wasm/jsval"
)

// The linker sets them; see the Makefile.
var (
	version = "devel"
	commit  = "unknown"
	built   = "" // when the commit was made: a build is the same whenever it is built
)

// main offers the functions of the bridge and goes on until exit is called.
func main() {
	h := &host{jsval.Global().Get("obverse")}
	b := newBridge(h)
	h.ready(b.functions())
	<-b.exit
}
