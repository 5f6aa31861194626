// Package daemon implements the daemon API: komodod's JSON-RPC 1.0, from the bytes of a request
// body to the status and the bytes of the reply, and the check of the Basic credential. It is
// not an HTTP server: native/httpd and the edge handle everything around the body.
//
// Sources: komodod httprpc.cpp, rpc/server.cpp, rpc/protocol.cpp and univalue, and
// recordings of a running komodod 0.9.0.
//
// Invariant: every body gets exactly one reply, which is valid JSON with the keys result, error
// and id in this order (or an array of such replies), and no method can crash the process.
package daemon
