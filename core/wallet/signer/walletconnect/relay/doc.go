// Package relay is a client of a WalletConnect relay, a server that forwards encrypted messages
// by topic and stores messages for receivers that are offline. The client authenticates,
// connects while there is work to do, reconnects when a connection fails, and repeats requests
// that the relay did not confirm. The relay cannot read the messages.
//
// Sources: WalletConnect 2.0 specifications (servers/relay: JSON-RPC methods irn_* and wc_*,
// client authentication: JWT with a did:key).
//
// Invariant: Receive gets each message once even if the relay repeats it, within the last
// messages that the client remembers, and never gets messages published by this client.
package relay
