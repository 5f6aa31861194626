// Package proxyauth makes the header by which Komodo DeFi Framework's gateways identify a node:
// a signature of the node's ed25519 identity over one request. It does not log in: a gateway
// grants access by peer id. The identity holds no coins, and the key of the wallet is not
// involved.
//
// Source: Komodo DeFi Framework proxy_signature/src/lib.rs.
//
// Invariant: the signature covers the URI, the size of the body and the time of one request, so
// a header is invalid for any other request and after a quarter of a minute.
package proxyauth
