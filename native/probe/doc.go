// Package probe asks a node of Komodo DeFi Framework for its version, over libp2p: TCP,
// multistream-select, Noise, Yamux, and the protocol /request-response/2. Each question uses a
// new connection, so that one poll is not affected by another's back-off. On that connection it
// also answers requests of the peer: the time, without which a seed node hangs up, and our own
// version.
//
// It is not a node of the network: it listens on no port, routes nothing, gossips nothing and
// keeps no addresses. core/versionstat decides which nodes are asked, how often, and which
// answers are stored.
//
// Sources: Komodo DeFi Framework mm2_p2p/src/behaviours/request_response.rs and
// atomicdex.rs, mm2_main/src/lp_network.rs; libp2p's connection specification;
// MessagePack as rmp-serde 0.14 writes it.
//
// Invariant: when Version returns, nothing of its question is left: no connection, no
// goroutine.
package probe
