// Package cors decides which web origins may read the answers of a node from a browser,
// for every HTTP server that the node runs behind. It sets headers and knows no server.
//
// Sources: WHATWG Fetch, CORS protocol; Komodo DeFi Framework for the headers of calls.
//
// Invariant: no origin but a configured one is allowed, and never "*".
package cors
