// Package relay is a client of a WalletConnect relay: a server that passes encrypted
// messages on by topic, and keeps those whose receiver is away. It authenticates, connects
// when there is something to do, connects again when the connection breaks, and sends
// again what the relay did not confirm. It cannot read the messages.
//
// Sources: WalletConnect 2.0 specifications (servers/relay: JSON-RPC methods irn_* and wc_*,
// client authentication: JWT with a did:key).
//
// Invariant: a message reaches Receive once, whatever the relay sends again, among the last
// messages that the client remembers; what this client published never reaches it.
package relay
