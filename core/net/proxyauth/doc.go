// Package proxyauth makes the header by which Komodo DeFi Framework's gateways know a
// node: a signature of the node's ed25519 identity over one request. It is no login: a
// gateway decides what it allows a peer by its id. The identity holds no coins, and the
// key of the wallet has no part in this.
//
// Source: Komodo DeFi Framework proxy_signature/src/lib.rs.
//
// Invariant: what is signed is the URI, the size of the body and the time of one
// request, so a header is worth nothing for another one or a quarter of a minute later.
package proxyauth
