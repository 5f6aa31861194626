// Package events has the methods of the node API about event streams and estimates of fees.
//
// Source: Komodo DeFi Framework's mm2_event_stream and rpc_command.
package events
