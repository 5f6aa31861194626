// Package daemon is the daemon API: JSON-RPC 1.0 as komodod speaks it, from the bytes
// of a request body to a status and the bytes of the reply, and the check of the
// Basic credential. It is not an HTTP server: what travels around the body is
// native/httpd's and the edge's business.
//
// Sources: komodod httprpc.cpp, rpc/server.cpp, rpc/protocol.cpp and univalue, and
// recordings of a running komodod 0.9.0.
//
// Invariant: every body gets exactly one reply, which is valid JSON with the keys
// result, error and id in this order (or an array of such replies), and no method
// can end the process.
package daemon
