// Package events has the methods of the node API about what happens to coins: histories,
// event streams and estimates of fees.
//
// Source: Komodo DeFi Framework's my_tx_history_v2, mm2_event_stream and rpc_command.
package events
