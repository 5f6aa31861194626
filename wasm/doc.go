// Package wasm is where the core meets a web page and the edge. Every file that
// touches JavaScript ends in _js.go and lives in a package of its own below this
// folder; package native is the other way of filling the same ports.
package wasm
