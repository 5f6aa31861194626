// Package events implements the methods of the node API for event streams and fee estimates.
//
// Source: Komodo DeFi Framework's mm2_event_stream and rpc_command.
package events
