// Package wasm connects the core with a web page and the edge. Every file that uses JavaScript
// has a name ending in _js.go and is in a package below this folder; package native is the
// other platform.
package wasm
