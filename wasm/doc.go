// Package wasm connects the core with web pages and the edge. Every file that uses JavaScript
// has a name that ends in _js.go and belongs to a package below this folder. Package native is the
// other platform.
package wasm
