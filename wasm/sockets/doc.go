// Package sockets gives the Lightning node its TCP connections at the edge, over the
// connect function of Workers. A node there accepts no connections.
//
// Source: developers.cloudflare.com/workers/runtime-apis/tcp-sockets, by the package
// github.com/syumai/workers/cloudflare/sockets.
//
// Invariant: Close ends a Read and a Write that wait.
package sockets
